//! `GET /items/{itemId}`.

use serde_json::json;
use svc_covers::covers;

use super::{ItemFixture, PARTS};
use crate::UNKNOWN;

#[covers("GET /api/v1/items/{itemId}")]
#[tokio::test]
async fn item_has_all_fields_and_chapters_over_its_parts() {
    let fixture = ItemFixture::new().await;
    let comic = fixture
        .get(&format!("/api/v1/items/{}", fixture.comics[0]))
        .await
        .json();
    // Lists have the declared fields only.
    let expected = json!({"x.guest.series": "The Saga", "x.guest.number": 10, "item.page-count": 40});
    assert_eq!((&comic["fields"], &comic["chapters"]), (&expected, &json!([])));
    let book = fixture
        .get(&format!("/api/v1/items/{}", fixture.book))
        .await
        .json();
    let chapters = book["chapters"].as_array().unwrap();
    assert_eq!(chapters.len() as i64, PARTS);
    assert_eq!(
        chapters[9],
        json!({"title": "Chapter 10", "start": 540.0, "end": 600.0})
    );
    assert_eq!(book["title"], "The Book");
    for id in [UNKNOWN, "no-id"] {
        assert_eq!(
            fixture.get(&format!("/api/v1/items/{id}")).await.status,
            404,
            "{id}"
        );
    }
}
