//! `GET /auth/oidc/start`, `GET /auth/oidc/callback` and `GET /auth/methods`.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use svc_covers::covers;

use super::{assert_failed, policy, server_with};
use crate::support::provider::{SIGN_IN_COOKIE, ScriptedProvider, Started, with_provider};
use crate::support::{TestServer, TestServerOptions};
use svc_http_io::proxy::ProxyConfig;
use svc_identity::oidc::OidcPolicy;

#[covers("GET /api/v1/auth/oidc/start", "GET /api/v1/auth/methods")]
#[tokio::test]
async fn server_without_a_provider_says_so() {
    let server = TestServer::start().await;
    server.person("owner", "owner").await;
    let reply = server.begin_sign_in("%23a", &[]).await;
    let location = reply.header("location");
    assert_eq!((reply.status, location), (303, "/app?error=cloud_unavailable#a"));
    let ways = server.get("/api/v1/auth/methods").await.json();
    assert_eq!(
        ways,
        serde_json::json!({"password": true, "guest": false, "cloudToken": false})
    );
    let (server, _) = server_with(OidcPolicy {
        label: Some("Example".into()),
        ..policy()
    })
    .await;
    let ways = server.get("/api/v1/auth/methods").await.json();
    assert_eq!(ways["provider"]["label"], "Example");
}

#[covers("C6", "GET /api/v1/auth/oidc/start", "GET /api/v1/auth/oidc/callback", "T30")]
#[tokio::test]
async fn sign_in_belongs_to_one_browser_and_is_finished_once() {
    let (server, _) = server_with(policy()).await;
    let reply = server.begin_sign_in("", &[]).await;
    let header = reply.header("set-cookie").to_owned();
    for attribute in [
        "HttpOnly",
        "SameSite=Lax",
        "Path=/api/v1/auth/oidc",
        "Max-Age=600",
    ] {
        assert!(header.contains(attribute), "{header}");
    }
    // Over http a browser would drop a secure cookie.
    assert!(!header.contains("Secure"), "{header}");
    let (started, other) = (reply.started(), server.begin_sign_in("", &[]).await.started());
    assert_eq!(started.query["code_challenge"].len(), 43);
    assert_eq!(
        started
            .query
            .values()
            .collect::<std::collections::HashSet<_>>()
            .len(),
        4
    );
    let with = |cookie: &str, state: &str| Started {
        cookie: cookie.to_owned(),
        query: [("state".to_owned(), state.to_owned())].into(),
    };
    // Of another sign-in, of another browser, without one: nothing is finished by that.
    for mixed in [
        with(&started.cookie, &other.query["state"]),
        with(&other.cookie, &started.query["state"]),
        with("junk", &started.query["state"]),
        with(&started.cookie, ""),
    ] {
        assert_failed(&server.finish_sign_in(&mixed, "ada").await, "/");
    }
    let target = format!(
        "/api/v1/auth/oidc/callback?code=ada&state={}",
        started.query["state"]
    );
    assert_failed(&server.get(&target).await, "/");
    let two = format!(
        "{SIGN_IN_COOKIE}={}; {SIGN_IN_COOKIE}={}",
        started.cookie, other.cookie
    );
    assert_failed(&server.send("GET", &target, &[("cookie", &two)], "").await, "/");
    let reply = server.finish_sign_in(&started, "ada").await;
    assert_eq!(reply.set_cookie(SIGN_IN_COOKIE).as_deref(), Some(""));
    reply.provider_session();
    assert_failed(&server.finish_sign_in(&started, "ada").await, "/");
}

