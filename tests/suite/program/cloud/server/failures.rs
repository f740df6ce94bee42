//! Every failure switch of the reference cloud: what the server answers, and that the session is unchanged.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use svc_covers::covers;
use svc_tests::program::Answer;

use super::{Both, Session, code, cookie_of, nonsense};

/// A linked account with its session, and the cloud in front of which things fail.
struct Account {
    both: Both,
    cookie: String,
    session: Session,
    token: String,
}

impl Account {
    fn new() -> Self {
        let both = Both::start();
        let (session, token) = both.linked_user("bob", "music_user");
        Self {
            both,
            cookie: session.cookie.clone(),
            session,
            token,
        }
    }

    /// Refreshes and signs in while the cloud fails, compares the answers, then shows that nothing has changed: the stored
    /// sessions are those of before byte for byte, and the cookie refreshes.
    fn fails(&mut self, failure: &Value, status: u16, error: &str) {
        let before = self.both.stored_sessions();
        self.both.cloud.fail("account", failure, None);
        let refused = self.both.refresh(&self.cookie, Some(&self.token));
        assert_unchanged(&refused, status, error, failure);
        let login = self.both.login_by_cloud(&self.token);
        assert_eq!(
            (login.status, login.header("set-cookie")),
            (status, None),
            "{failure}: {login:?}"
        );
        assert_eq!(self.both.stored_sessions(), before, "{failure}");
        self.recovers(failure);
    }

    /// The failure ends, and the cookie of before works.
    fn recovers(&mut self, failure: &Value) {
        self.both.cloud.reset();
        let current = self
            .both
            .with_token(&self.session.jwt, "GET", "/api/v1/users/current", None);
        assert_eq!(current.status, 200, "{failure}");
        let refreshed = self.both.refresh(&self.cookie, Some(&self.token));
        assert_eq!(refreshed.status, 201, "{failure}: {refreshed:?}");
        self.cookie = cookie_of(&refreshed);
    }
}

fn assert_unchanged(refused: &Answer, status: u16, error: &str, failure: &Value) {
    assert_eq!(
        code(refused),
        (status, Some(error.to_owned())),
        "{failure}: {refused:?}"
    );
    assert_eq!(refused.header("set-cookie"), None, "{failure}");
    assert_eq!(refused.header("cache-control"), Some("no-store"), "{failure}");
    let text = String::from_utf8_lossy(&refused.bytes);
    assert!(
        !text.contains("svc_cloud_") && !text.contains("127.0.0.1"),
        "{failure}: {text}"
    );
}

#[covers("auth-failure cloud_unavailable", "R15", "R33c", "T31")]
#[test]
fn answer_that_makes_no_sense_is_503_and_leaves_the_session_unchanged() {
    let mut account = Account::new();
    for failure in nonsense() {
        account.fails(&failure, 503, "cloud_unavailable");
    }
}

#[covers("auth-failure cloud_token_required", "R15", "R33c")]
#[test]
fn token_that_the_cloud_no_longer_accepts_is_401_and_leaves_the_session_unchanged() {
    let mut account = Account::new();
    for failure in [
        json!({ "kind": "revoked" }),
        json!({ "kind": "refuse", "status": 403, "code": "account_suspended" }),
        json!({ "kind": "wrongAccount", "publicUserId": "u_1111111111111111" }),
    ] {
        account.fails(&failure, 401, "cloud_token_required");
    }
}

#[covers("auth-failure cloud_unavailable", "R33c", "T31")]
#[test]
fn stopped_cloud_is_503_until_it_is_back() {
    let mut account = Account::new();
    let before = account.both.stored_sessions();
    account.both.cloud.stop();
    let stopped = json!("stopped");
    for _ in 0..3 {
        let refused = account.both.refresh(&account.cookie, Some(&account.token));
        assert_unchanged(&refused, 503, "cloud_unavailable", &stopped);
    }
    assert_eq!(account.both.stored_sessions(), before);
    account.both.cloud.restart();
    account.recovers(&stopped);
}

/// A failure that takes time: the answer comes within 10 s, and local sign-ins do not wait for it.
fn takes_too_long(failure: &Value) {
    let mut account = Account::new();
    let (_, before) = account.both.stored_sessions();
    account.both.cloud.fail("account", failure, None);
    let started = Instant::now();
    std::thread::scope(|scope| {
        let refused = scope.spawn(|| account.both.refresh(&account.cookie, Some(&account.token)));
        let local = Instant::now();
        account.both.login_by_password("owner", "admin");
        assert!(
            local.elapsed() < Duration::from_secs(5),
            "{failure}: {:?}",
            local.elapsed()
        );
        assert_unchanged(&refused.join().unwrap(), 503, "cloud_unavailable", failure);
    });
    let took = started.elapsed();
    assert!(took < Duration::from_secs(10), "{failure}: {took:?}");
    // The local sign-in added its own.
    let (_, mut tokens) = account.both.stored_sessions();
    tokens.retain(|token| before.contains(token));
    assert_eq!(tokens, before, "{failure}");
    account.recovers(failure);
}

#[covers("T31")]
#[test]
fn black_holed_cloud_is_503_in_time() {
    takes_too_long(&json!({ "kind": "blackHole" }));
}

#[covers("T31")]
#[test]
fn dripping_answer_is_503_in_time() {
    takes_too_long(&json!({ "kind": "drip", "milliseconds": 500 }));
}

#[test]
fn slow_answer_is_awaited() {
    let account = Account::new();
    account.both.cloud.fail(
        "account",
        &json!({ "kind": "slow", "milliseconds": 2_000 }),
        Some(1),
    );
    let refreshed = account.both.refresh(&account.cookie, Some(&account.token));
    assert_eq!(refreshed.status, 201, "{refreshed:?}");
}

#[covers("R33c")]
#[test]
fn cloud_whose_clock_is_wrong_ends_no_session() {
    let mut account = Account::new();
    // A token that ends in the past by our clock, which the cloud accepts by its own.
    account.both.cloud.set_clock(-31 * svc_tests::cloud::DAY);
    let early = account.both.cloud.sign_in("bob");
    let clock = json!("clock");
    let before = account.both.stored_sessions();
    let refused = account.both.refresh(&account.cookie, Some(&early));
    assert_unchanged(&refused, 503, "cloud_unavailable", &clock);
    assert_eq!(account.both.stored_sessions(), before);
    account.recovers(&clock);
}
