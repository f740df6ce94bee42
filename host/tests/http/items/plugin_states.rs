//! A plugin that goes away and comes back: its items stay, with ids, ratings and history.

use serde_json::{Value, json};

use crate::support::write_requests::to_grant;
use crate::support::{Client, TestServer, TestServerOptions};
use svc_test_support::guests;

const COMICS: &str = "/api/v1/items?kind=comics";
const PLUGINS: &str = "/api/v1/plugins";
const PLUGIN: &str = "/api/v1/plugins/guest";

/// How the plugin goes away.
#[derive(Debug, Clone, Copy)]
enum Absence {
    Disabled,
    Removed,
    Quarantined,
}

impl Absence {
    /// State of the kind, and a part of the reason for its items.
    fn shown(self) -> (&'static str, &'static str) {
        match self {
            Self::Disabled => ("plugin_disabled", "the plugin `guest` is disabled"),
            Self::Removed => ("no_plugin", "no plugin defines the kind `comics`"),
            Self::Quarantined => (
                "plugin_quarantined",
                "the plugin `guest` is quarantined: 5 failures",
            ),
        }
    }
}

/// A server with an uploaded plugin for comics, which fails at files that begin with `t`, and one comic.
struct Fixture {
    server: TestServer,
    owner: Client,
    /// Id of the comic.
    id: String,
}

impl Fixture {
    async fn new() -> Self {
        let server = TestServer::start_with(TestServerOptions {
            roots: vec!["comics"],
            ..TestServerOptions::default()
        })
        .await;
        let owner = server.as_owner().await;
        let id = String::new();
        let mut fixture = Self { server, owner, id };
        fixture.install().await;
        fixture.put("good.shared", "good");
        fixture.scan().await;
        let list = fixture.owner.get(COMICS).await.json();
        assert_eq!(list[1], 1, "{list}");
        assert!(list[0][0].get("unavailable").is_none());
        fixture.id = list[0][0]["itemId"].as_str().unwrap().to_owned();
        fixture
    }

    fn put(&self, name: &str, content: &str) {
        std::fs::write(self.server.directory.path().join("comics").join(name), content).unwrap();
    }

    async fn scan(&self) {
        let run = self
            .owner
            .post("/api/v1/index/run", &json!({"type": "quick"}))
            .await;
        assert_eq!(run.status, 201, "{}", run.json());
        self.server.state.indexing.wait_until_idle().await;
    }

    async fn install(&self) {
        let component = guests::kind_plugin(&guests::body("by_first_byte"), "guest", "comics");
        let uploaded = self
            .owner
            .post_bytes(PLUGINS, "application/wasm", component)
            .await;
        assert_eq!(uploaded.status, 201, "{}", uploaded.json());
        let grants = json!({"grants": ["log", "source"], "digest": to_grant(&uploaded.json())});
        assert_eq!(self.change(grants).await, "active");
    }

    /// Changes the plugin; returns its state.
    async fn change(&self, change: Value) -> Value {
        let plugin = self.owner.patch(PLUGIN, &change).await;
        assert_eq!(plugin.status, 200, "{}", plugin.json());
        plugin.json()["state"].clone()
    }

    async fn lose(&self, absence: Absence) {
        match absence {
            Absence::Disabled => assert_eq!(self.change(json!({"enabled": false})).await, "disabled"),
            Absence::Removed => assert_eq!(self.owner.delete(PLUGIN).await.status, 200),
            Absence::Quarantined => {
                for number in 0..5 {
                    self.put(&format!("{number}.shared"), "trap");
                }
                self.scan().await;
            }
        }
    }

    async fn bring_back(&self, absence: Absence) {
        match absence {
            Absence::Disabled => assert_eq!(self.change(json!({"enabled": true})).await, "active"),
            Absence::Removed => self.install().await,
            Absence::Quarantined => assert_eq!(self.change(json!({"action": "release"})).await, "active"),
        }
    }

    /// The comic, with the reason for which it is unavailable apart.
    async fn comic(&self) -> (Value, Value) {
        let item = self.owner.get(&format!("/api/v1/items/{}", self.id)).await;
        assert_eq!(item.status, 200, "{}", item.json());
        let mut item = item.json();
        let unavailable = item.as_object_mut().unwrap().remove("unavailable");
        (item, unavailable.unwrap_or_default()["reason"].clone())
    }

    /// The ratings and the history of the owner.
    async fn personal(&self) -> [Value; 2] {
        [
            self.owner.get("/api/v1/ratings").await.json(),
            self.owner.get("/api/v1/history?mediaType=item").await.json(),
        ]
    }

    /// Why the comic is unavailable in the list.
    async fn listed_reason(&self) -> Value {
        let list = self.owner.get(COMICS).await.json();
        let mut items = list[0].as_array().unwrap().iter();
        let comic = items.find(|item| item["itemId"] == self.id.as_str());
        comic.unwrap()["unavailable"]["reason"].clone()
    }
}

async fn goes_away_and_comes_back(absence: Absence) {
    let fixture = Fixture::new().await;
    let (owner, id) = (&fixture.owner, &fixture.id);
    let rating = json!({"mediaType": "item", "mediaId": id, "rating": 1.0});
    assert_eq!(owner.put("/api/v1/ratings", &rating).await.status, 200);
    let played = json!({"mediaType": "item", "mediaId": id, "seconds": 12.0, "state": "paused"});
    assert_eq!(owner.patch("/api/v1/history", &played).await.status, 200);
    let (before, personal) = (fixture.comic().await, fixture.personal().await);
    assert_eq!(
        (&before.0["rating"], &before.0["progress"]["seconds"], &before.1),
        (&json!(1.0), &json!(12.0), &Value::Null)
    );
    assert_eq!((&personal[0][1], &personal[1][1]), (&json!(1), &json!(1)));
    // Read and cached.
    assert_eq!(fixture.listed_reason().await, Value::Null);

    fixture.lose(absence).await;
    let (state, reason) = absence.shown();
    for is_scanned in [false, true] {
        if is_scanned {
            fixture.scan().await;
        }
        let (item, unavailable) = fixture.comic().await;
        assert_eq!(item, before.0, "{absence:?}");
        let unavailable = unavailable.as_str().unwrap();
        assert!(unavailable.contains(reason), "{unavailable}");
        assert_eq!(fixture.listed_reason().await, unavailable);
        assert_eq!(fixture.personal().await, personal, "{absence:?}");
        assert_eq!(owner.get("/api/v1/kinds").await.json()[0]["state"], state);
        // The file is there, and so it is sent.
        let stream = owner.get(&format!("/api/v1/items/{id}/stream")).await;
        assert_eq!(stream.status, 200);
    }

    fixture.bring_back(absence).await;
    assert_eq!(
        fixture.listed_reason().await,
        Value::Null,
        "not a cached response"
    );
    for is_scanned in [false, true] {
        if is_scanned {
            fixture.scan().await;
        }
        assert_eq!(fixture.comic().await, before, "{absence:?}");
        assert_eq!(fixture.personal().await, personal, "{absence:?}");
    }
}

#[tokio::test]
async fn items_of_a_disabled_plugin_are_unavailable_until_it_is_enabled() {
    goes_away_and_comes_back(Absence::Disabled).await;
}

#[tokio::test]
async fn items_of_a_removed_plugin_are_unavailable_until_it_is_installed_again() {
    goes_away_and_comes_back(Absence::Removed).await;
}

#[tokio::test]
async fn items_of_a_quarantined_plugin_are_unavailable_until_its_release() {
    goes_away_and_comes_back(Absence::Quarantined).await;
}
