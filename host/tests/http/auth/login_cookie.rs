//! The refresh cookie that a login sets, and the session that it replaces.

use std::collections::BTreeSet;

use serde_json::json;
use svc_covers::covers;

use super::MUSIC;
use crate::credentials;
use crate::support::accounts::{COOKIE, PASSWORD};
use crate::support::{TestServer, TestServerOptions};
use svc_http_io::proxy::ProxyConfig;

#[covers("T12")]
#[tokio::test]
async fn login_from_another_site_gets_no_cookie_and_ends_no_session() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let old = server.sign_in("ada").await;
    let cookie = format!("{COOKIE}={}", old.cookie);
    for (header, gets_cookie) in [
        (("sec-fetch-site", "cross-site"), false),
        (("origin", "https://app.example"), false),
        (("origin", "https://localhost"), false),
        (("origin", "null"), false),
        (("sec-fetch-site", "same-origin"), true),
        (("sec-fetch-site", "same-site"), true),
        (("sec-fetch-site", "none"), true),
        (("origin", "http://localhost:3000"), true),
    ] {
        let sent = if gets_cookie { "a=b" } else { cookie.as_str() };
        let reply = server
            .login(&[MUSIC, header, ("cookie", sent)], &credentials(PASSWORD))
            .await;
        assert_eq!(reply.status, 201);
        assert_eq!(reply.cookie().is_some(), gets_cookie, "{header:?}");
        assert_eq!(reply.client().status().await, 200);
    }
    assert_eq!(old.client.status().await, 200);
}

#[covers("R24")]
#[tokio::test]
async fn cookie_attributes_follow_the_timeout_and_the_scheme() {
    let options = TestServerOptions {
        proxy_config: ProxyConfig {
            trusted_proxies: vec!["192.0.2.1/32".parse().unwrap()],
            base_url: None,
        },
        ..TestServerOptions::default()
    };
    let mut server = TestServer::start_with(options).await;
    let owner = server.client(server.person("ada", "owner").await);
    let https = ("x-forwarded-proto", "https");
    let parts = |text: &str| -> BTreeSet<String> { text.split("; ").map(str::to_owned).collect() };
    let fixed = ["HttpOnly", "SameSite=Strict", "Path=/api/v1/auth"];
    for (word, scope, max_age) in [
        ("memory", "memory", None),
        ("session", "session", None),
        ("1d", "local", Some("Max-Age=86400")),
        ("7d", "local", Some("Max-Age=604800")),
        ("30d", "local", Some("Max-Age=2592000")),
        ("90d", "local", Some("Max-Age=7776000")),
    ] {
        server.set(&owner, "session_timeout", json!(word)).await;
        for secure in [None, Some("Secure")] {
            let more = if secure.is_some() { https } else { ("x", "y") };
            let login = server.login(&[MUSIC, more], &credentials(PASSWORD)).await;
            let refresh = server.refresh_with(login.cookie().unwrap(), &[more]).await;
            for reply in [&login, &refresh] {
                assert_eq!(reply.json()["scope"], scope);
                let pair = format!("{COOKIE}={}", reply.cookie().unwrap());
                let expected = fixed
                    .into_iter()
                    .chain([pair.as_str()])
                    .chain(max_age)
                    .chain(secure);
                let expected: BTreeSet<String> = expected.map(str::to_owned).collect();
                assert_eq!(parts(reply.header("set-cookie")), expected, "{word}");
                assert_eq!(reply.headers.get_all("set-cookie").iter().count(), 1);
                assert_eq!(reply.cookie().unwrap().len(), 86);
            }
        }
    }
    // Only a trusted proxy can set the scheme.
    server.peer = [203, 0, 113, 9].into();
    let reply = server.login(&[MUSIC, https], &credentials(PASSWORD)).await;
    assert!(!reply.header("set-cookie").contains("Secure"));
}

#[covers("R33a")]
#[tokio::test]
async fn new_login_ends_the_session_of_the_old_cookie_and_a_failed_one_leaves_it() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let old = server.sign_in("ada").await;
    let other = server.sign_in("ada").await;
    let cookie = format!("{COOKIE}={}", old.cookie);
    let headers = [MUSIC, ("cookie", cookie.as_str())];
    for (body, expected) in [
        (credentials("wrong password"), 403),
        (json!({"cloudToken": "t"}), 503),
    ] {
        let reply = server.login(&headers, &body).await;
        assert_eq!(reply.status, expected);
        assert_eq!(reply.cookie(), None);
    }
    assert_eq!(old.client.status().await, 200);
    let new = server.login(&headers, &credentials(PASSWORD)).await.signed_in();
    assert_eq!(old.client.status().await, 401);
    assert!(server.refresh(&old.cookie).await.clears_cookie());
    for session in [new, other] {
        assert_eq!(session.client.status().await, 200);
        assert_eq!(server.refresh(&session.cookie).await.status, 201);
    }
}
