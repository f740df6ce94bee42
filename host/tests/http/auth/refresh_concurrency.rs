//! Parallel refreshes, and clients that disconnect during one.

use std::cell::Cell;
use std::collections::HashSet;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use serde_json::json;
use svc_covers::covers;

use crate::support::TestServer;
use crate::support::accounts::PASSWORD;
use crate::support::databases::on_each_database;
use svc_domain::audit::AuditEvent;
use svc_domain::id::UserId;
use svc_domain::session::{Session, SessionKind};
use svc_domain::time::{Clock as _, Timestamp};
use svc_identity::secret_token::RefreshToken;
use svc_platform::random::{Random as _, SystemRandom};

const WORKERS: usize = 8;

/// Sessions per worker, and refreshes per session: fewer than the rate limit.
const SESSIONS: usize = 50;

const REFRESHES: usize = 25;

/// Sessions per worker at a time: few, so that a lost response is repeated within the grace period.
const IN_HAND: usize = 5;

/// Polls a future this many times, then drops it.
async fn dropped_after<T>(polls: u64, future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let mut left = polls;
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        match future.as_mut().poll(context) {
            Poll::Pending if left == 0 => Poll::Ready(None),
            polled => polled.map(Some),
        }
    })
    .await
}

/// Pseudo-random numbers from a seed (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

fn seed() -> u64 {
    let mut bytes = [0; 8];
    SystemRandom.fill(&mut bytes).unwrap();
    let seed = u64::from_le_bytes(bytes) | 1;
    println!("seed {seed}");
    seed
}

/// Inserts sessions of an account; returns their cookies.
pub(crate) async fn begin_sessions(server: &TestServer, user: UserId, count: usize) -> Vec<String> {
    let now = server.clock.now();
    let end = Timestamp::from_millis(now.millis() + 86_400_000);
    let mut change = server.store.identity.change_identity().await.unwrap();
    let mut cookies = Vec::new();
    for _ in 0..count {
        let session = Session {
            id: server.id(),
            user,
            app: "music".into(),
            kind: SessionKind::Local,
            user_agent: None,
            address: None,
            created_at: now,
            last_active_at: now,
            idle_expires_at: end,
            expires_at: end,
            generation: 0,
            ended_at: None,
            signed_in_at: Some(now),
        };
        let keys = server.state.keys.current();
        let token = RefreshToken::generate(&SystemRandom, keys.refresh_key(), session.id).unwrap();
        change
            .insert_session(&session, Some(&token.hash()))
            .await
            .unwrap();
        cookies.push(token.secret().to_owned());
    }
    change.commit().await.unwrap();
    cookies
}

/// Invariant: each session has one token per recent generation, and only the current one is unused.
async fn assert_lineages(server: &TestServer, sessions: usize) {
    for (what, sql, expected) in [
        (
            "sessions",
            "SELECT count(*) FROM sessions WHERE ended_at IS NULL AND NOT revoked",
            sessions,
        ),
        (
            "unused tokens",
            "SELECT count(*) FROM refresh_tokens WHERE rotated_at IS NULL AND salt IS NULL",
            sessions,
        ),
        (
            "unused tokens of the current generation",
            "SELECT count(*) FROM refresh_tokens t JOIN sessions s ON s.session_id = t.session_id \
             AND s.generation = t.generation WHERE t.rotated_at IS NULL",
            sessions,
        ),
        (
            "sessions with a gap in their tokens",
            "SELECT count(*) FROM sessions s WHERE (SELECT max(t.generation) - min(t.generation) + 1 - count(*) \
             FROM refresh_tokens t WHERE t.session_id = s.session_id) <> 0",
            0,
        ),
        (
            "tokens of a generation twice",
            "SELECT count(*) FROM (SELECT session_id FROM refresh_tokens GROUP BY session_id, generation \
             HAVING count(*) > 1) AS twice",
            0,
        ),
        (
            "tokens of no session",
            "SELECT count(*) FROM refresh_tokens WHERE session_id NOT IN (SELECT session_id FROM sessions)",
            0,
        ),
    ] {
        assert_eq!(server.number(sql).await, expected as i64, "{what}");
    }
}

#[covers("R33b", "T09")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parallel_refreshes_with_one_cookie_return_one_cookie() {
    on_each_database(async |server: TestServer| {
        server.person("ada", "owner").await;
        let session = server.sign_in("ada").await;
        let server = Arc::new(server);
        let mut calls = tokio::task::JoinSet::new();
        for _ in 0..64 {
            let (server, cookie) = (Arc::clone(&server), session.cookie.clone());
            calls.spawn(async move { server.refresh(&cookie).await });
        }
        let mut cookies = HashSet::new();
        for reply in calls.join_all().await {
            let next = reply.signed_in();
            assert_eq!(next.client.status().await, 200);
            cookies.insert(next.cookie);
        }
        assert_eq!(cookies.len(), 1);
        assert_eq!(server.number("SELECT generation FROM sessions").await, 1);
        assert_lineages(&server, 1).await;
        for cookie in cookies {
            assert_eq!(server.refresh(&cookie).await.status, 201);
        }
        assert!(server.audit(AuditEvent::RefreshTokenReused).await.is_empty());
    })
    .await;
}

