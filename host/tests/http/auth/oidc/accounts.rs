//! Accounts and roles of users of the provider.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::json;
use svc_covers::covers;

use super::{assert_failed, policy, server_with};
use crate::support::databases::on_each_database_with;
use crate::support::listening::wait_for;
use crate::support::provider::{ScriptedProvider, with_provider};
use svc_domain::audit::AuditEvent;
use svc_identity::oidc::OidcPolicy;

#[covers("C7", "GET /api/v1/auth/oidc/callback")]
#[tokio::test]
async fn roles_of_groups_are_recomputed_at_each_sign_in_and_others_stay() {
    let provider = Arc::new(ScriptedProvider::default());
    on_each_database_with(
        || with_provider(&provider, policy()),
        async |server| {
            server.person("owner", "owner").await;
            provider.knows("ada", &["media", "owner"]);
            let cookie = server.sign_in_with_provider("ada", "").await.provider_session();
            let session = server.refresh(&cookie).await.signed_in();
            let current = session.client.get("/api/v1/users/current").await.json();
            assert_eq!(current["roles"], json!(["member", "music_user"]));
            assert_eq!(current["localUser"]["cloudLinked"], true);
            let sessions = session.client.get("/api/v1/users/current/sessions").await.json();
            assert_eq!(sessions[0]["kind"], "cloud");
            assert_eq!(server.audit(AuditEvent::UserCreated).await.len(), 1);
            let entry = &server.audit(AuditEvent::LoginSucceeded).await[0];
            assert_eq!(entry.details["by"], "provider");
            // The open session loses the role as well.
            provider.knows("ada", &[]);
            server.sign_in_with_provider("ada", "").await.provider_session();
            let current = session.client.get("/api/v1/users/current").await.json();
            assert_eq!(current["roles"], json!(["music_user"]));
            assert_eq!(server.audit(AuditEvent::RoleUnassigned).await.len(), 1);
            provider.knows("ada", &["media"]);
            server.sign_in_with_provider("ada", "").await.provider_session();
            let current = session.client.get("/api/v1/users/current").await.json();
            assert_eq!(current["roles"], json!(["member", "music_user"]));
        },
    )
    .await;
}

#[covers("GET /api/v1/auth/oidc/callback")]
#[tokio::test]
async fn accounts_that_may_not_sign_in_are_refused() {
    let (server, provider) = server_with(policy()).await;
    let owner = server.sign_in("owner").await.client;
    server.sign_in_with_provider("ada", "").await.provider_session();
    let ada = server.user_id("ada").await;
    server.enable(&owner, ada, false).await;
    assert_failed(&server.sign_in_with_provider("ada", "").await, "/app");
    // Another user of the name of a local account gets an account of its own: names link nothing.
    provider.knows("owner", &[]);
    let cookie = server.sign_in_with_provider("owner", "").await.provider_session();
    let session = server.refresh(&cookie).await.signed_in();
    let current = session.client.get("/api/v1/users/current").await.json();
    assert_eq!(current["localUser"]["username"], "owner-2");
    assert_eq!(current["localUser"]["isOwner"], false);

    // Without a role for new accounts nobody new gets in.
    let (server, _) = server_with(OidcPolicy::default()).await;
    assert_failed(&server.sign_in_with_provider("ada", "").await, "/app");
    assert_eq!(
        server
            .number("SELECT count(*) FROM users WHERE NOT is_guest")
            .await,
        1
    );
    // An account that may not use the app is not created.
    let nothing = OidcPolicy {
        default_role: Some("photos_user".into()),
        ..OidcPolicy::default()
    };
    let (server, _) = server_with(nothing).await;
    assert_failed(&server.sign_in_with_provider("ada", "").await, "/app");
    assert_eq!(
        server
            .number("SELECT count(*) FROM users WHERE NOT is_guest")
            .await,
        1
    );
    let missing = OidcPolicy {
        default_role: Some("curator".into()),
        ..OidcPolicy::default()
    };
    let (server, _) = server_with(missing).await;
    assert_failed(&server.sign_in_with_provider("ada", "").await, "/app");
}

