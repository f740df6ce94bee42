//! `POST /auth/refresh`: new tokens for a cookie, and when a session ends.

use std::time::Duration;

use serde_json::json;
use svc_covers::covers;

use super::assert_ended;
use crate::support::TestServer;
use crate::support::accounts::{COOKIE, PASSWORD, SignedIn};
use crate::support::databases::on_each_database;
use svc_domain::audit::AuditEvent;

const HOUR: Duration = Duration::from_secs(60 * 60);

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[covers("POST /api/v1/auth/refresh")]
#[tokio::test]
async fn refresh_returns_a_new_access_token_and_the_next_cookie() {
    on_each_database(async |server: TestServer| {
        server.person("ada", "owner").await;
        let mut session = server.sign_in("ada").await;
        let mut seen = vec![session.cookie.clone()];
        for _ in 0..10 {
            let reply = server.refresh(&session.cookie).await;
            session = reply.signed_in();
            assert_eq!(reply.json()["scope"], "local");
            assert_eq!(session.client.status().await, 200);
            assert!(!seen.contains(&session.cookie));
            seen.push(session.cookie.clone());
        }
        assert_eq!(server.number("SELECT generation FROM sessions").await, 10);
        assert_eq!(
            server
                .number("SELECT count(*) FROM refresh_tokens WHERE rotated_at IS NULL")
                .await,
            1
        );
    })
    .await;
}

#[covers("T09")]
#[tokio::test]
async fn cookie_reused_after_the_grace_period_ends_the_session() {
    on_each_database(async |server: TestServer| {
        server.person("ada", "owner").await;
        let other = server.sign_in("ada").await;
        let first = server.sign_in("ada").await;
        let second = server.refresh(&first.cookie).await.signed_in();
        server.clock.advance(Duration::from_secs(11));
        assert_ended(&server.refresh(&first.cookie).await);
        for cookie in [&second.cookie, &first.cookie] {
            assert_ended(&server.refresh(cookie).await);
        }
        for jwt in [&first.client, &second.client] {
            assert_eq!(jwt.status().await, 401);
        }
        let reused = server.audit(AuditEvent::RefreshTokenReused).await;
        assert_eq!(reused.len(), 1, "one entry");
        assert_eq!(reused[0].address.as_deref(), Some("192.0.2.1"));
        // Other sessions of the account continue.
        assert_eq!(other.client.status().await, 200);
        assert_eq!(server.refresh(&other.cookie).await.status, 201);
    })
    .await;
}

#[covers("R25")]
#[tokio::test]
async fn unused_session_ends_after_the_timeout_of_its_last_refresh() {
    let server = TestServer::start().await;
    let owner_id = server.person("ada", "owner").await;
    for (word, idle) in [
        ("memory", DAY),
        ("session", DAY * 7),
        ("1d", DAY),
        ("7d", DAY * 7),
        ("30d", DAY * 30),
    ] {
        server
            .set(&server.client(owner_id), "session_timeout", json!(word))
            .await;
        let session = server.sign_in("ada").await;
        server.clock.advance(idle - HOUR);
        let session = server.refresh(&session.cookie).await.signed_in();
        server.clock.advance(idle - HOUR);
        let session = server.refresh(&session.cookie).await.signed_in();
        server.clock.advance(idle);
        assert_ended(&server.refresh(&session.cookie).await);
    }
}

#[covers("R25")]
#[tokio::test]
async fn session_ends_after_ninety_days_however_often_it_is_used() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let mut session = server.sign_in("ada").await;
    for _ in 0..4 {
        server.clock.advance(DAY * 20);
        session = server.refresh(&session.cookie).await.signed_in();
    }
    server.clock.advance(DAY * 10 - HOUR);
    session = server.refresh(&session.cookie).await.signed_in();
    server.clock.advance(HOUR);
    assert_ended(&server.refresh(&session.cookie).await);
}

#[covers("R24")]
#[tokio::test]
async fn changed_timeout_applies_from_the_next_refresh() {
    let server = TestServer::start().await;
    let owner_id = server.person("ada", "owner").await;
    let session = server.sign_in("ada").await;
    server
        .set(&server.client(owner_id), "session_timeout", json!("1d"))
        .await;
    server.clock.advance(DAY * 2);
    let reply = server.refresh(&session.cookie).await;
    assert!(
        reply.header("set-cookie").contains("Max-Age=86400"),
        "the timeout of the sign-in still applies"
    );
    let session = reply.signed_in();
    server
        .set(&server.client(owner_id), "session_timeout", json!("memory"))
        .await;
    let reply = server.refresh(&session.cookie).await;
    assert_eq!(reply.json()["scope"], "memory");
    assert!(!reply.header("set-cookie").contains("Max-Age"));
    server.clock.advance(DAY);
    assert_ended(&server.refresh(reply.cookie().unwrap()).await);
}

#[tokio::test]
async fn session_is_refreshed_thirty_times_in_a_row_and_then_throttled() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let mut session = server.sign_in("ada").await;
    let other = server.sign_in("ada").await;
    let start = std::time::Instant::now();
    let mut count = 0;
    let refused = loop {
        let reply = server.refresh(&session.cookie).await;
        if reply.status != 201 {
            break reply;
        }
        session = reply.signed_in();
        count += 1;
    };
    let refilled = start.elapsed().as_secs() + 1;
    assert!((30..=30 + refilled).contains(&count), "{count}");
    assert_eq!(
        (refused.status, refused.code().as_deref()),
        (429, Some("too_many_attempts"))
    );
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(refused.cookie(), None);
    assert_eq!(server.refresh(&other.cookie).await.status, 201);
    assert_eq!(session.client.status().await, 200);
    assert_eq!(
        server
            .number("SELECT count(*) FROM sessions WHERE ended_at IS NOT NULL")
            .await,
        0
    );
}

