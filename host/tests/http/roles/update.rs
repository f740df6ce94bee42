//! Changed and deleted roles take effect with the next request, and nobody grants more than they have.

use std::sync::Arc;

use serde_json::{Value, json};
use svc_covers::covers;

use super::{ROLES, assign, ids, unassign};
use crate::support::TestServer;
use crate::support::accounts::allowed_to;
use svc_identity::capability::Capability;

#[covers("PATCH /api/v1/roles/{role}", "DELETE /api/v1/roles/{role}", "T25")]
#[tokio::test]
async fn a_changed_or_deleted_role_counts_from_the_next_request_on() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let bob = allowed_to(&server, "bob", &[Capability::UsersRead]).await;
    let token = server.token(bob);
    let program = crate::support::accounts::personal_access_token(&server, bob, None).await;
    let target = format!("{ROLES}/bob-role");
    let both = async |status: u16| {
        for token in [&token, &program] {
            assert_eq!(server.get_as(token, "/api/v1/users").await.status, status);
        }
    };
    both(200).await;
    for _ in 0..3 {
        server
            .send_as(&owner, "PATCH", &target, &json!({"capabilities": []}))
            .await;
        both(403).await;
        server
            .send_as(&owner, "PATCH", &target, &json!({"capabilities": ["Users.Read"]}))
            .await;
        both(200).await;
    }
    let deleted = server.send_as(&owner, "DELETE", &target, &Value::Null).await;
    assert_eq!((deleted.status, deleted.json()), (200, json!(true)));
    both(403).await;
    // A new role of the old name is given to nobody.
    server
        .send_as(
            &owner,
            "POST",
            ROLES,
            &json!({"name": "bob-role", "capabilities": ["Users.Read"]}),
        )
        .await;
    both(403).await;
    assign(&server, &owner, "administrator", &ids(&[bob])).await;
    both(200).await;
    unassign(&server, &owner, "administrator", &format!("userIds={bob}")).await;
    both(403).await;
}

#[covers("T25")]
#[tokio::test]
async fn nobody_is_let_in_after_their_role_was_taken() {
    let server = Arc::new(TestServer::start().await);
    let owner = server.owner().await;
    let bob = server.user("bob", false, &["administrator"]).await;
    let token = server.token(bob);
    let revoked = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (server, token, revoked) = (Arc::clone(&server), token.clone(), Arc::clone(&revoked));
        calls.spawn(async move {
            let mut late = 0;
            while late < 20 {
                let known = revoked.load(std::sync::atomic::Ordering::SeqCst);
                let status = server.get_as(&token, "/api/v1/users/owner").await.status;
                if known {
                    assert_eq!(status, 403);
                    late += 1;
                }
                tokio::task::yield_now().await;
            }
        });
    }
    let reply = unassign(&server, &owner, "administrator", &format!("userIds={bob}")).await;
    assert_eq!(reply.status, 200);
    revoked.store(true, std::sync::atomic::Ordering::SeqCst);
    calls.join_all().await;
}

#[tokio::test]
async fn nobody_makes_gives_or_changes_a_role_that_allows_more_than_they_may() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let admin = server.token(server.user("admin", false, &["administrator"]).await);
    let lesser = [
        Capability::RoleAssignmentsCreate,
        Capability::RoleAssignmentsDelete,
        Capability::UsersRead,
    ];
    let lesser = server.token(allowed_to(&server, "lesser", &lesser).await);
    let bob = server.user("bob", false, &[]).await;
    for (token, capability) in [(&admin, "MediaServer.FactoryReset"), (&lesser, "Users.Update")] {
        let reset = json!({"name": "strong", "capabilities": [capability, "Users.Read"]});
        assert_eq!(
            server.send_as(token, "POST", ROLES, &reset).await.status,
            403,
            "{capability}"
        );
        server.send_as(&owner, "POST", ROLES, &reset).await;
        let target = format!("{ROLES}/strong");
        // Neither up nor down.
        for capabilities in [json!([capability]), json!([]), json!(["Users.Read"])] {
            let body = json!({"capabilities": capabilities});
            assert_eq!(
                server.send_as(token, "PATCH", &target, &body).await.status,
                403,
                "{capabilities}"
            );
        }
        assert_eq!(
            server
                .send_as(token, "DELETE", &target, &Value::Null)
                .await
                .status,
            403
        );
        assert_eq!(assign(&server, token, "strong", &ids(&[bob])).await.status, 403);
        assign(&server, &owner, "strong", &ids(&[bob])).await;
        assert_eq!(
            unassign(&server, token, "strong", &format!("userIds={bob}"))
                .await
                .status,
            403
        );
        assert_eq!(
            server
                .send_as(&owner, "DELETE", &target, &Value::Null)
                .await
                .status,
            200
        );
    }
    assert_eq!(
        assign(&server, &lesser, "administrator", &ids(&[bob]))
            .await
            .status,
        403
    );
    assert_eq!(
        assign(&server, &lesser, "newcomer", &ids(&[bob])).await.status,
        201
    );
    assert_eq!(
        server
            .send_as(
                &lesser,
                "POST",
                ROLES,
                &json!({"name": "weak", "capabilities": ["Users.Read"]})
            )
            .await
            .status,
        201
    );
}
