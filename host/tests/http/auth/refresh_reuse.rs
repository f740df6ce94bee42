//! Refresh cookies that are used twice: accepted for ten seconds, then treated as stolen.

use std::time::Duration;

use svc_covers::covers;

use super::assert_ended;
use crate::auth::refresh_concurrency::begin_sessions;
use crate::support::TestServer;
use crate::support::databases::on_each_database;
use svc_domain::audit::AuditEvent;

/// How long a used cookie returns the newest one.
const GRACE_MS: u64 = 10_000;

#[covers("R33b", "T10")]
#[tokio::test]
async fn lost_response_is_repeated_within_the_grace_period() {
    on_each_database(async |server: TestServer| {
        server.person("ada", "owner").await;
        let first = server.sign_in("ada").await;
        let second = server.refresh(&first.cookie).await.signed_in();
        server.clock.advance(Duration::from_secs(8));
        for _ in 0..5 {
            let again = server.refresh(&first.cookie).await.signed_in();
            assert_eq!(again.cookie, second.cookie);
            assert_eq!(again.client.status().await, 200);
        }
        assert_eq!(server.number("SELECT generation FROM sessions").await, 1);
        assert_eq!(server.refresh(&second.cookie).await.status, 201);
    })
    .await;
}

#[covers("T10", "A8")]
#[tokio::test]
async fn tab_that_is_two_refreshes_late_gets_the_newest_cookie_within_the_grace_period() {
    on_each_database(async |server: TestServer| {
        server.clock.stop();
        server.person("ada", "owner").await;
        let first = server.sign_in("ada").await;
        let second = server.refresh(&first.cookie).await.signed_in();
        server.clock.advance(Duration::from_secs(5));
        let third = server.refresh(&second.cookie).await.signed_in();
        server.clock.advance(Duration::from_secs(5));
        for late in [&first, &second] {
            let again = server.refresh(&late.cookie).await.signed_in();
            assert_eq!(again.cookie, third.cookie);
            assert_eq!(again.client.status().await, 200);
        }
        assert_eq!(server.number("SELECT generation FROM sessions").await, 2);
        // The grace period of the second cookie starts with its use; that of the first is over.
        server.clock.advance(Duration::from_millis(1));
        assert_eq!(
            server.refresh(&second.cookie).await.signed_in().cookie,
            third.cookie
        );
        assert_ended(&server.refresh(&first.cookie).await);
        assert_ended(&server.refresh(&third.cookie).await);
        assert_eq!(server.audit(AuditEvent::RefreshTokenReused).await.len(), 1);
    })
    .await;
}

pub(crate) const TOKENS: &str = "SELECT count(*) FROM refresh_tokens";

#[covers("T09", "S9")]
#[tokio::test]
async fn used_cookies_are_deleted_after_the_grace_period_and_still_recognized() {
    on_each_database(async |server: TestServer| {
        server.clock.stop();
        server.person("ada", "owner").await;
        let (first, other) = (server.sign_in("ada").await, server.sign_in("ada").await);
        let mut cookies = vec![first.cookie.clone()];
        // Fewer refreshes than the rate limit of a session.
        for _ in 0..25 {
            server.clock.advance(Duration::from_secs(2));
            let next = server.refresh(cookies.last().unwrap()).await.signed_in();
            cookies.push(next.cookie);
            // The cookies of the last ten seconds, the newest, and that of the other session.
            assert!(server.number(TOKENS).await <= 8);
        }
        // All cookies within the grace period are accepted.
        let newest = cookies.last().unwrap();
        for late in &cookies[20..25] {
            assert_eq!(&server.refresh(late).await.signed_in().cookie, newest);
        }
        // A forged cookie and one with a broken checksum end nothing.
        let mut broken = cookies[10].clone().into_bytes();
        broken[5] = if broken[5] == b'x' { b'y' } else { b'x' };
        for made_up in [String::from_utf8(broken).unwrap(), "A".repeat(86)] {
            assert_ended(&server.refresh(&made_up).await);
        }
        assert_eq!(server.audit(AuditEvent::RefreshTokenReused).await.len(), 0);
        assert_eq!(first.client.status().await, 200);
        // A deleted cookie is treated as stolen.
        assert_ended(&server.refresh(&cookies[3]).await);
        assert_ended(&server.refresh(newest).await);
        assert_eq!(first.client.status().await, 401);
        assert_eq!(server.audit(AuditEvent::RefreshTokenReused).await.len(), 1);
        assert_eq!(server.refresh(&other.cookie).await.status, 201);
    })
    .await;
}

