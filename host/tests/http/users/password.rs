//! Changing a password ends sessions.

use std::time::Duration;

use serde_json::json;
use svc_covers::covers;

use super::{USERS, create, new, update};
use crate::support::accounts::PASSWORD;
use crate::support::{Client, TestServer};

const OWN: &str = "/api/v1/users/current";

#[covers("PATCH /api/v1/users/current")]
#[tokio::test]
async fn new_password_ends_all_sessions_but_the_callers() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    assert_eq!(create(&owner, &new("bob")).await.status, 201);
    let (first, second) = (
        server.try_password("bob", PASSWORD).await.client(),
        server.try_password("bob", PASSWORD).await.client(),
    );
    let current = format!("{USERS}/current");
    let alive = async |token: &Client| token.get(&current).await.status;
    let wrong = json!({"password": "a new password", "currentPassword": "wrong"});
    assert_eq!(first.patch(&current, &wrong).await.status, 403);
    assert_eq!((alive(&first).await, alive(&second).await), (200, 200));
    assert_eq!(server.try_password("bob", PASSWORD).await.status, 201);
    let right = json!({"password": "a new password", "currentPassword": PASSWORD});
    assert_eq!(first.patch(&current, &right).await.status, 200);
    assert_eq!((alive(&first).await, alive(&second).await), (200, 401));
    assert_eq!(server.try_password("bob", PASSWORD).await.status, 403);
    let third = server.try_password("bob", "a new password").await.client();
    // A change by another account ends every session.
    let bob = server.user_id("bob").await;
    assert_eq!(
        update(&owner, bob, &json!({"password": "yet another one"}))
            .await
            .status,
        200
    );
    assert_eq!((alive(&first).await, alive(&third).await), (401, 401));
    // A personal access token cannot set a password, which would outlive its revocation.
    let program = server.as_token(bob, None).await;
    let reply = program
        .patch(&current, &json!({"password": "mine for good"}))
        .await;
    assert_eq!(
        (reply.status, &reply.json()["code"]),
        (403, &json!("pat_not_permitted"))
    );
    // Re-enabling restores personal access tokens, but no sessions.
    let fourth = server.try_password("bob", "yet another one").await.client();
    update(&owner, bob, &json!({"enabled": false})).await;
    assert_eq!((alive(&fourth).await, alive(&program).await), (410, 401));
    assert_eq!(server.try_password("bob", "yet another one").await.status, 403);
    update(&owner, bob, &json!({"enabled": true})).await;
    assert_eq!((alive(&fourth).await, alive(&program).await), (401, 200));
}

#[covers("PATCH /api/v1/users/current", "code reauthentication_required")]
#[tokio::test]
async fn own_password_needs_the_current_one_or_a_recent_sign_in() {
    let server = TestServer::start().await;
    server.clock.stop();
    let ada = server.person("ada", "owner").await;
    let bob = server.person("bob", "administrator").await;
    let old = server.sign_in("ada").await;
    server.clock.advance(Duration::from_millis(299_999));
    let refreshed = server.refresh(&old.cookie).await.signed_in().client;
    let change = json!({"password": "a new password"});
    assert_eq!(refreshed.patch(OWN, &change).await.status, 200, "in time");
    server.clock.advance(Duration::from_millis(1));
    // The account is the same under its id.
    for path in [OWN.to_owned(), format!("{USERS}/{ada}")] {
        for client in [&refreshed, &server.client(ada)] {
            let reply = client.patch(&path, &json!({"password": "of a thief"})).await;
            assert_eq!(
                (reply.status, reply.code().as_deref()),
                (403, Some("reauthentication_required")),
                "{path}"
            );
        }
        let name = json!({"displayName": "Ada"});
        assert_eq!(refreshed.patch(&path, &name).await.status, 200);
        assert_eq!(
            refreshed.patch(&path, &json!({"password": "short"})).await.status,
            400
        );
    }
    let with_current = json!({"password": PASSWORD, "currentPassword": "a new password"});
    assert_eq!(refreshed.patch(OWN, &with_current).await.status, 200);
    // Passwords of others are a matter of rights.
    assert_eq!(update(&refreshed, bob, &change).await.status, 200);
    let new = server.sign_in("ada").await.client;
    assert_eq!(new.patch(OWN, &change).await.status, 200);
}
