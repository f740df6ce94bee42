//! `POST /setup`.

use std::sync::Arc;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::reset::set_up;
use crate::support::accounts::PASSWORD;
use crate::support::{TestServer, TestServerOptions};
use crate::{credentials, filled};
use svc_api::router::routes;
use svc_http_io::proxy::ProxyConfig;

#[covers("POST /api/v1/setup")]
#[tokio::test]
async fn setup_creates_an_owner_who_can_sign_in() {
    let server = TestServer::start().await;
    let body = json!({"username": "ada", "password": PASSWORD, "serverName": "Home", "more": 1});
    let reply = server.post("/api/v1/setup", &body).await;
    assert_eq!((reply.status, reply.body.len()), (201, 0));
    assert_eq!(
        server.get("/api/v1/health").await.json(),
        json!({"state": "normal"})
    );
    assert_eq!(server.get("/api/v1/instance").await.json()["serverName"], "Home");
    for app in ["admin", "music", "photos", "cinema"] {
        let reply = server.login(&[("svc-app", app)], &credentials(PASSWORD)).await;
        assert_eq!(reply.status, 201, "{app}");
        let login = reply.json();
        assert_eq!(
            (&login["scope"], &login["user"]["username"]),
            (&json!("local"), &json!("ada"))
        );
        assert_eq!(login["user"]["roles"], json!(["owner"]));
        assert!(login["user"]["userId"].is_string());
        assert!(!reply.body.windows(6).any(|part| part == b"argon2"));
        assert_eq!(
            server
                .with_token(login["JWT"].as_str().unwrap())
                .get("/api/v1/versions")
                .await
                .status,
            200
        );
    }
    let by_other_case = server
        .login(
            &[("svc-app", "admin")],
            &json!({"username": "ADA", "password": PASSWORD}),
        )
        .await;
    assert_eq!(by_other_case.status, 201);
    let id = by_other_case.json()["user"]["userId"].clone();
    assert_eq!(
        server
            .login(
                &[("svc-app", "admin")],
                &json!({"userId": id, "password": PASSWORD})
            )
            .await
            .status,
        201
    );
}

#[covers("R8")]
#[tokio::test]
async fn second_setup_is_refused_before_its_body_is_read() {
    let server = TestServer::start().await;
    server.as_owner().await;
    for (content_type, body) in [
        ("application/json", "{}"),
        ("application/json", "{"),
        ("text/plain", ""),
    ] {
        let reply = server
            .send("POST", "/api/v1/setup", &[("content-type", content_type)], body)
            .await;
        assert_eq!(reply.status, 403);
    }
}

