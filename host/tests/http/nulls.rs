//! `null` in bodies: it empties what may be empty, resets a setting, and is refused elsewhere.

use serde_json::{Value, json};

use crate::Bed;
use crate::refresh::on_each_database;

const SETTINGS: &str = "/api/v1/settings";

async fn set(bed: &Bed, token: &str, app: Value, settings: Value) -> Value {
    let body = json!({"app": app, "settings": settings});
    let reply = bed.send_as(token, "PATCH", SETTINGS, &body).await;
    assert_eq!(reply.status, 200, "{:?}", reply.json());
    reply.json()["updated"].clone()
}

async fn shown(bed: &Bed, token: &str, app: &str, key: &str) -> Value {
    let reply = bed.get_as(token, &format!("{SETTINGS}/{app}")).await;
    reply.json()["settings"][key].clone()
}

#[tokio::test]
async fn null_resets_settings_of_the_server_and_of_an_account() {
    on_each_database(async |bed: Bed| {
        let ada = bed.owner().await;
        let bob = bed.caller_without_roles().await;
        for token in [&ada, &bob] {
            set(&bed, token, Value::Null, json!({"theme": "dark"})).await;
        }
        set(&bed, &ada, Value::Null, json!({"server_name": "Home"})).await;
        let reset = json!({"server_name": null, "theme": null});
        let updated = set(&bed, &ada, json!("music"), reset).await;
        assert_eq!(updated, json!({"server_name": "svc", "theme": "system"}));
        assert_eq!(bed.get("/api/v1/instance").await.json()["serverName"], "svc");
        assert_eq!(shown(&bed, &ada, "admin", "theme").await, "system");
        assert_eq!(shown(&bed, &bob, "admin", "theme").await, "dark", "his own");
        assert_eq!(bed.number("SELECT count(*) FROM server_settings").await, 0);
    })
    .await;
}

#[tokio::test]
async fn null_for_an_app_gives_way_to_what_holds_for_all() {
    on_each_database(async |bed: Bed| {
        let ada = bed.owner().await;
        let timeout = |value: Value| json!({"session_timeout": value});
        let default = shown(&bed, &ada, "music", "session_timeout").await;
        set(&bed, &ada, Value::Null, timeout(json!("7d"))).await;
        set(&bed, &ada, json!("music"), timeout(json!("memory"))).await;
        let updated = set(&bed, &ada, json!("music"), timeout(Value::Null)).await;
        assert_eq!(updated, timeout(json!("7d")));
        set(&bed, &ada, json!("photos"), timeout(json!("memory"))).await;
        let updated = set(&bed, &ada, Value::Null, timeout(Value::Null)).await;
        assert_eq!(updated, timeout(default.clone()));
        assert_eq!(shown(&bed, &ada, "photos", "session_timeout").await, default);
    })
    .await;
}

#[tokio::test]
async fn null_empties_what_may_be_empty_and_is_refused_elsewhere() {
    on_each_database(async |bed: Bed| {
        let ada = bed.owner().await;
        let bob = bed.user("bob", false, &["member"]).await;
        let bob = format!("/api/v1/users/{bob}");
        let send = async |method: &str, target: &str, body: Value| {
            let reply = bed.send_as(&ada, method, target, &body).await;
            (reply.status, reply.json())
        };
        let library = json!({"name": "All", "mediaKind": "music"});
        let (_, library) = send("POST", "/api/v1/libraries", library).await;
        let library = format!("/api/v1/libraries/{}", library["libraryId"].as_str().unwrap());
        let album = json!({"name": "Summer", "description": "Sun"});
        let (_, album) = send("POST", "/api/v1/photo-albums", album).await;
        let album = format!("/api/v1/photo-albums/{}", album["photoAlbumId"].as_str().unwrap());

        for (target, field) in [
            (&bob, "username"),
            (&bob, "enabled"),
            (&bob, "password"),
            (&bob, "currentPassword"),
            (&library, "name"),
            (&library, "paths"),
            (&library, "grants"),
            (&album, "name"),
            (&album, "visibility"),
            (&album, "sharedWith"),
        ] {
            let (_, before) = send("GET", target, Value::Null).await;
            let (status, problem) = send("PATCH", target, json!({field: null})).await;
            assert_eq!(status, 400, "{target} {field} {problem}");
            assert_eq!(send("GET", target, Value::Null).await.1, before, "{field}");
        }
        for (method, target, body) in [
            (
                "POST",
                "/api/v1/users",
                json!({"username": "eve", "password": "long enough", "role": null}),
            ),
            (
                "POST",
                "/api/v1/photo-albums",
                json!({"name": "Winter", "visibility": null}),
            ),
            (
                "POST",
                "/api/v1/playback-queues",
                json!({"type": "static", "dynamicType": null}),
            ),
            (
                "POST",
                "/api/v1/index/run",
                json!({"type": "quick", "mediaKinds": null}),
            ),
            (
                "POST",
                "/api/v1/index/run",
                json!({"type": "quick", "dryRun": null}),
            ),
        ] {
            let (status, problem) = send(method, target, body.clone()).await;
            assert_eq!(status, 400, "{target} {body} {problem}");
        }
        for (target, field) in [
            (&bob, "displayName"),
            (&album, "description"),
            (&album, "coverPhotoId"),
        ] {
            let (status, changed) = send("PATCH", target, json!({field: null})).await;
            assert_eq!((status, &changed[field]), (200, &Value::Null), "{target} {field}");
        }
        let (status, made) = send(
            "POST",
            "/api/v1/users",
            json!({"username": "eve", "password": "long enough", "displayName": null}),
        )
        .await;
        assert_eq!((status, &made["displayName"]), (201, &Value::Null));
    })
    .await;
}
