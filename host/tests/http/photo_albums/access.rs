//! Albums are visible to their owner and the accounts they are shared with.

use serde_json::{Value, json};
use svc_covers::covers;

use super::{ALBUMS, add, create, patch, remove};
use crate::photos::{ids, photo};
use crate::support::TestServer;

#[covers(
    "GET /api/v1/photo-albums/{photoAlbumId}",
    "PATCH /api/v1/photo-albums/{photoAlbumId}",
    "DELETE /api/v1/photo-albums/{photoAlbumId}",
    "T24"
)]
#[tokio::test]
async fn nobody_sees_or_changes_anothers_album_but_whom_its_owner_lets_in() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let (bea, ben) = (
        server.user("bea", false, &["member"]).await,
        server.user("ben", false, &["member"]).await,
    );
    let (bea_token, ben_token) = (server.token(bea), server.token(ben));
    for (place, user) in [("Bea", bea), ("Ben", ben)] {
        let body =
            json!({"name": place, "mediaKind": "photos", "paths": [place], "grants": [{"userId": user}]});
        assert_eq!(
            server
                .send_as(&owner, "POST", "/api/v1/libraries", &body)
                .await
                .status,
            201
        );
    }
    let (hers, open) = (
        photo(&server, "Bea", 0).await.to_string(),
        photo(&server, "Open", 1).await.to_string(),
    );
    let id = create(&server, &bea_token, json!({"name": "Hers"})).await;
    let added = add(&server, &bea_token, &id, &[&hers, &open]).await.json();
    assert_eq!((&added[0]["ok"], &added[1]["ok"]), (&json!(true), &json!(true)));

    // Not even the server's owner sees it.
    for token in [&ben_token, &owner] {
        let target = format!("{ALBUMS}/{id}");
        assert_eq!(server.get_as(token, &target).await.status, 404);
        assert_eq!(server.get_as(token, ALBUMS).await.json(), json!([[], 0]));
        assert_eq!(
            server
                .get_as(token, &format!("/api/v1/photos?albumId={id}"))
                .await
                .json(),
            json!([[], 0])
        );
        let shown = server
            .get_as(token, &format!("/api/v1/photos/{open}"))
            .await
            .json();
        assert_eq!(shown["albumIds"], json!([]));
        assert_eq!(
            patch(&server, token, &id, json!({"name": "His"})).await.status,
            404
        );
        assert_eq!(add(&server, token, &id, &[&open]).await.status, 404);
        assert_eq!(remove(&server, token, &id, &[&open]).await.status, 404);
        assert_eq!(
            server
                .send_as(token, "DELETE", &target, &Value::Null)
                .await
                .status,
            404
        );
    }
    // Let in, Ben sees the album, and of its photos those that his libraries let him see.
    assert_eq!(
        patch(&server, &bea_token, &id, json!({"sharedWith": [ben]}))
            .await
            .status,
        200
    );
    let album = server.get_as(&ben_token, &format!("{ALBUMS}/{id}")).await.json();
    assert_eq!(
        (
            &album["photoCount"],
            &album["coverPhotoId"],
            &album["ownerUserId"]
        ),
        (&json!(1), &json!(open), &json!(bea))
    );
    assert!(album.get("sharedWith").is_none());
    assert_eq!(
        ids(&server, &ben_token, &format!("albumId={id}&orderBy=album")).await,
        std::slice::from_ref(&open)
    );
    assert_eq!(ids(&server, &bea_token, &format!("albumId={id}")).await.len(), 2);
    let shown = server
        .get_as(&ben_token, &format!("/api/v1/photos/{open}"))
        .await
        .json();
    assert_eq!(shown["albumIds"], json!([id]));
    assert_eq!(
        patch(&server, &ben_token, &id, json!({"name": "His"}))
            .await
            .status,
        404
    );
    assert_eq!(server.get_as(&owner, &format!("{ALBUMS}/{id}")).await.status, 404);
    // What one does not see cannot be put into an album or corrected.
    let his = create(&server, &ben_token, json!({"name": "His"})).await;
    let added = add(&server, &ben_token, &his, &[&hers]).await.json();
    assert_eq!(
        added,
        json!([{"photoId": hers, "ok": false, "code": "photo_not_found"}])
    );
    let target = format!("/api/v1/photos/{hers}");
    let body = json!({"description": "x"});
    assert_eq!(
        server.send_as(&ben_token, "PATCH", &target, &body).await.status,
        404
    );
    let guest = server.token(server.user("visitor", false, &["guest"]).await);
    assert_eq!(server.get_as(&guest, ALBUMS).await.json(), json!([[], 0]));
    assert_eq!(
        server
            .send_as(&guest, "POST", ALBUMS, &json!({"name": "x"}))
            .await
            .status,
        403
    );
    assert_eq!(
        patch(&server, &bea_token, &id, json!({"visibility": "everyone"}))
            .await
            .status,
        200
    );
    assert_eq!(server.get_as(&guest, ALBUMS).await.json()[1], 1);
}
