//! Linking an account by signing in with the provider.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::json;
use svc_covers::covers;

use super::{assert_failed, policy, server_with};
use crate::support::TestServer;
use crate::support::accounts::COOKIE;
use crate::support::databases::on_each_database_with;
use crate::support::provider::{ScriptedProvider, link_query, with_provider};
use svc_domain::audit::AuditEvent;
use svc_identity::oidc::OidcPolicy;

/// Links by the start that a ticket permits, in a browser with this refresh cookie.
async fn link(server: &TestServer, ticket: &str, cookie: &str, user: &str) -> crate::support::Reply {
    let header = format!("{COOKIE}={cookie}");
    let reply = server.begin_sign_in(ticket, &[("cookie", &header)]).await;
    if !reply.header("location").starts_with("https://id.example") {
        return reply;
    }
    server.finish_sign_in(&reply.started(), user).await
}

#[covers("POST /api/v1/users/current/cloud-link", "T30")]
#[tokio::test]
async fn account_is_linked_by_the_browser_that_asked() {
    let (server, provider) = server_with(OidcPolicy::default()).await;
    let (session, other) = (server.sign_in("owner").await, server.sign_in("owner").await);
    let query = link_query(&session).await;
    // Somebody else's browser, a session that did not ask, and no session.
    for cookie in [&other.cookie, "", "junk"] {
        let query = link_query(&session).await;
        assert_failed(&link(&server, &query, cookie, "ada").await, "/app");
        // That used the ticket.
        assert_failed(&link(&server, &query, &session.cookie, "ada").await, "/app");
    }
    let reply = link(&server, &query, &session.cookie, "ada").await;
    assert_eq!((reply.status, reply.header("location")), (303, "/app"));
    assert_eq!(reply.set_cookie(COOKIE), None);
    assert_eq!(server.audit(AuditEvent::CloudLinked).await.len(), 1);
    assert_failed(&link(&server, &query, &session.cookie, "ada").await, "/app");
    let current = session.client.get("/api/v1/users/current").await.json();
    assert_eq!(current["localUser"]["cloudLinked"], true);
    // From now on the provider validates the session.
    assert_eq!(server.refresh(&session.cookie).await.status, 201);
    assert_eq!(provider.validations.load(Ordering::SeqCst), 1);
    // The user of the provider signs in to the account.
    let cookie = server.sign_in_with_provider("ada", "").await.provider_session();
    let signed_in = server.refresh(&cookie).await.signed_in();
    let current = signed_in.client.get("/api/v1/users/current").await.json();
    assert_eq!(current["localUser"]["username"], "owner");
}

#[covers("T30")]
#[tokio::test]
async fn session_that_the_provider_cannot_validate_ends_with_the_providers() {
    let (server, provider) = server_with(OidcPolicy::default()).await;
    provider.is_brief.store(true, Ordering::SeqCst);
    let session = server.sign_in("owner").await;
    let query = link_query(&session).await;
    let reply = link(&server, &query, &session.cookie, "ada").await;
    assert_eq!((reply.status, reply.header("location")), (303, "/app"));
    // It has already ended: this provider names no end of its session.
    assert_eq!(session.client.status().await, 401);
    assert_eq!(server.refresh(&session.cookie).await.status, 401);
    assert_eq!(provider.validations.load(Ordering::SeqCst), 0);
}

#[covers("POST /api/v1/users/current/cloud-link")]
#[tokio::test]
async fn accounts_are_linked_one_to_one() {
    let (server, provider) = server_with(OidcPolicy::default()).await;
    provider.knows("eve", &[]);
    server.person("bob", "member").await;
    let (owner, bob) = (server.sign_in("owner").await, server.sign_in("bob").await);
    let query = link_query(&owner).await;
    assert_eq!(
        link(&server, &query, &owner.cookie, "ada")
            .await
            .header("location"),
        "/app"
    );
    let query = link_query(&bob).await;
    assert_failed(&link(&server, &query, &bob.cookie, "ada").await, "/app");
    let query = link_query(&owner).await;
    let owner = server.refresh(&owner.cookie).await.signed_in();
    assert_failed(&link(&server, &query, &owner.cookie, "eve").await, "/app");
}

#[covers("T30")]
#[tokio::test]
async fn link_to_a_provider_that_is_no_longer_configured_is_replaced() {
    let (server, provider) = server_with(OidcPolicy::default()).await;
    let session = server.sign_in("owner").await;
    let owner = server.user_id("owner").await;
    server.link(owner, "https://before.example|ada").await;
    let query = link_query(&session).await;
    let reply = link(&server, &query, &session.cookie, "ada").await;
    assert_eq!((reply.status, reply.header("location")), (303, "/app"));
    assert_eq!(server.audit(AuditEvent::CloudUnlinked).await.len(), 1);
    // One of the provider that is configured is not.
    provider.knows("eve", &[]);
    let session = server.sign_in("owner").await;
    let query = link_query(&session).await;
    assert_failed(&link(&server, &query, &session.cookie, "eve").await, "/app");
}

#[covers("DELETE /api/v1/users/current/cloud-link", "C7")]
#[tokio::test]
async fn roles_of_groups_end_with_the_link_and_others_stay() {
    let provider = Arc::new(ScriptedProvider::default());
    on_each_database_with(
        || with_provider(&provider, policy()),
        async |server| {
            let owner = server.person("owner", "owner").await;
            let bob = server.person("bob", "music_user").await;
            provider.knows("bob", &["media"]);
            let session = server.sign_in("bob").await;
            let query = link_query(&session).await;
            assert_eq!(link(&server, &query, &session.cookie, "bob").await.status, 303);
            server.sign_in_with_provider("bob", "").await.provider_session();
            let given = json!({"userIds": [bob.to_string()]});
            let assignments = "/api/v1/roles/photos_user/assignments";
            assert_eq!(server.client(owner).post(assignments, &given).await.status, 201);
            let session = server.sign_in("bob").await;
            let roles = async || session.client.get("/api/v1/users/current").await.json()["roles"].clone();
            assert_eq!(roles().await, json!(["member", "music_user", "photos_user"]));
            let unlinked = session.client.delete("/api/v1/users/current/cloud-link").await;
            assert_eq!(
                (unlinked.status, &unlinked.json()["roles"]),
                (200, &json!(["music_user", "photos_user"]))
            );
            assert_eq!(roles().await, json!(["music_user", "photos_user"]));
            let entries = server.audit(AuditEvent::RoleUnassigned).await;
            assert_eq!(entries.len(), 1);
            assert_eq!(entries[0].details["role"], "member");
            assert_eq!(entries[0].actor.as_ref().unwrap().name.as_deref(), Some("bob"));
        },
    )
    .await;
}
