//! Refresh of sessions that the provider opened.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use svc_covers::covers;

use super::{policy, server_with};
use crate::support::accounts::COOKIE;
use crate::support::databases::on_each_database_with;
use crate::support::listening::wait_for;
use crate::support::provider::{ScriptedProvider, with_provider};
use svc_domain::time::{Clock as _, Timestamp};

#[covers("POST /api/v1/auth/refresh", "T31", "A3")]
#[tokio::test]
async fn provider_is_asked_before_anything_is_rotated() {
    let (server, provider) = server_with(policy()).await;
    let mut cookie = server.sign_in_with_provider("ada", "").await.provider_session();
    for round in 1..4 {
        cookie = server.refresh(&cookie).await.signed_in().cookie;
        assert_eq!(provider.validations.load(Ordering::SeqCst), round);
        server.clock.advance(Duration::from_secs(60));
    }
    for (is_away, status, code) in [
        (true, 503, "cloud_unavailable"),
        (false, 401, "cloud_token_required"),
    ] {
        provider.is_away.store(is_away, Ordering::SeqCst);
        if !is_away {
            assert_eq!(server.refresh(&cookie).await.status, 201);
            server.clock.advance(Duration::from_secs(1));
            provider.forget();
        }
        for _ in 0..2 {
            let reply = server.refresh(&cookie).await;
            assert_eq!((reply.status, reply.code().as_deref()), (status, Some(code)));
            assert!(!reply.headers.contains_key("set-cookie"));
        }
    }
    let stored = "SELECT count(*) FROM cloud_sessions WHERE validating_until IS NOT NULL";
    assert_eq!(server.number(stored).await, 0);
}

#[covers("POST /api/v1/auth/refresh")]
#[tokio::test]
async fn parallel_refreshes_share_one_validation() {
    let provider = Arc::new(ScriptedProvider::default());
    *provider.pause.lock().unwrap() = Duration::from_millis(300);
    on_each_database_with(
        || with_provider(&provider, policy()),
        async |server| {
            provider.knows("ada", &["media"]);
            server.person("owner", "owner").await;
            let cookie = server.sign_in_with_provider("ada", "").await.provider_session();
            provider.validations.store(0, Ordering::SeqCst);
            let header = format!("{COOKIE}={cookie}");
            let headers = [("cookie", header.as_str())];
            let tabs = (0..8).map(|_| server.send("POST", "/api/v1/auth/refresh", &headers, ""));
            let replies = futures_util::future::join_all(tabs).await;
            let cookies: Vec<String> = replies.iter().map(|reply| reply.signed_in().cookie).collect();
            assert!(cookies.windows(2).all(|pair| pair[0] == pair[1]));
            assert_eq!(provider.validations.load(Ordering::SeqCst), 1);
            // The provider's next token is the one that is stored.
            assert_eq!(server.refresh(&cookies[0]).await.status, 201);
        },
    )
    .await;
}

#[tokio::test]
async fn validation_of_a_server_that_crashed_is_repeated_after_twenty_seconds() {
    let (server, provider) = server_with(policy()).await;
    let cookie = server.sign_in_with_provider("ada", "").await.provider_session();
    server.clock.stop();
    let mut change = server.store.identity.change_identity().await.unwrap();
    let sessions = change
        .sessions_of_cloud(Some("https://id.example|ada"), None)
        .await
        .unwrap();
    let until = Timestamp::from_millis(server.clock.now().millis() + 20_000);
    change.set_validating(sessions[0].0, Some(until)).await.unwrap();
    change.commit_without_invalidation().await.unwrap();
    server.clock.advance(Duration::from_secs(20));
    assert_eq!(server.refresh(&cookie).await.status, 201);
    assert_eq!(provider.validations.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn session_without_a_refresh_token_ends_with_the_providers() {
    let (server, provider) = server_with(policy()).await;
    provider.is_brief.store(true, Ordering::SeqCst);
    let reply = server.sign_in_with_provider("ada", "").await;
    // It has already ended: this provider names no end of its session.
    let cookie = reply.provider_session();
    assert_eq!(server.refresh(&cookie).await.status, 401);
    assert_eq!(provider.validations.load(Ordering::SeqCst), 0);
}

#[covers("POST /api/v1/auth/logout")]
#[tokio::test]
async fn sign_out_ends_the_session_with_the_provider() {
    let (server, provider) = server_with(policy()).await;
    let cookie = server.sign_in_with_provider("ada", "").await.provider_session();
    let header = format!("{COOKIE}={cookie}");
    let reply = server
        .send("POST", "/api/v1/auth/logout", &[("cookie", &header)], "")
        .await;
    assert_eq!(reply.status, 201);
    wait_for(|| provider.revoked.load(Ordering::SeqCst) == 1).await;
    assert_eq!(server.refresh(&cookie).await.status, 401);
}

#[covers("T04")]
#[tokio::test]
async fn database_holds_no_token_of_the_provider() {
    let (server, _) = server_with(policy()).await;
    let started = server
        .begin_sign_in("&invitation=SECRETCODE", &[])
        .await
        .started();
    let cookie = server.sign_in_with_provider("ada", "").await.provider_session();
    server.refresh(&cookie).await.signed_in();
    let rows = svc_test_support::databases::rows(&server.database_url).await;
    let text = format!("{rows:?}");
    for secret in [
        "ada/s",
        "SECRETCODE",
        &started.cookie,
        &started.query["nonce"],
        &started.query["state"],
    ] {
        assert!(!text.contains(secret), "{secret}");
    }
}
