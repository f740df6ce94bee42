//! Creating tokens: for whom, with which capabilities, label and expiry.

use std::time::Duration;

use serde_json::{Value, json};
use svc_covers::covers;

use super::{create, current, path, token};
use crate::support::{Client, TestServer};
use svc_domain::audit::AuditEvent;
use svc_domain::id::UserId;
use svc_domain::time::{Clock as _, Timestamp};

#[tokio::test]
async fn token_has_the_capabilities_of_its_user_within_its_own() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let bob = server.user("bob", false, &["administrator"]).await;
    let narrowed = json!({"label": "a", "capabilities": ["CurrentUser.Read"]});
    let (_, narrow) = token(&owner, bob, narrowed).await;
    let (_, full) = token(&owner, bob, json!({"label": "b", "capabilities": null})).await;
    let (_, none) = token(&owner, bob, json!({"label": "c", "capabilities": []})).await;
    let statuses = async |token: &Client| {
        let users = token.get("/api/v1/users").await.status;
        (current(token).await.status, users)
    };
    assert_eq!(statuses(&narrow).await, (200, 403));
    assert_eq!(statuses(&full).await, (200, 200));
    assert_eq!(statuses(&none).await, (403, 403));
    let refused = narrow.get("/api/v1/users").await.json();
    assert_eq!(
        refused["message"],
        "the capabilities of this personal access token, or the roles of its account, do not allow this"
    );
    let session = server.client(server.user("carl", false, &["member"]).await);
    let refused = session.get("/api/v1/users").await.json();
    assert_eq!(refused["message"], "your roles do not allow this");
    assert_eq!(
        current(&narrow).await.json()["capabilities"],
        json!(["CurrentUser.Read"])
    );
    let listed = owner.get(&path(bob)).await.json();
    assert_eq!(listed[2]["capabilities"], json!(["CurrentUser.Read"]));
    for bad in [
        json!(["No.Such"]),
        json!(["MediaServer.FactoryReset"]),
        json!("CurrentUser.Read"),
        json!([1]),
    ] {
        let reply = create(&owner, bob, json!({"label": "d", "capabilities": bad})).await;
        assert_eq!(reply.status, 400, "{bad}");
    }
    // The token loses what its user loses.
    let assignments = format!("/api/v1/roles/administrator/assignments?userIds={bob}");
    assert_eq!(owner.delete(&assignments).await.status, 200);
    assert_eq!(statuses(&full).await, (403, 403));
}

#[covers("R29", "T16")]
#[tokio::test]
async fn token_for_a_stronger_account_or_the_guest_is_403() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let owner = server.client(ada);
    let bob = server.user("bob", false, &["administrator"]).await;
    let carl = server.user("carl", false, &["member"]).await;
    let guest = server.store.users.guest().await.unwrap().unwrap().id;
    let label = json!({"label": "a"});
    let (id, _) = token(&owner, ada, label.clone()).await;
    let (admin, member) = (server.client(bob), server.client(carl));
    for (by, user, status) in [
        (&owner, bob, 201),
        (&admin, bob, 201),
        (&admin, carl, 201),
        (&admin, ada, 403),
        (&owner, guest, 403),
        (&member, carl, 403),
        (&member, ada, 403),
        (&admin, UserId::from(1), 404),
        (&member, UserId::from(1), 403),
    ] {
        let reply = create(by, user, label.clone()).await;
        assert_eq!(
            (reply.status, reply.json()["code"].as_str()),
            (status, None),
            "{user}"
        );
    }
    assert_eq!(admin.get(&path(ada)).await.status, 403);
    let one = format!("{}/{id}", path(ada));
    assert_eq!(admin.delete(&one).await.status, 403);
    assert_eq!(owner.get(&path(ada)).await.json().as_array().unwrap().len(), 1);
    assert_eq!(admin.get(&path("junk")).await.status, 404);
}

