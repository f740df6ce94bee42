//! The events `item.added`, `item.updated` and `item.removed`.

use serde_json::json;

use super::with_comics;
use crate::support::TestServerOptions;
use crate::support::listening::{ListeningServer, quick};
use svc_domain::change::ChangeKind;
use svc_domain::id::ItemId;
use svc_events::items;

#[tokio::test]
async fn item_events_reach_those_who_may_access_the_item() {
    let listening = ListeningServer::start_with(TestServerOptions {
        event_limits: quick(),
        ..with_comics()
    })
    .await;
    let server = &listening.server;
    let (owner, reader) = (server.as_owner().await, server.as_user("ann", &["member"]).await);
    let other = server.as_user("bob", &["music_user"]).await;
    let mut witness = listening.listen(&owner).await;
    let mut member = listening.listen(&reader).await;
    let mut without = listening.listen(&other).await;
    let kind = "comics".parse().unwrap();
    let id = ItemId::from(5);
    for (change, name) in [
        (ChangeKind::Added, "item.added"),
        (ChangeKind::Missing, "item.updated"),
        (ChangeKind::Removed, "item.removed"),
    ] {
        server
            .state
            .events
            .publish(|| items::changed(id, &kind, change, &[0]));
        for client in [&mut witness, &mut member] {
            let event = client.next().await.unwrap();
            assert_eq!(
                event,
                json!({"type": name, "payload": {"itemId": id.to_string(), "kind": "comics"}})
            );
        }
    }
    assert!(without.is_silent().await, "without the capability");
    // A class that nobody but the owner may access.
    server
        .state
        .events
        .publish(|| items::changed(id, &kind, ChangeKind::Updated, &[99]));
    assert_eq!(witness.next().await.unwrap()["type"], "item.updated");
}

#[tokio::test]
async fn scan_publishes_added_items() {
    let listening = ListeningServer::start_with(TestServerOptions {
        event_limits: quick(),
        ..with_comics()
    })
    .await;
    let server = &listening.server;
    let owner = server.as_owner().await;
    let mut reader = listening.listen(&server.as_user("ann", &["member"]).await).await;
    std::fs::write(server.directory.path().join("comics/good.shared"), "good").unwrap();
    let body = json!({"type": "quick", "mediaKinds": ["comics"]});
    assert_eq!(owner.post("/api/v1/index/run", &body).await.status, 201);
    server.state.indexing.wait_until_idle().await;
    let event = reader.next().await.unwrap();
    let listed = owner.get("/api/v1/items?kind=comics").await.json();
    let id = listed[0][0]["itemId"].clone();
    assert_eq!(
        event,
        json!({"type": "item.added", "payload": {"itemId": id, "kind": "comics"}})
    );
}
