//! `POST /auth/device`.

use std::collections::BTreeSet;

use serde_json::json;
use svc_covers::covers;

use super::{Codes, DEVICE};
use crate::support::databases::on_each_database;
use crate::support::{TestServer, TestServerOptions};
use svc_http_io::proxy::ProxyConfig;

#[covers("POST /api/v1/auth/device")]
#[tokio::test]
async fn device_gets_two_codes_that_are_stored_as_hashes() {
    on_each_database(async |server| {
        server.person("ada", "owner").await;
        let reply = server.post(DEVICE, &json!({"app": "cinema"})).await;
        let codes = Codes::of(&reply);
        let json = reply.json();
        assert_eq!((&json["interval"], &json["expiresIn"]), (&json!(5), &json!(600)));
        assert_eq!(json["verificationUri"], "http://localhost/device");
        assert_eq!(reply.header("cache-control"), "no-store");
        assert!(!reply.headers.contains_key("set-cookie"));
        // 256 bits, and 40 bits without letters that look alike.
        assert_eq!(codes.device.len(), "svc_device_".len() + 43);
        let letters = codes.user.replace('-', "");
        assert_eq!(
            (codes.user.len(), codes.user.find('-'), letters.len()),
            (9, Some(4), 8)
        );
        assert!(
            letters
                .bytes()
                .all(|letter| b"0123456789ABCDEFGHJKMNPQRSTVWXYZ".contains(&letter))
        );
        let rows = svc_test_support::databases::rows(&server.database_url).await;
        let text = format!("{:?}", rows["device_sign_ins"]);
        for secret in [&codes.device, &codes.user, &letters] {
            assert!(!text.contains(secret.as_str()), "{secret}");
        }
        assert!(text.contains("cinema"), "{text}");
    })
    .await;
}

#[tokio::test]
async fn input_names_a_known_app() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    for body in [json!({"app": "tv"}), json!({"app": "Music"}), json!({"app": ""})] {
        let reply = server.post(DEVICE, &body).await;
        assert_eq!(reply.status, 400);
        assert_eq!(reply.json()["errors"][0]["path"], "app");
    }
    for body in [json!({}), json!({"app": null}), json!([]), json!("music")] {
        assert_eq!(server.post(DEVICE, &body).await.status, 400, "{body}");
    }
}

#[tokio::test]
async fn nobody_starts_before_the_setup() {
    let server = TestServer::start().await;
    let reply = server.post(DEVICE, &json!({"app": "music"})).await;
    assert_eq!(reply.status, 403);
}

#[tokio::test]
async fn base_url_is_that_of_the_page() {
    let server = TestServer::start_with(TestServerOptions {
        proxy_config: ProxyConfig {
            trusted_proxies: Vec::new(),
            base_url: Some("https://media.example/".parse().unwrap()),
        },
        ..TestServerOptions::default()
    })
    .await;
    server.person("ada", "owner").await;
    let body = json!({"app": "music"}).to_string();
    let headers = [
        ("content-type", "application/json"),
        ("x-forwarded-host", "evil.example"),
        ("forwarded", "host=evil.example"),
    ];
    let reply = server.send("POST", DEVICE, &headers, &body).await;
    assert_eq!(reply.json()["verificationUri"], "https://media.example/device");
}

#[tokio::test]
async fn codes_are_limited_by_network() {
    let mut server = TestServer::start().await;
    server.person("ada", "owner").await;
    let mut codes = BTreeSet::new();
    for _ in 0..10 {
        codes.insert(Codes::start(&server, "music").await.user);
    }
    assert_eq!(codes.len(), 10);
    let reply = server.post(DEVICE, &json!({"app": "music"})).await;
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (429, Some("too_many_attempts"))
    );
    assert!(reply.header("retry-after").parse::<u64>().unwrap() <= 30);
    server.peer = [203, 0, 113, 9].into();
    Codes::start(&server, "music").await;
}
