//! CORS headers of listed and unlisted origins.

use svc_covers::covers;

use crate::LISTED_ORIGIN;
use crate::cors_origins::{ORIGIN, TARGET, add, from, preflight};
use crate::support::TestServer;

#[covers("R62")]
#[tokio::test]
async fn added_origin_gets_cors_headers_on_every_kind_of_response() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let nobody = server.as_nobody().await;
    assert!(
        !from(&server, "GET", "/api", ORIGIN)
            .await
            .headers
            .contains_key("access-control-allow-origin")
    );
    let record = add(&token, ORIGIN).await.json();
    let refused = [("origin", ORIGIN), ("authorization", &format!("Bearer {nobody}"))];
    let long = format!("/api?{}", "x".repeat(9000));
    let response_cache = [
        (200, from(&server, "GET", "/api", ORIGIN).await),
        (204, preflight(&server, "/api/v1/auth/login", ORIGIN).await),
        (204, preflight(&server, "/api/v1/users", ORIGIN).await),
        (401, from(&server, "GET", "/api/v1/users", ORIGIN).await),
        (403, server.send("GET", "/api/v1/users", &refused, "").await),
        (404, from(&server, "GET", "/api/v1/nothing", ORIGIN).await),
        (405, from(&server, "DELETE", "/api/v1/health", ORIGIN).await),
        (414, from(&server, "GET", &long, ORIGIN).await),
        (503, from(&server, "GET", "/api/v1/updates", ORIGIN).await),
    ];
    for (status, reply) in &response_cache {
        assert_eq!(reply.status, *status);
        assert_eq!(reply.header("access-control-allow-origin"), ORIGIN, "{status}");
        // Only the server's own pages may send cookies.
        assert!(
            !reply.headers.contains_key("access-control-allow-credentials"),
            "{status}"
        );
        assert!(reply.header("vary").contains("Origin"), "{status}");
        assert!(
            reply.header("access-control-expose-headers").contains("etag"),
            "{status}"
        );
    }
    let asked = &response_cache[1].1;
    assert_eq!(asked.header("access-control-max-age"), "600");
    assert_eq!(asked.header("access-control-allow-private-network"), "true");
    for header in [
        "authorization",
        "content-type",
        "svc-app",
        "svc-cloud-token",
        "range",
        "if-range",
    ] {
        assert!(
            asked.header("access-control-allow-headers").contains(header),
            "{header}"
        );
    }
    for method in ["GET", "HEAD", "POST", "PATCH", "DELETE"] {
        assert!(
            asked.header("access-control-allow-methods").contains(method),
            "{method}"
        );
    }
    let path = format!("{TARGET}/{}", record["id"].as_str().unwrap());
    token.delete(&path).await;
    for reply in [
        from(&server, "GET", "/api", ORIGIN).await,
        preflight(&server, "/api/v1/auth/login", ORIGIN).await,
    ] {
        assert!(!reply.headers.contains_key("access-control-allow-origin"));
        assert!(!reply.headers.contains_key("access-control-allow-methods"));
        assert!(reply.header("vary").contains("Origin"));
    }
}

#[tokio::test]
async fn listed_origin_reads_server_errors() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    token.get("/api/v1/versions").await;
    server.store.database.close().await;
    let headers = [
        ("origin", LISTED_ORIGIN),
        ("authorization", &format!("Bearer {token}")),
    ];
    let reply = server.send("GET", "/api/v1/users", &headers, "").await;
    assert_eq!(reply.status, 503);
    assert_eq!(reply.header("access-control-allow-origin"), LISTED_ORIGIN);
    assert!(!reply.headers.contains_key("access-control-allow-credentials"));
}

#[covers("T13")]
#[tokio::test]
async fn origin_that_resembles_a_listed_one_gets_no_cors_headers() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    add(&token, ORIGIN).await;
    add(&token, "http://192.168.1.2:3000").await;
    for origin in [
        "https://good.example.evil",
        "https://good.example.evil.com",
        "https://evil-good.example",
        "https://evilgood.example",
        "https://a.good.example",
        "https://good.exampl",
        "https://good.examplee",
        "https://good.example.",
        "https://good.example:443",
        "https://good.example:444",
        "https://good.example/",
        "https://good.example?",
        "https://GOOD.example",
        "HTTPS://good.example",
        "http://good.example",
        "https://user@good.example",
        "https://good.example@evil.example",
        "https://evil.example#good.example",
        "https://gооd.example",
        "https://good。example",
        "https://good.example%00",
        "https://good.example%60.evil",
        "https://good.example_.evil",
        "https://good.example, https://evil.example",
        "https://good.example https://x",
        "null",
        "*",
        "",
        "good.example",
        "//good.example",
        "file://",
        "http://192.168.1.2",
        "http://192.168.1.2:30000",
        "http://192.168.1.2:3000.evil",
        "http://192.168.001.2:3000",
        "http://localhost.evil",
        "http://evillocalhost",
    ] {
        for reply in [
            from(&server, "GET", "/api", origin).await,
            preflight(&server, "/api/v1/auth/login", origin).await,
        ] {
            for header in ["origin", "credentials", "methods", "headers", "private-network"] {
                let header = format!("access-control-allow-{header}");
                assert!(
                    !reply.headers.contains_key(header.as_str()),
                    "{origin:?} {header}"
                );
            }
            assert!(reply.header("vary").contains("Origin"), "{origin:?}");
        }
    }
    let twice = [("origin", ORIGIN), ("origin", "https://evil.example")];
    let reply = server.send("GET", "/api", &twice, "").await;
    assert!(!reply.headers.contains_key("access-control-allow-origin"));
    // The server's own pages, and they alone, may send cookies.
    let own = from(&server, "GET", "/api", "http://localhost").await;
    assert_eq!(own.header("access-control-allow-credentials"), "true");
}

#[covers("limit PREFLIGHT_MAX_AGE")]
#[tokio::test]
async fn preflight_of_a_listed_origin_is_answered_before_authentication() {
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
async fn listed_origin_reads_client_errors() {
    let server = TestServer::start().await;
    for (target, expected) in [("/api/v1/nothing", 404), ("/api/v1/versions", 401)] {
        let reply = server.send("GET", target, &[("origin", LISTED_ORIGIN)], "").await;
        assert_eq!(reply.status, expected);
        assert_eq!(reply.header("access-control-allow-origin"), LISTED_ORIGIN);
        let reply = server.send("GET", target, &[("origin", "null")], "").await;
        assert_eq!(reply.header("access-control-allow-origin"), "");
    }
}
