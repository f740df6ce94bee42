//! Revocation of personal access tokens.

use serde_json::json;
use svc_covers::covers;

use super::{assert_invalid, current, path, token};
use crate::UNKNOWN;
use crate::support::TestServer;
use svc_domain::audit::AuditEvent;
use svc_domain::id::UserId;

#[covers(
    "DELETE /api/v1/users/{id}/personal-access-tokens/{personalAccessTokenId}",
    "auth-failure pat_invalid"
)]
#[tokio::test]
async fn revoked_token_is_refused_from_the_next_request_on() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let (bob, eve) = (
        server.user("bob", false, &["member"]).await,
        server.user("eve", false, &["member"]).await,
    );
    let (id, secret) = token(&owner, bob, json!({"label": "a"})).await;
    let (_, other) = token(&owner, bob, json!({"label": "b"})).await;
    let revoke = async |user: UserId, id: &str| {
        let reply = owner.delete(&format!("{}/{id}", path(user))).await;
        assert_eq!(reply.status, 200);
        reply.json()
    };
    for (user, id) in [(bob, UNKNOWN), (eve, id.as_str())] {
        assert_eq!(revoke(user, id).await, json!(false));
        assert_eq!(current(&secret).await.status, 200);
    }
    assert_eq!(revoke(bob, &id).await, json!(true));
    assert_invalid(&current(&secret).await, "revoked");
    assert_eq!(revoke(bob, &id).await, json!(false));
    assert_eq!(current(&other).await.status, 200);
    assert_eq!(server.audit(AuditEvent::TokenRevoked).await.len(), 1);
}
