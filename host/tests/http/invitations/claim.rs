//! `GET /invitations/claim/{shortcode}`, `POST /invitations/claim`.

use std::time::Duration;

use serde_json::{Value, json};
use svc_covers::covers;

use super::{CLAIM, WEEK, assert_unavailable, claim, claim_at, credentials, invitation, read, text};
use crate::support::accounts::{PASSWORD, allowed_to};
use crate::support::databases::on_each_database;
use crate::support::{Client, TestServer, TestServerOptions};
use svc_domain::audit::AuditEvent;
use svc_domain::id::UserId;
use svc_identity::capability::Capability;

#[covers(
    "C10",
    "GET /api/v1/invitations/claim/{shortcode}",
    "POST /api/v1/invitations/claim"
)]
#[tokio::test]
async fn invitation_makes_an_account_with_its_role_and_signs_in() {
    on_each_database(async |server| {
        let owner = server.as_owner().await;
        let made = invitation(&owner, "music_user").await;
        let shortcode = text(&made, "shortcode");
        let typed = format!("{} - {}", &shortcode[..5], &shortcode[5..]).to_lowercase();
        let typed = typed.replace('0', "O").replace('1', "l");
        let path = typed.replace(' ', "%20");
        let offer = server.get(&format!("{CLAIM}/{path}")).await;
        let expected = json!({"serverName": "svc", "role": "music_user", "expiresAt": made["expiresAt"]});
        assert_eq!((offer.status, offer.json()), (200, expected));
        let reply = claim(&server, &typed, "Bob").await;
        assert_eq!(reply.status, 201, "{reply:?}");
        assert_eq!(reply.json()["user"]["username"], "Bob");
        assert_eq!(reply.json()["user"]["roles"], json!(["music_user"]));
        let signed_in = reply.signed_in();
        assert_eq!(signed_in.client.status().await, 200);
        assert_eq!(server.refresh(&signed_in.cookie).await.status, 201);
        assert_eq!(server.try_password("bob", PASSWORD).await.status, 201);
        let lines = server.audit(AuditEvent::InvitationClaimed).await;
        let target = lines[0].target.clone().unwrap();
        assert_eq!((lines.len(), target.name.as_deref()), (1, Some("Bob")));
        // It is used up.
        assert_unavailable(&claim(&server, &shortcode, "carl").await, "used");
        assert_unavailable(&server.get(&format!("{CLAIM}/{shortcode}")).await, "used");
        assert_eq!(
            read(&owner, &made).await["claimedBy"],
            reply.json()["user"]["userId"]
        );
    })
    .await;
}

#[covers("POST /api/v1/invitations/claim", "code invitation_unavailable")]
#[tokio::test]
async fn refused_claim_leaves_the_invitation_open() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let made = invitation(&owner, "music_user").await;
    let shortcode = text(&made, "shortcode");
    let body = credentials(&shortcode, "bob");
    // The apps of other roles, no app, an unknown one.
    for app in ["photos", "cinema", "admin", "", "Music"] {
        assert_eq!(claim_at(&server, app, &body).await.status, 403, "{app}");
    }
    for (field, wrong) in [
        ("shortcode", json!("7K2M0RB1D")),
        ("shortcode", json!(1)),
        ("username", json!("")),
        ("username", json!("guest")),
        ("password", json!("short")),
        ("password", json!(null)),
    ] {
        let mut body = body.clone();
        body[field] = wrong.clone();
        let reply = claim_at(&server, "music", &body).await;
        assert_eq!(reply.status, 400, "{field} {wrong}");
        assert_eq!(reply.json()["errors"][0]["path"], field, "{wrong}");
    }
    assert_eq!(claim_at(&server, "music", &json!([])).await.status, 400);
    let taken = claim(&server, &shortcode, "ADA").await;
    assert_eq!(
        (taken.status, taken.code().as_deref()),
        (409, Some("username_taken"))
    );
    assert_unavailable(&claim(&server, "0000000000", "bob").await, "unknown");
    assert_unavailable(&server.get(&format!("{CLAIM}/junk")).await, "malformed");
    assert_eq!(read(&owner, &made).await["status"], "active");
    assert_eq!(claim(&server, &shortcode, "bob").await.status, 201);
}

#[tokio::test]
async fn page_of_another_site_gets_no_cookie() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let made = invitation(&owner, "member").await;
    let headers = [
        ("svc-app", "music"),
        ("content-type", "application/json"),
        ("sec-fetch-site", "cross-site"),
    ];
    let body = credentials(&text(&made, "shortcode"), "bob").to_string();
    let reply = server.send("POST", CLAIM, &headers, &body).await;
    assert_eq!((reply.status, reply.cookie()), (201, None), "{reply:?}");
    assert_eq!(reply.client().status().await, 200);
}