#[tokio::test]
async fn invalid_cookie_is_401_and_cleared() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let SignedIn { cookie: good, .. } = server.sign_in("ada").await;
    let unknown = "A".repeat(43);
    let longer = format!("{good}A");
    for bad in ["", "junk", &unknown, &longer, &good[1..], "%00", "\"\""] {
        assert_ended(&server.refresh(bad).await);
    }
    let other_name = format!("svc_refresh_token_{}={good}", "f".repeat(32));
    let no_name = format!("svc_refresh_token_={good}");
    let doubled = format!("{COOKIE}={unknown}; {COOKIE}={good}");
    let same_twice = format!("{COOKIE}={good}; a=b; {COOKIE}={good}");
    for line in ["a=b", &other_name, &no_name, &doubled, &same_twice, ";;=;"] {
        let reply = server
            .send("POST", "/api/v1/auth/refresh", &[("cookie", line)], "")
            .await;
        assert_ended(&reply);
    }
    assert_ended(&server.send("POST", "/api/v1/auth/refresh", &[], "").await);
    let name = format!("{COOKIE}={good}");
    let two_lines = [("cookie", "a=b"), ("cookie", name.as_str())];
    // The query is ignored, and so is the cookie of another server.
    assert_ended(
        &server
            .send("POST", &format!("/api/v1/auth/refresh?{name}"), &[], "")
            .await,
    );
    assert_eq!(
        server
            .send("POST", "/api/v1/auth/refresh", &two_lines, "")
            .await
            .status,
        201
    );
}

#[tokio::test]
async fn refresh_of_a_disabled_or_deleted_account_is_401() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let bob = server.person("bob", "member").await;
    let session = server.sign_in("bob").await;
    server.enable(&owner, bob, false).await;
    assert_eq!(session.client.status().await, 410);
    assert_ended(&server.refresh(&session.cookie).await);
    server.enable(&owner, bob, true).await;
    assert_ended(&server.refresh(&session.cookie).await);
    assert_eq!(session.client.status().await, 401);
    let session = server.sign_in("bob").await;
    server.delete(bob).await;
    assert_ended(&server.refresh(&session.cookie).await);
    assert_eq!(server.number("SELECT count(*) FROM refresh_tokens").await, 0);
}

#[covers("R28")]
#[tokio::test]
async fn guest_refreshes_only_while_guest_access_is_on() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    server.set(&owner, "guest_access", json!(true)).await;
    let guest = server
        .login(&[("svc-app", "music")], &json!({"username": "guest"}))
        .await
        .signed_in();
    let guest = server.refresh(&guest.cookie).await.signed_in();
    server.set(&owner, "guest_access", json!(false)).await;
    assert_ended(&server.refresh(&guest.cookie).await);
}

#[tokio::test]
async fn password_change_ends_all_other_sessions() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let (own, other) = (server.sign_in("ada").await, server.sign_in("ada").await);
    let wrong = json!({"password": "another password", "currentPassword": "wrong password"});
    let reply = own.client.patch("/api/v1/users/current", &wrong).await;
    assert_eq!(reply.status, 403);
    let right = json!({"password": "another password", "currentPassword": PASSWORD});
    let reply = own.client.patch("/api/v1/users/current", &right).await;
    assert_eq!(reply.status, 200);
    assert_eq!(other.client.status().await, 401);
    assert_ended(&server.refresh(&other.cookie).await);
    assert_eq!(server.refresh(&own.cookie).await.status, 201);
    assert_eq!(server.try_password("ada", PASSWORD).await.status, 403);
    assert_eq!(server.try_password("ada", "another password").await.status, 201);
}

#[tokio::test]
async fn clock_that_steps_back_ends_no_session() {
    on_each_database(async |server: TestServer| {
        server.person("ada", "owner").await;
        let session = server.sign_in("ada").await;
        let session = server.refresh(&session.cookie).await.signed_in();
        server.clock.step_back(HOUR);
        assert_eq!(session.client.status().await, 200);
        let session = server.refresh(&session.cookie).await.signed_in();
        assert_eq!(session.client.status().await, 200);
        assert_eq!(server.try_password("ada", PASSWORD).await.status, 201);
        server.clock.advance(HOUR);
        assert_eq!(server.refresh(&session.cookie).await.status, 201);
    })
    .await;
}

#[covers("auth-failure 401 access token")]
#[tokio::test]
async fn access_token_expires_after_fifteen_minutes_and_is_refreshed() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let session = server.sign_in("ada").await;
    server.clock.advance(Duration::from_secs(16 * 60));
    let reply = session.client.get("/api/v1/users/current").await;
    assert_eq!((reply.status, reply.code()), (401, None));
    assert!(reply.header("www-authenticate").starts_with("Bearer"));
    let session = server.refresh(&session.cookie).await.signed_in();
    assert_eq!(session.client.status().await, 200);
}

#[tokio::test]
async fn account_keeps_its_fifty_newest_sessions() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let mut signed_in = Vec::new();
    for _ in 0..51 {
        signed_in.push(server.sign_in("ada").await);
    }
    assert_eq!(server.refresh(&signed_in[0].cookie).await.status, 401);
    // Its access token stays valid until it expires.
    assert_eq!(signed_in[0].client.status().await, 200);
    assert_eq!(server.refresh(&signed_in[1].cookie).await.status, 201);
}
