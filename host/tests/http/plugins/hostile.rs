//! Hostile plugins that are uploaded: each is refused, or costs no more than its own files.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::items::with_comics;
use crate::plugins::{PLUGINS, scan};
use crate::support::write_requests::to_grant;
use crate::support::{Client, Reply, TestServer, TestServerOptions};
use svc_test_support::guests;

const WASM: &str = "application/wasm";

/// A server whose own plugin reads comics, with one comic in the index.
struct Fixture {
    server: TestServer,
    owner: Client,
}

impl Fixture {
    async fn new() -> Self {
        let server = TestServer::start_with(with_comics()).await;
        let owner = server.as_owner().await;
        let fixture = Self { server, owner };
        fixture.put("good.shared", b"good");
        fixture.scan().await;
        assert_eq!(fixture.titles().await, ["ok"]);
        fixture
    }

    /// A server with as many files for a plugin `things`, which it lacks.
    async fn with_things(files: usize) -> Self {
        let server = TestServer::start_with(TestServerOptions {
            roots: vec!["things"],
            ..TestServerOptions::default()
        })
        .await;
        let owner = server.as_owner().await;
        let things = server.directory.path().join("things");
        for number in 0..files {
            std::fs::write(things.join(format!("{number}.shared")), "good").unwrap();
        }
        Self { server, owner }
    }

    fn put(&self, name: &str, content: &[u8]) {
        std::fs::write(self.server.directory.path().join("comics").join(name), content).unwrap();
    }

    async fn scan(&self) {
        scan(&self.server, &self.owner).await;
    }

    async fn titles(&self) -> Vec<String> {
        let list = self.owner.get("/api/v1/items?kind=comics").await;
        assert_eq!(list.status, 200, "{}", list.json());
        let list = list.json();
        let items = list[0].as_array().unwrap().iter();
        items
            .map(|item| item["title"].as_str().unwrap().to_owned())
            .collect()
    }

    async fn upload(&self, body: &str, manifest: &str) -> Reply {
        let component = guests::with_manifest(guests::component(&guests::body(body)), manifest);
        self.owner.post_bytes(PLUGINS, WASM, component).await
    }

    /// Uploads a plugin and grants what it asks for.
    async fn install(&self, id: &str, body: &str, manifest: &str) -> Value {
        let uploaded = self.upload(body, manifest).await;
        assert_eq!(uploaded.status, 201, "{}", uploaded.json());
        let grants = json!({"grants": ["log", "source"], "digest": to_grant(&uploaded.json())});
        let granted = self.owner.patch(&format!("{PLUGINS}/{id}"), &grants).await;
        assert_eq!(granted.status, 200, "{}", granted.json());
        granted.json()
    }

    /// The reason for which an upload is refused. What was there before is as it was.
    async fn refused(&self, manifest: &str) -> String {
        let reply = self.upload("good", manifest).await;
        assert_eq!(reply.status, 400);
        assert_eq!(self.owner.get(PLUGINS).await.json().as_array().unwrap().len(), 1);
        assert_eq!(self.titles().await, ["ok"]);
        reply.json()["errors"][0]["message"].as_str().unwrap().to_owned()
    }
}

/// A field of a kind.
fn field(key: &str) -> String {
    format!("[[kinds.fields]]\nkey = \"{key}\"\nlabel = {{ en = \"F\" }}\ntype = \"text\"\n")
}

fn with_fields(fields: &str) -> String {
    guests::kind_manifest("evil", "evils").replace("[permissions]", &format!("{fields}[permissions]"))
}

#[covers("T44")]
#[tokio::test]
async fn manifests_that_ask_for_too_much_are_refused_with_the_reason() {
    let fixture = Fixture::new().await;
    let many: String = (0..10_000)
        .map(|number| field(&format!("x.evil.f{number}")))
        .collect();
    let forty: String = (0..40)
        .map(|number| field(&format!("x.evil.f{number}")))
        .collect();
    let setting = |default: &str| {
        format!("[settings.a]\ntype = \"text\"\nlabel = {{ en = \"A\" }}\ndefault = \"{default}\"\n")
    };
    let base = guests::kind_manifest("evil", "evils");
    for (manifest, reason) in [
        (with_fields(&many), "bytes, at most"),
        (with_fields(&forty), "an array of 0 to 32"),
        (with_fields(&field("x.guest.series")), "x.guest.series"),
        (base.clone() + &setting(&"a".repeat(1 << 20)), "bytes, at most"),
        (base.clone() + &setting(&"a".repeat(2_000)), "1000 characters"),
        (
            base.replace("[permissions]", "[permissions]\nnetwork = \"Phones home\""),
            "not a permission",
        ),
        (base.replace("id = \"evil\"", "id = \"../../etc\""), "`id`"),
    ] {
        let found = fixture.refused(&manifest).await;
        assert!(found.contains(reason), "{reason}: {found}");
    }
}

#[covers("code plugin_kind_taken")]
#[tokio::test]
async fn kind_of_another_plugin_stays_with_it() {
    let fixture = Fixture::new().await;
    let thief = guests::kind_manifest("thief", "comics");
    let refused = fixture.upload("good", &thief).await;
    assert_eq!(
        (refused.status, refused.code()),
        (409, Some("plugin_kind_taken".to_owned()))
    );
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("`comics`") && message.contains("`guest`"),
        "{message}"
    );
    let plugins = fixture.owner.get(PLUGINS).await.json();
    assert_eq!(plugins.as_array().unwrap().len(), 1, "nothing is stored");
    fixture.put("more.shared", b"good");
    fixture.scan().await;
    assert_eq!(fixture.titles().await, ["ok", "ok"]);
    let kinds = fixture.owner.get("/api/v1/kinds").await.json();
    assert_eq!(kinds[0]["plugin"]["pluginId"], "guest");
}

