//! `/roles`.

mod assignments;
mod create;
mod list;
mod update;

use serde_json::{Value, json};

use crate::support::{Client, Reply};
use svc_domain::id::UserId;

const ROLES: &str = "/api/v1/roles";

async fn assign(token: &Client, role: &str, body: &Value) -> Reply {
    token.post(&format!("{ROLES}/{role}/assignments"), body).await
}

async fn unassign(token: &Client, role: &str, query: &str) -> Reply {
    token.delete(&format!("{ROLES}/{role}/assignments?{query}")).await
}

async fn assignments(token: &Client, query: &str) -> Vec<(String, String)> {
    let reply = token.get(&format!("{ROLES}/assignments?{query}")).await;
    assert_eq!(reply.status, 200, "{query}");
    let list = reply.json().as_array().unwrap().clone();
    list.iter()
        .map(|one| {
            (
                one["userId"].as_str().unwrap().to_owned(),
                one["role"].as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

fn ids(users: &[UserId]) -> Value {
    json!({"userIds": users})
}
