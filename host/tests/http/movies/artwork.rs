//! `GET /movies/{movieId}/artwork`.

use svc_covers::covers;

use super::{MovieFixture, missing};
use crate::UNKNOWN;

#[covers("GET /api/v1/movies/{movieId}/artwork", "T35")]
#[tokio::test]
async fn artwork_is_a_sidecar_image_and_never_outside_the_root() {
    let cinema = MovieFixture::new().await;
    let artwork = format!("{}/artwork", cinema.path);
    for (query, content, content_type) in [
        ("", &b"the poster"[..], "image/png"),
        ("?size=original", b"the poster", "image/png"),
        ("?kind=poster", b"the poster", "image/png"),
        ("?kind=backdrop", b"the backdrop", "image/jpeg"),
        ("?kind=fanart", b"the backdrop", "image/jpeg"),
    ] {
        let reply = cinema.get(&format!("{artwork}{query}")).await;
        assert_eq!((reply.status, reply.body.as_slice()), (200, content), "{query}");
        assert_eq!(reply.header("content-type"), content_type);
        assert!(reply.header("content-security-policy").starts_with("sandbox"));
    }
    for kind in ["logo", "banner", "thumb"] {
        let refused = cinema.refusal(&format!("{artwork}?kind={kind}")).await;
        assert_eq!(refused, missing("artwork_missing"), "{kind}");
    }
    assert_eq!(cinema.get(&format!("{artwork}?kind=selfie")).await.status, 400);
    assert_eq!(cinema.get(&format!("{artwork}?size=huge")).await.status, 400);
    assert_eq!(
        cinema.refusal(&format!("/api/v1/movies/{UNKNOWN}/artwork")).await,
        (404, None)
    );
    let all = cinema.get("/api/v1/movies").await.json();
    let other = all[0]
        .as_array()
        .unwrap()
        .iter()
        .find(|movie| movie["title"] == "Beacon")
        .unwrap();
    assert!(other.get("artwork").is_none());
    let other = format!("/api/v1/movies/{}/artwork", other["movieId"].as_str().unwrap());
    assert_eq!(cinema.refusal(&other).await, missing("artwork_missing"));
}
