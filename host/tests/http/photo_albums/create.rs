//! Albums are created, filled, changed and deleted.

use serde_json::json;
use svc_covers::covers;

use super::{ALBUMS, add, create, patch, remove};
use crate::UNKNOWN;
use crate::photos::{ids, photo};
use crate::support::TestServer;
use svc_domain::time::Clock as _;

#[covers(
    "GET /api/v1/photo-albums",
    "POST /api/v1/photo-albums",
    "POST /api/v1/photo-albums/{photoAlbumId}/photos",
    "DELETE /api/v1/photo-albums/{photoAlbumId}/photos"
)]
#[tokio::test]
async fn album_is_created_filled_changed_and_deleted() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let ben = server.user("ben", false, &["member"]).await;
    let mut photos = Vec::new();
    for days in 0..3 {
        photos.push(photo(&server, &format!("Album {days}"), days).await.to_string());
    }
    let [first, second, third] = [photos[0].as_str(), photos[1].as_str(), photos[2].as_str()];
    let body = json!({"name": " Summer ", "description": "By the sea", "sharedWith": [ben, ben]});
    let made = owner.post(ALBUMS, &body).await;
    let album = made.json();
    assert_eq!((made.status, &album["name"]), (201, &json!("Summer")));
    assert_eq!(
        (&album["visibility"], &album["sharedWith"], &album["photoCount"]),
        (&json!("private"), &json!([ben]), &json!(0))
    );
    assert!(album.get("coverPhotoId").is_none() && album.get("from").is_none());
    let id = album["photoAlbumId"].as_str().unwrap();
    let added = add(&owner, id, &[second, first, "x", second, UNKNOWN]).await;
    assert_eq!(
        (added.status, added.json()),
        (
            201,
            json!([
                {"photoId": second, "ok": true},
                {"photoId": first, "ok": true},
                {"photoId": UNKNOWN, "ok": false, "code": "photo_not_found"},
                {"photoId": "x", "ok": false, "code": "photo_not_found"},
            ])
        )
    );
    let target = format!("{ALBUMS}/{id}");
    let album = owner.get(&target).await.json();
    assert_eq!(
        (
            &album["photoCount"],
            &album["coverPhotoId"],
            &album["from"],
            &album["to"]
        ),
        (
            &json!(2),
            &json!(second),
            &json!("2021-07-14T12:00:00.000Z"),
            &json!("2021-07-15T12:00:00.000Z")
        )
    );
    let in_album = format!("albumId={id}");
    assert_eq!(
        ids(&owner, &format!("{in_album}&orderBy=album")).await,
        [second, first]
    );
    assert_eq!(
        ids(&owner, &format!("{in_album}&order=ASC")).await,
        [first, second]
    );
    let shown = owner.get(&format!("/api/v1/photos/{first}")).await.json();
    assert_eq!(shown["albumIds"], json!([id]));

    let change = json!({"name": "Winter", "description": null, "visibility": "everyone", "sharedWith": [], "coverPhotoId": first});
    let changed = patch(&owner, id, change).await.json();
    assert_eq!(
        (
            &changed["name"],
            &changed["visibility"],
            &changed["sharedWith"],
            &changed["coverPhotoId"]
        ),
        (&json!("Winter"), &json!("everyone"), &json!([]), &json!(first))
    );
    assert!(changed.get("description").is_none());
    for (body, status, path) in [
        (json!({"name": ""}), 400, "name"),
        (json!({"visibility": "public"}), 400, "visibility"),
        (json!({"sharedWith": [UNKNOWN]}), 404, "sharedWith[0]"),
        (json!({"sharedWith": vec!["x"; 201]}), 400, "sharedWith"),
        (json!({"coverPhotoId": third}), 404, "coverPhotoId"),
        (json!({"coverPhotoId": "x"}), 400, "coverPhotoId"),
    ] {
        let reply = patch(&owner, id, body.clone()).await;
        assert_eq!(reply.status, status, "{body}");
        assert_eq!(reply.json()["errors"][0]["path"], path, "{body}");
    }
    let removed = remove(&owner, id, &[first, third]).await;
    assert_eq!(
        (removed.status, removed.json()),
        (
            200,
            json!([
                {"photoId": first, "ok": true},
                {"photoId": third, "ok": false, "code": "not_in_album"},
            ])
        )
    );
    create(&owner, json!({"name": "Autumn"})).await;
    let list = owner.get(ALBUMS).await.json();
    assert_eq!((&list[0][0]["name"], &list[1]), (&json!("Autumn"), &json!(2)));
    let list = owner
        .get(&format!("{ALBUMS}?orderBy=createdAt&take=1&skip=1"))
        .await;
    assert_eq!(list.json()[0][0]["name"], "Winter");

    let deleted = owner.delete(&target).await;
    assert_eq!((deleted.status, deleted.json()), (200, json!(true)));
    assert_eq!(owner.get(&target).await.status, 404);
    assert_eq!(ids(&owner, "").await.len(), 3);
    let shown = owner.get(&format!("/api/v1/photos/{second}")).await.json();
    assert_eq!(shown["albumIds"], json!([]));
}

#[covers("code too_many_photo_albums")]
#[tokio::test]
async fn album_beyond_the_limit_of_an_account_is_409() {
    let server = TestServer::start().await;
    let ben = server.user("ben", false, &["member"]).await;
    for number in 0..1000 {
        let new = svc_store::NewPhotoAlbum {
            id: server.id(),
            owner: ben,
            name: number.to_string(),
            description: None,
            viewers: Default::default(),
        };
        assert!(
            server
                .store
                .photo_albums
                .insert_photo_album(&new, 1000, server.clock.now())
                .await
                .unwrap()
        );
    }
    let token = server.client(ben);
    let refused = token.post(ALBUMS, &json!({"name": "x"})).await;
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (409, &json!("too_many_photo_albums"))
    );
}
