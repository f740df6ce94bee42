//! The bytes of items.

use crate::{Reply, TestServer};
use svc_covers::covers;
use svc_domain::extraction::{Extraction, Picture, PictureData, Span};
use svc_domain::kind::MediaKind;
use svc_domain::music::TrackFacts;
use svc_domain::path::RelativePath;
use svc_domain::scan::FileRecord;

const CONTENT: &[u8] = b"0123456789";

struct Song {
    server: TestServer,
    bearer: String,
    stream: String,
    artwork: String,
}

impl Song {
    async fn new() -> Self {
        let server = TestServer::start().await;
        let bearer = format!("Bearer {}", server.owner().await);
        let folder = server.folder(MediaKind::music()).await;
        let id = server.track(folder, "song.mp3", "Song", CONTENT).await;
        let stream = format!("/api/v1/music/stream/{id}");
        let artwork = format!("/api/v1/music/tracks/{id}/artwork");
        Self {
            server,
            bearer,
            stream,
            artwork,
        }
    }

    async fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)]) -> Reply {
        let mut all = vec![("authorization", self.bearer.as_str())];
        all.extend_from_slice(headers);
        self.server.send(method, target, &all, "").await
    }

    fn path(&self) -> std::path::PathBuf {
        self.server.root.join("Album/song.mp3")
    }
}

#[covers("GET /api/v1/music/stream/{musicTrackId}", "limit MEDIA_MAX_AGE")]
#[tokio::test]
async fn stream_gives_the_file_with_its_headers() {
    let song = Song::new().await;
    let reply = song.ask("GET", &song.stream, &[]).await;
    assert_eq!((reply.status, reply.body.as_slice()), (200, CONTENT));
    assert_eq!(reply.header("content-type"), "audio/mpeg");
    assert_eq!(reply.header("content-length"), "10");
    assert_eq!(reply.header("accept-ranges"), "bytes");
    assert_eq!(reply.header("content-disposition"), "inline");
    assert!(reply.header("cache-control").starts_with("private, max-age="));
    assert!(reply.header("last-modified").ends_with("GMT"));
    let head = song.ask("HEAD", &song.stream, &[("range", "bytes=0-1")]).await;
    assert_eq!(
        (head.status, head.body.len(), head.header("content-length")),
        (200, 0, "10")
    );
    assert_eq!(head.header("etag"), reply.header("etag"));
}

#[tokio::test]
async fn stream_answers_ranges_and_conditions() {
    let song = Song::new().await;
    let tag = song
        .ask("HEAD", &song.stream, &[])
        .await
        .header("etag")
        .to_owned();
    let cases: &[(&[(&str, &str)], u16, &[u8], &str)] = &[
        (&[("range", "bytes=2-4")], 206, b"234", "bytes 2-4/10"),
        (&[("range", "bytes=7-")], 206, b"789", "bytes 7-9/10"),
        (&[("range", "bytes=-2")], 206, b"89", "bytes 8-9/10"),
        (&[("range", "bytes=0-99")], 206, CONTENT, "bytes 0-9/10"),
        (&[("range", "bytes=0-1,5-6")], 200, CONTENT, ""),
        (&[("range", "rows=0-1")], 200, CONTENT, ""),
        (
            &[("range", "bytes=0-1"), ("if-range", &tag)],
            206,
            b"01",
            "bytes 0-1/10",
        ),
        (
            &[("range", "bytes=0-1"), ("if-range", "\"old\"")],
            200,
            CONTENT,
            "",
        ),
        (&[("if-none-match", &tag)], 304, b"", ""),
    ];
    for (headers, status, body, range) in cases {
        let reply = song.ask("GET", &song.stream, headers).await;
        assert_eq!(
            (reply.status, reply.body.as_slice()),
            (*status, *body),
            "{headers:?}"
        );
        assert_eq!(reply.header("content-range"), *range, "{headers:?}");
        assert_eq!(reply.header("etag"), tag);
    }
    let reply = song.ask("GET", &song.stream, &[("range", "bytes=10-")]).await;
    assert_eq!((reply.status, reply.header("content-range")), (416, "bytes */10"));
    assert!(reply.json()["message"].is_string());
    let reply = song.ask("GET", &song.stream, &[("if-match", "\"old\"")]).await;
    assert_eq!(reply.status, 412);
}

