//! `GET /photos` and `GET /photos/{photoId}`.

use serde_json::json;
use svc_covers::covers;

use crate::support::TestServer;
use svc_domain::kind::MediaKind;

#[covers("GET /api/v1/photos", "GET /api/v1/photos/{photoId}")]
#[tokio::test]
async fn photos_are_listed_with_their_metadata() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let folder = server.folder(MediaKind::photos()).await;
    let photo = server.photo(folder, "IMG_20200102_030405.jpg", b"jpeg").await;
    let list = token.get("/api/v1/photos").await.json();
    assert_eq!(
        (&list[1], &list[0][0]["photoId"]),
        (&json!(1), &json!(photo.to_string()))
    );
    let item = token.get(&format!("/api/v1/photos/{photo}")).await.json();
    assert_eq!(
        (&item["width"], &item["takenAtSource"]),
        (&json!(640), &json!("filename"))
    );
    assert_eq!(item["takenAt"], "2020-01-02T03:04:05.000Z");
    assert_eq!(
        token.get("/api/v1/photos?from=2021-01-01").await.json(),
        json!([[], 0])
    );
}
