//! `GET /users/current` and `GET /users/owner`.

use serde_json::{Value, json};
use svc_covers::covers;

use super::USERS;
use crate::support::TestServer;
use crate::support::accounts::allowed_to;
use svc_identity::capability::Capability;

#[covers("GET /api/v1/users/current", "GET /api/v1/users/owner", "R48")]
#[tokio::test]
async fn named_paths_take_precedence_over_ids() {
    let server = TestServer::start().await;
    let owner = server.as_nobody().await.get(&format!("{USERS}/owner")).await;
    assert_eq!(owner.status, 403);
    let reader = server.client(
        allowed_to(
            &server,
            "reader",
            &[Capability::UsersRead, Capability::CurrentUserRead],
        )
        .await,
    );
    let without_owner = reader.get(&format!("{USERS}/owner")).await;
    assert_eq!((without_owner.status, without_owner.json()), (200, Value::Null));
    let token = server.as_owner().await;
    assert_eq!(
        token.get(&format!("{USERS}/owner")).await.json()["username"],
        "ada"
    );
    assert!(token.get(&format!("{USERS}/public")).await.json().is_array());
    let current = reader.get(&format!("{USERS}/current")).await.json();
    assert_eq!(current["localUser"]["username"], "reader");
    assert_eq!(current["cloudUser"], Value::Null);
    assert_eq!(
        (&current["roles"], &current["capabilities"]),
        (
            &json!(["reader-role"]),
            &json!(["CurrentUser.Read", "Users.Read"])
        )
    );
    // A cloud token is ignored here.
    let bearer = format!("Bearer {reader}");
    let headers = [("authorization", bearer.as_str()), ("svc-cloud-token", "junk")];
    assert_eq!(
        server
            .send("GET", &format!("{USERS}/current"), &headers, "")
            .await
            .status,
        200
    );
    let narrowed = server.user_id("reader").await;
    let narrowed = server
        .as_token(
            narrowed,
            Some(&[Capability::CurrentUserRead, Capability::UsersUpdate]),
        )
        .await;
    assert_eq!(
        narrowed.get(&format!("{USERS}/current")).await.json()["capabilities"],
        json!(["CurrentUser.Read"])
    );
}
