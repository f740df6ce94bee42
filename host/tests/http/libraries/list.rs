//! `GET /libraries`, and who sees the grants.

use serde_json::{Value, json};
use svc_covers::covers;

use super::{LIBRARIES, create, listed, patch};
use crate::support::TestServer;

#[covers("GET /api/v1/libraries", "GET /api/v1/libraries/{libraryId}")]
#[tokio::test]
async fn who_is_let_in_is_told_to_those_who_may_change_it_and_changes_are_in_the_audit_log() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let bea = server.user("bea", false, &["member"]).await;
    let admin = server.token(server.user("admin", false, &["administrator"]).await);
    let grants = json!([{"userId": bea}]);
    let closed = create(
        &server,
        &owner,
        json!({"name": "Closed", "mediaKind": "music", "grants": grants}),
    )
    .await;
    create(
        &server,
        &owner,
        json!({"name": "Owner's", "mediaKind": "music", "grants": [{"role": "owner"}]}),
    )
    .await;
    create(&server, &owner, json!({"name": "Open", "mediaKind": "tv"})).await;
    let token = server.token(bea);
    let seen = server.get_as(&token, LIBRARIES).await.json();
    assert_eq!(
        (&seen[0][0]["name"], &seen[0][1]["name"], &seen[1]),
        (&json!("Closed"), &json!("Open"), &json!(2))
    );
    assert!(seen[0][0].get("grants").is_none(), "{seen}");
    let target = format!("{LIBRARIES}/{}", closed["libraryId"].as_str().unwrap());
    assert!(
        server
            .get_as(&token, &target)
            .await
            .json()
            .get("grants")
            .is_none()
    );
    for token in [&owner, &admin] {
        assert_eq!(server.get_as(token, &target).await.json()["grants"], grants);
        assert_eq!(server.get_as(token, LIBRARIES).await.json()[1], 3);
    }
    let ben = server.token(server.user("ben", false, &["member"]).await);
    assert_eq!(server.get_as(&ben, &target).await.status, 404);
    assert_eq!(listed(&server, &ben, LIBRARIES, "name").await, ["Open"]);

    assert_eq!(
        patch(&server, &admin, &closed, json!({"grants": grants}))
            .await
            .status,
        200
    );
    assert_eq!(
        patch(&server, &admin, &closed, json!({"name": "Closer"}))
            .await
            .status,
        200
    );
    assert_eq!(
        server
            .send_as(&admin, "DELETE", &target, &Value::Null)
            .await
            .status,
        200
    );
    let log = async |event: &str| {
        let log = server
            .get_as(&owner, &format!("/api/v1/audit?event={event}&order=ASC"))
            .await;
        log.json()[0].as_array().unwrap().clone()
    };
    let made = log("library_created").await;
    assert_eq!(made.len(), 3);
    assert_eq!(
        made[0]["details"],
        json!({"library": "Closed", "libraryId": closed["libraryId"], "mediaKind": "music", "grants": format!("user {bea}")})
    );
    let (changed, deleted) = (log("library_updated").await, log("library_deleted").await);
    assert_eq!(
        (changed.len(), deleted.len()),
        (1, 1),
        "what changes nothing is no change"
    );
    assert_eq!(changed[0]["details"]["library"], "Closer");
    assert_eq!(deleted[0]["username"], "admin");
}
