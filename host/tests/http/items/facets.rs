//! `GET /items/facets`.

use serde_json::json;
use svc_covers::covers;

use super::ItemFixture;

#[covers("GET /api/v1/items/facets")]
#[tokio::test]
async fn values_are_counted_under_the_other_filters() {
    let fixture = ItemFixture::new().await;
    let comics = "/api/v1/items/facets?kind=comics&key=x.guest.series";
    let saga = json!({"value": "The Saga", "count": 2});
    let other = json!({"value": "Other", "count": 1});
    for (query, expected) in [
        ("", json!([[saga, other], 2])),
        ("&take=1&skip=1", json!([[other], 2])),
        ("&filter[x.guest.series]=other", json!([[saga, other], 2])),
        ("&q=gamma", json!([[other], 1])),
        ("&missing=true", json!([[], 0])),
    ] {
        assert_eq!(
            fixture.get(&format!("{comics}{query}")).await.json(),
            expected,
            "{query}"
        );
    }
    let books = fixture
        .get("/api/v1/items/facets?kind=books&key=x.books.read-by")
        .await
        .json();
    assert_eq!(
        books,
        json!([[{"value": "Reader 0", "count": 1}, {"value": "Reader 1", "count": 1}], 2])
    );
    let filtered = "/api/v1/items/facets?kind=books&key=x.books.author&filter[x.books.read-by]=reader%201";
    assert_eq!(
        fixture.get(filtered).await.json(),
        json!([[{"value": "Ann", "count": 1}], 1])
    );
    for (query, path) in [
        ("kind=comics", "key"),
        ("kind=comics&key=x.guest.number", "key"),
        ("kind=comics&key=%27--", "key"),
        ("key=x.guest.series", "kind"),
        ("kind=comics&key=x.guest.series&filter[y]=1", "filter[y]"),
    ] {
        let reply = fixture.get(&format!("/api/v1/items/facets?{query}")).await;
        assert_eq!(
            (reply.status, &reply.json()["errors"][0]["path"]),
            (400, &json!(path)),
            "{query}"
        );
    }
}
