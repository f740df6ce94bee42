//! `GET /items/{itemId}/stream`.

use serde_json::json;
use svc_covers::covers;

use super::{CONTENT, ItemFixture};
use crate::UNKNOWN;

#[covers("GET /api/v1/items/{itemId}/stream")]
#[tokio::test]
async fn file_of_a_part_is_sent_whole_and_in_ranges() {
    let fixture = ItemFixture::new().await;
    let comic = format!("/api/v1/items/{}/stream", fixture.comics[0]);
    let whole = fixture.get(&comic).await;
    assert_eq!((whole.status, whole.body.as_slice()), (200, CONTENT));
    // The plugin names the type; it is none that a browser renders.
    assert_eq!(whole.header("content-type"), "application/x-shared");
    assert_eq!(whole.header("content-disposition"), "attachment");
    assert!(whole.header("content-security-policy").starts_with("sandbox"));
    let range = fixture
        .owner
        .request("GET", &comic, &[("range", "bytes=3-5")], "")
        .await;
    assert_eq!((range.status, range.body.as_slice()), (206, &b"345"[..]));
    let tag = whole.header("etag").to_owned();
    let same = fixture
        .owner
        .request("GET", &comic, &[("if-none-match", &tag)], "")
        .await;
    assert_eq!(same.status, 304);
    let book = format!("/api/v1/items/{}/stream", fixture.book);
    let first = fixture.get(&book).await;
    let tenth = fixture.get(&format!("{book}?part=10")).await;
    assert_eq!(tenth.header("content-type"), "audio/mpeg");
    assert_eq!(tenth.header("content-disposition"), "inline");
    assert_ne!(first.header("etag"), tenth.header("etag"), "another file");
    for (query, status) in [
        ("part=0", 400),
        ("part=x", 400),
        ("part=61", 404),
        ("part=60", 200),
    ] {
        assert_eq!(
            fixture.get(&format!("{book}?{query}")).await.status,
            status,
            "{query}"
        );
    }
    assert_eq!(
        fixture
            .get(&format!("/api/v1/items/{UNKNOWN}/stream"))
            .await
            .status,
        404
    );
    std::fs::remove_file(fixture.server.directory.path().join("comics/Shelf/a.shared")).unwrap();
    let gone = fixture.get(&comic).await;
    assert_eq!((gone.status, &gone.json()["code"]), (404, &json!("file_missing")));
}

#[tokio::test]
async fn link_opens_the_parts_of_one_item() {
    let fixture = ItemFixture::new().await;
    let link = async |id: &str, purpose: &str| {
        let body = json!({"mediaType": "item", "mediaId": id, "purpose": purpose, "expiresIn": 600});
        fixture.owner.post("/api/v1/links", &body).await
    };
    let made = link(&fixture.book, "stream").await;
    assert_eq!(made.status, 201, "{}", made.json());
    let url = made.json()["url"].as_str().unwrap().to_owned();
    let target = url[url.find("/api/").unwrap()..].to_owned();
    assert_eq!(fixture.server.get(&format!("{target}&part=7")).await.status, 200);
    let other = target.replace(&fixture.book, &fixture.comics[0]);
    assert_eq!(fixture.server.get(&other).await.status, 401);
    assert_eq!(link(&fixture.comics[0], "artwork").await.status, 201);
    assert_eq!(link(&fixture.comics[0], "original").await.status, 400);
    assert_eq!(link(UNKNOWN, "stream").await.status, 404);
}
