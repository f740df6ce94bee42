//! Each answer that makes no sense, at each endpoint beside `account`: what the server does without it, and that it goes on
//! once the cloud does.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use svc_covers::covers;
use svc_test_support::databases;
use svc_tests::postgres::block_on;
use svc_tests::program::{Answer, wait_for};

use super::releases::with_release;
use super::{Both, code, nonsense};

/// When a client has its answer, however long the cloud takes.
const IN_TIME: Duration = Duration::from_secs(10);

fn assert_away(answer: &Answer, failure: &Value) {
    let away = (503, Some("cloud_unavailable".to_owned()));
    assert_eq!(code(answer), away, "{failure}: {answer:?}");
    assert_eq!(answer.header("set-cookie"), None, "{failure}");
}

/// The rows of a table. For servers on SQLite.
fn stored(both: &Both, table: &str) -> Vec<String> {
    let mut rows = block_on(databases::rows(&databases::sqlite_url(&both.data)));
    rows.remove(table).unwrap()
}

/// The statuses of all invitations, the newest first.
fn statuses(both: &Both) -> Vec<String> {
    let list = both.server.get("/api/v1/invitations");
    assert_eq!(list.status, 200, "{list:?}");
    let list = list.json();
    let list = list.as_array().unwrap().iter();
    list.map(|one| one["status"].as_str().unwrap().to_owned())
        .collect()
}

/// Cloud accounts of the owner, who invites, and of a guest: their tokens.
fn sign_in(both: &Both, guest: &str) -> (String, String) {
    both.cloud.add_account("ada");
    both.cloud.add_account(guest);
    (both.cloud.sign_in("ada"), both.cloud.sign_in(guest))
}

fn bind(both: &Both, token: &str, created: &Value) -> u16 {
    let shortcode = created["shortcode"].as_str().unwrap();
    both.cloud.bind(token, shortcode).status
}

#[covers("R52", "T31")]
#[test]
fn server_that_cannot_be_registered_has_neither_credential_nor_invitation() {
    let both = Both::start();
    both.cloud.add_account("ada");
    let token = both.cloud.sign_in("ada");
    let black_hole = json!({ "kind": "blackHole" });
    for failure in nonsense().into_iter().chain([black_hole]) {
        both.cloud.fail("servers", &failure, None);
        let started = Instant::now();
        assert_away(&both.try_invite(&token, None), &failure);
        assert!(started.elapsed() < IN_TIME, "{failure}: {:?}", started.elapsed());
        both.cloud.reset();
        assert!(stored(&both, "cloud_credentials").is_empty(), "{failure}");
        assert!(stored(&both, "invitations").is_empty(), "{failure}");
    }
    assert_eq!(both.cloud.requests("createInvitation"), 0);
    let registered = || {
        let entries = both.server.get("/api/v1/audit?event=server_registered");
        entries.json()[0].as_array().unwrap().clone()
    };
    assert!(registered().is_empty(), "{:?}", registered());
    let slow = json!({ "kind": "slow", "milliseconds": 1_000 });
    both.cloud.fail("servers", &slow, Some(1));
    both.invite(&token, None);
    assert_eq!(stored(&both, "cloud_credentials").len(), 1);
    let entries = registered();
    assert_eq!(
        (entries.len(), &entries[0]["username"]),
        (1, &json!("owner")),
        "{entries:?}"
    );
    // A server that has one renews it in the same way, and keeps the old one until then.
    let known = stored(&both, "cloud_credentials");
    for failure in nonsense() {
        let invalid = json!({ "kind": "refuse", "status": 401, "code": "credential_invalid" });
        both.cloud.fail("createInvitation", &invalid, None);
        both.cloud.fail("servers", &failure, None);
        assert_away(&both.try_invite(&token, None), &failure);
        both.cloud.reset();
        assert_eq!(stored(&both, "cloud_credentials"), known, "{failure}");
        assert_eq!(statuses(&both), ["active"], "{failure}");
    }
}

#[covers("auth-failure cloud_unavailable", "R15", "T31")]
#[test]
fn discovery_document_that_makes_no_sense_links_and_signs_in_nobody() {
    let both = Both::start();
    both.add_user("bob", "music_user");
    both.cloud.add_account("bob");
    let (session, token) = (both.login_by_password("bob", "music"), both.cloud.sign_in("bob"));
    for failure in nonsense() {
        let before = both.stored_sessions();
        both.cloud.fail("discovery", &failure, None);
        assert_away(&both.link(&session.jwt, &token), &failure);
        assert_away(&both.login_by_cloud(&token), &failure);
        both.cloud.reset();
        assert_eq!(both.stored_sessions(), before, "{failure}");
    }
    // Without it, no endpoint is known.
    assert_eq!(both.cloud.requests("account"), 0);
    assert_eq!(both.link(&session.jwt, &token).status, 201);
    assert_eq!(both.login_by_cloud(&token).status, 201);
}

