//! Sessions of linked accounts that the provider did not open: those of devices, and those with a password.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use svc_covers::covers;

use super::logout::report;
use super::{policy, server_with};
use crate::auth::device::Codes;
use crate::support::accounts::COOKIE;
use crate::support::databases::on_each_database_with;
use crate::support::provider::{ScriptedProvider, with_provider};
use crate::support::{Client, Reply, TestServer};

/// Signs in a device that the user of a client approves; returns its refresh cookie.
async fn device(server: &TestServer, by: &Client) -> String {
    let codes = Codes::start(server, "music").await;
    assert_eq!(codes.approve(by).await.status, 201);
    codes.poll(server).await.signed_in().cookie
}

/// Asserts that the cookie was not accepted and stays as it is.
fn assert_kept(reply: &Reply, status: u16, code: &str) {
    assert_eq!((reply.status, reply.code().as_deref()), (status, Some(code)));
    assert!(!reply.headers.contains_key("set-cookie"));
}

#[covers("POST /api/v1/auth/refresh", "C9", "T31")]
#[tokio::test]
async fn device_is_confirmed_by_a_session_that_the_provider_signed_in() {
    let provider = Arc::new(ScriptedProvider::default());
    on_each_database_with(
        || with_provider(&provider, policy()),
        async |server| {
            provider.knows("ada", &["media"]);
            server.person("owner", "owner").await;
            let cookie = server.sign_in_with_provider("ada", "").await.provider_session();
            let browser = server.refresh(&cookie).await.signed_in();
            let mut tv = device(&server, &browser.client).await;
            provider.validations.store(0, Ordering::SeqCst);
            for round in 1..4 {
                tv = server.refresh(&tv).await.signed_in().cookie;
                assert_eq!(provider.validations.load(Ordering::SeqCst), round);
            }
            // The token that the provider replaced meanwhile is the one that the browser's session is validated with.
            let browser = server.refresh(&browser.cookie).await.signed_in();
            provider.is_away.store(true, Ordering::SeqCst);
            for _ in 0..2 {
                assert_kept(&server.refresh(&tv).await, 503, "cloud_unavailable");
            }
            provider.is_away.store(false, Ordering::SeqCst);
            tv = server.refresh(&tv).await.signed_in().cookie;
            provider.forget();
            for _ in 0..2 {
                assert_kept(&server.refresh(&tv).await, 401, "cloud_token_required");
            }
            assert_kept(
                &server.refresh(&browser.cookie).await,
                401,
                "cloud_token_required",
            );
            let stored = "SELECT count(*) FROM cloud_sessions WHERE validating_until IS NOT NULL";
            assert_eq!(server.number(stored).await, 0);
            // The user signs in again, at whatever device.
            server.sign_in_with_provider("ada", "").await.provider_session();
            server.refresh(&tv).await.signed_in();
        },
    )
    .await;
}

#[covers("POST /api/v1/auth/refresh")]
#[tokio::test]
async fn browser_and_device_that_refresh_at_once_share_one_validation() {
    let provider = Arc::new(ScriptedProvider::default());
    *provider.pause.lock().unwrap() = Duration::from_millis(300);
    on_each_database_with(
        || with_provider(&provider, policy()),
        async |server| {
            provider.knows("ada", &["media"]);
            server.person("owner", "owner").await;
            let cookie = server.sign_in_with_provider("ada", "").await.provider_session();
            let browser = server.refresh(&cookie).await.signed_in();
            let tv = device(&server, &browser.client).await;
            provider.validations.store(0, Ordering::SeqCst);
            let cookies = [&browser.cookie, &tv, &browser.cookie, &tv];
            let refreshes = cookies.map(|cookie| server.refresh(cookie));
            let replies = futures_util::future::join_all(refreshes).await;
            let next: Vec<String> = replies.iter().map(|reply| reply.signed_in().cookie).collect();
            assert_eq!((&next[0], &next[1]), (&next[2], &next[3]));
            assert_eq!(provider.validations.load(Ordering::SeqCst), 1);
            for cookie in &next[..2] {
                assert_eq!(server.refresh(cookie).await.status, 201);
            }
        },
    )
    .await;
}

