//! `GET /photos/{photoId}/thumbnail`, with a plugin that renders the same bytes for every photo.

use std::time::{Duration, UNIX_EPOCH};

use serde_json::json;
use svc_covers::covers;

use crate::support::{Client, Reply, TestServer, TestServerOptions};
use svc_domain::id::FileId;
use svc_domain::kind::MediaKind;
use svc_domain::library::MediaScope;
use svc_plugin_host::{BuiltIn, Component};
use svc_test_support::guests;

pub(crate) const DRAWN: &[u8] = &[0xff, 0xd8, 0xff, 0xe0];

pub(crate) struct ThumbnailFixture {
    pub(crate) server: TestServer,
    pub(crate) owner: Client,
}

impl ThumbnailFixture {
    pub(crate) async fn new() -> Self {
        let bytes = guests::renderer("thumbnailer", "drawer").leak();
        let server = TestServer::start_with(TestServerOptions {
            plugins: vec![BuiltIn {
                name: "drawer",
                component: Component::Plain(bytes),
            }],
            ..TestServerOptions::default()
        })
        .await;
        let owner = server.as_owner().await;
        Self { server, owner }
    }

    pub(crate) async fn photo(&self, content: &[u8]) -> FileId {
        let folder = self.server.folder(MediaKind::photos()).await;
        self.server.photo(folder, "a.jpg", content).await
    }

    pub(crate) async fn ask(&self, target: &str, headers: &[(&str, &str)]) -> Reply {
        self.owner.request("GET", target, headers, "").await
    }

    pub(crate) fn calls(&self) -> u64 {
        let status = self.server.plugins.list().remove(0);
        status.stats.unwrap().calls
    }
}

fn code(reply: &Reply) -> (u16, String) {
    let code = reply.json()["code"].as_str().unwrap_or_default().to_owned();
    (reply.status, code)
}

#[covers("GET /api/v1/photos/{photoId}/thumbnail")]
#[tokio::test]
async fn thumbnail_is_rendered_once_and_supports_conditions() {
    let gallery = ThumbnailFixture::new().await;
    let id = gallery.photo(b"any").await;
    let target = format!("/api/v1/photos/{id}/thumbnail");
    let reply = gallery.ask(&target, &[]).await;
    assert_eq!((reply.status, reply.body.as_slice()), (200, DRAWN));
    assert_eq!(reply.header("content-type"), "image/jpeg");
    assert!(reply.header("content-security-policy").starts_with("sandbox"));
    assert!(reply.header("cache-control").starts_with("private, max-age="));
    let tag = reply.header("etag").to_owned();
    assert_eq!(gallery.calls(), 1);
    // The cache has this size and the smaller one.
    for (size, same) in [("medium", true), ("small", false)] {
        let reply = gallery.ask(&format!("{target}?size={size}"), &[]).await;
        assert_eq!((reply.status, reply.body.as_slice()), (200, DRAWN));
        assert_eq!(reply.header("etag") == tag, same);
    }
    assert_eq!(gallery.calls(), 1);
    let reply = gallery.ask(&target, &[("if-none-match", &tag)]).await;
    assert_eq!((reply.status, reply.body.len()), (304, 0));
    let reply = gallery.ask(&target, &[("range", "bytes=1-2")]).await;
    assert_eq!((reply.status, reply.body.as_slice()), (206, &DRAWN[1..3]));
    assert_eq!(
        gallery.ask(&format!("{target}?size=large"), &[]).await.status,
        200
    );
    assert_eq!(gallery.calls(), 2);
    assert_eq!(gallery.ask(&format!("{target}?size=huge"), &[]).await.status, 400);
    // A changed file is rendered again.
    std::fs::write(gallery.server.root.join("Album/a.jpg"), b"another").unwrap();
    gallery.server.state.thumbnails.clear().await.unwrap();
    let reply = gallery.ask(&target, &[]).await;
    assert_ne!(reply.header("etag"), tag);
    assert_eq!(gallery.calls(), 3);
}

