//! `/settings`.

mod get;
mod kiosk;
mod nulls;
mod update;

use serde_json::Value;

use crate::support::{Reply, TestServer};

const TARGET: &str = "/api/v1/settings";

async fn patch(server: &TestServer, token: &str, body: &Value) -> Reply {
    server.send_as(token, "PATCH", TARGET, body).await
}

async fn shown(server: &TestServer, token: &str, app: &str) -> Value {
    let reply = server.get_as(token, &format!("{TARGET}/{app}")).await;
    assert_eq!(reply.status, 200);
    reply.json()["settings"].clone()
}
