//! Invitations of a server without a cloud, over TCP: one account each, whatever happens at the same time.

use serde_json::{Value, json};
use svc_covers::covers;
use svc_test_support::databases;
use svc_tests::postgres::block_on;
use svc_tests::program::{Answer, PASSWORD, Server};
use svc_tests::races::{count, on_each_database, together};

const INVITATIONS: &str = "/api/v1/invitations";
const CLAIM: &str = "/api/v1/invitations/claim";

/// Runs a test with a server on each database.
fn with_server(test: impl Fn(&Server)) {
    with_server_and_database(|server, _| test(server));
}

/// Does the same for tests that change the database, whose URL they get.
fn with_server_and_database(test: impl Fn(&Server, &str)) {
    on_each_database(|options| {
        let data = tempfile::tempdir().unwrap();
        let server = Server::start_as_owner(data.path(), options);
        match options {
            [_, url] => test(&server, url),
            _ => test(&server, &databases::sqlite_url(&data)),
        }
    });
}

/// An invitation of the account with this access token.
fn invite(server: &Server, jwt: &str) -> Value {
    let bearer = format!("Bearer {jwt}");
    let headers = [("authorization", bearer.as_str())];
    let role = json!({ "role": "music_user" });
    let created = server.request("POST", INVITATIONS, &headers, Some(&role));
    assert_eq!(created.status, 201, "{created:?}");
    created.json()
}

fn claim(server: &Server, created: &Value, username: &str) -> Answer {
    let body = json!({ "shortcode": created["shortcode"], "username": username, "password": PASSWORD });
    server.anonymous("POST", CLAIM, &[("svc-app", "music")], Some(&body))
}

fn read(server: &Server, created: &Value) -> Value {
    let id = created["invitationId"].as_str().unwrap();
    server.get(&format!("{INVITATIONS}/{id}")).json()
}

/// The ids of accounts whose name begins so.
fn accounts(server: &Server, prefix: &str) -> Vec<Value> {
    let users = server.get("/api/v1/users?take=1000").json();
    let users = users[0].as_array().unwrap().iter();
    let is_named = |user: &&Value| {
        user["username"]
            .as_str()
            .is_some_and(|name| name.starts_with(prefix))
    };
    users
        .filter(is_named)
        .map(|user| user["userId"].clone())
        .collect()
}

#[covers("POST /api/v1/invitations/claim", "T32")]
#[test]
fn hundred_parallel_claims_of_one_invitation_make_one_account() {
    with_server(|server| {
        let created = invite(server, server.token());
        let statuses = together(100, |number| {
            claim(server, &created, &format!("person{number}")).status
        });
        assert_eq!(count(&statuses, 201), 1, "{statuses:?}");
        let claimed = read(server, &created);
        assert_eq!(claimed["status"], "claimed");
        assert_eq!(accounts(server, "person"), [claimed["claimedBy"].clone()]);
        assert_eq!(claim(server, &created, "later").status, 404);
    });
}

#[covers("T32", "R53", "code daily_invitation_limit")]
#[test]
fn twenty_of_thirty_parallel_creations_succeed() {
    with_server(|server| {
        let role = json!({ "role": "music_user" });
        let statuses = together(30, |_| server.post(INVITATIONS, &role).status);
        assert_eq!(
            (count(&statuses, 201), count(&statuses, 409)),
            (20, 10),
            "{statuses:?}"
        );
        let list = server.get(INVITATIONS).json();
        assert_eq!(list.as_array().map(Vec::len), Some(20));
    });
}

