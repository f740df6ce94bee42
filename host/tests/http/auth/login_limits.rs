//! Throttling of wrong passwords, and equal timing of refused sign-ins.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;
use svc_covers::covers;

use crate::support::accounts::PASSWORD;
use crate::support::{TestServer, TestServerOptions};
use svc_domain::audit::AuditEvent;
use svc_identity::rate_limiter::RateLimit;
use svc_identity::throttle::LoginLimits;

const WRONG: &str = "wrong password";

/// The number of wrong passwords that were compared before the rest was throttled.
async fn compared(server: &TestServer, name: &str, tries: usize) -> usize {
    let mut statuses = Vec::new();
    for _ in 0..tries {
        let reply = server.try_password(name, WRONG).await;
        if reply.status == 429 {
            let seconds: u64 = reply.header("retry-after").parse().unwrap();
            assert!((1..=60).contains(&seconds), "{seconds}");
            assert_eq!(reply.code().as_deref(), Some("too_many_attempts"));
            assert_eq!(reply.cookie(), None);
        }
        statuses.push(reply.status);
    }
    let compared = statuses.iter().take_while(|status| **status == 403).count();
    assert!(
        statuses[compared..].iter().all(|status| *status == 429),
        "{statuses:?}"
    );
    compared
}

#[covers("code too_many_attempts", "R13", "T17", "T18")]
#[tokio::test]
async fn wrong_passwords_are_limited_by_account_and_address_also_for_unknown_names() {
    let mut server = TestServer::start().await;
    server.person("ada", "owner").await;
    server.peer = [198, 51, 100, 9].into();
    server.sign_in("ada").await;
    for name in ["ada", "nobody"] {
        // Twenty from each of two addresses, none from a third.
        for (last, expected) in [(1, 20), (2, 20), (3, 0)] {
            server.peer = [192, 0, 2, last].into();
            assert_eq!(
                compared(&server, name, expected + 2).await,
                expected,
                "{name} {last}"
            );
        }
    }
    // The correct password is throttled as well, without a comparison.
    assert_eq!(server.try_password("ada", PASSWORD).await.status, 429);
    // It is accepted from an address that signed in before.
    server.peer = [198, 51, 100, 9].into();
    assert_eq!(server.try_password("nobody", WRONG).await.status, 429);
    assert_eq!(server.try_password("ada", PASSWORD).await.status, 201);
    assert!(!server.audit(AuditEvent::LoginThrottled).await.is_empty());
}

#[covers("T17")]
#[tokio::test]
async fn parallel_guesses_share_the_limit() {
    let server = Arc::new(TestServer::start().await);
    server.person("ada", "owner").await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..60 {
        let server = Arc::clone(&server);
        calls.spawn(async move {
            loop {
                let status = server.try_password("ada", WRONG).await.status;
                // A full queue is retried.
                if status != 503 {
                    return status;
                }
            }
        });
    }
    let statuses = calls.join_all().await;
    let ended_with = |status: u16| statuses.iter().filter(|found| **found == status).count();
    let compared = ended_with(403);
    assert!((1..=20).contains(&compared), "{statuses:?}");
    assert_eq!(ended_with(429), 60 - compared, "{statuses:?}");
}

#[covers("T18")]
#[tokio::test]
async fn correct_passwords_and_refusals_without_a_comparison_are_not_limited() {
    let server = TestServer::start().await;
    server.user("eve", true, &["owner"]).await;
    server.person("ada", "music_user").await;
    let body = json!({"username": "ada", "password": PASSWORD});
    for _ in 0..25 {
        assert_eq!(server.try_password("ada", PASSWORD).await.status, 201);
        // The password is correct; the capability is missing.
        assert_eq!(server.login(&[("svc-app", "admin")], &body).await.status, 403);
        assert_eq!(server.login(&[("svc-app", "tv")], &body).await.status, 403);
        assert_eq!(
            server
                .login(&[], &json!({"username": "ada", "password": WRONG}))
                .await
                .status,
            403
        );
    }
    // Unlimited attempts do not fill the audit log.
    let notes = server.audit(AuditEvent::LoginFailed).await.len();
    assert!(notes <= 11, "{notes}");
    assert_eq!(compared(&server, "ada", 40).await, 20);
    let notes = server.audit(AuditEvent::LoginThrottled).await.len();
    assert!(notes <= 11, "{notes}");
}

#[covers("T21")]
#[tokio::test]
async fn forged_addresses_neither_evade_the_limit_nor_reach_the_audit_log() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let mut statuses = Vec::new();
    for number in 0..22 {
        let made_up = format!("10.1.2.{number}");
        let forwarded = format!("for={made_up}");
        let headers = [
            ("svc-app", "music"),
            ("x-forwarded-for", made_up.as_str()),
            ("x-real-ip", made_up.as_str()),
            ("forwarded", forwarded.as_str()),
        ];
        let body = json!({"username": "ada", "password": WRONG});
        statuses.push(server.login(&headers, &body).await.status);
    }
    assert_eq!(statuses.iter().filter(|status| **status == 403).count(), 20);
    assert_eq!(statuses[20..], [429, 429]);
    let failed = server.audit(AuditEvent::LoginFailed).await;
    assert!(!failed.is_empty());
    assert!(
        failed
            .iter()
            .all(|entry| entry.address.as_deref() == Some("192.0.2.1"))
    );
}

#[covers("T17")]
#[tokio::test]
async fn address_is_limited_over_all_accounts() {
    let limits = LoginLimits {
        address: RateLimit::new(10, 3600),
        ..LoginLimits::default()
    };
    let options = TestServerOptions {
        login_limits: limits,
        ..TestServerOptions::default()
    };
    let mut server = TestServer::start_with(options).await;
    server.as_owner().await;
    let mut statuses = Vec::new();
    for number in 0..12 {
        statuses.push(server.try_password(&format!("name{number}"), WRONG).await.status);
    }
    assert_eq!(statuses, [vec![403; 10], vec![429; 2]].concat());
    server.peer = [192, 0, 2, 2].into();
    assert_eq!(server.try_password("name11", WRONG).await.status, 403);
}

#[covers("T19")]
#[tokio::test]
async fn refusal_takes_the_same_time_with_and_without_an_account() {
    let many = RateLimit::new(10_000, 1);
    let options = TestServerOptions {
        login_limits: LoginLimits {
            user_and_address: many,
            user: many,
            address: many,
            ..LoginLimits::default()
        },
        ..TestServerOptions::default()
    };
    let server = TestServer::start_with(options).await;
    let owner = server.client(server.person("ada", "owner").await);
    let disabled = server.person("gone", "member").await;
    server.enable(&owner, disabled, false).await;
    server.user("linked", false, &["member"]).await;
    let names = ["ada", "nobody", "gone", "linked"];
    let mut times: [Vec<Duration>; 4] = Default::default();
    for _ in 0..30 {
        for (name, times) in names.iter().zip(&mut times) {
            let start = Instant::now();
            assert_eq!(server.try_password(name, WRONG).await.status, 403);
            times.push(start.elapsed());
        }
    }
    let medians = times.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64()
    });
    for (name, median) in names.iter().zip(medians) {
        let ratio = median / medians[0];
        assert!((0.7..1.4).contains(&ratio), "{name} {ratio} {medians:?}");
    }
}
