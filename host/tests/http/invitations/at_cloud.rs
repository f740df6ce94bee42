//! `/invitations` with a cloud that keeps them.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use svc_covers::covers;

use super::cloud_server::{ACCOUNTS, invite, invite_with, options, sign_in, with_cloud};
use super::{CLAIM, INVITATIONS, answer, assert_unavailable, claim, read, refused, revoke, text};
use crate::support::TestServer;
use crate::support::invitation_cloud::{CREDENTIAL, InvitationCloud};
use svc_domain::audit::AuditEvent;
use svc_domain::time::Clock as _;
use svc_identity::cloud::{Cloud as _, CloudError, CloudInvitationStatus};
use svc_test_support::databases::rows;

#[covers("POST /api/v1/invitations", "R52", "R54")]
#[tokio::test]
async fn cloud_keeps_the_invitations() {
    with_cloud(async |server, cloud, owner| {
        let reply = invite(owner).await;
        assert_eq!(reply.status, 201, "{reply:?}");
        let made = reply.json();
        assert_eq!(made["shortcode"], "CODE-i_00000000");
        assert_eq!(made["url"], "https://cloud.example/invite/CODE-i_00000000");
        assert_eq!(
            (&made["type"], &made["status"]),
            (&json!("shareable"), &json!("active"))
        );
        assert_eq!(cloud.calls(), ["credential", "create"]);
        assert_eq!(cloud.newest().creator, "ada-at-cloud");
        let body = json!({"role": "member", "targetPublicUserId": "bob-at-cloud"});
        let direct = invite_with(owner, Some("token-ada-at-cloud"), &body).await;
        assert_eq!(direct.status, 201);
        let direct = direct.json();
        // The keys are absent, not null.
        assert!(
            direct.get("shortcode").is_none() && direct.get("url").is_none(),
            "{direct}"
        );
        assert_eq!(direct["type"], "direct");
        assert_eq!(direct["targetPublicUserId"], "bob-at-cloud");
        assert_eq!(cloud.newest().request.target.as_deref(), Some("bob-at-cloud"));
        // The credential is obtained once.
        assert_eq!(cloud.calls(), ["create"]);
        for one in [&made, &direct] {
            let read = read(owner, one).await;
            assert!(
                read.get("shortcode").is_none() && read.get("url").is_none(),
                "{read}"
            );
        }
        // Neither the shortcode nor the credential is in the database.
        let stored = format!("{:?}", rows(&server.database_url).await);
        let bytes: Vec<String> = CREDENTIAL.bytes().map(|byte| format!("{byte:02x}")).collect();
        for secret in [
            "CODE-i_",
            CREDENTIAL,
            &bytes.concat(),
            &bytes.concat().to_uppercase(),
        ] {
            assert!(!stored.contains(secret), "{secret}");
        }
        // A shortcode of the cloud is none of this server.
        let expected = "accept invitations of the cloud at the cloud";
        for code in ["0000000000", "7K2M-9RBT-D1HN-C4QX"] {
            let offer = server.get(&format!("{CLAIM}/{code}")).await;
            assert_unavailable(&offer, code);
            assert!(text(&offer.json(), "message").ends_with(expected), "{offer:?}");
        }
        let unknown = claim(server, "0000000000", "bob").await;
        assert_unavailable(&unknown, "unknown");
        assert!(
            text(&unknown.json(), "message").ends_with(expected),
            "{unknown:?}"
        );
        let malformed = claim(server, "7K2M-9RBT-D1HN-C4QX", "bob").await;
        assert_eq!(malformed.status, 400, "{malformed:?}");
        let error = &malformed.json()["errors"][0];
        assert_eq!(error["path"], "shortcode");
        assert!(text(error, "message").ends_with(expected), "{error}");
    })
    .await;
}