#[tokio::test]
async fn entity_tag_changes_with_the_file() {
    let song = Song::new().await;
    let before = song
        .ask("HEAD", &song.stream, &[])
        .await
        .header("etag")
        .to_owned();
    std::fs::write(song.path(), b"9876543210").unwrap();
    assert_ne!(song.ask("HEAD", &song.stream, &[]).await.header("etag"), before);
}

#[covers(
    "GET /api/v1/music/releases/{musicReleaseId}/artwork",
    "GET /api/v1/music/tracks/{musicTrackId}/artwork",
    "code artwork_missing"
)]
#[tokio::test]
async fn artwork_is_the_part_of_the_file_that_holds_it() {
    let song = Song::new().await;
    for target in [song.artwork.clone(), format!("{}?size=original", song.artwork)] {
        let reply = song.ask("GET", &target, &[]).await;
        assert_eq!((reply.status, reply.body.as_slice()), (200, &b"2345"[..]));
        assert_eq!(reply.header("content-type"), "image/png");
        assert!(reply.header("content-security-policy").starts_with("sandbox"));
    }
    let reply = song.ask("GET", &song.artwork, &[("range", "bytes=1-2")]).await;
    assert_eq!((reply.status, reply.body.as_slice()), (206, &b"34"[..]));
    let track = song.artwork.trim_end_matches("/artwork");
    let release = song.ask("GET", track, &[]).await.json()["release"]["musicReleaseId"]
        .as_str()
        .unwrap()
        .to_owned();
    let reply = song
        .ask("GET", &format!("/api/v1/music/releases/{release}/artwork"), &[])
        .await;
    assert_eq!((reply.status, reply.body.as_slice()), (200, &b"2345"[..]));
    std::fs::write(song.path(), b"012").unwrap();
    let reply = song.ask("GET", &song.artwork, &[]).await;
    assert_eq!(
        (reply.status, reply.json()["code"].as_str()),
        (404, Some("artwork_missing"))
    );
}

#[covers("code file_missing", "code storage_unavailable")]
#[tokio::test]
async fn missing_file_and_missing_root_are_told_apart() {
    let song = Song::new().await;
    std::fs::remove_file(song.path()).unwrap();
    let reply = song.ask("GET", &song.stream, &[]).await;
    assert_eq!(
        (reply.status, reply.json()["code"].as_str()),
        (404, Some("file_missing"))
    );
    std::fs::remove_dir_all(&song.server.root).unwrap();
    let reply = song.ask("GET", &song.stream, &[]).await;
    assert_eq!(
        (reply.status, reply.json()["code"].as_str()),
        (503, Some("storage_unavailable"))
    );
    assert!(!String::from_utf8_lossy(&reply.body).contains('/'));
}

#[covers("T53")]
#[tokio::test]
async fn nothing_but_files_below_the_root_is_served() {
    let song = Song::new().await;
    let secret = song.server.root.with_file_name("secret");
    std::fs::write(&secret, "secret").unwrap();
    std::fs::remove_file(song.path()).unwrap();
    std::os::unix::fs::symlink(&secret, song.path()).unwrap();
    assert_eq!(song.ask("GET", &song.stream, &[]).await.status, 404);
    std::fs::remove_file(song.path()).unwrap();
    std::fs::create_dir(song.path()).unwrap();
    assert_eq!(song.ask("GET", &song.stream, &[]).await.status, 404);
}

/// Of an answer with bytes that anybody may have made: no browser takes it for a page, or for part of one.
fn assert_harmless(reply: &Reply, content_type: &str, disposition: &str) {
    let header = |name| reply.header(name);
    assert_eq!(reply.status, 200);
    assert_eq!(
        (
            header("content-type"),
            header("content-disposition"),
            header("x-content-type-options"),
            header("content-security-policy"),
        ),
        (
            content_type,
            disposition,
            "nosniff",
            "sandbox; default-src 'none'"
        )
    );
}

