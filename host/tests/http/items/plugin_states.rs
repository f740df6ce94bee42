//! A plugin that goes away and comes back: its items stay, with ids, ratings and history.

use serde_json::{Value, json};

use super::with_comics;
use crate::support::{Client, TestServer};

const COMICS: &str = "/api/v1/items?kind=comics";

fn put(server: &TestServer, name: &str, content: &str) {
    std::fs::write(server.directory.path().join("comics").join(name), content).unwrap();
}

async fn scan(server: &TestServer, owner: &Client) {
    let body = json!({"type": "quick", "mediaKinds": ["comics"]});
    assert_eq!(owner.post("/api/v1/index/run", &body).await.status, 201);
    server.state.indexing.wait_until_idle().await;
}

async fn listed(owner: &Client) -> Vec<Value> {
    let list = owner.get(COMICS).await.json();
    list[0].as_array().unwrap().clone()
}

#[tokio::test]
async fn items_of_a_quarantined_plugin_are_unavailable_until_its_release() {
    let server = TestServer::start_with(with_comics()).await;
    let owner = server.as_owner().await;
    put(&server, "good.shared", "good");
    scan(&server, &owner).await;
    let before = listed(&owner).await;
    assert_eq!(before.len(), 1);
    assert!(before[0].get("unavailable").is_none());
    let id = before[0]["itemId"].as_str().unwrap().to_owned();
    let rating = json!({"mediaType": "item", "mediaId": id, "rating": 1.0});
    assert_eq!(owner.put("/api/v1/ratings", &rating).await.status, 200);
    // Read and cached.
    assert!(listed(&owner).await[0].get("unavailable").is_none());

    for number in 0..5 {
        put(&server, &format!("{number}.shared"), "trap");
    }
    scan(&server, &owner).await;
    let while_quarantined = listed(&owner).await;
    assert_eq!(while_quarantined[0]["itemId"], id);
    let reason = while_quarantined[0]["unavailable"]["reason"].as_str().unwrap();
    assert!(reason.contains("`guest` is quarantined"), "{reason}");
    let kinds = owner.get("/api/v1/kinds").await.json();
    assert_eq!(kinds[0]["state"], "plugin_quarantined");
    let item = owner.get(&format!("/api/v1/items/{id}")).await.json();
    assert_eq!(
        (&item["rating"], item.get("unavailable").is_some()),
        (&json!(1.0), true)
    );
    // The file is there, and so it is sent.
    assert_eq!(owner.get(&format!("/api/v1/items/{id}/stream")).await.status, 200);

    let released = owner
        .patch("/api/v1/plugins/guest", &json!({"action": "release"}))
        .await;
    assert_eq!(released.status, 200);
    let after = listed(&owner).await;
    assert_eq!(
        (&after[0]["itemId"], &after[0]["rating"]),
        (&json!(id), &json!(1.0))
    );
    assert!(after[0].get("unavailable").is_none(), "not a cached response");
}
