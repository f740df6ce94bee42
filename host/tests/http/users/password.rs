//! Changing a password ends sessions.

use serde_json::json;
use svc_covers::covers;

use super::{USERS, create, jwt, new, sign_in, update};
use crate::support::TestServer;
use crate::support::accounts::{PASSWORD, personal_access_token};

#[covers("PATCH /api/v1/users/current")]
#[tokio::test]
async fn a_new_password_ends_all_sessions_but_the_callers() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    assert_eq!(create(&server, &owner, &new("bob")).await.status, 201);
    let (first, second) = (
        jwt(&sign_in(&server, "bob", PASSWORD).await),
        jwt(&sign_in(&server, "bob", PASSWORD).await),
    );
    let current = format!("{USERS}/current");
    let alive = async |token: &str| server.get_as(token, &current).await.status;
    let wrong = json!({"password": "a new password", "currentPassword": "wrong"});
    assert_eq!(
        server.send_as(&first, "PATCH", &current, &wrong).await.status,
        403
    );
    assert_eq!((alive(&first).await, alive(&second).await), (200, 200));
    assert_eq!(sign_in(&server, "bob", PASSWORD).await.status, 201);
    let right = json!({"password": "a new password", "currentPassword": PASSWORD});
    assert_eq!(
        server.send_as(&first, "PATCH", &current, &right).await.status,
        200
    );
    assert_eq!((alive(&first).await, alive(&second).await), (200, 401));
    assert_eq!(sign_in(&server, "bob", PASSWORD).await.status, 403);
    let third = jwt(&sign_in(&server, "bob", "a new password").await);
    // By another: every session ends.
    let bob = server.store.user_for_login("bob").await.unwrap().unwrap().0.id;
    assert_eq!(
        update(&server, &owner, bob, &json!({"password": "yet another one"}))
            .await
            .status,
        200
    );
    assert_eq!((alive(&first).await, alive(&third).await), (401, 401));
    // A program's token sets no password: it would outlive its revocation.
    let program = personal_access_token(&server, bob, None).await;
    let reply = server
        .send_as(&program, "PATCH", &current, &json!({"password": "mine for good"}))
        .await;
    assert_eq!(
        (reply.status, &reply.json()["code"]),
        (403, &json!("pat_not_permitted"))
    );
    // Disabled: out, and back in with old tokens of programs alone.
    let fourth = jwt(&sign_in(&server, "bob", "yet another one").await);
    update(&server, &owner, bob, &json!({"enabled": false})).await;
    assert_eq!((alive(&fourth).await, alive(&program).await), (410, 401));
    assert_eq!(sign_in(&server, "bob", "yet another one").await.status, 403);
    update(&server, &owner, bob, &json!({"enabled": true})).await;
    assert_eq!((alive(&fourth).await, alive(&program).await), (401, 200));
}
