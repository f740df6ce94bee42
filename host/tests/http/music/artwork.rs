//! Artwork of tracks and releases.

use svc_covers::covers;

use super::Song;
use crate::photos::thumbnail::{DRAWN, ThumbnailFixture};
use svc_domain::kind::MediaKind;

#[covers(
    "GET /api/v1/music/releases/{musicReleaseId}/artwork",
    "GET /api/v1/music/tracks/{musicTrackId}/artwork",
    "code artwork_missing"
)]
#[tokio::test]
async fn artwork_is_served_from_the_embedded_picture() {
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

#[tokio::test]
async fn artwork_of_tracks_and_releases_is_resized() {
    let gallery = ThumbnailFixture::new().await;
    let folder = gallery.server.folder(MediaKind::music()).await;
    let id = gallery
        .server
        .track(folder, "song.mp3", "Song", b"0123456789")
        .await;
    let track = format!("/api/v1/music/tracks/{id}");
    let release = gallery.ask(&track, &[]).await.json()["release"]["musicReleaseId"]
        .as_str()
        .unwrap()
        .to_owned();
    for target in [
        format!("{track}/artwork"),
        format!("/api/v1/music/releases/{release}/artwork"),
    ] {
        let reply = gallery.ask(&format!("{target}?size=small"), &[]).await;
        assert_eq!((reply.status, reply.body.as_slice()), (200, DRAWN));
        assert_eq!(reply.header("content-type"), "image/jpeg");
        let reply = gallery.ask(&format!("{target}?size=original"), &[]).await;
        assert_eq!((reply.status, reply.body.as_slice()), (200, &b"2345"[..]));
    }
    // Track and release share the file and its rendering.
    assert_eq!(gallery.calls(), 1);
    let nobody = gallery
        .ask("/api/v1/music/tracks/0000000000001/artwork?size=small", &[])
        .await;
    assert_eq!(nobody.status, 404);
}
