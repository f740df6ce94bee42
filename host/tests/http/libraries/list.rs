//! `GET /libraries`, and who sees the grants.

use serde_json::json;
use svc_covers::covers;

use super::{LIBRARIES, create, listed, patch};
use crate::support::TestServer;

#[covers("GET /api/v1/libraries", "GET /api/v1/libraries/{libraryId}")]
#[tokio::test]
async fn grants_are_shown_to_administrators_and_changes_are_audited() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let bea = server.user("bea", false, &["member"]).await;
    let admin = server.as_user("admin", &["administrator"]).await;
    let grants = json!([{"userId": bea}]);
    let closed = create(
        &owner,
        json!({"name": "Closed", "mediaKind": "music", "grants": grants}),
    )
    .await;
    create(
        &owner,
        json!({"name": "Owner's", "mediaKind": "music", "grants": [{"role": "owner"}]}),
    )
    .await;
    create(&owner, json!({"name": "Open", "mediaKind": "tv"})).await;
    let token = server.client(bea);
    let seen = token.get(LIBRARIES).await.json();
    assert_eq!(
        (&seen[0][0]["name"], &seen[0][1]["name"], &seen[1]),
        (&json!("Closed"), &json!("Open"), &json!(2))
    );
    assert!(seen[0][0].get("grants").is_none(), "{seen}");
    let target = format!("{LIBRARIES}/{}", closed["libraryId"].as_str().unwrap());
    assert!(token.get(&target).await.json().get("grants").is_none());
    for token in [&owner, &admin] {
        assert_eq!(token.get(&target).await.json()["grants"], grants);
        assert_eq!(token.get(LIBRARIES).await.json()[1], 3);
    }
    let ben = server.as_user("ben", &["member"]).await;
    assert_eq!(ben.get(&target).await.status, 404);
    assert_eq!(listed(&ben, LIBRARIES, "name").await, ["Open"]);

    assert_eq!(
        patch(&admin, &closed, json!({"grants": grants})).await.status,
        200
    );
    assert_eq!(
        patch(&admin, &closed, json!({"name": "Closer"})).await.status,
        200
    );
    assert_eq!(admin.delete(&target).await.status, 200);
    let log = async |event: &str| {
        let log = owner.get(&format!("/api/v1/audit?event={event}&order=ASC")).await;
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
        "a change without an effect writes no entry"
    );
    assert_eq!(changed[0]["details"]["library"], "Closer");
    assert_eq!(deleted[0]["username"], "admin");
}
