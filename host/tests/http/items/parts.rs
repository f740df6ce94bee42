//! `GET /items/{itemId}/parts`.

use serde_json::json;
use svc_covers::covers;

use super::{ItemFixture, PARTS};
use crate::UNKNOWN;

#[covers("GET /api/v1/items/{itemId}/parts")]
#[tokio::test]
async fn parts_are_in_order_with_their_own_fields() {
    let fixture = ItemFixture::new().await;
    let parts = fixture
        .get(&format!("/api/v1/items/{}/parts", fixture.book))
        .await
        .json();
    let parts = parts.as_array().unwrap();
    let numbers: Vec<i64> = parts
        .iter()
        .map(|part| part["number"].as_i64().unwrap())
        .collect();
    assert_eq!(numbers, (1..=PARTS).collect::<Vec<_>>());
    let stream = format!("/api/v1/items/{}/stream?part=10", fixture.book);
    assert_eq!(
        parts[9],
        json!({
            "number": 10, "fileName": "10.mp3", "title": "Chapter 10", "duration": 60.0, "size": 10,
            "stream": stream, "warnings": [], "missing": false,
            "fields": {
                "x.books.author": "Ann", "x.books.book": "The Book", "x.books.track": 10,
                "x.books.read-by": ["Reader 0"],
            },
        })
    );
    let comic = fixture
        .get(&format!("/api/v1/items/{}/parts", fixture.comics[0]))
        .await
        .json();
    assert_eq!(comic.as_array().unwrap().len(), 1);
    assert_eq!(comic[0]["pageCount"], 40);
    assert_eq!(
        fixture
            .get(&format!("/api/v1/items/{UNKNOWN}/parts"))
            .await
            .status,
        404
    );
}
