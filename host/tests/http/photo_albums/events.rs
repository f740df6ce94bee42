//! Events about albums and photos reach the accounts that see them.

use serde_json::{Value, json};

use super::{ALBUMS, add, create, patch, remove};
use crate::photos::photo;
use crate::support::listening::{ListeningServer, quick};

#[tokio::test]
async fn albums_and_corrections_are_told_to_those_who_see_them() {
    let listening = ListeningServer::start(quick()).await;
    let server = &listening.server;
    let owner = server.owner().await;
    let (bea, ben, cat) = (
        server.user("bea", false, &["member"]).await,
        server.user("ben", false, &["member"]).await,
        server.user("cat", false, &["member"]).await,
    );
    let bea_token = server.token(bea);
    let body = json!({"name": "Bea", "mediaKind": "photos", "paths": ["Bea"], "grants": [{"userId": bea}]});
    assert_eq!(
        server
            .send_as(&owner, "POST", "/api/v1/libraries", &body)
            .await
            .status,
        201
    );
    let (hers, open) = (
        photo(server, "Bea", 0).await.to_string(),
        photo(server, "Open", 1).await.to_string(),
    );
    let mut clients = [
        listening.listen(&bea_token).await,
        listening.listen(&server.token(ben)).await,
        listening.listen(&server.token(cat)).await,
    ];
    let describe = async |photo: &str| {
        let body = json!({"description": photo});
        let target = format!("/api/v1/photos/{photo}");
        assert_eq!(
            server.send_as(&bea_token, "PATCH", &target, &body).await.status,
            200
        );
    };
    describe(&hers).await;
    let id = create(server, &bea_token, json!({"name": "Hers", "sharedWith": [ben]})).await;
    add(server, &bea_token, &id, &[&hers, &open]).await;
    // Adding nothing new is no news.
    add(server, &bea_token, &id, &[&hers]).await;
    remove(server, &bea_token, &id, &[&hers]).await;
    patch(server, &bea_token, &id, json!({"sharedWith": [cat]})).await;
    let target = format!("{ALBUMS}/{id}");
    server.send_as(&bea_token, "DELETE", &target, &Value::Null).await;
    describe(&open).await;
    let album = |kind: &str| (format!("photo_album.{kind}"), json!({"photoAlbumId": id}));
    let with = |kind: &str, photos: Value| {
        let payload = json!({"photoAlbumId": id, "photoIds": photos});
        (format!("photo_album.{kind}"), payload)
    };
    let corrected = |photo: &str| ("photo.updated".to_owned(), json!({"photoId": photo}));
    let heard = [
        vec![
            corrected(&hers),
            album("created"),
            with("photos_added", json!([hers, open])),
            with("photos_removed", json!([hers])),
            album("updated"),
            album("deleted"),
            corrected(&open),
        ],
        vec![
            album("created"),
            album("photos_added"),
            album("photos_removed"),
            album("updated"),
            corrected(&open),
        ],
        vec![album("updated"), album("deleted"), corrected(&open)],
    ];
    for (client, expected) in clients.iter_mut().zip(heard) {
        for (kind, payload) in expected {
            let event = client.next().await.unwrap();
            assert_eq!((&event["type"], &event["payload"]), (&json!(kind), &payload));
        }
        assert!(client.is_silent().await);
    }
}