#[covers("T30")]
#[tokio::test]
async fn cookie_over_https_is_of_this_host_alone() {
    let provider = Arc::new(ScriptedProvider::default());
    provider.knows("ada", &["media"]);
    let server = TestServer::start_with(TestServerOptions {
        proxy_config: ProxyConfig {
            trusted_proxies: vec!["192.0.2.1/32".parse().unwrap()],
            base_url: None,
        },
        ..with_provider(&provider, policy())
    })
    .await;
    server.person("owner", "owner").await;
    let https = ("x-forwarded-proto", "https");
    let of_host = format!("__Host-{SIGN_IN_COOKIE}");
    let reply = server.begin_sign_in("", &[https]).await;
    let secret = reply.set_cookie(&of_host).unwrap();
    let mut attributes: Vec<&str> = reply.header("set-cookie").split("; ").skip(1).collect();
    attributes.sort_unstable();
    let expected = ["HttpOnly", "Max-Age=600", "Path=/", "SameSite=Lax", "Secure"];
    assert_eq!(attributes, expected);
    let location = reply.header("location").to_owned();
    let (_, state) = location.split_once("state=").unwrap();
    let state = state.split('&').next().unwrap();
    let target = format!("/api/v1/auth/oidc/callback?code=ada&state={state}");
    let finish = async |name: &str| {
        let cookie = format!("{name}={secret}");
        server
            .send("GET", &target, &[("cookie", cookie.as_str()), https], "")
            .await
    };
    // One that another host of the domain can set.
    assert_failed(&finish(SIGN_IN_COOKIE).await, "/");
    let reply = finish(&of_host).await;
    assert_eq!((reply.status, reply.header("location")), (303, "/app"));
    assert_eq!(reply.set_cookie(&of_host).as_deref(), Some(""));
}

#[covers("GET /api/v1/auth/oidc/callback")]
#[tokio::test]
async fn sign_in_that_fails_returns_to_its_page_and_is_over() {
    let (server, provider) = server_with(policy()).await;
    // The provider refuses the code.
    let started = server.begin_sign_in("", &[]).await.started();
    assert_failed(&server.finish_sign_in(&started, "eve").await, "/app");
    assert_failed(&server.finish_sign_in(&started, "ada").await, "/");
    // It took too long.
    let started = server.begin_sign_in("", &[]).await.started();
    server.clock.advance(Duration::from_secs(601));
    assert_failed(&server.finish_sign_in(&started, "ada").await, "/");
    // The provider is away.
    let started = server.begin_sign_in("", &[]).await.started();
    provider.is_away.store(true, Ordering::SeqCst);
    let reply = server.finish_sign_in(&started, "ada").await;
    assert_eq!(reply.header("location"), "/app?error=cloud_unavailable");
    let reply = server.begin_sign_in("", &[]).await;
    assert_eq!(reply.header("location"), "/app?error=cloud_unavailable");
    assert_eq!(reply.set_cookie(SIGN_IN_COOKIE), None);
}

#[covers("GET /api/v1/auth/oidc/start")]
#[tokio::test]
async fn start_validates_its_input() {
    let (server, _) = server_with(policy()).await;
    for query in [
        "",
        "app=none",
        "app=music&redirect=//evil.example",
        "app=music&redirect=https://evil.example",
        "app=music&redirect=/%5cevil.example",
        "app=music&redirect=/..//evil.example",
        "app=music&redirect=%2F%2Fevil.example",
        "app=music&redirect=",
        "app=music&app=photos",
    ] {
        let reply = server.get(&format!("/api/v1/auth/oidc/start?{query}")).await;
        assert_eq!(reply.status, 400, "{query}");
    }
    let reply = server.get("/api/v1/auth/oidc/start?app=music").await;
    assert_eq!(reply.status, 303);
    let reply = server.get("/api/v1/auth/oidc/callback?state=a&state=b").await;
    assert_eq!(reply.status, 400);
}

#[covers("T46")]
#[tokio::test]
async fn server_without_an_owner_refuses() {
    let (server, _) = server_with(policy()).await;
    server.delete(server.user_id("owner").await).await;
    assert_failed(&server.begin_sign_in("", &[]).await, "/app");
}

#[tokio::test]
async fn starts_of_one_network_are_limited() {
    let (server, _) = server_with(policy()).await;
    for _ in 0..30 {
        assert!(
            server
                .begin_sign_in("", &[])
                .await
                .set_cookie(SIGN_IN_COOKIE)
                .is_some()
        );
    }
    let mut reply = server.begin_sign_in("", &[]).await;
    // One is added each second.
    while reply.header("location") != "/app?error=too_many_attempts" {
        reply = server.begin_sign_in("", &[]).await;
    }
}
