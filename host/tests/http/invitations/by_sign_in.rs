//! Invitations of a server whose people sign in at a provider: claimed by signing in.

use std::sync::Arc;

use serde_json::json;
use svc_covers::covers;
use tokio::time::Instant;

use super::{assert_unavailable, claim, invitation, read, text};
use crate::support::databases::on_each_database_with;
use crate::support::listening::PATIENCE;
use crate::support::{TestServer, TestServerOptions};
use svc_domain::audit::AuditEvent;
use svc_domain::user::Account;
use svc_identity::ClientInfo;
use svc_identity::app::App;
use svc_identity::cloud::{Cloud, CloudAccount, CloudFeatures};
use svc_identity::error::{ErrorCode, Result, ServiceError};
use svc_identity::invitations::Shortcode;

/// A provider of single sign-on, which keeps no invitations.
#[derive(Debug)]
struct Provider;

impl Cloud for Provider {
    fn features(&self) -> CloudFeatures {
        CloudFeatures {
            sign_in: true,
            ..CloudFeatures::default()
        }
    }
}

fn options() -> TestServerOptions {
    TestServerOptions {
        cloud: Arc::new(Provider),
        ..TestServerOptions::default()
    }
}

/// Claims for an account of the provider that has just signed in.
async fn signed_in(server: &TestServer, shortcode: &str, id: &str, app: App) -> Result<Account> {
    let vouched = CloudAccount {
        id: format!("https://issuer.example|{id}"),
        username: Some(id.to_owned()),
        display_name: Some(format!("The {id}")),
        ..CloudAccount::default()
    };
    let shortcode = Shortcode::parse(shortcode).unwrap();
    let client = ClientInfo::default();
    server
        .state
        .claims
        .claim_with_account(&shortcode, vouched, app, &client, Instant::now() + PATIENCE)
        .await
}

fn is_unavailable(claimed: &Result<Account>) -> bool {
    matches!(
        claimed,
        Err(ServiceError::Absent {
            code: ErrorCode::InvitationUnavailable,
            ..
        })
    )
}

#[covers("code sign_in_required")]
#[tokio::test]
async fn password_is_not_accepted() {
    let server = TestServer::start_with(options()).await;
    let owner = server.as_owner().await;
    let made = invitation(&owner, "member").await;
    let reply = claim(&server, &text(&made, "shortcode"), "bob").await;
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (409, Some("sign_in_required"))
    );
    assert_unavailable(&claim(&server, "0000000000", "bob").await, "unknown");
    assert_eq!(read(&owner, &made).await["status"], "active");
}

#[covers("T32")]
#[tokio::test]
async fn account_of_the_provider_claims_by_signing_in() {
    on_each_database_with(options, async |server| {
        let owner = server.as_owner().await;
        let made = invitation(&owner, "music_user").await;
        let shortcode = text(&made, "shortcode");
        // The role does not permit the app.
        let refused = signed_in(&server, &shortcode, "bob", App::Photos).await;
        assert!(matches!(refused, Err(ServiceError::Refused(_))), "{refused:?}");
        // Another account has the name.
        server.person("bob", "member").await;
        let account = signed_in(&server, &shortcode, "bob", App::Music).await.unwrap();
        assert_eq!(account.user.username, "bob-2");
        assert_eq!(account.user.display_name.as_deref(), Some("The bob"));
        assert_eq!(
            account.user.cloud_account.as_deref(),
            Some("https://issuer.example|bob")
        );
        assert_eq!(account.role_names(), ["music_user"]);
        let read_back = read(&owner, &made).await;
        assert_eq!(read_back["claimedBy"], account.user.id.to_string());
        assert_eq!(server.audit(AuditEvent::InvitationClaimed).await.len(), 1);
        // It has no password, and the invitation is used up for others.
        assert_eq!(server.try_password("bob-2", "long enough").await.status, 403);
        assert!(is_unavailable(
            &signed_in(&server, &shortcode, "carl", App::Music).await
        ));
        // A linked account needs no other invitation, and leaves it open.
        let second = invitation(&owner, "member").await;
        let again = signed_in(&server, &text(&second, "shortcode"), "bob", App::Music).await;
        assert_eq!(again.unwrap().user.id, account.user.id);
        assert_eq!(read(&owner, &second).await["status"], json!("active"));
    })
    .await;
}
