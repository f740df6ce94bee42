//! Failures of the reference cloud at the requests beside refresh and login, and those that come one after the other.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use svc_covers::covers;
use svc_tests::program::Answer;

use super::{Both, code, cookie_of, nonsense};

const CROSS_SITE: (&str, &str) = ("sec-fetch-site", "cross-site");
const CURRENT: &str = "/api/v1/users/current";
/// When a client has its answer, however long the cloud takes.
const IN_TIME: Duration = Duration::from_secs(10);

fn assert_refused(answer: &Answer, status: u16, error: Option<&str>, failure: &Value) {
    let expected = (status, error.map(str::to_owned));
    assert_eq!(code(answer), expected, "{failure}: {answer:?}");
    assert_eq!(answer.header("set-cookie"), None, "{failure}");
}

/// The caller, with a token of the cloud.
fn current(both: &Both, jwt: &str, token: &str) -> Value {
    let bearer = format!("Bearer {jwt}");
    let headers = [("authorization", bearer.as_str()), ("svc-cloud-token", token)];
    let answer = both.server.request("GET", CURRENT, &headers, None);
    assert_eq!(
        (answer.status, answer.header("set-cookie")),
        (200, None),
        "{answer:?}"
    );
    answer.json()
}

fn cross_site_refresh(both: &Both, token: &str) -> Answer {
    let headers = [CROSS_SITE, ("svc-cloud-token", token)];
    both.server
        .anonymous("POST", "/api/v1/auth/refresh", &headers, None)
}

#[covers("R33a", "R33c", "T30", "T31")]
#[test]
fn failure_links_nobody_opens_no_session_and_ends_none() {
    let both = Both::start();
    let (session, token) = both.linked_user("bob", "music_user");
    both.add_user("carol", "music_user");
    both.cloud.add_account("carol");
    let (carol, of_carol) = (
        both.login_by_password("carol", "music"),
        both.cloud.sign_in("carol"),
    );
    let mut cookie = session.cookie.clone();
    let away = nonsense().into_iter().map(|failure| (failure, 503));
    let refused = [
        json!({ "kind": "revoked" }),
        json!({ "kind": "refuse", "status": 403, "code": "account_suspended" }),
    ];
    for (failure, status) in away.chain(refused.map(|failure| (failure, 401))) {
        let of_status = |status| match status {
            503 => "cloud_unavailable",
            _ => "cloud_token_required",
        };
        let before = both.stored_sessions();
        both.cloud.fail("account", &failure, None);
        let error = Some(of_status(status));
        assert_refused(&cross_site_refresh(&both, &token), status, error, &failure);
        assert_refused(&both.link(&carol.jwt, &of_carol), status, error, &failure);
        // A sign-in beside a session, as an app tries it that was left open.
        let headers = [("svc-app", "music"), ("cookie", cookie.as_str())];
        let body = json!({ "cloudToken": token });
        let login = both
            .server
            .anonymous("POST", "/api/v1/auth/login", &headers, Some(&body));
        let error = error.filter(|_| status == 503);
        assert_refused(&login, status, error, &failure);
        assert_eq!(both.stored_sessions(), before, "{failure}");
        assert_eq!(
            current(&both, &session.jwt, &token)["cloudUser"],
            Value::Null,
            "{failure}"
        );
        both.cloud.reset();
        let refreshed = both.refresh(&cookie, Some(&token));
        assert_eq!(refreshed.status, 201, "{failure}: {refreshed:?}");
        cookie = cookie_of(&refreshed);
        let caller = current(&both, &carol.jwt, &of_carol);
        assert_eq!(
            (
                &caller["localUser"]["cloudLinked"],
                &caller["cloudUser"]["linked"]
            ),
            (&json!(false), &json!(false)),
            "{failure}"
        );
    }
}

#[covers("auth-failure 401 not linked", "R33c", "T30")]
#[test]
fn account_that_the_cloud_names_in_place_of_the_linked_one_is_nobody_here() {
    let both = Both::start();
    let (session, token) = both.linked_user("bob", "music_user");
    let other = json!({ "kind": "wrongAccount", "publicUserId": "u_1111111111111111" });
    both.cloud.fail("account", &other, None);
    assert_refused(&cross_site_refresh(&both, &token), 401, None, &other);
    assert_refused(&both.login_by_cloud(&token), 401, None, &other);
    let linked = both.link(&session.jwt, &token);
    assert_refused(&linked, 409, Some("already_linked"), &other);
    let caller = current(&both, &session.jwt, &token);
    assert_eq!(caller["cloudUser"]["publicUserId"], "u_1111111111111111");
    assert_eq!(caller["cloudUser"]["linked"], false);
    both.cloud.reset();
    assert_eq!(both.refresh(&session.cookie, Some(&token)).status, 201);
}

