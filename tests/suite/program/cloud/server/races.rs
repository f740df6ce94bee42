//! Races at the reference cloud and the server, on both databases.

use serde_json::{Value, json};
use svc_covers::covers;
use svc_tests::cloud::DAY;
use svc_tests::program::PASSWORD;
use svc_tests::races::{count, on_each_database, together};

use super::Both;

/// Pairs of an invitation and its end, each of which ends it a little later.
const TURNS: usize = 3;

#[covers("T32", "R53", "code daily_invitation_limit")]
#[test]
fn twenty_of_thirty_parallel_creations_succeed() {
    on_each_database(|options| {
        let both = Both::start_with(options);
        both.cloud.add_account("ada");
        let token = both.cloud.sign_in("ada");
        // The first one obtains the credential, and counts.
        let first = both.invite(&token, None);
        let statuses = together(29, |_| both.try_invite(&token, None).status);
        assert_eq!(
            (count(&statuses, 201), count(&statuses, 409)),
            (19, 10),
            "{statuses:?}"
        );
        // Revoked ones count.
        assert_eq!(both.revoke(&first), true);
        assert_eq!(both.try_invite(&token, None).status, 409);
    });
}

#[covers("T32")]
#[test]
fn hundred_parallel_claims_of_one_invitation_make_one_account() {
    on_each_database(|options| {
        let both = Both::start_with(options);
        both.cloud.add_account("ada");
        both.cloud.add_account("bob");
        let (token, guest) = (both.cloud.sign_in("ada"), both.cloud.sign_in("bob"));
        let created = both.invite(&token, None);
        assert_eq!(
            both.cloud
                .bind(&guest, created["shortcode"].as_str().unwrap())
                .status,
            200
        );
        let statuses = together(100, |_| both.login_by_cloud(&guest).status);
        assert!(count(&statuses, 201) > 0, "{statuses:?}");
        let mut names = both.usernames();
        names.retain(|name| name.starts_with("bob"));
        assert_eq!(names, ["bob"], "{statuses:?}");
        assert_eq!(both.invitation(&created)["status"], "claimed");
    });
}

/// An invitation that a new account of the cloud holds, with the account's name and token.
fn held_by_a_guest(both: &Both, turn: usize, created: &Value) -> (String, String) {
    let name = format!("guest{turn}x");
    both.cloud.add_account(&name);
    let guest = both.cloud.sign_in(&name);
    let shortcode = created["shortcode"].as_str().unwrap();
    assert_eq!(both.cloud.bind(&guest, shortcode).status, 200);
    (name, guest)
}

/// Ends an invitation while the account that holds it signs in. The sign-in wins, or the end does: never both, never
/// neither. An end that wins leaves the invitation with this status.
fn race(both: &Both, turn: usize, created: &Value, ended: &str, end: impl Fn() + Sync) {
    let (name, guest) = held_by_a_guest(both, turn, created);
    let statuses = together(8, |number| {
        if number > 0 {
            return both.login_by_cloud(&guest).status;
        }
        for _ in 0..turn * 6 {
            both.server.open("/api/v1/health");
        }
        end();
        0
    });
    let has_account = both.usernames().contains(&name);
    assert_eq!(has_account, count(&statuses, 201) > 0, "{turn}: {statuses:?}");
    both.wait_for_status(created, if has_account { "claimed" } else { ended });
    let later = both.login_by_cloud(&guest).status;
    assert_eq!(later, if has_account { 201 } else { 401 }, "{turn}: {statuses:?}");
}

fn owner_at_cloud(both: &Both) -> String {
    both.cloud.add_account("ada");
    both.cloud.sign_in("ada")
}

#[covers("T32")]
#[test]
fn claims_and_a_revocation_at_once_have_one_outcome() {
    on_each_database(|options| {
        let both = Both::start_with(options);
        let token = owner_at_cloud(&both);
        for turn in 0..TURNS {
            let created = both.invite(&token, None);
            race(&both, turn, &created, "revoked", || {
                both.revoke(&created);
            });
        }
    });
}

#[covers("T32")]
#[test]
fn claims_and_the_expiry_at_the_cloud_at_once_have_one_outcome() {
    on_each_database(|options| {
        let both = Both::start_with(options);
        let token = owner_at_cloud(&both);
        for turn in 0..TURNS {
            let created = both.invite(&token, None);
            race(&both, turn, &created, "expired", || {
                both.cloud.set_clock(8 * DAY);
                both.server.get("/api/v1/invitations");
            });
            both.cloud.reset();
        }
    });
}

#[covers("T28", "T32")]
#[test]
fn claims_and_the_demotion_of_the_inviter_at_once_have_one_outcome() {
    on_each_database(|options| {
        let both = Both::start_with(options);
        let token = owner_at_cloud(&both);
        // Registers the server, which its owner has to do.
        both.invite(&token, None);
        for turn in 0..TURNS {
            let (inviter, jwt) = administrator(&both, turn);
            let bearer = format!("Bearer {jwt}");
            let headers = [
                ("authorization", bearer.as_str()),
                ("svc-cloud-token", token.as_str()),
            ];
            let body = json!({ "role": "music_user" });
            let created = both
                .server
                .request("POST", "/api/v1/invitations", &headers, Some(&body));
            assert_eq!(created.status, 201, "{created:?}");
            // Nobody took the invitation back: it is open if the demotion is.
            race(&both, turn, &created.json(), "bound", || {
                let path = format!("/api/v1/roles/administrator/assignments?userIds={inviter}");
                assert_eq!(both.server.request("DELETE", &path, &[], None).status, 200);
            });
        }
    });
}

/// A new administrator's id and access token.
fn administrator(both: &Both, turn: usize) -> (String, String) {
    let name = format!("inviter{turn}");
    let id = both.add_user(&name, "administrator");
    let login = both.login("admin", &json!({ "username": name, "password": PASSWORD }));
    assert_eq!(login.status, 201, "{login:?}");
    (id, login.json()["JWT"].as_str().unwrap().to_owned())
}
