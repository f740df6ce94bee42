//! Albums are visible to their owner and the accounts they are shared with.

use serde_json::json;
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
async fn album_of_another_account_is_404_unless_shared() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let (bea, ben) = (
        server.user("bea", false, &["member"]).await,
        server.user("ben", false, &["member"]).await,
    );
    let (bea_token, ben_token) = (server.client(bea), server.client(ben));
    for (place, user) in [("Bea", bea), ("Ben", ben)] {
        let body =
            json!({"name": place, "mediaKind": "photos", "paths": [place], "grants": [{"userId": user}]});
        assert_eq!(owner.post("/api/v1/libraries", &body).await.status, 201);
    }
    let (hers, open) = (
        photo(&server, "Bea", 0).await.to_string(),
        photo(&server, "Open", 1).await.to_string(),
    );
    let id = create(&bea_token, json!({"name": "Hers"})).await;
    let added = add(&bea_token, &id, &[&hers, &open]).await.json();
    assert_eq!((&added[0]["ok"], &added[1]["ok"]), (&json!(true), &json!(true)));

    // The owner of the server does not see it either.
    for token in [&ben_token, &owner] {
        let target = format!("{ALBUMS}/{id}");
        assert_eq!(token.get(&target).await.status, 404);
        assert_eq!(token.get(ALBUMS).await.json(), json!([[], 0]));
        assert_eq!(
            token.get(&format!("/api/v1/photos?albumId={id}")).await.json(),
            json!([[], 0])
        );
        let shown = token.get(&format!("/api/v1/photos/{open}")).await.json();
        assert_eq!(shown["albumIds"], json!([]));
        assert_eq!(patch(token, &id, json!({"name": "His"})).await.status, 404);
        assert_eq!(add(token, &id, &[&open]).await.status, 404);
        assert_eq!(remove(token, &id, &[&open]).await.status, 404);
        assert_eq!(token.delete(&target).await.status, 404);
    }
    // Ben sees the shared album, and those of its photos that he has access to.
    assert_eq!(
        patch(&bea_token, &id, json!({"sharedWith": [ben]})).await.status,
        200
    );
    let album = ben_token.get(&format!("{ALBUMS}/{id}")).await.json();
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
        ids(&ben_token, &format!("albumId={id}&orderBy=album")).await,
        std::slice::from_ref(&open)
    );
    assert_eq!(ids(&bea_token, &format!("albumId={id}")).await.len(), 2);
    let shown = ben_token.get(&format!("/api/v1/photos/{open}")).await.json();
    assert_eq!(shown["albumIds"], json!([id]));
    assert_eq!(patch(&ben_token, &id, json!({"name": "His"})).await.status, 404);
    assert_eq!(owner.get(&format!("{ALBUMS}/{id}")).await.status, 404);
    // A hidden photo cannot be added to an album or edited.
    let his = create(&ben_token, json!({"name": "His"})).await;
    let added = add(&ben_token, &his, &[&hers]).await.json();
    assert_eq!(
        added,
        json!([{"photoId": hers, "ok": false, "code": "photo_not_found"}])
    );
    let target = format!("/api/v1/photos/{hers}");
    let body = json!({"description": "x"});
    assert_eq!(ben_token.patch(&target, &body).await.status, 404);
    let guest = server.as_user("visitor", &["guest"]).await;
    assert_eq!(guest.get(ALBUMS).await.json(), json!([[], 0]));
    assert_eq!(guest.post(ALBUMS, &json!({"name": "x"})).await.status, 403);
    assert_eq!(
        patch(&bea_token, &id, json!({"visibility": "everyone"}))
            .await
            .status,
        200
    );
    assert_eq!(guest.get(ALBUMS).await.json()[1], 1);
}