#[covers(
    "R52",
    "code target_unavailable",
    "code cloud_refused",
    "code cloud_token_rejected",
    "code cloud_unavailable",
    "T34"
)]
#[tokio::test]
async fn checks_are_in_order_and_a_refusal_counts_not() {
    with_cloud(async |server, cloud, owner| {
        let token = Some("token-ada-at-cloud");
        let member = server.as_user("member", &["member"]).await;
        let admin = server.as_user("admin", &["administrator"]).await;
        let good = json!({"role": "member"});
        assert_eq!(
            answer(&invite_with(&server.anonymous(), None, &json!({})).await),
            (401, None)
        );
        assert_eq!(answer(&invite_with(&member, None, &json!({})).await), (403, None));
        for (token, body) in [(None, &good), (Some(""), &good), (token, &json!({}))] {
            assert_eq!(
                answer(&invite_with(&admin, token, body).await),
                (400, None),
                "{token:?} {body}"
            );
        }
        assert_eq!(answer(&invite_with(&admin, token, &good).await), (403, None));
        assert_eq!(cloud.calls(), [""; 0]);
        assert_eq!(invite(owner).await.status, 201);
        // With the credential of the owner, others may invite.
        assert_eq!(invite(&admin).await.status, 201);
        for (error, expected) in [
            (CloudError::TargetUnavailable, refused(404, "target_unavailable")),
            (CloudError::Refused("forbidden".into()), refused(409, "forbidden")),
            (
                CloudError::Refused("daily_invitation_limit".into()),
                refused(409, "daily_invitation_limit"),
            ),
            (
                CloudError::Refused("<b>No</b>".into()),
                refused(409, "cloud_refused"),
            ),
            (CloudError::Refused("x".repeat(65)), refused(409, "cloud_refused")),
            (CloudError::Rejected, refused(409, "cloud_token_rejected")),
            (CloudError::Unsupported, refused(503, "cloud_unavailable")),
        ] {
            cloud.refuse(Some(error.clone()));
            assert_eq!(answer(&invite(owner).await), expected, "{error:?}");
        }
        cloud.refuse(None);
        cloud.set_away(true);
        assert_eq!(answer(&invite(owner).await), refused(503, "cloud_unavailable"));
        cloud.set_away(false);
        let stranger = invite_with(owner, Some("token-nobody"), &good).await;
        assert_eq!(answer(&stranger), refused(409, "cloud_token_rejected"));
        // Nothing is left of the refused ones, and they count not.
        assert_eq!(owner.get(INVITATIONS).await.json().as_array().unwrap().len(), 2);
        for _ in 1..20 {
            assert_eq!(invite(owner).await.status, 201);
        }
        cloud.calls();
        cloud.set_away(true);
        assert_eq!(
            answer(&invite(owner).await),
            refused(409, "daily_invitation_limit")
        );
        assert_eq!(cloud.calls(), [""; 0]);
    })
    .await;
}

#[covers("R53")]
#[tokio::test]
async fn limit_follows_the_cloud_account() {
    with_cloud(async |server, _, owner| {
        assert_eq!(invite(owner).await.status, 201);
        let eve = server.user("eve", false, &["administrator"]).await;
        server.link(eve, "eve-at-cloud").await;
        // The link was made in the database: a commit makes it known.
        server.person("other", "member").await;
        for _ in 0..20 {
            assert_eq!(invite(&server.client(eve)).await.status, 201);
        }
        server.delete(eve).await;
        let again = server.user("eve2", false, &["administrator"]).await;
        server.link(again, "eve-at-cloud").await;
        server.person("another", "member").await;
        let reply = invite(&server.client(again)).await;
        assert_eq!(answer(&reply), refused(409, "daily_invitation_limit"));
    })
    .await;
}

#[tokio::test]
async fn owner_renews_a_credential_that_the_cloud_forgot() {
    with_cloud(async |server, cloud, owner| {
        // How often the server was registered: equal entries within a minute share one.
        let registered = async || {
            let entries = server.audit(AuditEvent::ServerRegistered).await;
            for entry in &entries {
                let actor = entry.actor.as_ref().unwrap();
                assert!(actor.id.is_some() && entry.details.len() == 1, "{entry:?}");
                assert_eq!(entry.details["cloud"], cloud.identity());
                assert!(!format!("{entry:?}").contains(CREDENTIAL), "{entry:?}");
            }
            entries.iter().map(|entry| entry.times).sum::<i64>()
        };
        assert_eq!(registered().await, 0);
        assert_eq!(invite(owner).await.status, 201);
        assert_eq!(registered().await, 1);
        cloud.forget_server();
        let admin = server.as_user("admin", &["administrator"]).await;
        assert_eq!(answer(&invite(&admin).await), (403, None));
        cloud.calls();
        assert_eq!(invite(owner).await.status, 201);
        assert_eq!(cloud.calls(), ["create", "credential", "create"]);
        assert_eq!(registered().await, 2);
        assert_eq!(invite(&admin).await.status, 201);
        assert_eq!(registered().await, 2);
    })
    .await;
}

