//! `null` in bodies: it empties what may be empty, resets a setting, and is refused elsewhere.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::TestServer;
use crate::refresh::on_each_database;

const SETTINGS: &str = "/api/v1/settings";

async fn set(server: &TestServer, token: &str, app: Value, settings: Value) -> Value {
    let body = json!({"app": app, "settings": settings});
    let reply = server.send_as(token, "PATCH", SETTINGS, &body).await;
    assert_eq!(reply.status, 200, "{:?}", reply.json());
    reply.json()["updated"].clone()
}

async fn shown(server: &TestServer, token: &str, app: &str, key: &str) -> Value {
    let reply = server.get_as(token, &format!("{SETTINGS}/{app}")).await;
    reply.json()["settings"][key].clone()
}

#[covers("A16")]
#[tokio::test]
async fn null_resets_settings_of_the_server_and_of_an_account() {
    on_each_database(async |server: TestServer| {
        let ada = server.owner().await;
        let bob = server.caller_without_roles().await;
        for token in [&ada, &bob] {
            set(&server, token, Value::Null, json!({"theme": "dark"})).await;
        }
        set(&server, &ada, Value::Null, json!({"server_name": "Home"})).await;
        let reset = json!({"server_name": null, "theme": null});
        let updated = set(&server, &ada, json!("music"), reset).await;
        assert_eq!(updated, json!({"server_name": "svc", "theme": "system"}));
        assert_eq!(server.get("/api/v1/instance").await.json()["serverName"], "svc");
        assert_eq!(shown(&server, &ada, "admin", "theme").await, "system");
        assert_eq!(shown(&server, &bob, "admin", "theme").await, "dark", "his own");
        assert_eq!(server.number("SELECT count(*) FROM server_settings").await, 0);
    })
    .await;
}

#[tokio::test]
async fn null_for_an_app_gives_way_to_what_holds_for_all() {
    on_each_database(async |server: TestServer| {
        let ada = server.owner().await;
        let timeout = |value: Value| json!({"session_timeout": value});
        let default = shown(&server, &ada, "music", "session_timeout").await;
        set(&server, &ada, Value::Null, timeout(json!("7d"))).await;
        set(&server, &ada, json!("music"), timeout(json!("memory"))).await;
        let updated = set(&server, &ada, json!("music"), timeout(Value::Null)).await;
        assert_eq!(updated, timeout(json!("7d")));
        set(&server, &ada, json!("photos"), timeout(json!("memory"))).await;
        let updated = set(&server, &ada, Value::Null, timeout(Value::Null)).await;
        assert_eq!(updated, timeout(default.clone()));
        assert_eq!(shown(&server, &ada, "photos", "session_timeout").await, default);
    })
    .await;
}

#[covers("A16")]
#[tokio::test]
async fn null_empties_what_may_be_empty_and_is_refused_elsewhere() {
    on_each_database(async |server: TestServer| {
        let ada = server.owner().await;
        let bob = server.user("bob", false, &["member"]).await;
        let bob = format!("/api/v1/users/{bob}");
        let send = async |method: &str, target: &str, body: Value| {
            let reply = server.send_as(&ada, method, target, &body).await;
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
