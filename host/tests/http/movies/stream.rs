//! `GET /movies/{movieId}/stream`.

use svc_covers::covers;

use super::{FILM, MovieFixture, SMALL, missing};
use crate::UNKNOWN;

#[covers("GET /api/v1/movies/{movieId}/stream")]
#[tokio::test]
async fn stream_is_the_best_source_or_the_requested_one() {
    let cinema = MovieFixture::new().await;
    let stream = format!("{}/stream", cinema.path);
    let whole = cinema.get(&stream).await;
    assert_eq!((whole.status, whole.body.as_slice()), (200, FILM));
    assert_eq!(whole.header("content-type"), "video/x-matroska");
    assert_eq!(whole.header("content-disposition"), "inline");
    let small = cinema.get(&format!("{stream}?sourceId={}", cinema.small)).await;
    assert_eq!(
        (small.body.as_slice(), small.header("content-type")),
        (SMALL, "video/mp4")
    );
    assert_ne!(small.header("etag"), whole.header("etag"));
    let bearer = format!("Bearer {}", cinema.token);
    let ranged = [("authorization", bearer.as_str()), ("range", "bytes=4-7")];
    let part = cinema.server.send("GET", &stream, &ranged, "").await;
    assert_eq!((part.status, part.body.as_slice()), (206, &FILM[4..8]));
    assert_eq!(part.header("content-range"), format!("bytes 4-7/{}", FILM.len()));

    assert_eq!(cinema.get(&format!("{stream}?sourceId=x")).await.status, 400);
    for target in [
        format!("{stream}?sourceId={}", cinema.other),
        format!("{stream}?sourceId={UNKNOWN}"),
        format!("/api/v1/movies/{UNKNOWN}/stream"),
        format!("/api/v1/movies/{}/stream", cinema.small),
    ] {
        assert_eq!(cinema.refusal(&target).await, (404, None), "{target}");
    }
    std::fs::remove_file(cinema.server.root.join("Amber/amber.mkv")).unwrap();
    assert_eq!(cinema.refusal(&stream).await, missing("file_missing"));
    std::fs::remove_dir_all(&cinema.server.root).unwrap();
    let away = (503, Some("storage_unavailable".to_owned()));
    for target in [stream, format!("{}/artwork", cinema.path), cinema.subtitle(0)] {
        assert_eq!(cinema.refusal(&target).await, away, "{target}");
    }
}
