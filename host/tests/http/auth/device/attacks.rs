//! Attempts to get the session of a device by other ways.

use std::collections::BTreeMap;

use serde_json::json;

use super::{Codes, DEVICE, assert_grant_error};
use crate::support::databases::on_each_database;
use crate::support::{TestServer, TestServerOptions};
use svc_domain::audit::AuditEvent;
use svc_http_io::proxy::ProxyConfig;

#[tokio::test]
async fn guesses_of_many_accounts_are_limited_by_their_network() {
    let mut server = TestServer::start().await;
    server.person("ada", "owner").await;
    let codes = Codes::start(&server, "music").await;
    let mut thieves = Vec::new();
    for number in 0..8 {
        thieves.push(server.user(&format!("thief{number}"), false, &["member"]).await);
    }
    let mut tried = 0;
    for &thief in &thieves {
        for guess in 0..5 {
            let reply = server
                .client(thief)
                .get(&format!("{DEVICE}/ZZZZ-ZZZ{guess}"))
                .await;
            tried += usize::from(reply.status == 404);
        }
    }
    assert_eq!(tried, 20);
    assert_eq!(codes.look(&server.client(thieves[7])).await.status, 429);
    // An account that moves through networks has five tries all the same.
    let mover = server.user("mover", false, &["member"]).await;
    let mut tried = 0;
    for network in 1..=40 {
        server.peer = [198, 51, 100, network].into();
        let reply = server
            .client(mover)
            .get(&format!("{DEVICE}/ZZZZ-ZZZ{}", network % 10))
            .await;
        tried += usize::from(reply.status == 404);
    }
    assert_eq!(tried, 5);
}

#[tokio::test]
async fn wrong_codes_are_in_the_audit_log() {
    let server = TestServer::start().await;
    let ada = server.client(server.person("ada", "owner").await);
    for guess in 0..7 {
        let reply = ada.get(&format!("{DEVICE}/ZZZZ-ZZZ{guess}")).await;
        assert_eq!(reply.status, if guess < 5 { 404 } else { 429 }, "{guess}");
    }
    let mut told = BTreeMap::<String, i64>::new();
    for entry in server.audit_of(AuditEvent::CodeRejected, 7).await {
        let actor = entry.actor.as_ref().unwrap();
        assert_eq!(actor.name.as_deref(), Some("ada"));
        assert_eq!(entry.details["code"], "device");
        assert_eq!(entry.details.len(), 2, "{entry:?}");
        *told.entry(entry.details["reason"].clone()).or_default() += entry.times;
    }
    let expected = [("wrong", 5), ("too many wrong ones", 2)];
    let expected = expected.map(|(reason, times)| (reason.to_owned(), times));
    assert_eq!(told, BTreeMap::from(expected));
}

#[tokio::test]
async fn forged_address_headers_do_not_lift_the_limits() {
    let server = TestServer::start_with(TestServerOptions {
        proxy_config: ProxyConfig {
            trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()],
            base_url: None,
        },
        ..TestServerOptions::default()
    })
    .await;
    server.person("ada", "owner").await;
    let body = json!({"app": "music"}).to_string();
    let mut started = 0;
    for number in 0..30 {
        let forged = format!("198.51.100.{number}");
        let headers = [
            ("content-type", "application/json"),
            ("x-forwarded-for", forged.as_str()),
            ("x-real-ip", forged.as_str()),
        ];
        let reply = server.send("POST", DEVICE, &headers, &body).await;
        started += usize::from(reply.status == 201);
    }
    assert_eq!(started, 10);
}

