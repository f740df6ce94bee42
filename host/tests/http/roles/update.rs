//! Changed and deleted roles take effect with the next request, and nobody grants more than they have.

use std::sync::Arc;

use serde_json::json;
use svc_covers::covers;

use super::{ROLES, assign, ids, unassign};
use crate::support::TestServer;
use crate::support::accounts::allowed_to;
use svc_identity::capability::Capability;

#[covers("PATCH /api/v1/roles/{role}", "DELETE /api/v1/roles/{role}", "T25")]
#[tokio::test]
async fn changed_or_deleted_role_applies_to_the_next_request() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let bob = allowed_to(&server, "bob", &[Capability::UsersRead]).await;
    let token = server.client(bob);
    let program = server.as_token(bob, None).await;
    let target = format!("{ROLES}/bob-role");
    let both = async |status: u16| {
        for token in [&token, &program] {
            assert_eq!(token.get("/api/v1/users").await.status, status);
        }
    };
    both(200).await;
    for _ in 0..3 {
        owner.patch(&target, &json!({"capabilities": []})).await;
        both(403).await;
        owner
            .patch(&target, &json!({"capabilities": ["Users.Read"]}))
            .await;
        both(200).await;
    }
    let deleted = owner.delete(&target).await;
    assert_eq!((deleted.status, deleted.json()), (200, json!(true)));
    both(403).await;
    // A new role with the old name has no members.
    owner
        .post(
            ROLES,
            &json!({"name": "bob-role", "capabilities": ["Users.Read"]}),
        )
        .await;
    both(403).await;
    assign(&owner, "administrator", &ids(&[bob])).await;
    both(200).await;
    unassign(&owner, "administrator", &format!("userIds={bob}")).await;
    both(403).await;
}

#[covers("T25")]
#[tokio::test]
async fn request_after_the_role_was_removed_is_403() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let bob = server.user("bob", false, &["administrator"]).await;
    let token = server.client(bob);
    let revoked = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (token, revoked) = (token.clone(), Arc::clone(&revoked));
        calls.spawn(async move {
            let mut late = 0;
            while late < 20 {
                let known = revoked.load(std::sync::atomic::Ordering::SeqCst);
                let status = token.get("/api/v1/users/owner").await.status;
                if known {
                    assert_eq!(status, 403);
                    late += 1;
                }
                tokio::task::yield_now().await;
            }
        });
    }
    let reply = unassign(&owner, "administrator", &format!("userIds={bob}")).await;
    assert_eq!(reply.status, 200);
    revoked.store(true, std::sync::atomic::Ordering::SeqCst);
    calls.join_all().await;
}

#[tokio::test]
async fn role_with_more_capabilities_than_the_caller_is_403() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let admin = server.as_user("admin", &["administrator"]).await;
    let lesser = [
        Capability::RoleAssignmentsCreate,
        Capability::RoleAssignmentsDelete,
        Capability::UsersRead,
    ];
    let lesser = server.client(allowed_to(&server, "lesser", &lesser).await);
    let bob = server.user("bob", false, &[]).await;
    for (token, capability) in [(&admin, "MediaServer.FactoryReset"), (&lesser, "Users.Update")] {
        let reset = json!({"name": "strong", "capabilities": [capability, "Users.Read"]});
        assert_eq!(token.post(ROLES, &reset).await.status, 403, "{capability}");
        owner.post(ROLES, &reset).await;
        let target = format!("{ROLES}/strong");
        // Neither more nor fewer capabilities.
        for capabilities in [json!([capability]), json!([]), json!(["Users.Read"])] {
            let body = json!({"capabilities": capabilities});
            assert_eq!(token.patch(&target, &body).await.status, 403, "{capabilities}");
        }
        assert_eq!(token.delete(&target).await.status, 403);
        assert_eq!(assign(token, "strong", &ids(&[bob])).await.status, 403);
        assign(&owner, "strong", &ids(&[bob])).await;
        assert_eq!(
            unassign(token, "strong", &format!("userIds={bob}")).await.status,
            403
        );
        assert_eq!(owner.delete(&target).await.status, 200);
    }
    assert_eq!(assign(&lesser, "administrator", &ids(&[bob])).await.status, 403);
    assert_eq!(assign(&lesser, "newcomer", &ids(&[bob])).await.status, 201);
    assert_eq!(
        lesser
            .post(ROLES, &json!({"name": "weak", "capabilities": ["Users.Read"]}))
            .await
            .status,
        201
    );
}