#[covers("GET /api/v1/licensing/subscription")]
#[tokio::test]
async fn subscription_is_local_without_a_credential() {
    with_cloud(async |_, cloud, owner| {
        let subscription = owner.get("/api/v1/licensing/subscription").await.json();
        assert_eq!(subscription["source"], "local");
        assert_eq!(cloud.calls(), [""; 0]);
    })
    .await;
}

#[covers("DELETE /api/v1/invitations/{id}", "R55")]
#[tokio::test]
async fn revocation_holds_at_once_and_the_cloud_is_told_when_it_is_back() {
    with_cloud(async |server, cloud, owner| {
        let made = invite(owner).await.json();
        cloud.bind("bob-at-cloud", server.clock.now());
        cloud.set_away(true);
        assert_eq!(revoke(owner, &made).await, json!(true));
        assert_eq!(read(owner, &made).await["status"], "revoked");
        assert_eq!(revoke(owner, &made).await, json!(false));
        cloud.set_away(false);
        assert_eq!(sign_in(server, "bob-at-cloud").await.status, 401);
        server.state.invitations.sync().await.unwrap();
        assert_eq!(cloud.newest().status, CloudInvitationStatus::Revoked);
        cloud.calls();
        server.state.invitations.sync().await.unwrap();
        assert_eq!(cloud.calls(), [""; 0]);
        // At once while the cloud is there.
        let second = invite(owner).await.json();
        assert_eq!(revoke(owner, &second).await, json!(true));
        assert_eq!(cloud.newest().status, CloudInvitationStatus::Revoked);
    })
    .await;
}

#[covers("R55")]
#[tokio::test]
async fn refused_revocation_does_not_hold_up_the_others() {
    with_cloud(async |server, cloud, owner| {
        let first = invite(owner).await.json();
        cloud.refuse_revocation();
        assert_eq!(revoke(owner, &first).await, json!(true));
        let second = invite(owner).await.json();
        cloud.set_away(true);
        assert_eq!(revoke(owner, &second).await, json!(true));
        cloud.set_away(false);
        server.state.invitations.sync().await.unwrap();
        assert_eq!(cloud.newest().status, CloudInvitationStatus::Revoked);
        // Only the first one is still reported.
        cloud.calls();
        server.state.invitations.sync().await.unwrap();
        assert_eq!(cloud.calls(), ["revoke"]);
    })
    .await;
}

#[covers("GET /api/v1/invitations")]
#[tokio::test]
async fn list_shows_what_the_cloud_reports_and_never_waits_long() {
    let cloud = Arc::new(InvitationCloud::with(&ACCOUNTS));
    let server = TestServer::start_with(options(&cloud)).await;
    let owner = server.as_owner().await;
    let first = invite(&owner).await.json();
    cloud.set_status(CloudInvitationStatus::Expired);
    let second = invite(&owner).await.json();
    cloud.set_status(CloudInvitationStatus::Revoked);
    let list = owner.get(INVITATIONS).await.json();
    assert_eq!(list[0]["invitationId"], second["invitationId"]);
    let statuses = [&list[0]["status"], &list[1]["status"]];
    assert_eq!(statuses, [&json!("revoked"), &json!("expired")]);
    assert_eq!(text(&first, "status"), "active");
    // Not asked at each list.
    cloud.calls();
    owner.get(INVITATIONS).await;
    assert_eq!(cloud.calls(), [""; 0]);
    let other = Arc::new(InvitationCloud::with(&ACCOUNTS));
    let server = TestServer::start_with(options(&other)).await;
    let owner = server.as_owner().await;
    invite(&owner).await;
    other.set_slow(true);
    let begun = std::time::Instant::now();
    let reply = owner.get(INVITATIONS).await;
    assert_eq!(
        (reply.status, &reply.json()[0]["status"]),
        (200, &json!("active"))
    );
    assert!(begun.elapsed() < Duration::from_secs(8), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn link_that_is_none_for_people_is_left_out() {
    let cloud = Arc::new(InvitationCloud::with(&ACCOUNTS));
    cloud.set_url("javascript:alert(1)");
    let server = TestServer::start_with(options(&cloud)).await;
    let owner = server.as_owner().await;
    let made = invite(&owner).await;
    assert_eq!(made.status, 201);
    assert!(
        !String::from_utf8_lossy(&made.body).contains("javascript"),
        "{made:?}"
    );
    assert_eq!(cloud.count(), 1);
}