#[covers("GET /api/v1/release-channels", "GET /api/v1/updates", "R57")]
#[test]
fn lists_show_what_the_server_knows_itself() {
    let (cloud, _) = with_release();
    cloud.command(&["channel", "set", "lts", "--description", "For years"], "");
    let mut both = Both::start_beside(cloud, &[]);
    let (token, guest) = sign_in(&both, "bob");
    let created = both.invite(&token, None);
    assert_eq!(bind(&both, &guest, &created), 200);
    let channels = |both: &Both| -> Vec<String> {
        let channels = both.server.open("/api/v1/release-channels");
        assert_eq!(channels.status, 200, "{channels:?}");
        let channels = channels.json();
        let channels = channels["available"].as_array().unwrap().iter();
        channels
            .map(|channel| channel["name"].as_str().unwrap().to_owned())
            .collect()
    };
    for failure in nonsense() {
        for endpoint in ["releaseChannels", "latestRelease", "invitationStatuses"] {
            both.cloud.fail(endpoint, &failure, None);
        }
        // Answers and failures are kept for a while.
        both.restart_server();
        let asked = both.cloud.requests("invitationStatuses");
        assert_eq!(channels(&both), ["stable", "beta", "dev"], "{failure}");
        let updates = both.server.open("/api/v1/updates");
        assert_eq!(
            (updates.status, updates.json().get("code")),
            (503, None),
            "{failure}"
        );
        assert_eq!(statuses(&both), ["active"], "{failure}");
        assert!(both.cloud.requests("invitationStatuses") > asked, "{failure}");
        both.cloud.reset();
    }
    both.restart_server();
    assert_eq!(channels(&both), ["stable", "beta", "dev", "lts"]);
    assert_eq!(both.server.open("/api/v1/updates").status, 200);
    assert_eq!(both.wait_for_status(&created, "bound")["status"], "bound");
}

#[covers("C3", "code cloud_unavailable", "T31", "T32")]
#[test]
fn first_sign_in_is_503_while_its_invitation_or_the_seats_are_unknown() {
    let both = Both::start();
    let (token, guest) = sign_in(&both, "bob");
    let created = both.invite(&token, None);
    assert_eq!(bind(&both, &guest, &created), 200);
    let tier = ["subscription", "set", "ada", "--tier", "family", "--seats", "2"];
    both.cloud.command(&tier, "");
    let subscription = || {
        let answer = both.server.get("/api/v1/licensing/subscription");
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    };
    let reported = subscription();
    assert_eq!(
        (&reported["source"], &reported["seats"]),
        (&json!("cloud"), &json!(2))
    );
    for endpoint in ["boundInvitations", "subscription"] {
        for failure in nonsense() {
            both.cloud.fail(endpoint, &failure, None);
            assert_away(&both.login_by_cloud(&guest), &failure);
            // The last report counts.
            assert_eq!(subscription(), reported, "{endpoint} {failure}");
            both.cloud.reset();
            assert!(
                !both.usernames().contains(&"bob".to_owned()),
                "{endpoint} {failure}"
            );
        }
    }
    assert_eq!(both.login_by_cloud(&guest).status, 201);
    assert_eq!(both.invitation(&created)["status"], "claimed");
}

#[covers("R55", "T31")]
#[test]
fn revocation_holds_here_and_reaches_the_cloud_when_it_makes_sense_again() {
    let both = Both::start();
    let (token, guest) = sign_in(&both, "bob");
    let mut revoked = Vec::new();
    for failure in nonsense() {
        let created = both.invite(&token, None);
        both.cloud.fail("revokeInvitation", &failure, None);
        assert_eq!(both.revoke(&created), true, "{failure}");
        both.cloud.reset();
        assert_eq!(both.invitation(&created)["status"], "revoked", "{failure}");
        revoked.push(created);
    }
    // It is told of them in their order. The switches let it carry out neither the first nor the last one.
    wait_for("the cloud to know of the last revocation", || {
        both.server.get("/api/v1/invitations");
        bind(&both, &guest, &revoked[revoked.len() - 1]) == 404
    });
    assert_eq!(bind(&both, &guest, &revoked[0]), 404);
    assert_eq!(both.login_by_cloud(&guest).status, 401);
}

#[covers("T32")]
#[test]
fn claim_holds_whatever_the_cloud_answers_to_its_report() {
    let both = Both::start();
    both.cloud.add_account("ada");
    let token = both.cloud.sign_in("ada");
    for (number, failure) in nonsense().into_iter().enumerate() {
        let name = format!("guest{number}");
        both.cloud.add_account(&name);
        let guest = both.cloud.sign_in(&name);
        let created = both.invite(&token, None);
        assert_eq!(bind(&both, &guest, &created), 200);
        both.cloud.fail("claimInvitation", &failure, None);
        let asked = both.cloud.requests("claimInvitation");
        let login = both.login_by_cloud(&guest);
        assert_eq!(login.status, 201, "{failure}: {login:?}");
        wait_for("the report of the claim", || {
            both.cloud.requests("claimInvitation") > asked
        });
        let claimed = both.invitation(&created);
        assert_eq!(claimed["status"], "claimed", "{failure}");
        assert_eq!(claimed["claimedBy"], login.json()["user"]["userId"], "{failure}");
        assert_eq!(both.login_by_cloud(&guest).status, 201, "{failure}");
        both.cloud.reset();
    }
}