/// An inviter with two roles, and its invitation.
async fn inviter(server: &TestServer) -> (UserId, Value) {
    let id = server.user("eve", false, &["administrator"]).await;
    let made = invitation(&server.client(id), "member").await;
    (id, made)
}

/// What happens to an inviter, and what takes it back.
async fn lose(server: &TestServer, owner: &Client, inviter: UserId, loss: &str, lost: bool) {
    match loss {
        "disabled" => server.enable(owner, inviter, !lost).await,
        "demoted" => {
            let target = "/api/v1/roles/administrator/assignments";
            let body = json!({"userIds": [inviter.to_string()]});
            let reply = if lost {
                owner.delete(&format!("{target}?userIds={inviter}")).await
            } else {
                owner.post(target, &body).await
            };
            assert!(reply.status < 300, "{reply:?}");
        }
        other => panic!("{other}"),
    }
}

#[covers("T28", "T32")]
#[tokio::test]
async fn claim_gives_no_more_than_the_inviter_may_give_then() {
    on_each_database(async |server| {
        let owner = server.as_owner().await;
        let (eve, made) = inviter(&server).await;
        let shortcode = text(&made, "shortcode");
        for loss in ["disabled", "demoted"] {
            lose(&server, &owner, eve, loss, true).await;
            assert_unavailable(&claim(&server, &shortcode, "bob").await, loss);
            assert_unavailable(&server.get(&format!("{CLAIM}/{shortcode}")).await, loss);
            // It is open again when that is taken back.
            assert_eq!(read(&owner, &made).await["status"], "active", "{loss}");
            lose(&server, &owner, eve, loss, false).await;
        }
        assert_eq!(claim(&server, &shortcode, "bob").await.status, 201);
        let (gone, made) = {
            let id = server.user("gone", false, &["administrator"]).await;
            (id, invitation(&server.client(id), "member").await)
        };
        server.delete(gone).await;
        assert_unavailable(
            &claim(&server, &text(&made, "shortcode"), "carl").await,
            "deleted",
        );
    })
    .await;
}

#[covers("T28")]
#[tokio::test]
async fn role_that_outgrew_its_inviter_is_not_given() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let capabilities = [Capability::InvitationsCreate, Capability::MusicAppLogin];
    let inviter = allowed_to(&server, "inviter", &capabilities).await;
    let role = json!({"name": "listener", "capabilities": ["MusicApp.Login"]});
    assert_eq!(owner.post("/api/v1/roles", &role).await.status, 201);
    let made = invitation(&server.client(inviter), "listener").await;
    let more = json!({"capabilities": ["MusicApp.Login", "Users.Update"]});
    assert_eq!(owner.patch("/api/v1/roles/listener", &more).await.status, 200);
    assert_unavailable(&claim(&server, &text(&made, "shortcode"), "bob").await, "grown");
}

#[covers("C10")]
#[tokio::test]
async fn invitation_ends_after_seven_days() {
    let server = TestServer::start().await;
    server.clock.stop();
    let owner = server.as_owner().await;
    let (first, second) = (
        invitation(&owner, "member").await,
        invitation(&owner, "member").await,
    );
    server.clock.advance(WEEK - Duration::from_millis(1));
    assert_eq!(
        claim(&server, &text(&first, "shortcode"), "bob").await.status,
        201
    );
    server.clock.advance(Duration::from_millis(1));
    assert_unavailable(
        &claim(&server, &text(&second, "shortcode"), "carl").await,
        "expired",
    );
}

#[covers("GET /api/v1/dev/last-claim-attempt")]
#[tokio::test]
async fn last_claim_attempt_is_reported_in_dev_mode() {
    let server = TestServer::start_with(TestServerOptions {
        dev: true,
        peer: [127, 0, 0, 1].into(),
        ..TestServerOptions::default()
    })
    .await;
    let owner = server.as_owner().await;
    let made = invitation(&owner, "music_user").await;
    let last = async || {
        let reply = server.get("/api/v1/dev/last-claim-attempt").await;
        assert_eq!(reply.status, 200);
        let mut last = reply.json();
        if let Some(last) = last.as_object_mut() {
            assert!(last.remove("at").unwrap().is_string());
        }
        last
    };
    assert_eq!(last().await, Value::Null);
    claim(&server, "0000000000", "bob").await;
    let unknown = json!({"method": "password", "invitationId": null, "outcome": "invitation_unavailable"});
    assert_eq!(last().await, unknown);
    claim_at(&server, "photos", &credentials(&text(&made, "shortcode"), "bob")).await;
    let id = &made["invitationId"];
    assert_eq!(
        last().await,
        json!({"method": "password", "invitationId": id, "outcome": "failed"})
    );
    claim(&server, &text(&made, "shortcode"), "bob").await;
    assert_eq!(
        last().await,
        json!({"method": "password", "invitationId": id, "outcome": "claimed"})
    );
}
