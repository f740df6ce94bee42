//! `/users/{id}/personal-access-tokens`.

mod authenticate;
mod create;
mod delete;

use serde_json::Value;

use crate::support::{Client, Reply};
use svc_domain::id::UserId;

pub(crate) fn path(user: impl std::fmt::Display) -> String {
    format!("/api/v1/users/{user}/personal-access-tokens")
}

pub(crate) async fn create(by: &Client, user: UserId, body: Value) -> Reply {
    by.post(&path(user), &body).await
}

/// Id and secret of a new token.
pub(crate) async fn token(by: &Client, user: UserId, body: Value) -> (String, Client) {
    let reply = create(by, user, body).await;
    assert_eq!(reply.status, 201, "{}", String::from_utf8_lossy(&reply.body));
    let created = reply.json();
    let text = |field: &str| created[field].as_str().unwrap().to_owned();
    (text("personalAccessTokenId"), by.with_token(&text("token")))
}

fn assert_invalid(reply: &Reply, case: &str) {
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (401, Some("pat_invalid")),
        "{case}"
    );
    assert!(reply.header("www-authenticate").starts_with("Bearer"));
    assert_eq!(reply.header("cache-control"), "no-store");
}

pub(crate) async fn current(token: &Client) -> Reply {
    token.get("/api/v1/users/current").await
}