#[covers("GET /api/v1/auth/oidc/callback")]
#[tokio::test]
async fn new_user_needs_a_free_seat() {
    let (server, provider) = server_with(policy()).await;
    let owner = server.sign_in("owner").await.client;
    *provider.seats.lock().unwrap() = Some(2);
    // Obtains the credential, without which nothing is known of seats. This provider keeps no invitations.
    let headers = [("content-type", "application/json"), ("svc-cloud-token", "token")];
    let body = json!({"role": "member"}).to_string();
    let reply = owner
        .request("POST", "/api/v1/invitations", &headers, &body)
        .await;
    assert_eq!(reply.status, 503);
    let invitations = server.state.invitations.clone();
    let upkeep = svc_platform::tasks::spawn("upkeep", async move { invitations.run().await });
    wait_for(|| provider.subscriptions.load(Ordering::SeqCst) > 0).await;
    upkeep.abort();
    server.sign_in_with_provider("ada", "").await.provider_session();
    provider.knows("eve", &["media"]);
    assert_failed(&server.sign_in_with_provider("eve", "").await, "/app");
    let people = "SELECT count(*) FROM users WHERE NOT is_guest";
    assert_eq!(server.number(people).await, 2);
    let entries = server.audit_of(AuditEvent::LoginFailed, 1).await;
    assert_eq!(
        entries[0].details["reason"],
        "all seats of the subscription are used"
    );
    // Who has an account has a seat, until the account is disabled.
    server.sign_in_with_provider("ada", "").await.provider_session();
    server.enable(&owner, server.user_id("ada").await, false).await;
    server.sign_in_with_provider("eve", "").await.provider_session();
    assert_eq!(server.number(people).await, 3);
}

#[covers("GET /api/v1/auth/oidc/start")]
#[tokio::test]
async fn invitation_is_used_by_signing_in() {
    let (server, provider) = server_with(OidcPolicy::default()).await;
    let owner = server.sign_in("owner").await.client;
    let invitation = owner
        .post("/api/v1/invitations", &json!({"role": "member"}))
        .await;
    assert_eq!(
        invitation.status,
        201,
        "{}",
        String::from_utf8_lossy(&invitation.body)
    );
    let shortcode = invitation.json()["shortcode"].as_str().unwrap().to_owned();
    assert_failed(
        &server
            .sign_in_with_provider("ada", "&invitation=AAAAAAAAAA")
            .await,
        "/app",
    );
    let query = format!("&invitation={shortcode}");
    server
        .sign_in_with_provider("ada", &query)
        .await
        .provider_session();
    let id = invitation.json()["invitationId"].as_str().unwrap().to_owned();
    let claimed = owner.get(&format!("/api/v1/invitations/{id}")).await.json();
    assert_eq!(claimed["status"], "claimed");
    // It was for one.
    provider.knows("eve", &[]);
    assert_failed(&server.sign_in_with_provider("eve", &query).await, "/app");
    server.sign_in_with_provider("ada", "").await.provider_session();
    // Who has an account signs in with any link.
    for query in [query.as_str(), "&invitation=AAAAAAAAAA", "&invitation=x"] {
        server
            .sign_in_with_provider("ada", query)
            .await
            .provider_session();
    }
    let unused = owner
        .post("/api/v1/invitations", &json!({"role": "member"}))
        .await
        .json();
    let query = format!("&invitation={}", unused["shortcode"].as_str().unwrap());
    server
        .sign_in_with_provider("ada", &query)
        .await
        .provider_session();
    let id = unused["invitationId"].as_str().unwrap();
    let unused = owner.get(&format!("/api/v1/invitations/{id}")).await.json();
    assert_eq!(unused["status"], "active");
    assert_eq!(server.audit(AuditEvent::InvitationClaimed).await.len(), 1);
}

#[covers("GET /api/v1/auth/oidc/callback")]
#[tokio::test]
async fn guesses_of_shortcodes_are_limited() {
    let (server, _) = server_with(OidcPolicy::default()).await;
    let guess = async || {
        let reply = server
            .sign_in_with_provider("ada", "&invitation=AAAAAAAAAA")
            .await;
        reply.header("location").to_owned()
    };
    for _ in 0..10 {
        assert_eq!(guess().await, "/app?error=sign_in_failed");
    }
    assert_eq!(guess().await, "/app?error=too_many_attempts");
}