/// A guest of the cloud who holds an invitation: the invitation, and the guest's token.
fn invite_bob(both: &Both) -> (Value, String) {
    both.cloud.add_account("ada");
    both.cloud.add_account("bob");
    let (token, guest) = (both.cloud.sign_in("ada"), both.cloud.sign_in("bob"));
    let created = both.invite(&token, None);
    let shortcode = created["shortcode"].as_str().unwrap();
    assert_eq!(both.cloud.bind(&guest, shortcode).status, 200);
    (created, guest)
}

#[covers("C3", "T31", "T32")]
#[test]
fn first_sign_in_waits_for_a_slow_cloud_no_longer_than_any_other() {
    let both = Both::start();
    let (created, guest) = invite_bob(&both);
    let slow = |milliseconds: u64| json!({ "kind": "slow", "milliseconds": milliseconds });
    let black_hole = json!({ "kind": "blackHole" });
    for failures in [
        &[("account", slow(7_000)), ("boundInvitations", black_hole.clone())][..],
        &[
            ("account", slow(4_000)),
            ("boundInvitations", slow(3_000)),
            ("subscription", black_hole),
        ],
    ] {
        for (endpoint, failure) in failures {
            both.cloud.fail(endpoint, failure, None);
        }
        let started = Instant::now();
        let refused = both.login_by_cloud(&guest);
        let took = started.elapsed();
        assert_refused(&refused, 503, Some("cloud_unavailable"), &json!(failures));
        assert!(took < IN_TIME, "{failures:?}: {took:?}");
        both.cloud.reset();
    }
    assert!(!both.usernames().contains(&"bob".to_owned()));
    assert_eq!(both.login_by_cloud(&guest).status, 201);
    assert_eq!(both.invitation(&created)["status"], "claimed");
}

#[covers("T32")]
#[test]
fn claim_that_the_cloud_cannot_be_told_of_holds() {
    let both = Both::start();
    let (created, guest) = invite_bob(&both);
    both.cloud
        .fail("claimInvitation", &json!({ "kind": "down" }), None);
    both.cloud
        .fail("invitationStatuses", &json!({ "kind": "garbage" }), None);
    let login = both.login_by_cloud(&guest);
    assert_eq!(login.status, 201, "{login:?}");
    let claimed = both.invitation(&created);
    assert_eq!(claimed["status"], "claimed");
    assert_eq!(claimed["claimedBy"], login.json()["user"]["userId"]);
    // The list shows what is known here.
    let list = both.server.get("/api/v1/invitations");
    assert_eq!((list.status, &list.json()[0]["status"]), (200, &json!("claimed")));
    assert_eq!(both.revoke(&created), false);
}

#[covers(
    "GET /api/v1/dev/last-claim-attempt",
    "code seats_exhausted",
    "code cloud_unavailable"
)]
#[test]
fn last_claim_attempt_says_what_became_of_it() {
    let both = Both::start_with(&["--dev"]);
    let (created, guest) = invite_bob(&both);
    let last = || {
        let attempt = both.server.get("/api/v1/dev/last-claim-attempt").json();
        if attempt.is_object() {
            assert_eq!(attempt["method"], "cloud_token", "{attempt}");
            assert_eq!(attempt["invitationId"], created["invitationId"], "{attempt}");
        }
        attempt["outcome"].clone()
    };
    // Somebody who holds none has not tried.
    both.cloud.add_account("carol");
    assert_eq!(both.login_by_cloud(&both.cloud.sign_in("carol")).status, 401);
    assert_eq!(last(), Value::Null);
    // Its role does not permit the app.
    assert_eq!(both.login("photos", &json!({ "cloudToken": guest })).status, 403);
    assert_eq!(last(), "failed");
    both.cloud
        .fail("subscription", &json!({ "kind": "garbage" }), Some(1));
    let away = both.login_by_cloud(&guest);
    assert_eq!(code(&away), (503, Some("cloud_unavailable".to_owned())));
    assert_eq!(last(), "cloud_unavailable");
    let seats = |number: &str| {
        let tier = [
            "subscription",
            "set",
            "ada",
            "--tier",
            "family",
            "--seats",
            number,
        ];
        both.cloud.command(&tier, "");
    };
    seats("1");
    let full = both.login_by_cloud(&guest);
    assert_eq!(code(&full), (409, Some("seats_exhausted".to_owned())));
    assert_eq!(last(), "seats_exhausted");
    seats("2");
    assert_eq!(both.login_by_cloud(&guest).status, 201);
    assert_eq!(last(), "claimed");
}
