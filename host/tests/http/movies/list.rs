//! `GET /movies`.

use serde_json::json;
use svc_covers::covers;

use super::MovieFixture;
use crate::UNKNOWN;

#[covers("GET /api/v1/movies")]
#[tokio::test]
async fn movies_are_ordered_and_filtered() {
    let cinema = MovieFixture::new().await;
    for (query, total, first) in [
        ("", 2, "The Amber Room"),
        ("?order=DESC", 2, "Beacon"),
        ("?orderBy=year", 2, "The Amber Room"),
        ("?orderBy=year&order=DESC", 2, "The Amber Room"),
        ("?orderBy=createdAt", 2, "Beacon"),
        ("?orderBy=releasedAt&order=ASC", 2, "The Amber Room"),
        ("?orderBy=runtime&order=DESC", 2, "Beacon"),
        ("?genre=DRAMA", 1, "The Amber Room"),
        ("?yearFrom=1999&yearTo=1999", 1, "The Amber Room"),
        ("?addedSince=2020-01-01", 2, "The Amber Room"),
        ("?take=1&skip=1", 2, "Beacon"),
    ] {
        let list = cinema.get(&format!("/api/v1/movies{query}")).await.json();
        assert_eq!(
            (&list[1], &list[0][0]["title"]),
            (&json!(total), &json!(first)),
            "{query}"
        );
    }
    for query in ["?orderBy=size", "?yearFrom=x", "?addedSince=x", "?take=1001"] {
        assert_eq!(
            cinema.get(&format!("/api/v1/movies{query}")).await.status,
            400,
            "{query}"
        );
    }
    assert_eq!(cinema.get(&format!("/api/v1/movies/{UNKNOWN}")).await.status, 404);
}
