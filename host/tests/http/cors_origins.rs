//! `/cors-origins`: the list of allowed web origins.

use serde_json::json;
use svc_covers::covers;

use crate::support::{Client, Reply, TestServer};

pub(crate) const TARGET: &str = "/api/v1/cors-origins";

pub(crate) const ORIGIN: &str = "https://good.example";

pub(crate) async fn add(token: &Client, origin: &str) -> Reply {
    token.post(TARGET, &json!({"origin": origin})).await
}

pub(crate) async fn from(server: &TestServer, method: &str, target: &str, origin: &str) -> Reply {
    server.send(method, target, &[("origin", origin)], "").await
}

pub(crate) async fn preflight(server: &TestServer, target: &str, origin: &str) -> Reply {
    let headers = [
        ("origin", origin),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization, svc-app"),
        ("access-control-request-private-network", "true"),
    ];
    server.send("OPTIONS", target, &headers, "").await
}

#[covers("DELETE /api/v1/cors-origins/{id}", "GET /api/v1/cors-origins", "R14")]
#[tokio::test]
async fn origin_is_added_once_listed_and_deleted() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    assert_eq!(token.get(TARGET).await.json(), json!([]));
    let made = add(&token, "HTTPS://Good.Example:443/").await;
    assert_eq!(made.status, 201);
    let record = made.json();
    assert_eq!(record["origin"], ORIGIN);
    assert!(record["id"].is_string() && record["createdAt"].as_str().unwrap().ends_with('Z'));
    assert_eq!(record.as_object().unwrap().len(), 3);
    let again = add(&token, ORIGIN).await;
    assert_eq!((again.status, again.json()), (201, record.clone()));
    let second = add(&token, "http://192.168.1.2:3000").await.json();
    assert_eq!(token.get(TARGET).await.json(), json!([record, second]));
    let path = format!("{TARGET}/{}", record["id"].as_str().unwrap());
    for _ in 0..2 {
        assert_eq!(token.delete(&path).await.status, 200);
    }
    for id in ["0000000000001", "junk", "%00"] {
        let path = format!("{TARGET}/{id}");
        assert_eq!(token.delete(&path).await.status, 200, "{id}");
    }
    assert_eq!(token.get(TARGET).await.json(), json!([second]));
    let again = add(&token, ORIGIN).await.json();
    assert_ne!(again["id"], record["id"]);
}

#[covers("POST /api/v1/cors-origins", "R51")]
#[tokio::test]
async fn invalid_origin_is_refused_and_not_stored() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    for body in [
        json!({}),
        json!({"origin": null}),
        json!({"origin": 1}),
        json!({"origin": [ORIGIN]}),
        json!({"origin": {"url": ORIGIN}}),
        json!({"url": ORIGIN}),
        json!(ORIGIN),
    ] {
        assert_eq!(token.post(TARGET, &body).await.status, 400, "{body}");
    }
    let long = format!("https://{}.example", "a".repeat(300));
    for origin in [
        "",
        "*",
        "null",
        "good.example",
        "//good.example",
        "https:good.example",
        "https:/good.example",
        "https:///good.example",
        "https://",
        "https://*",
        "https://*.good.example",
        "https://a@good.example",
        "https://a:b@good.example",
        "https://@good.example",
        "https://good.example/a",
        "https://good.example//",
        "https://good.example/?",
        "https://good.example?a",
        "https://good.example#",
        "https://good.example#a",
        "https://good.example:99999",
        "https://good.example:a",
        "https://good.example.",
        "https://good.example\\",
        "ftp://good.example",
        "ws://good.example",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,x",
        "about:blank",
        "chrome-extension://abc",
        " https://good.example",
        "https://good.example ",
        "https://good.exa\tmple",
        "https://good.example\r\nx: y",
        "https://good\0.example",
        "https://good.example,https://evil.example",
        "https://good%2eexample",
        &long,
    ] {
        let reply = add(&token, origin).await;
        assert_eq!(reply.status, 400, "{origin:?}");
        assert_eq!(reply.json()["errors"][0]["path"], "origin", "{origin:?}");
    }
    assert_eq!(token.get(TARGET).await.json(), json!([]));
}

#[tokio::test]
async fn origins_added_in_parallel_are_all_allowed() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..20 {
        let token = token.clone();
        calls.spawn(async move { add(&token, &format!("https://app{number}.example")).await.status });
    }
    assert_eq!(calls.join_all().await, [201; 20]);
    for number in 0..20 {
        let origin = format!("https://app{number}.example");
        let reply = from(&server, "GET", "/api", &origin).await;
        assert_eq!(reply.header("access-control-allow-origin"), origin);
    }
}
