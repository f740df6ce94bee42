//! What is shown of invitations and links afterwards: lists by status, lines of the audit log, events and who gets them.

use serde_json::{Value, json};
use svc_covers::covers;
use svc_tests::cloud::DAY;
use svc_tests::event_client::EventClient;

use super::accounts::public_id;
use super::{Both, Session};

/// Both processes with accounts of the cloud, and their tokens.
fn prepare<const COUNT: usize>(usernames: [&str; COUNT]) -> (Both, [String; COUNT]) {
    let both = Both::start();
    let tokens = usernames.map(|username| {
        both.cloud.add_account(username);
        both.cloud.sign_in(username)
    });
    (both, tokens)
}

/// A new invitation that a cloud account holds.
fn invite_and_bind(both: &Both, token: &str, guest: &str) -> Value {
    let created = both.invite(token, None);
    let bound = both.cloud.bind(guest, created["shortcode"].as_str().unwrap());
    assert_eq!(bound.status, 200, "{bound:?}");
    created
}

fn id(created: &Value) -> Value {
    created["invitationId"].clone()
}

#[covers("GET /api/v1/invitations")]
#[test]
fn list_shows_the_invitations_with_a_status() {
    let (both, [token, bob, carol]) = prepare(["ada", "bob", "carol"]);
    let expired = both.invite(&token, None);
    both.cloud.set_clock(8 * DAY);
    both.wait_for_status(&expired, "expired");
    both.cloud.reset();
    let claimed = invite_and_bind(&both, &token, &bob);
    Session::of(&both.login_by_cloud(&bob));
    let bound = invite_and_bind(&both, &token, &carol);
    both.wait_for_status(&bound, "bound");
    let revoked = both.invite(&token, None);
    assert_eq!(both.revoke(&revoked), true);
    let active = both.invite(&token, None);
    let list = |query: &str| -> Vec<Value> {
        let list = both.server.get(&format!("/api/v1/invitations{query}")).json();
        list.as_array().unwrap().iter().map(id).collect()
    };
    for (status, created) in [
        ("active", &active),
        ("bound", &bound),
        ("claimed", &claimed),
        ("expired", &expired),
        ("revoked", &revoked),
    ] {
        assert_eq!(list(&format!("?status={status}")), [id(created)], "{status}");
    }
    let newest_first = [&active, &revoked, &bound, &claimed, &expired].map(id);
    assert_eq!(list(""), newest_first);
    assert_eq!(both.server.get("/api/v1/invitations?status=reserved").status, 400);
}

#[covers("C4", "C11")]
#[test]
fn audit_log_has_links_their_end_and_claims() {
    let (both, [token, carol]) = prepare(["ada", "carol"]);
    let (session, of_bob) = both.linked_user("bob", "music_user");
    let unlinked = both.with_token(&session.jwt, "DELETE", "/api/v1/users/current/cloud-link", None);
    assert_eq!(unlinked.status, 200, "{unlinked:?}");
    let created = invite_and_bind(&both, &token, &carol);
    Session::of(&both.login_by_cloud(&carol));
    let entries = both.server.get("/api/v1/audit?take=1000").json();
    let entry = |event: &str| -> Value {
        let all = entries[0].as_array().unwrap().iter();
        let found: Vec<&Value> = all.filter(|entry| entry["event"] == event).collect();
        assert_eq!(found.len(), 1, "{event}: {entries}");
        found[0].clone()
    };
    let (linked, ended) = (entry("cloud_linked"), entry("cloud_unlinked"));
    for entry in [&linked, &ended] {
        assert_eq!(
            (&entry["username"], &entry["targetUsername"]),
            (&json!("bob"), &json!("bob"))
        );
        assert_eq!(
            entry["details"]["cloudAccount"],
            linked["details"]["cloudAccount"]
        );
    }
    let account = linked["details"]["cloudAccount"].as_str().unwrap();
    let of_cloud = public_id(&both, &of_bob);
    assert!(account.ends_with(of_cloud.as_str().unwrap()), "{account}");
    assert_eq!(ended["details"]["sessions"], "0");
    let claim = entry("invitation_claimed");
    assert_eq!(
        (&claim["username"], &claim["targetUsername"]),
        (&Value::Null, &json!("carol"))
    );
    let details = json!({ "invitationId": id(&created), "role": "music_user" });
    assert_eq!(claim["details"], details);
}

/// The types of the events up to the first of this one.
fn types_until(events: &mut EventClient, last: &str) -> Vec<String> {
    let mut types = Vec::new();
    loop {
        let event = events.next_event().expect("the stream goes on");
        let kind = event["type"].as_str().unwrap().to_owned();
        let is_last = kind == last;
        types.push(kind);
        if is_last {
            return types;
        }
    }
}

#[covers("C13")]
#[test]
fn events_of_invitations_are_for_those_who_may_read_them() {
    let (both, [token, bob]) = prepare(["ada", "bob"]);
    both.add_user("reader", "member");
    let reader = both.login_by_password("reader", "music").jwt;
    let mut of_reader = EventClient::open_as(&both.server, &reader);
    let mut of_owner = EventClient::open(&both.server);
    invite_and_bind(&both, &token, &bob);
    Session::of(&both.login_by_cloud(&bob));
    let revoked = both.invite(&token, None);
    assert_eq!(both.revoke(&revoked), true);
    let seen = types_until(&mut of_owner, "invitation.revoked");
    for kind in ["invitation.created", "invitation.claimed"] {
        assert!(seen.iter().any(|seen| seen == kind), "{kind}: {seen:?}");
    }
    // An event that follows them on the reader's stream.
    let album = json!({ "name": "Summer" });
    let created = both.with_token(&reader, "POST", "/api/v1/photo-albums", Some(&album));
    assert_eq!(created.status, 201, "{created:?}");
    let seen = types_until(&mut of_reader, "photo_album.created");
    assert!(
        !seen.iter().any(|kind| kind.starts_with("invitation.")),
        "{seen:?}"
    );
}