#[tokio::test]
async fn another_session_stands_in_for_one_that_the_provider_has_ended() {
    let (server, provider) = server_with(policy()).await;
    let cookie = server.sign_in_with_provider("ada", "").await.provider_session();
    let browser = server.refresh(&cookie).await.signed_in();
    server.sign_in_with_provider("ada", "").await.provider_session();
    let tv = device(&server, &browser.client).await;
    provider.validations.store(0, Ordering::SeqCst);
    let tv = server.refresh(&tv).await.signed_in().cookie;
    assert_eq!(provider.validations.load(Ordering::SeqCst), 1);
    let newest = provider.sessions.lock().unwrap().last().cloned().unwrap();
    provider.end(&newest);
    let tv = server.refresh(&tv).await.signed_in().cookie;
    assert_eq!(provider.validations.load(Ordering::SeqCst), 3);
    // The session that is left ends by signing out.
    let header = format!("{COOKIE}={}", browser.cookie);
    let headers = [("cookie", header.as_str())];
    let signed_out = server.send("POST", "/api/v1/auth/logout", &headers, "").await;
    assert_eq!(signed_out.status, 201);
    assert_kept(&server.refresh(&tv).await, 401, "cloud_token_required");
    assert_eq!(provider.validations.load(Ordering::SeqCst), 4);
}

#[tokio::test]
async fn sessions_of_other_accounts_and_expired_ones_stand_in_for_none() {
    let (server, provider) = server_with(policy()).await;
    let bob = server.person("bob", "member").await;
    let session = server.sign_in("bob").await;
    server.link(bob, "https://id.example|bob").await;
    server.sign_in_with_provider("ada", "").await.provider_session();
    assert_kept(
        &server.refresh(&session.cookie).await,
        401,
        "cloud_token_required",
    );
    assert_eq!(provider.validations.load(Ordering::SeqCst), 0);
    provider.knows("bob", &["media"]);
    server.sign_in_with_provider("bob", "").await.provider_session();
    let session = server.refresh(&session.cookie).await.signed_in();
    assert_eq!(provider.validations.load(Ordering::SeqCst), 1);
    let expired = "UPDATE sessions SET idle_expires_at = 0 WHERE kind = 'cloud' RETURNING 7";
    assert_eq!(server.number(expired).await, 7);
    assert_kept(
        &server.refresh(&session.cookie).await,
        401,
        "cloud_token_required",
    );
    assert_eq!(provider.validations.load(Ordering::SeqCst), 1);
}

#[covers("C8", "POST /api/v1/auth/oidc/logout")]
#[tokio::test]
async fn device_ends_after_the_last_session_that_the_provider_reports_as_ended() {
    let (server, provider) = server_with(policy()).await;
    let mut browsers = Vec::new();
    for _ in 0..2 {
        let cookie = server.sign_in_with_provider("ada", "").await.provider_session();
        browsers.push(server.refresh(&cookie).await.signed_in());
    }
    let tv = device(&server, &browsers[1].client).await;
    let newest = provider.sessions.lock().unwrap().last().cloned().unwrap();
    assert_eq!(report(&server, &format!("j1 - {newest}")).await.status, 200);
    assert_eq!(browsers[1].client.status().await, 401);
    let tv = server.refresh(&tv).await.signed_in();
    assert_eq!(report(&server, "j2 https://id.example|ada -").await.status, 200);
    assert_eq!(browsers[0].client.status().await, 401);
    // Until its access token ends, nothing asks.
    assert_eq!(tv.client.status().await, 200);
    assert_kept(&server.refresh(&tv.cookie).await, 401, "cloud_token_required");
}
