//! `/history`.

mod list;
mod update;

use serde_json::{Value, json};

use crate::support::Client;

pub(crate) const HISTORY: &str = "/api/v1/history";

pub(crate) fn play(media_type: &str, id: &str, seconds: f64, state: &str) -> Value {
    json!({"mediaType": media_type, "mediaId": id, "seconds": seconds, "state": state})
}

pub(crate) async fn report(token: &Client, body: Value) -> Value {
    let reply = token.patch(HISTORY, &body).await;
    assert_eq!(reply.status, 200, "{body} {}", reply.json());
    reply.json()
}

pub(crate) async fn ids(token: &Client, target: &str) -> Vec<String> {
    let reply = token.get(target).await;
    assert_eq!(reply.status, 200, "{target}");
    let list = reply.json();
    let items = list[0].as_array().unwrap();
    assert_eq!(list[1], items.len(), "{target}");
    let id = |item: &Value| item["mediaId"].as_str().unwrap().to_owned();
    items.iter().map(id).collect()
}