#[covers("R30")]
#[tokio::test]
async fn label_and_expiry_are_validated() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let owner = server.client(ada);
    for (given, expected) in [
        (json!("2999-01-01"), json!("2999-01-01T00:00:00.000Z")),
        (json!("2999-01-01T10:30:00Z"), json!("2999-01-01T10:30:00.000Z")),
        (
            json!("2999-01-01T10:30:00.5+02:00"),
            json!("2999-01-01T08:30:00.500Z"),
        ),
        (Value::Null, Value::Null),
    ] {
        let reply = create(&owner, ada, json!({"label": "a", "expiresAt": given})).await;
        assert_eq!(
            (reply.status, &reply.json()["expiresAt"]),
            (201, &expected),
            "{given}"
        );
    }
    let now = server.clock.now();
    let today = serde_json::to_value(now).unwrap().as_str().unwrap()[..10].to_owned();
    for bad in [
        "2020-01-01",
        &today,
        "2020-01-01T00:00:00Z",
        "tomorrow",
        "",
        "2999-13-01",
        "2999-02-29",
        "2999-01-01T10:30:00",
        "32503680000",
    ] {
        let reply = create(&owner, ada, json!({"label": "a", "expiresAt": bad})).await;
        assert_eq!(reply.status, 400, "{bad}");
        assert_eq!(reply.json()["errors"][0]["path"], "expiresAt", "{bad}");
    }
    for (label, status) in [
        (json!("é".repeat(100)), 201),
        (json!(format!("  {}  ", "x".repeat(100))), 201),
        (json!("x".repeat(101)), 400),
        (json!(""), 400),
        (json!("   "), 400),
        (json!("a\u{1b}b"), 400),
        (json!(1), 400),
        (Value::Null, 400),
    ] {
        let reply = create(&owner, ada, json!({"label": label})).await;
        assert_eq!(reply.status, status, "{label}");
    }
    let reply = create(&owner, ada, json!({"expiresAt": 5})).await;
    assert_eq!(reply.status, 400);
}

#[covers("code too_many_tokens")]
#[tokio::test]
async fn user_has_at_most_two_hundred_live_tokens() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let owner = server.client(ada);
    let end = server.clock.now().millis() + 60_000;
    let soon = json!({"label": "a", "expiresAt": Timestamp::from_millis(end)});
    token(&owner, ada, soon).await;
    for _ in 1..200 {
        token(&owner, ada, json!({"label": "a"})).await;
    }
    let reply = create(&owner, ada, json!({"label": "a"})).await;
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (409, Some("too_many_tokens"))
    );
    // Expired tokens do not count.
    server.clock.advance(Duration::from_secs(61));
    token(&owner, ada, json!({"label": "a"})).await;
    assert_eq!(create(&owner, ada, json!({"label": "a"})).await.status, 409);
}

#[covers(
    "POST /api/v1/users/{id}/personal-access-tokens",
    "GET /api/v1/users/{id}/personal-access-tokens",
    "R3"
)]
#[tokio::test]
async fn token_is_shown_once_and_listed_without_its_secret() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let owner = server.client(ada);
    let reply = create(&owner, ada, json!({"label": " Player ", "more": 1})).await;
    assert_eq!((reply.status, reply.header("cache-control")), (201, "no-store"));
    let created = reply.json();
    let secret = created["token"].as_str().unwrap();
    let random = secret.strip_prefix("svc_pat_").unwrap();
    assert_eq!(random.len(), 49);
    assert!(random.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    assert_eq!(
        (&created["label"], &created["expiresAt"]),
        (&json!("Player"), &Value::Null)
    );
    assert_eq!(
        current(&server.with_token(secret)).await.json()["localUser"]["userId"],
        json!(ada.to_string())
    );
    // The list of active users writes the time of the last use.
    assert_eq!(owner.get("/api/v1/users/active").await.status, 200);
    let (second, _) = token(&owner, ada, json!({"label": "Second"})).await;
    let reply = owner.get(&path(ada)).await;
    let text = String::from_utf8(reply.body.clone()).unwrap();
    assert!(!text.contains(&random[..8]) && !text.contains("svc_pat_") && !text.contains("hash"));
    let listed = reply.json();
    assert_eq!(listed.as_array().unwrap().len(), 2);
    assert_eq!(listed[0]["personalAccessTokenId"], json!(second));
    let first = &listed[1];
    assert_eq!(first["personalAccessTokenId"], created["personalAccessTokenId"]);
    assert_eq!(first["hint"], json!(&secret[secret.len() - 4..]));
    assert_eq!(
        (&first["createdBy"], &first["label"]),
        (&json!(ada.to_string()), &json!("Player"))
    );
    assert_eq!(first["createdAt"], created["createdAt"]);
    assert!(first["lastUsedAt"].is_string(), "{first}");
    assert_eq!(server.audit(AuditEvent::TokenCreated).await.len(), 2);
}
