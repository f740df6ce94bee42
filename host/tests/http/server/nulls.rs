//! `null` in every field of request bodies: empties it, resets it or is 400.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::support::TestServer;
use crate::support::databases::on_each_database;

#[covers("A16")]
#[tokio::test]
async fn null_clears_nullable_fields_and_is_refused_for_others() {
    on_each_database(async |server: TestServer| {
        let ada = server.as_owner().await;
        let bob = server.user("bob", false, &["member"]).await;
        let bob = format!("/api/v1/users/{bob}");
        let send = async |method: &str, target: &str, body: Value| {
            let reply = ada.send(method, target, &body).await;
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