#[tokio::test]
async fn thumbnail_from_disk_is_cached_in_memory() {
    let gallery = ThumbnailFixture::new().await;
    let id = gallery.photo(b"any").await;
    // With the indexed time, because a changed file is not cached.
    let media = gallery
        .server
        .store
        .files
        .media_file(&MediaScope::All, id)
        .await
        .unwrap()
        .unwrap();
    let modified = UNIX_EPOCH + Duration::from_nanos(media.mtime_ns.unsigned_abs());
    let path = gallery.server.root.join("Album/a.jpg");
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(modified).unwrap();
    let target = format!("/api/v1/photos/{id}/thumbnail");
    let response_cache = &gallery.server.state.response_cache;
    assert_eq!(gallery.ask(&target, &[]).await.status, 200);
    assert_eq!(
        (response_cache.len(), gallery.calls()),
        (0, 1),
        "not cached before it was stored on disk"
    );
    let found = gallery.ask(&target, &[]).await;
    assert_eq!((response_cache.len(), gallery.calls()), (1, 1));
    gallery.server.state.thumbnails.clear().await.unwrap();
    let again = gallery.ask(&target, &[]).await;
    assert_eq!(
        (again.status, &again.body, gallery.calls()),
        (200, &found.body, 1)
    );
    for header in [
        "etag",
        "content-type",
        "cache-control",
        "last-modified",
        "content-security-policy",
    ] {
        assert_eq!(again.header(header), found.header(header), "{header}");
    }
    // The cached response supports conditions and ranges.
    let known = gallery
        .ask(&target, &[("if-none-match", found.header("etag"))])
        .await;
    assert_eq!((known.status, known.body.len()), (304, 0));
    let part = gallery.ask(&target, &[("range", "bytes=1-2")]).await;
    assert_eq!((part.status, part.body.as_slice()), (206, &DRAWN[1..3]));
}

#[tokio::test]
async fn concurrent_requests_share_one_rendering() {
    let gallery = ThumbnailFixture::new().await;
    let id = gallery.photo(b"any").await;
    let target = format!("/api/v1/photos/{id}/thumbnail?size=small");
    let asked = (0..32).map(|_| gallery.ask(&target, &[]));
    for reply in futures_util::future::join_all(asked).await {
        assert_eq!((reply.status, reply.body.as_slice()), (200, DRAWN));
    }
    assert_eq!(gallery.calls(), 1);
}

#[covers("code thumbnail_unavailable")]
#[tokio::test]
async fn unrenderable_photo_is_422_and_not_retried() {
    let gallery = ThumbnailFixture::new().await;
    let folder = gallery.server.folder(MediaKind::photos()).await;
    let id = gallery.server.photo(folder, "a.jpg", b"broken").await;
    let target = format!("/api/v1/photos/{id}/thumbnail");
    let unavailable = (422, "thumbnail_unavailable".to_owned());
    for _ in 0..3 {
        assert_eq!(code(&gallery.ask(&target, &[]).await), unavailable);
    }
    assert_eq!(gallery.calls(), 1);
    gallery.server.clock.advance(Duration::from_secs(11 * 60));
    assert_eq!(code(&gallery.ask(&target, &[]).await), unavailable);
    assert_eq!(gallery.calls(), 2);
    let unread = gallery.server.photo(folder, "b.xyz", b"any").await;
    let reply = gallery
        .ask(&format!("/api/v1/photos/{unread}/thumbnail"), &[])
        .await;
    assert_eq!(code(&reply), unavailable);
    assert_eq!(gallery.calls(), 2);
}

#[tokio::test]
async fn thumbnail_of_a_missing_file_is_404() {
    let gallery = ThumbnailFixture::new().await;
    let id = gallery.photo(b"any").await;
    std::fs::remove_file(gallery.server.root.join("Album/a.jpg")).unwrap();
    let target = format!("/api/v1/photos/{id}/thumbnail");
    let missing = (404, "file_missing".to_owned());
    assert_eq!(code(&gallery.ask(&target, &[]).await), missing);
    std::fs::remove_dir_all(&gallery.server.root).unwrap();
    let away = (503, "storage_unavailable".to_owned());
    assert_eq!(code(&gallery.ask(&target, &[]).await), away);
}

#[tokio::test]
async fn thumbnail_without_a_grant_is_404() {
    let gallery = ThumbnailFixture::new().await;
    let server = &gallery.server;
    let bea = server.user("bea", false, &["member"]).await;
    let ben = server.user("ben", false, &["member"]).await;
    for kind in ["photos", "music"] {
        let library = json!({
            "name": "Album", "mediaKind": kind, "paths": ["Album"], "grants": [{"userId": bea}]
        });
        let reply = gallery.owner.post("/api/v1/libraries", &library).await;
        assert_eq!(reply.status, 201, "{:?}", reply.json());
    }
    let photo = gallery.photo(b"any").await;
    let folder = server.folder(MediaKind::music()).await;
    let track = server.track(folder, "song.mp3", "Song", b"0123456789").await;
    for (path, id) in [
        ("/api/v1/photos/{}/thumbnail?size=small", photo),
        ("/api/v1/music/tracks/{}/artwork?size=large", track),
    ] {
        let (of_item, of_nothing) = (
            path.replace("{}", &id.to_string()),
            path.replace("{}", "0000000000001"),
        );
        // Also when the thumbnail is cached.
        for _ in 0..2 {
            let refused = server.client(ben).get(&of_item).await;
            let unknown = server.client(ben).get(&of_nothing).await;
            assert_eq!((refused.status, &refused.body), (404, &unknown.body), "{path}");
            let shown = server.client(bea).get(&of_item).await;
            assert_eq!((shown.status, shown.body.as_slice()), (200, DRAWN), "{path}");
        }
    }
}
