//! The events `item.added`, `item.updated` and `item.removed`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::with_comics;
use crate::support::listening::{EventClient, ListeningServer, quick};
use crate::support::{Client, TestServerOptions};
use svc_domain::change::ChangeKind;
use svc_domain::id::ItemId;
use svc_domain::scan::RunType;
use svc_domain::time::{Clock as _, Timestamp};
use svc_events::items;
use svc_indexer::indexing::StartRun;

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

/// A server with a directory of comics, and a client who may read items.
struct Scanned {
    listening: ListeningServer,
    owner: Client,
    reader: EventClient,
}

impl Scanned {
    async fn new() -> Self {
        let listening = ListeningServer::start_with(TestServerOptions {
            event_limits: quick(),
            ..with_comics()
        })
        .await;
        let server = &listening.server;
        let owner = server.as_owner().await;
        let reader = listening.listen(&server.as_user("ann", &["member"]).await).await;
        Self {
            listening,
            owner,
            reader,
        }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.listening.server.directory.path().join("comics").join(name)
    }

    async fn scan(&self) {
        let body = json!({"type": "quick", "mediaKinds": ["comics"]});
        assert_eq!(self.owner.post("/api/v1/index/run", &body).await.status, 201);
        self.listening.server.state.indexing.wait_until_idle().await;
    }

    /// Ids of all items and whether they are missing.
    async fn items(&self) -> BTreeMap<String, Value> {
        let list = self.owner.get("/api/v1/items?kind=comics").await.json();
        let items = list[0].as_array().unwrap().iter();
        let item = |item: &Value| {
            (
                item["itemId"].as_str().unwrap().to_owned(),
                item["missing"].clone(),
            )
        };
        items.map(item).collect()
    }

    /// Id of the item of a file.
    async fn item_at(&self, name: &str) -> Value {
        let file = format!("/api/v1/index/file?rootDir=comics&relativePath={name}");
        self.owner.get(&file).await.json()["indexed"]["itemId"].clone()
    }

    async fn hears(&mut self, event: &str, id: &str) {
        let heard = self.reader.next().await.unwrap();
        assert_eq!(
            heard,
            json!({"type": event, "payload": {"itemId": id, "kind": "comics"}})
        );
    }
}

#[tokio::test]
async fn scan_publishes_added_changed_moved_missing_and_purged_items() {
    let mut scanned = Scanned::new().await;
    std::fs::write(scanned.at("good.shared"), "good").unwrap();
    scanned.scan().await;
    let [id] = scanned
        .items()
        .await
        .into_keys()
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    scanned.hears("item.added", &id).await;
    // Without another file the directory would count as unavailable when this one is gone.
    std::fs::write(scanned.at("other.shared"), "good as well").unwrap();
    scanned.scan().await;
    let mut others = scanned.items().await.into_keys().filter(|other| *other != id);
    let other = others.next().unwrap();
    scanned.hears("item.added", &other).await;

    std::fs::write(scanned.at("good.shared"), "good, and longer").unwrap();
    scanned.scan().await;
    scanned.hears("item.updated", &id).await;

    let rating = json!({"mediaType": "item", "mediaId": id, "rating": 0.5});
    assert_eq!(scanned.owner.put("/api/v1/ratings", &rating).await.status, 200);
    std::fs::create_dir(scanned.at("shelf")).unwrap();
    std::fs::rename(scanned.at("good.shared"), scanned.at("shelf/moved.shared")).unwrap();
    scanned.scan().await;
    scanned.hears("item.updated", &id).await;
    assert_eq!(scanned.item_at("shelf/moved.shared").await, id.as_str());
    let item = scanned.owner.get(&format!("/api/v1/items/{id}")).await.json();
    assert_eq!(
        (&item["rating"], &item["missing"]),
        (&json!(0.5), &json!(false)),
        "{item}"
    );
    let parts = scanned
        .owner
        .get(&format!("/api/v1/items/{id}/parts"))
        .await
        .json();
    assert_eq!(parts[0]["fileName"], "moved.shared", "{parts}");
    assert_eq!(scanned.items().await.len(), 2);

    std::fs::remove_file(scanned.at("shelf/moved.shared")).unwrap();
    scanned.scan().await;
    scanned.hears("item.updated", &id).await;
    assert_eq!(scanned.items().await[&id], json!(true));

    let server = &scanned.listening.server;
    let later = Timestamp::from_millis(server.clock.now().millis() + 1000);
    let purge = StartRun {
        purge_before: Some(later),
        ..StartRun::of_all(RunType::Quick)
    };
    server.state.indexing.start(purge, None).await.unwrap();
    server.state.indexing.wait_until_idle().await;
    scanned.hears("item.removed", &id).await;
    assert_eq!(scanned.items().await, BTreeMap::from([(other, json!(false))]));
}