#[tokio::test]
async fn setup_names_invalid_fields() {
    let server = TestServer::start().await;
    let paths = |reply: &crate::support::Reply| {
        let errors = reply.json()["errors"].as_array().unwrap().clone();
        errors
            .iter()
            .map(|error| error["path"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let reply = server
        .post(
            "/api/v1/setup",
            &json!({"username": " ", "password": "short", "serverName": ""}),
        )
        .await;
    assert_eq!(
        (reply.status, paths(&reply)),
        (
            400,
            vec!["username".into(), "password".into(), "serverName".into()]
        )
    );
    let reply = server.post("/api/v1/setup", &json!({"username": "ada"})).await;
    assert_eq!((reply.status, paths(&reply)), (400, vec!["password".to_owned()]));
    for body in [
        "",
        "{",
        "[]",
        "null",
        "{\"username\":1,\"password\":\"12345678\"}",
    ] {
        let reply = server
            .send(
                "POST",
                "/api/v1/setup",
                &[("content-type", "application/json")],
                body,
            )
            .await;
        assert_eq!(reply.status, 400, "{body:?}");
    }
    let form = [("content-type", "application/x-www-form-urlencoded")];
    assert_eq!(
        server
            .send("POST", "/api/v1/setup", &form, "username=ada")
            .await
            .status,
        415
    );
    assert_eq!(server.send("POST", "/api/v1/setup", &[], "{}").await.status, 415);
    let large = json!({"username": "x".repeat(70_000), "password": PASSWORD});
    assert_eq!(server.post("/api/v1/setup", &large).await.status, 413);
    assert_eq!(server.get("/api/v1/health").await.json()["state"], "not_setup");
}

#[tokio::test]
async fn parallel_setups_create_one_owner() {
    let server = std::sync::Arc::new(TestServer::start().await);
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..12 {
        let server = std::sync::Arc::clone(&server);
        calls.spawn(async move {
            let body = json!({"username": format!("user{number}"), "password": PASSWORD});
            loop {
                let status = server.post("/api/v1/setup", &body).await.status;
                // A full password queue is retried.
                if status != 503 {
                    return status;
                }
            }
        });
    }
    let mut statuses = calls.join_all().await;
    statuses.sort_unstable();
    assert_eq!(statuses[0], 201);
    assert_eq!(statuses[1..], [403; 11]);
}

#[tokio::test]
async fn setup_token_of_the_operator_must_match() {
    let server = TestServer::start_with(TestServerOptions {
        setup_token: Some("secret"),
        ..TestServerOptions::default()
    })
    .await;
    let body = |token: &str| json!({"username": "ada", "password": PASSWORD, "setupToken": token});
    for wrong in ["", "secre", "Secret", "secret "] {
        assert_eq!(
            server.post("/api/v1/setup", &body(wrong)).await.status,
            403,
            "{wrong:?}"
        );
    }
    assert_eq!(server.post("/api/v1/setup", &body("secret")).await.status, 201);
}

/// DNS rebinding: a page whose name resolves to this machine shares the server's origin and could create the owner.
#[covers("T46", "S9")]
#[tokio::test]
async fn host_that_dns_can_spoof_is_421_before_the_setup() {
    let options = TestServerOptions {
        proxy_config: ProxyConfig {
            base_url: Some("https://media.example".parse().unwrap()),
            ..ProxyConfig::default()
        },
        ..TestServerOptions::default()
    };
    let server = TestServer::start_with(options).await;
    let ask = async |method: &str, path: &str, host: &str| {
        // The authority of the target overrides the `host` header.
        let target = format!("http://{host}{}", filled(path));
        server
            .send(method, &target, &[("content-type", "application/json")], "{}")
            .await
    };
    for host in [
        "evil.example",
        "localhost.evil.example",
        "nas:8420",
        "www.media.example",
    ] {
        for route in routes() {
            let reply = ask(route.method.as_str(), route.path, host).await;
            assert_eq!(reply.status, 421, "{route:?} {host}");
        }
        let unknown = ask("GET", "/nothing", host).await;
        assert_eq!(unknown.status, 421);
        assert!(
            unknown.json()["message"]
                .as_str()
                .unwrap()
                .contains("SVC_BASE_URL")
        );
    }
    for host in [
        "127.0.0.1:8420",
        "[::1]",
        "192.168.1.7",
        "localhost:8420",
        "media.example",
    ] {
        assert_eq!(ask("POST", "/api/v1/setup", host).await.status, 400, "{host}");
    }
    assert_eq!(
        server.number("SELECT count(*) FROM users WHERE is_owner").await,
        0
    );
    // After the setup any host is accepted.
    let body = json!({"username": "ada", "password": PASSWORD});
    assert_eq!(server.post("/api/v1/setup", &body).await.status, 201);
    assert_eq!(ask("GET", "/api/v1/health", "nas:8420").await.status, 200);
}

#[covers("T46")]
#[tokio::test]
async fn fifty_concurrent_setups_create_one_owner() {
    let server = Arc::new(TestServer::start().await);
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..50 {
        let server = Arc::clone(&server);
        calls.spawn(async move {
            loop {
                let reply = set_up(&server, &format!("user{number}")).await;
                // A full password queue is retried.
                if reply.status != 503 {
                    return reply;
                }
                assert_eq!(
                    (&reply.json()["code"], reply.header("retry-after")),
                    (&json!("busy"), "2")
                );
            }
        });
    }
    let replies = calls.join_all().await;
    let made = replies.iter().filter(|reply| reply.status == 201).count();
    assert_eq!(made, 1);
    for reply in replies.iter().filter(|reply| reply.status != 201) {
        assert_eq!((reply.status, &reply.json()["code"]), (403, &Value::Null));
    }
    let owner = server.client(server.store.users.owner().await.unwrap().unwrap().user.id);
    assert_eq!(
        owner.get("/api/v1/users").await.json()[1],
        2,
        "the owner and the guest"
    );
}
