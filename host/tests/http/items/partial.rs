//! Items with files in several libraries, for accounts with access to one of them.

use serde_json::{Value, json};

use super::{ItemFixture, PARTS, Shelf, books, text, titles};
use crate::support::Client;
use svc_domain::extraction::Value as FieldValue;

/// Adds a first part to the book, in a library of one account.
async fn hide_first_part(fixture: &ItemFixture) {
    let shelf = Shelf::new(&fixture.server, books(), "Closed").await;
    let reader = FieldValue::Texts(vec!["Hidden Reader".to_owned()]);
    let fields = [
        ("x.books.author", text("Ann")),
        ("x.books.book", text("The Book")),
        ("x.books.track", FieldValue::Integer(0)),
        ("x.books.read-by", reader),
    ];
    shelf.add("0.mp3", "Hidden Chapter", &fields).await;
    let friend = fixture.server.user("friend", false, &["member"]).await;
    let grants = json!([{"userId": friend.to_string()}]);
    let body = json!({"name": "Closed", "mediaKind": "books", "paths": ["Closed"], "grants": grants});
    let created = fixture.owner.post("/api/v1/libraries", &body).await;
    assert_eq!(created.status, 201, "{}", created.json());
}

async fn json_of(client: &Client, target: &str) -> Value {
    let reply = client.get(target).await;
    assert_eq!(reply.status, 200, "{target}: {}", reply.json());
    reply.json()
}

#[tokio::test]
async fn files_of_a_closed_library_are_not_in_the_item_that_others_see() {
    let fixture = ItemFixture::new().await;
    hide_first_part(&fixture).await;
    let stranger = fixture.server.as_user("stranger", &["member"]).await;
    let item = format!("/api/v1/items/{}", fixture.book);
    for (client, parts, first) in [(&fixture.owner, PARTS + 1, 1), (&stranger, PARTS, 2)] {
        let book = json_of(client, &item).await;
        assert_eq!(book["partCount"], parts);
        assert_eq!(book["duration"], json!(parts as f64 * 60.0));
        assert_eq!(book["chapters"].as_array().unwrap().len() as i64, parts);
        let listed = json_of(client, &format!("{item}/parts")).await;
        assert_eq!(listed[0]["number"], first);
    }
    for target in [
        item.clone(),
        format!("{item}/parts"),
        "/api/v1/items?kind=books".into(),
    ] {
        let seen = json_of(&stranger, &target).await.to_string();
        assert!(!seen.contains("Hidden"), "{target}: {seen}");
        let all = json_of(&fixture.owner, &target).await.to_string();
        assert!(all.contains("Hidden"), "{target}: {all}");
    }
    let hidden = format!("{item}/stream?part=1");
    assert_eq!(stranger.get(&hidden).await.status, 404);
    assert_eq!(fixture.get(&hidden).await.status, 200);
}

#[tokio::test]
async fn values_of_a_closed_library_find_and_count_nothing_for_others() {
    let fixture = ItemFixture::new().await;
    hide_first_part(&fixture).await;
    let stranger = fixture.server.as_user("stranger", &["member"]).await;
    let readers = "/api/v1/items/facets?kind=books&key=x.books.read-by";
    assert_eq!(json_of(&fixture.owner, readers).await[1], 3);
    assert_eq!(json_of(&stranger, readers).await, json!([[], 0]));
    let authors = json_of(&stranger, "/api/v1/items/facets?kind=books&key=x.books.author").await;
    assert_eq!(authors, json!([[{"value": "Ann", "count": 1}], 1]));
    for (query, of_owner, of_stranger) in [
        ("filter[x.books.read-by]=hidden%20reader", 1, 0),
        ("filter[x.books.author]=ann", 1, 1),
        ("q=hidden", 1, 0),
        ("q=book", 1, 1),
        ("orderBy=x.books.read-by", 1, 1),
    ] {
        let query = format!("kind=books&{query}");
        assert_eq!(titles(&fixture.owner, &query).await.1, of_owner, "{query}");
        assert_eq!(titles(&stranger, &query).await.1, of_stranger, "{query}");
    }
    let search = "/api/v1/search?q=hidden&types=books";
    assert_eq!(json_of(&fixture.owner, search).await["books"][1], 1);
    assert_eq!(json_of(&stranger, search).await["books"], json!([[], 0]));
    // The value by which a page is continued is in its cursor.
    let page = stranger
        .get("/api/v1/items?kind=books&orderBy=x.books.read-by&take=1")
        .await;
    let cursor = page.header("link");
    let of_owner = fixture
        .get("/api/v1/items?kind=books&orderBy=x.books.read-by&take=1")
        .await;
    assert_ne!(cursor, of_owner.header("link"));
}
