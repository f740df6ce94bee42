//! Limits of a request.

use std::time::Duration;

use serde_json::json;
use svc_covers::covers;

use crate::LISTED_ORIGIN;
use crate::support::limit_routes::routes;
use crate::support::{Reply, TestServer};
use std::sync::Arc;
use svc_api::router;
use svc_http_io::limits::{BODY_BYTES, Limits, SETTINGS_BODY_BYTES};

const JSON: (&str, &str) = ("content-type", "application/json");

/// A server with the routes of `limit_routes`.
async fn server(limits: Limits) -> TestServer {
    let mut server = TestServer::start().await;
    server.service = Arc::new(router::service_of(&routes(), server.state.clone(), limits));
    server
}

fn assert_headers(reply: &Reply, what: &str) {
    for (name, value) in [
        ("cache-control", "no-store"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        (
            "content-security-policy",
            "default-src 'none'; frame-ancestors 'none'",
        ),
        ("cross-origin-resource-policy", "cross-origin"),
        ("access-control-allow-origin", LISTED_ORIGIN),
        (
            "access-control-expose-headers",
            "content-range, accept-ranges, content-length, etag, link, retry-after",
        ),
        ("vary", "Origin"),
        ("server", ""),
    ] {
        assert_eq!(reply.header(name), value, "{what}: {name}");
    }
}

#[tokio::test]
async fn every_response_has_security_and_cors_headers() {
    let server = server(Limits {
        handler_time: Duration::from_millis(50),
        ..Limits::default()
    });
    let mut server = server.await;
    let preflight = ("access-control-request-method", "GET");
    for (method, target, header, status) in [
        ("GET", "/hang", JSON, 503),
        ("GET", "/fail", JSON, 500),
        ("POST", "/take", ("content-type", "text/plain"), 400),
        ("POST", "/take", JSON, 400),
        ("GET", "/mine", JSON, 401),
        ("GET", "/nothing", JSON, 404),
        ("DELETE", "/take", JSON, 405),
        ("OPTIONS", "/take", JSON, 204),
        ("OPTIONS", "/take", preflight, 204),
    ] {
        let headers = [("origin", LISTED_ORIGIN), header];
        let reply = server.send(method, target, &headers, "").await;
        let what = format!("{method} {target}");
        assert_eq!(reply.status, status, "{what}");
        assert_headers(&reply, &what);
        if status >= 400 {
            assert!(reply.json()["message"].is_string(), "{what}");
        }
    }
    server.service = Arc::new(router::service(server.state.clone()));
    for (method, target, status) in [
        ("GET", "/api/v1/health", 200),
        ("GET", "/api/v1/versions", 401),
        ("GET", "/api/v1/nothing", 404),
        ("PATCH", "/api/v1/health", 405),
    ] {
        let reply = server
            .send(method, target, &[("origin", LISTED_ORIGIN)], "")
            .await;
        assert_eq!(reply.status, status, "{method} {target}");
        assert_headers(&reply, target);
    }
}

#[covers("limit HANDLER_TIME")]
#[tokio::test]
async fn handler_that_takes_too_long_is_503() {
    let limits = Limits {
        handler_time: Duration::from_millis(50),
        ..Limits::default()
    };
    let reply = server(limits).await.get("/hang").await;
    assert_eq!(
        (reply.status, reply.json()),
        (503, json!({"message": "service unavailable"}))
    );
}

#[covers("R62", "T55")]
#[tokio::test]
async fn panic_is_500_without_its_message() {
    let server = server(Limits::default()).await;
    let reply = server.get("/fail").await;
    assert_eq!(reply.status, 500);
    let expected = json!({"message": "the server failed to answer; its log has the reason"});
    assert_eq!(reply.json(), expected);
    assert_eq!(server.send("POST", "/take", &[JSON], "{}").await.status, 201);
}

#[covers("limit BODY_BYTES", "limit SETTINGS_BODY_BYTES")]
#[tokio::test]
async fn bodies_are_accepted_up_to_their_limit() {
    let server = server(Limits::default()).await;
    let of_bytes = |bytes: usize| format!("{{\"value\":\"{}\"}}", "x".repeat(bytes - 12));
    for (method, target, limit) in [
        ("POST", "/take", BODY_BYTES),
        ("PATCH", "/settings", SETTINGS_BODY_BYTES),
    ] {
        for (bytes, good) in [(limit, true), (limit + 1, false), (4 * limit, false)] {
            let body = of_bytes(bytes);
            assert_eq!(body.len(), bytes);
            let reply = server.send(method, target, &[JSON], &body).await;
            assert_eq!(reply.status < 300, good, "{target} {bytes}");
            if !good {
                assert_eq!(reply.status, 413, "{target} {bytes}");
                assert!(
                    reply.json()["message"]
                        .as_str()
                        .unwrap()
                        .contains(&limit.to_string())
                );
            }
        }
    }
}

#[tokio::test]
async fn json_nested_deeper_than_128_is_refused() {
    let server = server(Limits::default()).await;
    for (depth, status) in [(1, 201), (126, 201), (127, 400), (128, 400), (20_000, 400)] {
        let body = format!("{{\"value\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        let reply = server.send("POST", "/take", &[JSON], &body).await;
        assert_eq!(reply.status, status, "{depth}");
    }
    let unclosed = format!("{{\"value\":{}", "[".repeat(60_000));
    assert_eq!(server.send("POST", "/take", &[JSON], &unclosed).await.status, 400);
}

#[covers("limit INPUT_ITEMS")]
#[tokio::test]
async fn list_of_more_than_a_thousand_items_is_refused() {
    let mut server = server(Limits::default()).await;
    for (items, status) in [(0, 201), (1000, 201), (1001, 400), (20_000, 400)] {
        let body = json!({"items": vec![1; items]}).to_string();
        let reply = server.send("POST", "/take", &[JSON], &body).await;
        assert_eq!(reply.status, status, "{items}");
    }
    server.service = Arc::new(router::service(server.state.clone()));
    let token = server.as_owner().await;
    let body = json!({"type": "quick", "mediaKinds": vec!["music"; 1001]});
    let reply = token.post("/api/v1/index/run", &body).await;
    assert_eq!(reply.status, 400);
}

#[covers("limit TARGET_BYTES", "R13")]
#[tokio::test]
async fn target_longer_than_8_kib_is_414() {
    let server = TestServer::start().await;
    for (bytes, status) in [(8192, 200), (8193, 414), (60_000, 414)] {
        let target = format!("/api?{}", "x".repeat(bytes - 5));
        let reply = server.get(&target).await;
        assert_eq!(reply.status, status, "{bytes}");
        assert!(reply.json().is_object());
    }
}
