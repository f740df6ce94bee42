//! `GET /photos/{photoId}/original`.

use svc_covers::covers;

use crate::support::TestServer;
use svc_domain::kind::MediaKind;

#[covers("GET /api/v1/photos/{photoId}/original")]
#[tokio::test]
async fn photo_original_has_its_content_type() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let folder = server.folder(MediaKind::photos()).await;
    for (name, content_type, disposition) in [
        ("a.jpg", "image/jpeg", "inline"),
        ("b.svg", "application/octet-stream", "attachment"),
    ] {
        let id = server.photo(folder, name, b"content").await;
        let reply = token.get(&format!("/api/v1/photos/{id}/original")).await;
        assert_eq!((reply.status, reply.body.as_slice()), (200, &b"content"[..]));
        assert_eq!(
            (reply.header("content-type"), reply.header("content-disposition")),
            (content_type, disposition)
        );
        // The id of a photo is not the id of a track.
        assert_eq!(token.get(&format!("/api/v1/music/stream/{id}")).await.status, 404);
    }
}