#[tokio::test]
async fn text_of_the_device_is_shown_as_text() {
    let server = TestServer::start().await;
    // A server without an owner refuses foreign hosts: the first sign-in shows that there is one.
    server.person("ada", "owner").await;
    let ada = server.sign_in("ada").await.client;
    let agent = format!("<script>alert(1)</script>{}", "A".repeat(5_000));
    let headers = [
        ("content-type", "application/json"),
        ("user-agent", agent.as_str()),
        ("host", "evil.example/@x"),
    ];
    let body = json!({"app": "music"}).to_string();
    let reply = server.send("POST", DEVICE, &headers, &body).await;
    let codes = Codes::of(&reply);
    let seen = codes.look(&ada).await;
    assert!(seen.header("content-type").starts_with("application/json"));
    let shown = seen.json()["userAgent"].as_str().unwrap_or_default().to_owned();
    assert!(shown.chars().count() <= 256, "{}", shown.len());
    assert!(!shown.chars().any(char::is_control), "{shown:?}");
    for code in ["a%0d%0aset-cookie:x", "%00", "..%2f..%2f", "%F0%9F%92%A9"] {
        let reply = ada.get(&format!("{DEVICE}/{code}")).await;
        assert_eq!(reply.status, 404, "{code}");
        assert!(!reply.headers.contains_key("set-cookie"));
    }
}

#[tokio::test]
async fn unknown_device_codes_are_limited_by_network() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let guess = Codes {
        device: format!("svc_device_{}", "A".repeat(43)),
        user: String::new(),
    };
    let mut tried = 0;
    for _ in 0..200 {
        let reply = guess.poll(&server).await;
        match reply.status {
            400 => tried += 1,
            429 => assert!(!reply.header("retry-after").is_empty()),
            other => panic!("{other}"),
        }
    }
    assert!((120..=150).contains(&tried), "{tried}");
}

#[tokio::test]
async fn codes_are_not_interchangeable_with_other_secrets() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let phone = server.sign_in("ada").await;
    let codes = Codes::start(&server, "music").await;
    // A user code does not poll, and a device code does not approve, authenticate or refresh.
    let swapped = Codes {
        device: codes.user.clone(),
        user: codes.device.clone(),
    };
    assert_grant_error(&swapped.poll(&server).await, "expired_token");
    assert_eq!(swapped.approve(&phone.client).await.status, 404);
    for secret in [&codes.device, &codes.user] {
        assert_eq!(server.with_token(secret).status().await, 401);
        assert_eq!(server.refresh(secret).await.status, 401);
    }
    for other in [phone.cookie.clone(), phone.client.to_string()] {
        let codes = Codes {
            device: other,
            user: String::new(),
        };
        assert_grant_error(&codes.poll(&server).await, "expired_token");
    }
    let token = server.as_token(ada, None).await.to_string();
    let codes = Codes {
        device: token,
        user: String::new(),
    };
    assert_grant_error(&codes.poll(&server).await, "expired_token");
}

#[tokio::test]
async fn codes_do_not_survive_a_factory_reset() {
    on_each_database(async |server| {
        server.person("ada", "owner").await;
        let phone = server.sign_in("ada").await;
        let (waiting, approved) = (
            Codes::start(&server, "music").await,
            Codes::start(&server, "music").await,
        );
        assert_eq!(approved.approve(&phone.client).await.status, 201);
        let reset = json!({"type": "factory", "validationPhrase": "Factory reset"});
        assert_eq!(phone.client.post("/api/v1/reset", &reset).await.status, 201);
        let setup = json!({"username": "eve", "password": "correct horse"});
        assert_eq!(server.post("/api/v1/setup", &setup).await.status, 201);
        let eve = server.client(server.user_id("eve").await);
        for codes in [&waiting, &approved] {
            assert_grant_error(&codes.poll(&server).await, "expired_token");
            assert_eq!(codes.approve(&eve).await.status, 404);
        }
    })
    .await;
}

#[tokio::test]
async fn deleted_approver_leaves_no_approval() {
    on_each_database(async |server| {
        server.person("ada", "owner").await;
        let bob = server.person("bob", "member").await;
        let codes = Codes::start(&server, "music").await;
        assert_eq!(codes.approve(&server.client(bob)).await.status, 201);
        server.delete(bob).await;
        assert_grant_error(&codes.poll(&server).await, "expired_token");
    })
    .await;
}
