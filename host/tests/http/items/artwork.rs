//! `GET /items/{itemId}/artwork`.

use serde_json::json;
use svc_covers::covers;

use super::ItemFixture;
use crate::UNKNOWN;

#[covers("GET /api/v1/items/{itemId}/artwork")]
#[tokio::test]
async fn artwork_is_the_picture_in_a_file() {
    let fixture = ItemFixture::new().await;
    let artwork = format!("/api/v1/items/{}/artwork", fixture.comics[0]);
    for query in ["", "?size=original"] {
        let reply = fixture.get(&format!("{artwork}{query}")).await;
        assert_eq!(
            (reply.status, reply.body.as_slice()),
            (200, &b"2345"[..]),
            "{query}"
        );
        assert_eq!(reply.header("content-type"), "image/png");
    }
    assert_eq!(fixture.get(&format!("{artwork}?size=huge")).await.status, 400);
    // No plugin renders thumbnails here.
    let small = fixture.get(&format!("{artwork}?size=small")).await;
    assert_eq!(
        (small.status, &small.json()["code"]),
        (422, &json!("thumbnail_unavailable"))
    );
    let none = fixture
        .get(&format!("/api/v1/items/{}/artwork", fixture.book))
        .await;
    assert_eq!(
        (none.status, &none.json()["code"]),
        (404, &json!("artwork_missing"))
    );
    let unknown = fixture.get(&format!("/api/v1/items/{UNKNOWN}/artwork")).await;
    assert_eq!((unknown.status, unknown.json().get("code")), (404, None));
}