/// Plugins that come before the server's own for its files, and then fail at each: they are quarantined, and what was
/// indexed stays.
#[covers("T42")]
#[tokio::test]
async fn faults_of_an_uploaded_plugin_end_in_quarantine_and_lose_no_item() {
    for (body, state) in [
        ("trap", "quarantined"),
        ("memory_hog", "quarantined"),
        ("huge_string", "quarantined"),
        ("invalid_utf8", "quarantined"),
        ("deep_recursion", "quarantined"),
        // Of too much output the file may be the reason.
        ("million_fields", "active"),
        ("log_flood", "active"),
    ] {
        let fixture = Fixture::new().await;
        for number in 0..8 {
            fixture.put(&format!("{number}.shared"), b"good");
        }
        fixture.scan().await;
        let before = fixture.titles().await;
        assert_eq!(before.len(), 9);
        // It reads files of the kind without defining it.
        let manifest = guests::manifest("abuser").replace("kind = \"music\"", "kind = \"comics\"");
        fixture.install("abuser", body, &manifest).await;
        let full = json!({"type": "full", "mediaKinds": ["comics"]});
        assert_eq!(fixture.owner.post("/api/v1/index/run", &full).await.status, 201);
        fixture.server.state.indexing.wait_until_idle().await;
        let plugin = fixture.owner.get(&format!("{PLUGINS}/abuser")).await.json();
        assert_eq!(plugin["state"], state, "{body}: {plugin}");
        assert_eq!(fixture.titles().await.len(), 9, "{body}");
        // Its removal leaves the files to the server's own plugin.
        assert_eq!(
            fixture.owner.delete(&format!("{PLUGINS}/abuser")).await.status,
            200
        );
        fixture.scan().await;
        assert_eq!(fixture.titles().await, before, "{body}");
    }
}

#[tokio::test]
async fn upgrade_that_drops_a_field_loses_the_field_and_no_item() {
    let fixture = Fixture::with_things(1).await;
    let first = guests::kind_manifest("things", "things");
    assert_eq!(
        fixture.install("things", "by_first_byte", &first).await["state"],
        "active"
    );
    fixture.scan().await;
    let sorted = async |key: &str| {
        let list = format!("/api/v1/items?kind=things&orderBy={key}");
        let list = fixture.owner.get(&list).await;
        (list.status, list.json()[1].clone())
    };
    assert_eq!(sorted("x.things.number").await, (200, json!(1)));
    let (start, _) = first
        .split_once("[[kinds.fields]]\nkey = \"x.things.number\"")
        .unwrap();
    let (_, permissions) = first.split_once("[permissions]").unwrap();
    let second = format!("{start}[permissions]{permissions}").replace("1.0.0", "2.0.0");
    assert_eq!(
        fixture.install("things", "by_first_byte", &second).await["version"],
        "2.0.0"
    );
    fixture.scan().await;
    assert_eq!(sorted("x.things.number").await.0, 400);
    assert_eq!(sorted("x.things.series").await, (200, json!(1)));
    let back = fixture
        .owner
        .post(&format!("{PLUGINS}/things/rollback"), &json!({}))
        .await;
    assert_eq!(back.status, 201);
    fixture.scan().await;
    assert_eq!(sorted("x.things.number").await, (200, json!(1)));
}

#[covers("T42")]
#[tokio::test]
async fn hostile_version_shows_in_its_preview_and_is_undone_by_a_rollback() {
    for (body, outcome) in [
        ("trap", "trap"),
        ("memory_hog", "out_of_memory"),
        ("invalid_utf8", "bad_output"),
        ("million_fields", "budget"),
    ] {
        let fixture = Fixture::with_things(6).await;
        let first = guests::kind_manifest("things", "things");
        fixture.install("things", "by_first_byte", &first).await;
        let ids = async || {
            let list = fixture.owner.get("/api/v1/items?kind=things").await.json();
            let items = list[0].as_array().unwrap().iter();
            let id = |item: &Value| (item["itemId"].to_string(), item["title"].to_string());
            items.map(id).collect::<Vec<_>>()
        };
        fixture.scan().await;
        let before = ids().await;
        assert_eq!(before.len(), 6);

        let second = first.replace("1.0.0", "2.0.0");
        assert_eq!(fixture.upload(body, &second).await.status, 201);
        let preview = format!("{PLUGINS}/things/preview");
        let preview = fixture.owner.post(&preview, &json!({})).await;
        assert_eq!(preview.status, 201, "{body}: {}", preview.json());
        let files = preview.json()["files"].as_array().unwrap().clone();
        assert_eq!(files.len(), 6, "{body}");
        for file in &files {
            let outcomes = (&file["before"]["outcome"], &file["after"]["outcome"]);
            assert_eq!(outcomes, (&json!("indexed"), &json!(outcome)), "{body}");
        }
        let plugin = fixture.owner.get(&format!("{PLUGINS}/things")).await.json();
        assert_eq!(
            (&plugin["version"], &plugin["state"]),
            (&json!("1.0.0"), &json!("active"))
        );

        fixture.install("things", body, &second).await;
        fixture.scan().await;
        assert_eq!(ids().await.len(), 6, "{body}: no item is lost");
        let back = format!("{PLUGINS}/things/rollback");
        assert_eq!(fixture.owner.post(&back, &json!({})).await.status, 201);
        fixture.scan().await;
        assert_eq!(ids().await, before, "{body}");
        let plugin = fixture.owner.get(&format!("{PLUGINS}/things")).await.json();
        assert_eq!(
            (&plugin["version"], &plugin["state"]),
            (&json!("1.0.0"), &json!("active"))
        );
    }
}