#[covers("T41")]
#[tokio::test]
async fn nothing_of_a_file_is_served_as_a_page() {
    const SCRIPT: &str = "<svg onload=alert(1)><script>alert(1)</script>";
    let server = TestServer::start().await;
    let token = server.owner().await;
    let bearer = format!("Bearer {token}");
    // As a browser asks for a picture in a page of its own.
    let asked = [
        ("authorization", bearer.as_str()),
        (
            "accept",
            "text/html,application/xhtml+xml,image/svg+xml,*/*;q=0.8",
        ),
    ];
    let folder = server.folder(MediaKind::photos()).await;
    for (name, content_type, disposition) in [
        ("a.png", "image/png", "inline"),
        ("b.svg", "application/octet-stream", "attachment"),
        ("c.html", "application/octet-stream", "attachment"),
        ("d.xml", "application/octet-stream", "attachment"),
        ("e.jpg.htm", "application/octet-stream", "attachment"),
        ("f", "application/octet-stream", "attachment"),
    ] {
        let id = server.photo(folder, name, SCRIPT.as_bytes()).await;
        let reply = server
            .send("GET", &format!("/api/v1/photos/{id}/original"), &asked, "")
            .await;
        assert_harmless(&reply, content_type, disposition);
    }
    // A picture in a file is what its tag says, if that is a picture.
    let music = server.folder(MediaKind::music()).await;
    for (name, mime, content_type, disposition) in [
        ("a.mp3", "image/PNG", "image/png", "inline"),
        ("b.mp3", "image/svg+xml", "application/octet-stream", "attachment"),
        ("c.mp3", "text/html", "application/octet-stream", "attachment"),
        (
            "d.mp3",
            "image/png; charset=<script>",
            "application/octet-stream",
            "attachment",
        ),
        ("e.mp3", "", "application/octet-stream", "attachment"),
    ] {
        let extraction = Extraction {
            title: Some(SCRIPT.to_owned()),
            pictures: vec![Picture {
                purpose: "front".into(),
                mime: mime.into(),
                data: PictureData::At(Span { offset: 0, length: 8 }),
            }],
            ..Extraction::default()
        };
        let place = RelativePath::root().join_text("Album");
        let facts = TrackFacts::from_extraction(&extraction, &place, name);
        let record = FileRecord::Track(Box::new(facts));
        let id = server.file(music, name, SCRIPT.as_bytes(), record).await;
        let target = format!("/api/v1/music/tracks/{id}");
        let picture = server.send("GET", &format!("{target}/artwork"), &asked, "").await;
        assert_harmless(&picture, content_type, disposition);
        let told = server.send("GET", &target, &asked, "").await;
        assert_eq!(told.json()["title"], SCRIPT);
        let kind = (told.header("content-type"), told.header("x-content-type-options"));
        assert_eq!(kind, ("application/json; charset=utf-8", "nosniff"));
    }
}

#[covers("GET /api/v1/photos/{photoId}/original")]
#[tokio::test]
async fn photo_original_is_served_by_its_kind() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let folder = server.folder(MediaKind::photos()).await;
    for (name, content_type, disposition) in [
        ("a.jpg", "image/jpeg", "inline"),
        ("b.svg", "application/octet-stream", "attachment"),
    ] {
        let id = server.photo(folder, name, b"content").await;
        let reply = server
            .get_as(&token, &format!("/api/v1/photos/{id}/original"))
            .await;
        assert_eq!((reply.status, reply.body.as_slice()), (200, &b"content"[..]));
        assert_eq!(
            (reply.header("content-type"), reply.header("content-disposition")),
            (content_type, disposition)
        );
        // A photo is no track, though both are files.
        assert_eq!(
            server
                .get_as(&token, &format!("/api/v1/music/stream/{id}"))
                .await
                .status,
            404
        );
    }
}