#[covers("T11")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refresh_that_is_disconnected_leaves_the_session_valid() {
    let server = TestServer::start().await;
    let user = server.user("ada", true, &["owner"]).await;
    let cookies = begin_sessions(&server, user, WORKERS * SESSIONS).await;
    let (server, seed) = (Arc::new(server), seed());
    let mut workers = tokio::task::JoinSet::new();
    for (number, cookies) in cookies.chunks(SESSIONS).enumerate() {
        let (server, mut cookies) = (Arc::clone(&server), cookies.to_vec());
        let mut numbers = Numbers(seed.wrapping_add(number as u64 * 2));
        workers.spawn(async move {
            let mut dropped = 0;
            for cookies in cookies.chunks_mut(IN_HAND) {
                for turn in 0..REFRESHES * cookies.len() {
                    let at = turn % cookies.len();
                    match dropped_after(numbers.below(6), server.refresh(&cookies[at])).await {
                        Some(reply) => cookies[at] = reply.signed_in().cookie,
                        None => dropped += 1,
                    }
                }
                // No session has ended.
                for cookie in cookies {
                    assert_eq!(server.refresh(cookie).await.status, 201);
                }
            }
            dropped
        });
    }
    let dropped: usize = workers.join_all().await.into_iter().sum();
    println!(
        "{dropped} of {} refreshes dropped",
        WORKERS * SESSIONS * REFRESHES
    );
    assert!(dropped > WORKERS * SESSIONS * REFRESHES / 4, "{dropped}");
    assert_lineages(&server, WORKERS * SESSIONS).await;
    assert!(server.audit(AuditEvent::RefreshTokenReused).await.is_empty());
}

/// Polls a future this many times, awaits `between`, then completes the future.
async fn interrupted<T>(polls: u64, future: impl Future<Output = T>, between: impl Future<Output = ()>) -> T {
    let mut future = pin!(future);
    if let Some(done) = dropped_after(polls, future.as_mut()).await {
        return done;
    }
    between.await;
    future.await
}

#[tokio::test]
async fn login_overtaken_by_an_account_change_leaves_no_session() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let overtaken = Cell::new(0);
    for polls in 0..14 {
        for disables in [false, true] {
            let name = format!("bob{polls}{disables}");
            let bob = server.person(&name, "member").await;
            let before = overtaken.get();
            let change = async {
                overtaken.set(before + 1);
                if disables {
                    server.enable(&owner, bob, false).await;
                } else {
                    let mut change = server.store.identity.change_identity().await.unwrap();
                    change.set_password_hash(bob, "$another").await.unwrap();
                    change
                        .revoke_sessions(bob, None, server.clock.now())
                        .await
                        .unwrap();
                    change.commit().await.unwrap();
                }
            };
            let login = interrupted(polls, server.try_password(&name, PASSWORD), change).await;
            server.enable(&owner, bob, true).await;
            // A login that succeeded came before the change, which ended its session.
            if login.status == 201 && overtaken.get() > before {
                assert_eq!(login.client().status().await, 401, "{polls} {disables}");
                assert_eq!(
                    server.refresh(login.cookie().unwrap()).await.status,
                    401,
                    "{polls} {disables}"
                );
            }
        }
    }
    let overtaken = overtaken.get();
    assert!(overtaken > 4, "{overtaken}");
}

#[covers("T11")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn login_or_logout_that_is_disconnected_leaves_no_partial_session() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    server.set(&owner, "guest_access", json!(true)).await;
    let mut numbers = Numbers(seed());
    for _ in 0..200 {
        let guest = json!({"username": "guest"});
        let login = dropped_after(numbers.below(16), server.login(&[("svc-app", "music")], &guest)).await;
        if let Some(reply) = login {
            let session = reply.signed_in();
            let bearer = format!("Bearer {}", session.client);
            let headers = [("authorization", bearer.as_str())];
            let logout = server.send("POST", "/api/v1/auth/logout", &headers, "");
            if let Some(reply) = dropped_after(numbers.below(12), logout).await {
                assert_eq!(reply.status, 201);
                assert_eq!(session.client.status().await, 401);
            }
        }
    }
    // The operations continue without their clients and end before this.
    for _ in 0..20 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let half = "SELECT count(*) FROM sessions s WHERE (SELECT count(*) FROM refresh_tokens t \
                WHERE t.session_id = s.session_id AND t.generation = s.generation) <> 1 OR (s.revoked AND s.ended_at IS NULL)";
    assert_eq!(server.number(half).await, 0);
    assert!(server.number("SELECT count(*) FROM sessions").await > 0);
    let lines_of = async |event| -> i64 { server.audit(event).await.iter().map(|line| line.times).sum() };
    let begun = lines_of(AuditEvent::LoginSucceeded).await;
    assert_eq!(server.number("SELECT count(*) FROM sessions").await, begun);
    let ended = lines_of(AuditEvent::LoggedOut).await;
    assert_eq!(
        server.number("SELECT count(*) FROM sessions WHERE revoked").await,
        ended
    );
}
