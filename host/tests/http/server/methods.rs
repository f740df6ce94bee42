//! Methods, unknown paths, and `HEAD`.

use serde_json::json;
use svc_covers::covers;

use crate::filled;
use crate::support::TestServer;
use svc_api::router::routes;

#[covers("R10")]
#[tokio::test]
async fn errors_of_the_router_are_json() {
    let server = TestServer::start().await;
    for accept in ["text/html", "application/xml", "*/*"] {
        let reply = server
            .send("GET", "/api/v1/nothing", &[("accept", accept)], "")
            .await;
        assert_eq!(
            (reply.status, reply.json()),
            (404, json!({"message": "not found"}))
        );
        assert_eq!(reply.header("content-type"), "application/json; charset=utf-8");
        let reply = server
            .send("DELETE", "/api/v1/index/state", &[("accept", accept)], "")
            .await;
        assert_eq!(
            (reply.status, reply.header("allow")),
            (405, "GET, HEAD, OPTIONS, PATCH")
        );
        assert!(reply.json()["message"].is_string());
    }
    assert_eq!(server.get("/").await.status, 404);
    assert_eq!(
        server.get(&format!("/api?{}", "x".repeat(9000))).await.status,
        414
    );
}

#[covers("R11")]
#[tokio::test]
async fn head_is_get_without_a_body() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str())];
    for route in routes().iter().filter(|route| route.method == "GET") {
        let target = filled(route.path);
        let (get, head) = (
            server.send("GET", &target, &headers, "").await,
            server.send("HEAD", &target, &headers, "").await,
        );
        assert_eq!((get.status, head.body.len()), (head.status, 0), "{target}");
        assert_eq!(
            get.header("content-length"),
            head.header("content-length"),
            "{target}"
        );
        // The list of active accounts contains the time of this request.
        if route.path != "/api/v1/users/active" {
            assert_eq!(get.header("etag"), head.header("etag"), "{target}");
        }
    }
}

#[covers("A11")]
#[tokio::test]
async fn unsupported_method_is_405_with_the_allowed_ones() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let all = routes();
    let mut paths: Vec<&str> = all.iter().map(|route| route.path).collect();
    paths.dedup();
    for path in &paths {
        let mut allowed = vec!["OPTIONS"];
        for route in all.iter().filter(|route| route.path == *path) {
            allowed.push(route.method.as_str());
            allowed.extend((route.method == "GET").then_some("HEAD"));
        }
        allowed.sort_unstable();
        let expected = allowed.join(", ");
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"] {
            if allowed.contains(&method) {
                continue;
            }
            let reply = owner.send(method, &filled(path), &json!({})).await;
            assert_eq!(
                (reply.status, reply.header("allow")),
                (405, expected.as_str()),
                "{method} {path}"
            );
            assert!(reply.json()["message"].is_string(), "{method} {path}");
        }
        let reply = server.send("OPTIONS", &filled(path), &[], "").await;
        assert_eq!(
            (reply.status, reply.header("allow")),
            (204, expected.as_str()),
            "{path}"
        );
    }
    for (method, path) in [
        ("PATCH", "/api/v1/users/owner"),
        ("PATCH", "/api/v1/photos/buckets"),
        ("PATCH", "/api/v1/jobs/types"),
        ("DELETE", "/api/v1/roles/assignments"),
    ] {
        assert!(paths.contains(&path), "{path}");
        let reply = owner.send(method, path, &json!({})).await;
        assert_eq!(
            (reply.status, reply.header("allow")),
            (405, "GET, HEAD, OPTIONS"),
            "{path}"
        );
    }
}
