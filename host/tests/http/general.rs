//! The server itself, and what all answers have in common.

use serde_json::json;
use svc_covers::covers;

use crate::{LISTED_ORIGIN, TestServer, filled};
use svc_api::router::routes;

#[covers("GET /api")]
#[tokio::test]
async fn home_lists_versions_and_every_route() {
    let server = TestServer::start().await;
    let home = server.get("/api").await.json();
    assert_eq!(home["versions"], json!({"v1": "/api/v1"}));
    assert_eq!(home["endpoints"].as_array().unwrap().len(), routes().len());
    assert!(
        home["endpoints"]
            .as_array()
            .unwrap()
            .contains(&json!("GET /api/v1/health"))
    );
}

#[covers("GET /api/v1/health", "GET /api/v1/health/ready", "R56")]
#[tokio::test]
async fn health_answers_without_a_database() {
    let server = TestServer::start().await;
    server.store.database.close().await;
    let reply = server.get("/api/v1/health").await;
    assert_eq!((reply.status, reply.json()), (200, json!({"state": "not_setup"})));
    let reply = server.get("/api/v1/health/ready").await;
    assert_eq!(
        (reply.status, reply.json()["code"].as_str()),
        (503, Some("database_unavailable"))
    );
}

#[covers("GET /api/v1/instance", "T55")]
#[tokio::test]
async fn instance_has_three_fields() {
    let server = TestServer::start().await;
    let expected = json!({"instanceId": super::INSTANCE, "serverName": "svc", "kioskMode": false});
    assert_eq!(server.get("/api/v1/instance").await.json(), expected);
}

#[covers("GET /api/v1/versions", "R61", "A5")]
#[tokio::test]
async fn versions_keep_the_keys_of_the_contract() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let versions = server.get_as(&token, "/api/v1/versions").await.json();
    for key in [
        "nodejs",
        "openssl",
        "database",
        "databaseEngine",
        "svc_media_server",
        "svc_media_server_web_app",
        "svc_music_web_app",
        "svc_photos_web_app",
        "svc_cinema_web_app",
        "build_tag",
        "runtime",
        "crypto",
        "wasmtime",
    ] {
        assert!(
            versions[key].as_str().is_some_and(|version| !version.is_empty()),
            "{key}"
        );
    }
    assert!(versions["database"].as_str().unwrap().starts_with("3."));
    assert_eq!(versions["databaseEngine"], "SQLite");
    assert_eq!(versions["svc_media_server"], "1.2.3");
    for app in ["media_server", "music", "photos", "cinema"] {
        assert_eq!(
            versions[format!("svc_{app}_web_app")],
            "0.0.0",
            "none is embedded"
        );
    }
    assert_eq!(versions["plugins"], json!({}));
}

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

#[tokio::test]
async fn every_answer_has_the_security_headers() {
    let server = TestServer::start().await;
    for target in ["/api", "/api/v1/nothing", "/api/v1/versions", "/api/docs"] {
        let reply = server.get(target).await;
        assert_eq!(reply.header("x-content-type-options"), "nosniff", "{target}");
        assert_eq!(reply.header("referrer-policy"), "no-referrer");
        assert_eq!(reply.header("cache-control"), "no-store");
        assert_eq!(reply.header("cross-origin-resource-policy"), "same-site");
        assert!(
            reply
                .header("content-security-policy")
                .contains("frame-ancestors 'none'")
        );
        assert!(!reply.headers.contains_key("server"));
    }
}

#[covers("R11")]
#[tokio::test]
async fn head_is_get_without_a_body() {
    let server = TestServer::start().await;
    let token = server.owner().await;
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
        // The list of active accounts tells when the caller was last here, which is now each time.
        if route.path != "/api/v1/users/active" {
            assert_eq!(get.header("etag"), head.header("etag"), "{target}");
        }
    }
}

#[tokio::test]
async fn entity_tag_saves_sending_the_same_again() {
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

#[covers("limit PREFLIGHT_MAX_AGE")]
#[tokio::test]
async fn preflight_is_answered_before_authentication_for_known_origins() {
    let server = TestServer::start().await;
    let ask = |origin: &'static str| {
        let headers = [("origin", origin), ("access-control-request-method", "GET")];
        let server = &server;
        async move { server.send("OPTIONS", "/api/v1/versions", &headers, "").await }
    };
    let reply = ask(LISTED_ORIGIN).await;
    assert_eq!(reply.status, 204);
    assert_eq!(reply.header("access-control-allow-origin"), LISTED_ORIGIN);
    assert_eq!(reply.header("access-control-max-age"), "600");
    assert!(reply.header("access-control-allow-headers").contains("svc-app"));
    assert_eq!(reply.header("access-control-allow-private-network"), "true");
    assert!(!reply.headers.contains_key("access-control-allow-credentials"));
    let reply = ask("https://evil.example").await;
    assert_eq!(
        (reply.status, reply.header("access-control-allow-origin")),
        (204, "")
    );
    assert_eq!(reply.header("vary"), "Origin");
    let reply = server.send("OPTIONS", "/api/v1/versions", &[], "").await;
    assert_eq!((reply.status, reply.header("allow")), (204, "GET, HEAD, OPTIONS"));
}

#[covers("R62")]
#[tokio::test]
async fn errors_can_be_read_across_origins_that_are_listed() {
    let server = TestServer::start().await;
    for (target, expected) in [("/api/v1/nothing", 404), ("/api/v1/versions", 401)] {
        let reply = server.send("GET", target, &[("origin", LISTED_ORIGIN)], "").await;
        assert_eq!(reply.status, expected);
        assert_eq!(reply.header("access-control-allow-origin"), LISTED_ORIGIN);
        let reply = server.send("GET", target, &[("origin", "null")], "").await;
        assert_eq!(reply.header("access-control-allow-origin"), "");
    }
}

#[covers("GET /api/docs", "GET /api/docs/{file}", "R65")]
#[tokio::test]
async fn reference_page_needs_nothing_from_elsewhere() {
    let server = TestServer::start().await;
    let page = server.get("/api/docs").await;
    let text = String::from_utf8(page.body.clone()).unwrap();
    assert_eq!(
        (page.status, page.header("content-type")),
        (200, "text/html; charset=utf-8")
    );
    assert!(!text.contains("//") && !text.contains("<script>"), "{text}");
    for link in text.split('"').filter(|part| part.starts_with("/api/docs/")) {
        let asset = server.get(link).await;
        assert_eq!(asset.status, 200, "{link}");
        assert!(!asset.body.is_empty());
    }
    for name in [
        "index.html",
        "nothing.js",
        "..%2fCargo.toml",
        "oauth2-redirect.html",
    ] {
        assert_eq!(
            server.get(&format!("/api/docs/{name}")).await.status,
            404,
            "{name}"
        );
    }
}

#[covers("A11")]
#[tokio::test]
async fn method_that_a_path_has_not_is_405_with_those_that_it_has() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
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
            let reply = server.send_as(&owner, method, &filled(path), &json!({})).await;
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
        let reply = server.send_as(&owner, method, path, &json!({})).await;
        assert_eq!(
            (reply.status, reply.header("allow")),
            (405, "GET, HEAD, OPTIONS"),
            "{path}"
        );
    }
}