/// Ends an invitation while four people claim it. One claim wins, or the end does, which leaves this status.
fn race(server: &Server, turn: usize, created: &Value, ended: &str, end: impl Fn() + Sync) {
    let name = |number: usize| format!("person{turn}x{number}");
    let statuses = together(5, |number| {
        if number > 0 {
            return claim(server, created, &name(number)).status;
        }
        for _ in 0..turn * 6 {
            server.open("/api/v1/health");
        }
        end();
        0
    });
    let (won, lost) = (count(&statuses, 201), count(&statuses, 404));
    assert_eq!(won + lost, 4, "{statuses:?}");
    let invitation = read(server, created);
    let made = accounts(server, &format!("person{turn}x"));
    if made.is_empty() {
        assert_eq!((won, &invitation["status"]), (0, &json!(ended)), "{statuses:?}");
    } else {
        assert_eq!(
            (won, &invitation["status"]),
            (1, &json!("claimed")),
            "{statuses:?}"
        );
        assert_eq!(made, [invitation["claimedBy"].clone()]);
    }
    // The outcome is final: nobody comes in afterwards.
    assert_eq!(claim(server, created, &name(5)).status, 404);
}

#[covers("T32")]
#[test]
fn claims_and_a_revocation_at_once_have_one_outcome() {
    with_server(|server| {
        for turn in 0..4 {
            let created = invite(server, server.token());
            let path = format!("{INVITATIONS}/{}", created["invitationId"].as_str().unwrap());
            race(server, turn, &created, "revoked", || {
                assert_eq!(server.request("DELETE", &path, &[], None).status, 200);
            });
        }
    });
}

#[covers("T32")]
#[test]
fn claims_and_the_expiry_at_once_have_one_outcome() {
    with_server_and_database(|server, url| {
        for turn in 0..4 {
            let created = invite(server, server.token());
            race(server, turn, &created, "expired", || {
                let ended = "UPDATE invitations SET expires_at = created_at WHERE invitation_id = \
                             (SELECT max(invitation_id) FROM invitations) RETURNING invitation_id";
                assert!(block_on(databases::number(url, ended)) > 0);
            });
        }
    });
}

#[covers("T28", "T32")]
#[test]
fn claims_and_the_demotion_of_the_inviter_at_once_have_one_outcome() {
    with_server(|server| {
        for turn in 0..4 {
            let name = format!("inviter{turn}");
            let user = json!({ "username": name, "password": PASSWORD, "role": "administrator" });
            let added = server.post("/api/v1/users", &user);
            assert_eq!(added.status, 201, "{added:?}");
            let inviter = added.json()["userId"].as_str().unwrap().to_owned();
            let created = invite(server, &server.sign_in(&name, "admin"));
            let path = format!("/api/v1/roles/administrator/assignments?userIds={inviter}");
            // It stays open, in case the demotion is taken back.
            race(server, turn, &created, "active", || {
                assert_eq!(server.request("DELETE", &path, &[], None).status, 200);
            });
        }
    });
}

#[covers("GET /api/v1/invitations/claim/{shortcode}", "C10", "T33")]
#[test]
fn offer_says_three_things_and_guesses_of_shortcodes_are_limited() {
    let data = tempfile::tempdir().unwrap();
    let server = Server::start_as_owner(data.path(), &[]);
    let created = invite(&server, server.token());
    let shortcode = created["shortcode"].as_str().unwrap();
    let offer = |shortcode: &str| server.open(&format!("{CLAIM}/{shortcode}"));
    let shown = offer(shortcode);
    let instance = server.open("/api/v1/instance").json();
    let expected = json!({
        "serverName": instance["serverName"],
        "role": "music_user",
        "expiresAt": created["expiresAt"],
    });
    assert!(instance["serverName"].is_string(), "{instance}");
    assert_eq!((shown.status, shown.json()), (200, expected));
    for guess in 0..10 {
        assert_eq!(offer(&format!("000000000{guess}")).status, 404, "{guess}");
    }
    // The right one as well: a guesser learns nothing.
    let refused = [
        offer("000000000A"),
        offer(shortcode),
        claim(&server, &created, "person"),
    ];
    for refused in refused {
        assert_eq!(
            (refused.status, refused.json()["code"].as_str()),
            (429, Some("too_many_attempts"))
        );
        assert!(refused.header("retry-after").is_some(), "{refused:?}");
    }
    assert_eq!(read(&server, &created)["status"], "active");
}
