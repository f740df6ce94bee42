//! `POST /invitations`.

use std::time::Duration;

use serde_json::json;
use svc_covers::covers;

use super::{INVITATIONS, answer, invitation, invite, refused, revoke, text};
use crate::support::accounts::allowed_to;
use crate::support::databases::on_each_database;
use crate::support::{TestServer, TestServerOptions};
use svc_domain::audit::AuditEvent;
use svc_http_io::proxy::ProxyConfig;
use svc_identity::capability::Capability;

#[covers("POST /api/v1/invitations", "T33")]
#[tokio::test]
async fn shareable_invitation_is_returned_with_its_secrets_once() {
    let server = TestServer::start_with(TestServerOptions {
        proxy_config: ProxyConfig {
            trusted_proxies: Vec::new(),
            base_url: Some("https://media.example/".parse().unwrap()),
        },
        ..TestServerOptions::default()
    })
    .await;
    let owner = server.as_owner().await;
    let made = invitation(&owner, "member").await;
    let shortcode = text(&made, "shortcode");
    assert_eq!(made["url"], format!("https://media.example/invite/{shortcode}"));
    assert_eq!(shortcode.len(), 10);
    let mut public = made.clone();
    for secret in ["shortcode", "url"] {
        public.as_object_mut().unwrap().remove(secret).unwrap();
    }
    assert_eq!(
        public,
        json!({
            "invitationId": made["invitationId"], "role": "member", "status": "active", "type": "shareable",
            "createdAt": made["createdAt"], "createdBy": server.user_id("ada").await.to_string(),
            "expiresAt": made["expiresAt"],
        })
    );
    assert_eq!(super::read(&owner, &made).await, public);
    assert_eq!(owner.get(INVITATIONS).await.json(), json!([public]));
    let lines = server.audit(AuditEvent::InvitationCreated).await;
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].details["invitationId"], text(&made, "invitationId"));
    // Neither the log nor the database has the shortcode.
    assert!(!format!("{lines:?}").contains(&shortcode));
    let stored = svc_test_support::databases::rows(&server.database_url).await;
    assert!(!format!("{stored:?}").contains(&shortcode));
}

#[covers("POST /api/v1/invitations", "R52")]
#[tokio::test]
async fn role_and_target_are_validated() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    for (body, status) in [
        (json!({}), 400),
        (json!([]), 400),
        (json!(null), 400),
        (json!({"role": 1}), 400),
        (json!({"role": ""}), 400),
        (json!({"role": "Member"}), 400),
        (json!({"role": "x' OR '1'='1"}), 400),
        (json!({"role": "member", "targetPublicUserId": null}), 400),
        (json!({"role": "member", "targetPublicUserId": ""}), 400),
        (json!({"role": "member", "targetPublicUserId": "a b"}), 400),
        (
            json!({"role": "member", "targetPublicUserId": "x".repeat(257)}),
            400,
        ),
        (json!({"role": "stranger"}), 404),
        (json!({"role": "owner"}), 403),
        (json!({"role": "guest"}), 403),
    ] {
        let reply = owner.post(INVITATIONS, &body).await;
        assert_eq!(answer(&reply), (status, None), "{body}");
    }
    // Only a cloud knows the account.
    let direct = json!({"role": "member", "targetPublicUserId": "u_4Q7XK2M9RBTD1HNC"});
    let reply = owner.post(INVITATIONS, &direct).await;
    assert_eq!(answer(&reply), refused(503, "cloud_unavailable"));
    assert_eq!(owner.get(INVITATIONS).await.json(), json!([]));
}

#[covers("R52", "T28")]
#[tokio::test]
async fn inviter_gives_no_more_than_it_has() {
    let server = TestServer::start().await;
    let capabilities = [
        Capability::InvitationsCreate,
        Capability::MusicAppLogin,
        Capability::CurrentUserRead,
    ];
    let inviter = allowed_to(&server, "inviter", &capabilities).await;
    let inviter = server.client(inviter);
    assert_eq!(invite(&inviter, "member").await.status, 403);
    assert_eq!(invite(&inviter, "administrator").await.status, 403);
    assert_eq!(invite(&inviter, "inviter-role").await.status, 201);
    // As with new accounts.
    assert_eq!(invite(&inviter, "newcomer").await.status, 201);
    let member = server.as_user("bob", &["member"]).await;
    assert_eq!(invite(&member, "newcomer").await.status, 403);
    // A personal access token creates no account that would outlive it.
    let ada = server.user("ada", true, &["owner"]).await;
    let token = server.as_token(ada, None).await;
    let by_token = invite(&token, "member").await;
    assert_eq!(answer(&by_token), refused(403, "pat_not_permitted"));
    assert_eq!(invite(&server.anonymous(), "member").await.status, 401);
}

#[covers("R53", "code daily_invitation_limit")]
#[tokio::test]
async fn account_creates_20_invitations_in_24_hours() {
    on_each_database(async |server| {
        server.clock.stop();
        let owner = server.as_owner().await;
        let first = invitation(&owner, "member").await;
        server.clock.advance(Duration::from_secs(60 * 60));
        let owner = super::owner(&server).await;
        for _ in 1..20 {
            invitation(&owner, "member").await;
        }
        let limit = refused(409, "daily_invitation_limit");
        assert_eq!(answer(&invite(&owner, "member").await), limit);
        // Revoked ones count. Input is checked before, and refused requests count not.
        assert_eq!(revoke(&owner, &first).await, json!(true));
        assert_eq!(answer(&invite(&owner, "member").await), limit);
        assert_eq!(answer(&invite(&owner, "stranger").await), (404, None));
        // Other accounts have their own limit.
        let other = server.as_user("eve", &["administrator"]).await;
        invitation(&other, "member").await;
        // The window slides: an hour later than the first one, one more is allowed.
        server.clock.advance(Duration::from_secs(23 * 60 * 60 - 1));
        let owner = super::owner(&server).await;
        assert_eq!(answer(&invite(&owner, "member").await), limit);
        server.clock.advance(Duration::from_secs(1));
        invitation(&owner, "member").await;
        assert_eq!(answer(&invite(&owner, "member").await), limit);
    })
    .await;
}
