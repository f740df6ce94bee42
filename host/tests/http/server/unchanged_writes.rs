//! Writes that change nothing, and which caches a write invalidates.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::support::accounts::COOKIE;
use crate::support::databases::on_each_database;
use crate::support::{Client, TestServer};
use svc_test_support::databases::{Versions, rows};

/// A cookie that the server never set.
const MADE_UP: &str = concat!(
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
);

const LIST: &str = "/api/v1/music/tracks";

/// Method, target, cookie, body, status.
type Call = (&'static str, String, Option<&'static str>, Value, u16);

async fn call(server: &TestServer, token: Option<&Client>, (method, target, cookie, body, status): &Call) {
    let authorization = token.map(|token| format!("Bearer {token}"));
    let cookie = cookie.map(|cookie| format!("{COOKIE}={cookie}"));
    let mut headers = vec![("content-type", "application/json")];
    headers.extend(authorization.as_deref().map(|value| ("authorization", value)));
    headers.extend(cookie.as_deref().map(|value| ("cookie", value)));
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    let reply = server
        .send(method, &format!("/api/v1/{target}"), &headers, &body)
        .await;
    let said = String::from_utf8_lossy(&reply.body);
    assert_eq!(reply.status, *status, "{method} {target}: {said}");
}

/// Writes that change nothing the second time.
fn repeatable(bob: &str) -> Vec<Call> {
    let call = |method, target: &str, body, status| (method, target.to_owned(), None, body, status);
    vec![
        call(
            "PATCH",
            "settings",
            json!({"app": null, "settings": {"theme": "dark"}}),
            200,
        ),
        call(
            "PATCH",
            "settings",
            json!({"app": "music", "settings": {"session_timeout": "1d"}}),
            200,
        ),
        call(
            "PATCH",
            "settings",
            json!({"app": null, "settings": {"server_name": "Home"}}),
            200,
        ),
        call("PATCH", "users/current", json!({"displayName": "Ada"}), 200),
        call("PATCH", &format!("users/{bob}"), json!({"enabled": true}), 200),
        call("PATCH", "roles/curator", json!({"capabilities": []}), 200),
        call(
            "POST",
            "roles/curator/assignments",
            json!({"userIds": [bob]}),
            201,
        ),
        call(
            "DELETE",
            &format!("roles/member/assignments?userIds={bob}"),
            json!({}),
            200,
        ),
        call(
            "POST",
            "cors-origins",
            json!({"origin": "https://a.example"}),
            201,
        ),
        call("DELETE", "cors-origins/0000000000001", json!({}), 200),
        call(
            "DELETE",
            &format!("users/{bob}/personal-access-tokens/0000000000001"),
            json!({}),
            200,
        ),
        call("DELETE", "users/current/sessions", json!({}), 200),
    ]
}

async fn nothing_is_written(server: TestServer) {
    let server = &server;
    let owner = server.as_owner().await;
    let bob = server.user("bob", false, &["music_user"]).await.to_string();
    call(
        server,
        Some(&owner),
        &(
            "POST",
            "roles".to_owned(),
            None,
            json!({"name": "curator", "capabilities": []}),
            201,
        ),
    )
    .await;
    let calls = repeatable(&bob);
    for once in &calls {
        call(server, Some(&owner), once).await;
    }
    let anonymous: Vec<Call> = vec![
        ("POST", "auth/logout".into(), None, Value::Null, 201),
        ("POST", "auth/logout".into(), Some(MADE_UP), Value::Null, 201),
        ("POST", "auth/logout".into(), Some("junk"), Value::Null, 201),
        ("POST", "auth/refresh".into(), Some(MADE_UP), Value::Null, 401),
        ("POST", "auth/refresh".into(), None, Value::Null, 401),
    ];
    let mut versions = Versions::of(&server.database_url).await;
    let (before, revision) = (
        rows(&server.database_url).await,
        server.store.identity.identity_revision(),
    );
    let version = versions.now().await;
    let all = anonymous.iter().map(|call| (None, call));
    for (token, again) in all.chain(calls.iter().map(|call| (Some(&owner), call))) {
        call(server, token, again).await;
        assert_eq!(versions.now().await, version, "{again:?} committed something");
        assert_eq!(server.store.identity.identity_revision(), revision, "{again:?}");
    }
    assert_eq!(rows(&server.database_url).await, before);
    versions.close().await;
}

#[covers("S7")]
#[tokio::test]
async fn write_that_changes_nothing_is_not_committed() {
    on_each_database(nothing_is_written).await;
}

async fn others_are_left_alone(server: TestServer) {
    let server = &server;
    let ada = server.person("ada", "owner").await;
    let bob = server.person("bob", "music_user").await;
    let owner = server.sign_in("ada").await.client;
    let tag = async |token: &Client| {
        let reply = token.get(LIST).await;
        assert_eq!(reply.status, 200);
        reply.header("etag").to_owned()
    };
    let (first, other) = (server.sign_in("bob").await, server.sign_in("bob").await);
    let token = server.as_token(bob, None).await;
    let of_owner = tag(&owner).await;
    let theme = json!({"app": null, "settings": {"theme": "dark"}});
    let before = tag(&first.client).await;
    assert_eq!(first.client.patch("/api/v1/settings", &theme).await.status, 200);
    assert_ne!(tag(&first.client).await, before);
    assert_eq!(tag(&owner).await, of_owner, "a setting of another account");
    // A session and a token end without invalidating the caches of others.
    let cookie = format!("{COOKIE}={}", other.cookie);
    assert_eq!(other.client.status().await, 200);
    let out = server
        .send("POST", "/api/v1/auth/logout", &[("cookie", &cookie)], "")
        .await;
    assert_eq!((out.status, other.client.status().await), (201, 401));
    assert_eq!(token.status().await, 200);
    let tokens = format!("/api/v1/users/{bob}/personal-access-tokens");
    let id = owner.get(&tokens).await.json()[0]["personalAccessTokenId"].clone();
    let one = format!("{tokens}/{}", id.as_str().unwrap());
    assert_eq!(owner.delete(&one).await.json(), true);
    assert_eq!(token.status().await, 401);
    assert_eq!(first.client.status().await, 200);
    let body = json!({"userIds": [bob.to_string()]});
    let role = "/api/v1/roles/photos_user/assignments";
    assert_eq!(first.client.get("/api/v1/photos").await.status, 403);
    assert_eq!(owner.post(role, &body).await.status, 201);
    assert_eq!(first.client.get("/api/v1/photos").await.status, 200);
    assert_eq!(
        tag(&owner).await,
        of_owner,
        "sessions, tokens and roles of another account"
    );
    // A new role invalidates the caches of all.
    let custom = json!({"name": "curator", "capabilities": []});
    assert_eq!(owner.post("/api/v1/roles", &custom).await.status, 201);
    assert_ne!(tag(&owner).await, of_owner);
    assert_eq!(
        server.store.users.account(ada).await.unwrap().unwrap().user.id,
        ada
    );
}

#[covers("T25", "S7")]
#[tokio::test]
async fn change_of_one_account_invalidates_that_account_alone() {
    on_each_database(others_are_left_alone).await;
}
