//! Events about albums and photos reach the accounts that see them.

use serde_json::{Value, json};

use super::{ALBUMS, add, create, patch, remove};
use crate::photos::photo;
use crate::support::listening::{ListeningServer, quick};

#[tokio::test]
async fn album_and_photo_events_reach_the_accounts_that_see_them() {
    let listening = ListeningServer::start(quick()).await;
    let server = &listening.server;
    let owner = server.as_owner().await;
    let (bea, ben, cat) = (
        server.user("bea", false, &["member"]).await,
        server.user("ben", false, &["member"]).await,
        server.user("cat", false, &["member"]).await,
    );
    let bea_token = server.client(bea);
    let body = json!({"name": "Bea", "mediaKind": "photos", "paths": ["Bea"], "grants": [{"userId": bea}]});
    assert_eq!(owner.post("/api/v1/libraries", &body).await.status, 201);
    let (hers, open) = (
        photo(server, "Bea", 0).await.to_string(),
        photo(server, "Open", 1).await.to_string(),
    );
    let mut clients = [
        listening.listen(&bea_token).await,
        listening.listen(&server.client(ben)).await,
        listening.listen(&server.client(cat)).await,
    ];
    let describe = async |photo: &str| {
        let body = json!({"description": photo});
        let target = format!("/api/v1/photos/{photo}");
        assert_eq!(bea_token.patch(&target, &body).await.status, 200);
    };
    describe(&hers).await;
    let id = create(&bea_token, json!({"name": "Hers", "sharedWith": [ben]})).await;
    add(&bea_token, &id, &[&hers, &open]).await;
    // Adding a photo again publishes no event.
    add(&bea_token, &id, &[&hers]).await;
    remove(&bea_token, &id, &[&hers]).await;
    patch(&bea_token, &id, json!({"sharedWith": [cat]})).await;
    let target = format!("{ALBUMS}/{id}");
    bea_token.delete(&target).await;
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
