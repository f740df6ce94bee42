//! `GET /music/stream/{musicTrackId}`.

use svc_covers::covers;

use super::{CONTENT, Song};

#[covers("GET /api/v1/music/stream/{musicTrackId}", "limit MEDIA_MAX_AGE")]
#[tokio::test]
async fn stream_returns_the_file_with_its_headers() {
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
async fn stream_supports_ranges_and_conditions() {
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

#[covers("code file_missing", "code storage_unavailable")]
#[tokio::test]
async fn missing_file_is_404_and_missing_root_is_503() {
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
async fn path_that_leaves_the_root_is_404() {
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