/// Pseudo-random numbers from a seed (Knuth's MMIX generator).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// A model of the expected behaviour of a session.
#[derive(Default)]
struct Model {
    now: u64,
    /// First use of the cookie of each generation; the last is unused.
    used: Vec<Option<u64>>,
    ended: bool,
}

impl Model {
    /// The generation of the returned cookie; `None` if the session has ended.
    fn present(&mut self, generation: usize) -> Option<usize> {
        match self.used[generation] {
            _ if self.ended => {}
            None => {
                self.used[generation] = Some(self.now);
                self.used.push(None);
            }
            Some(at) => self.ended = self.now - at > GRACE_MS,
        }
        (!self.ended).then(|| self.used.len() - 1)
    }
}

/// Tabs share a cookie, but may hold an old one or lose a response.
#[covers("T09")]
#[tokio::test]
async fn reuse_ends_a_session_only_after_the_grace_period() {
    on_each_database(async |server: TestServer| {
        server.clock.stop();
        let ada = server.person("ada", "owner").await;
        let (mut ended, mut repeated, mut deepest) = (0, 0, 0);
        for seed in 0..60 {
            let mut numbers = Numbers(seed);
            let mut cookies = begin_sessions(&server, ada, 1).await;
            let mut tabs = [0_usize; 3];
            let mut model = Model {
                used: vec![None],
                ..Model::default()
            };
            // Fewer refreshes than the rate limit of a session.
            for step in 0..25 {
                let wait = [0, 0, 1, 1_500, 4_000, GRACE_MS, GRACE_MS + 1][numbers.below(7) as usize];
                model.now += wait;
                server.clock.advance(Duration::from_millis(wait));
                let tab = numbers.below(3) as usize;
                // A tab sometimes reads the newest cookie.
                if numbers.below(3) == 0 {
                    tabs[tab] = cookies.len() - 1;
                }
                let newest = cookies.len() - 1;
                let request_credential = tabs[tab];
                let reply = server.refresh(&cookies[request_credential]).await;
                let Some(expected) = model.present(request_credential) else {
                    assert_ended(&reply);
                    ended += 1;
                    break;
                };
                let got = reply.signed_in();
                if expected > newest {
                    assert!(!cookies.contains(&got.cookie), "seed {seed}, step {step}");
                    cookies.push(got.cookie);
                } else {
                    assert_eq!(got.cookie, cookies[expected], "seed {seed}, step {step}");
                    repeated += 1;
                    deepest = deepest.max(expected - request_credential);
                }
                assert_eq!(got.client.status().await, 200, "seed {seed}, step {step}");
                // A lost response leaves the tab with its old cookie.
                if numbers.below(3) > 0 {
                    tabs[tab] = expected;
                }
            }
            for cookie in cookies.iter().filter(|_| model.ended) {
                assert_ended(&server.refresh(cookie).await);
            }
        }
        // Enough cases of each kind occurred.
        assert!(
            ended >= 10 && repeated >= 100 && deepest >= 3,
            "{ended} {repeated} {deepest}"
        );
        let revoked = "SELECT count(*) FROM sessions WHERE revoked AND ended_at IS NOT NULL";
        assert_eq!(server.number(revoked).await, ended);
    })
    .await;
}
