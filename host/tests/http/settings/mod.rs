//! `/settings`.

mod get;
mod kiosk;
mod nulls;
mod update;

use serde_json::Value;

use crate::support::{Client, Reply};

const TARGET: &str = "/api/v1/settings";

async fn patch(token: &Client, body: &Value) -> Reply {
    token.patch(TARGET, body).await
}

async fn shown(token: &Client, app: &str) -> Value {
    let reply = token.get(&format!("{TARGET}/{app}")).await;
    assert_eq!(reply.status, 200);
    reply.json()["settings"].clone()
}
