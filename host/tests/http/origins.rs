//! The web origins that administrators allow: the list, its junk, and what browsers are told from then on.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::{LISTED_ORIGIN, Reply, TestServer};

const TARGET: &str = "/api/v1/cors-origins";
const ORIGIN: &str = "https://good.example";

async fn add(server: &TestServer, token: &str, origin: &str) -> Reply {
    server
        .send_as(token, "POST", TARGET, &json!({"origin": origin}))
        .await
}

async fn from(server: &TestServer, method: &str, target: &str, origin: &str) -> Reply {
    server.send(method, target, &[("origin", origin)], "").await
}

async fn preflight(server: &TestServer, target: &str, origin: &str) -> Reply {
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
async fn origins_are_added_once_listed_and_deleted_for_good() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    assert_eq!(server.get_as(&token, TARGET).await.json(), json!([]));
    let made = add(&server, &token, "HTTPS://Good.Example:443/").await;
    assert_eq!(made.status, 201);
    let record = made.json();
    assert_eq!(record["origin"], ORIGIN);
    assert!(record["id"].is_string() && record["createdAt"].as_str().unwrap().ends_with('Z'));
    assert_eq!(record.as_object().unwrap().len(), 3);
    let again = add(&server, &token, ORIGIN).await;
    assert_eq!((again.status, again.json()), (201, record.clone()));
    let second = add(&server, &token, "http://192.168.1.2:3000").await.json();
    assert_eq!(
        server.get_as(&token, TARGET).await.json(),
        json!([record, second])
    );
    let path = format!("{TARGET}/{}", record["id"].as_str().unwrap());
    for _ in 0..2 {
        assert_eq!(
            server.send_as(&token, "DELETE", &path, &Value::Null).await.status,
            200
        );
    }
    for id in ["0000000000001", "junk", "%00"] {
        let path = format!("{TARGET}/{id}");
        assert_eq!(
            server.send_as(&token, "DELETE", &path, &Value::Null).await.status,
            200,
            "{id}"
        );
    }
    assert_eq!(server.get_as(&token, TARGET).await.json(), json!([second]));
    let again = add(&server, &token, ORIGIN).await.json();
    assert_ne!(again["id"], record["id"]);
}

#[covers("POST /api/v1/cors-origins", "R51")]
#[tokio::test]
async fn what_is_no_origin_is_refused_and_not_stored() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    for body in [
        json!({}),
        json!({"origin": null}),
        json!({"origin": 1}),
        json!({"origin": [ORIGIN]}),
        json!({"origin": {"url": ORIGIN}}),
        json!({"url": ORIGIN}),
        json!(ORIGIN),
    ] {
        assert_eq!(
            server.send_as(&token, "POST", TARGET, &body).await.status,
            400,
            "{body}"
        );
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
        let reply = add(&server, &token, origin).await;
        assert_eq!(reply.status, 400, "{origin:?}");
        assert_eq!(reply.json()["errors"][0]["path"], "origin", "{origin:?}");
    }
    assert_eq!(server.get_as(&token, TARGET).await.json(), json!([]));
}

#[covers("R62")]
#[tokio::test]
async fn an_added_origin_is_told_so_at_once_on_every_kind_of_answer() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let nobody = server.caller_without_roles().await;
    assert!(
        !from(&server, "GET", "/api", ORIGIN)
            .await
            .headers
            .contains_key("access-control-allow-origin")
    );
    let record = add(&server, &token, ORIGIN).await.json();
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
        // Cookies are for the server's own pages.
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
    server.send_as(&token, "DELETE", &path, &Value::Null).await;
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
async fn failures_of_the_server_can_be_read_by_listed_origins() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    server.get_as(&token, "/api/v1/versions").await;
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
async fn origins_that_only_resemble_a_listed_one_are_told_nothing() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    add(&server, &token, ORIGIN).await;
    add(&server, &token, "http://192.168.1.2:3000").await;
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

#[tokio::test]
async fn origins_that_are_added_at_the_same_time_are_all_allowed_at_once() {
    let server = std::sync::Arc::new(TestServer::start().await);
    let token = server.owner().await;
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..20 {
        let (server, token) = (std::sync::Arc::clone(&server), token.clone());
        calls.spawn(async move {
            add(&server, &token, &format!("https://app{number}.example"))
                .await
                .status
        });
    }
    assert_eq!(calls.join_all().await, [201; 20]);
    for number in 0..20 {
        let origin = format!("https://app{number}.example");
        let reply = from(&server, "GET", "/api", &origin).await;
        assert_eq!(reply.header("access-control-allow-origin"), origin);
    }
}
