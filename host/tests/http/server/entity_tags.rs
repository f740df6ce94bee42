//! Entity tags, and requests with `If-None-Match`.

use serde_json::json;

use crate::search::library;
use crate::support::TestServer;

#[tokio::test]
async fn entity_tag_is_per_caller_and_changes_with_the_data() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let folder = library(&server).await;
    let target = "/api/v1/music/tracks?take=3";
    let tag = token.get(target).await.header("etag").to_owned();
    assert!(tag.starts_with("W/\""), "{tag}");
    let bearer = format!("Bearer {token}");
    let ask = async |target: &str, tag: &str| {
        let headers = [("authorization", bearer.as_str()), ("if-none-match", tag)];
        server.send("GET", target, &headers, "").await
    };
    let known = ask(target, &tag).await;
    assert_eq!(
        (known.status, known.body.len(), known.header("etag")),
        (304, 0, tag.as_str())
    );
    // The tag is stable for many parameters.
    let many = "/api/v1/music/tracks?take=3&orderBy=title&order=DESC&genre=jazz&yearTo=2020&favorites=false";
    let tag_of_many = ask(many, "\"x\"").await.header("etag").to_owned();
    for _ in 0..20 {
        assert_eq!(ask(many, &tag_of_many).await.status, 304);
    }
    // Another query has another tag.
    assert_eq!(ask("/api/v1/music/tracks?take=2", &tag).await.status, 200);
    assert_eq!(ask(target, "\"abc\"").await.status, 200);
    assert_eq!(ask(target, "*").await.status, 304);
    assert_eq!(ask("/api/v1/music/tracks/0000000000000", "*").await.status, 404);
    assert_eq!(
        ask("/api/v1/music/tracks/0000000000000", "*")
            .await
            .header("etag"),
        ""
    );
    server.track(folder, "new.mp3", "New", b"0123456789").await;
    let fresh = ask(target, &tag).await;
    assert_eq!((fresh.status, &fresh.json()[1]), (200, &json!(6)));
    assert_ne!(fresh.header("etag"), tag);
}

#[tokio::test]
async fn unchanged_response_is_304() {
    let server = TestServer::start().await;
    let first = server.get("/api").await;
    let tag = first.header("etag").to_owned();
    assert!(tag.starts_with('"'));
    let again = server.send("GET", "/api", &[("if-none-match", &tag)], "").await;
    assert_eq!(
        (again.status, again.body.len(), again.header("etag")),
        (304, 0, tag.as_str())
    );
    assert_eq!(
        server
            .send("GET", "/api", &[("if-none-match", "\"x\"")], "")
            .await
            .status,
        200
    );
}
