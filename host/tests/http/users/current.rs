//! `GET /users/current` and `GET /users/owner`.

use serde_json::{Value, json};
use svc_covers::covers;

use super::USERS;
use crate::support::TestServer;
use crate::support::accounts::{allowed_to, personal_access_token};
use svc_identity::capability::Capability;

#[covers("GET /api/v1/users/current", "GET /api/v1/users/owner", "R48")]
#[tokio::test]
async fn words_in_the_path_come_before_ids() {
    let server = TestServer::start().await;
    let owner = server
        .get_as(&server.caller_without_roles().await, &format!("{USERS}/owner"))
        .await;
    assert_eq!(owner.status, 403);
    let reader = server.token(
        allowed_to(
            &server,
            "reader",
            &[Capability::UsersRead, Capability::CurrentUserRead],
        )
        .await,
    );
    let without_owner = server.get_as(&reader, &format!("{USERS}/owner")).await;
    assert_eq!((without_owner.status, without_owner.json()), (200, Value::Null));
    let token = server.owner().await;
    assert_eq!(
        server.get_as(&token, &format!("{USERS}/owner")).await.json()["username"],
        "ada"
    );
    assert!(
        server
            .get_as(&token, &format!("{USERS}/public"))
            .await
            .json()
            .is_array()
    );
    let current = server.get_as(&reader, &format!("{USERS}/current")).await.json();
    assert_eq!(current["localUser"]["username"], "reader");
    assert_eq!(current["cloudUser"], Value::Null);
    assert_eq!(
        (&current["roles"], &current["capabilities"]),
        (
            &json!(["reader-role"]),
            &json!(["CurrentUser.Read", "Users.Read"])
        )
    );
    // A cloud token is not looked at here.
    let bearer = format!("Bearer {reader}");
    let headers = [("authorization", bearer.as_str()), ("svc-cloud-token", "junk")];
    assert_eq!(
        server
            .send("GET", &format!("{USERS}/current"), &headers, "")
            .await
            .status,
        200
    );
    let narrowed = server.store.user_for_login("reader").await.unwrap().unwrap().0.id;
    let narrowed = personal_access_token(
        &server,
        narrowed,
        Some(&[Capability::CurrentUserRead, Capability::UsersUpdate]),
    )
    .await;
    assert_eq!(
        server.get_as(&narrowed, &format!("{USERS}/current")).await.json()["capabilities"],
        json!(["CurrentUser.Read"])
    );
}
