//! `/roles`.

mod assignments;
mod create;
mod list;
mod update;

use serde_json::{Value, json};

use crate::support::{Reply, TestServer};
use svc_domain::id::UserId;

const ROLES: &str = "/api/v1/roles";

async fn assign(server: &TestServer, token: &str, role: &str, body: &Value) -> Reply {
    server
        .send_as(token, "POST", &format!("{ROLES}/{role}/assignments"), body)
        .await
}

async fn unassign(server: &TestServer, token: &str, role: &str, query: &str) -> Reply {
    server
        .send_as(
            token,
            "DELETE",
            &format!("{ROLES}/{role}/assignments?{query}"),
            &Value::Null,
        )
        .await
}

async fn assignments(server: &TestServer, token: &str, query: &str) -> Vec<(String, String)> {
    let reply = server
        .get_as(token, &format!("{ROLES}/assignments?{query}"))
        .await;
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
