//! Hostile plugins that are uploaded: each is refused, or costs no more than its own files. As new versions of a sound
//! plugin in `hostile_versions.rs`, with pages in `hostile_pages.rs`.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::items::with_comics;
use crate::plugins::{PLUGINS, scan};
use crate::support::write_requests::to_grant;
use crate::support::{Client, Reply, TestServer, TestServerOptions};
use svc_test_support::guests;

const WASM: &str = "application/wasm";

/// A guest of `tests/guests` whose calls are stopped.
pub(super) struct Hostile {
    pub(super) guest: &'static str,
    /// The code of the failure. Of `budget` the file may be the reason; all others end in quarantine.
    pub(super) code: &'static str,
    /// Part of what people read.
    pub(super) reason: &'static str,
}

const fn hostile(guest: &'static str, code: &'static str, reason: &'static str) -> Hostile {
    Hostile { guest, code, reason }
}

const MEMORY: &str = "asked for more than 67108864 bytes of memory";
const CONTRACT: &str = "the plugin's output violates the contract";

/// All hostile guests that start and read files. `hostile_versions.rs` checks that none is forgotten.
pub(super) const HOSTILE: [Hostile; 18] = [
    hostile("trap", "trap", "the plugin trapped"),
    hostile("panics", "trap", "panicked at src/lib.rs:3:5: out of range"),
    hostile("deep_recursion", "trap", "call stack exhausted"),
    hostile("endless_loop", "timeout", "stopped after 0.2s"),
    hostile("endless_fill", "timeout", "stopped after 0.2s"),
    hostile("memory_hog", "out_of_memory", MEMORY),
    hostile("memory_fill", "out_of_memory", MEMORY),
    hostile("table_hog", "out_of_memory", MEMORY),
    hostile("huge_string", "bad_output", CONTRACT),
    hostile("invalid_utf8", "bad_output", CONTRACT),
    hostile("list_out_of_range", "bad_output", CONTRACT),
    hostile("answer_out_of_range", "bad_output", CONTRACT),
    hostile("long_string", "budget", "over budget"),
    hostile("shared_text", "budget", "over budget"),
    hostile("million_fields", "budget", "over budget"),
    hostile("one_byte_reads", "budget", "over budget"),
    hostile("reads_everything", "budget", "over budget"),
    hostile("log_flood", "budget", "over budget"),
];

/// A server whose own plugin reads comics, with one comic in the index.
pub(super) struct Fixture {
    pub(super) server: TestServer,
    pub(super) owner: Client,
}

impl Fixture {
    async fn new() -> Self {
        Self::with_things(0).await
    }

    /// The same with as many files for a plugin `things`, which it lacks.
    pub(super) async fn with_things(files: usize) -> Self {
        let server = TestServer::start_with(TestServerOptions {
            roots: vec!["comics", "things"],
            ..with_comics()
        })
        .await;
        let owner = server.as_owner().await;
        let fixture = Self { server, owner };
        fixture.put("comics", "good.shared", b"good");
        for number in 0..files {
            fixture.put("things", &format!("{number}.shared"), b"good");
        }
        fixture.scan().await;
        assert_eq!(fixture.titles().await, ["ok"]);
        fixture
    }

    pub(super) fn put(&self, root: &str, name: &str, content: &[u8]) {
        std::fs::write(self.server.directory.path().join(root).join(name), content).unwrap();
    }

    pub(super) async fn scan(&self) {
        scan(&self.server, &self.owner).await;
    }

    /// The items of a kind, without the reason for which they are unavailable.
    pub(super) async fn items(&self, kind: &str) -> Vec<Value> {
        let list = self.owner.get(&format!("/api/v1/items?kind={kind}")).await;
        assert_eq!(list.status, 200, "{}", list.json());
        let mut items = list.json()[0].as_array().unwrap().clone();
        for item in &mut items {
            item.as_object_mut().unwrap().remove("unavailable");
        }
        items
    }

    async fn titles(&self) -> Vec<String> {
        let items = self.items("comics").await;
        items
            .iter()
            .map(|item| item["title"].as_str().unwrap().to_owned())
            .collect()
    }

    pub(super) async fn plugin(&self, id: &str) -> Value {
        self.owner.get(&format!("{PLUGINS}/{id}")).await.json()
    }

    /// Uploads a plugin with this body.
    pub(super) async fn upload(&self, body: &str, manifest: &str) -> Reply {
        let component = guests::with_manifest(guests::component(body), manifest);
        self.owner.post_bytes(PLUGINS, WASM, component).await
    }

    /// Uploads a plugin and grants what it asks for.
    pub(super) async fn install(&self, id: &str, body: &str, manifest: &str) -> Value {
        let uploaded = self.upload(body, manifest).await;
        assert_eq!(uploaded.status, 201, "{}", uploaded.json());
        let uploaded = uploaded.json();
        let waiting = uploaded.get("candidate").unwrap_or(&uploaded);
        let asked = waiting["permissions"].as_array().unwrap().iter();
        let asked: Vec<&Value> = asked.map(|permission| &permission["name"]).collect();
        let grants = json!({"grants": asked, "digest": to_grant(&uploaded)});
        let granted = self.owner.patch(&format!("{PLUGINS}/{id}"), &grants).await;
        assert_eq!(granted.status, 200, "{}", granted.json());
        granted.json()
    }

    /// The reason for which an upload is refused. What was there before is as it was.
    async fn refused(&self, manifest: &str) -> String {
        let reply = self.upload(&guests::body("good"), manifest).await;
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
    let refused = fixture.upload(&guests::body("good"), &thief).await;
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
    fixture.put("comics", "more.shared", b"good");
    fixture.scan().await;
    assert_eq!(fixture.titles().await, ["ok", "ok"]);
    let kinds = fixture.owner.get("/api/v1/kinds").await.json();
    assert_eq!(kinds[0]["plugin"]["pluginId"], "guest");
}

#[tokio::test]
async fn plugin_for_accounts_is_refused_among_those_for_files() {
    let fixture = Fixture::new().await;
    let hostile = guests::cloud_plugin("cloud_hostile", "hostile");
    let refused = fixture.owner.post_bytes(PLUGINS, WASM, hostile).await;
    assert_eq!(refused.status, 400);
    let message = refused.json()["errors"][0]["message"].to_string();
    assert!(message.contains("it is a plugin for accounts"), "{message}");
}

/// Plugins that come before the server's own for its files, and then fail at each: what was indexed stays.
#[covers("T42")]
#[tokio::test]
async fn faults_of_an_uploaded_plugin_end_in_quarantine_and_lose_no_item() {
    let fixture = Fixture::new().await;
    for number in 0..8 {
        fixture.put("comics", &format!("{number}.shared"), b"good");
    }
    fixture.scan().await;
    let before = fixture.items("comics").await;
    assert_eq!(before.len(), 9);
    // It reads files of the kind without defining it.
    let manifest = guests::manifest("abuser").replace("kind = \"music\"", "kind = \"comics\"");
    for Hostile { guest, code, reason } in HOSTILE {
        fixture.install("abuser", &guests::body(guest), &manifest).await;
        let full = json!({"type": "full", "mediaKinds": ["comics"]});
        assert_eq!(fixture.owner.post("/api/v1/index/run", &full).await.status, 201);
        fixture.server.state.indexing.wait_until_idle().await;
        let plugin = fixture.plugin("abuser").await;
        if code == "budget" {
            assert_eq!(plugin["state"], "active", "{guest}: {plugin}");
        } else {
            assert_eq!(plugin["state"], "quarantined", "{guest}: {plugin}");
            let named = plugin["reason"].as_str().unwrap();
            assert!(named.contains(reason), "{guest}: {named}");
        }
        assert_eq!(fixture.items("comics").await, before, "{guest}");
        // Its removal leaves the files to the server's own plugin.
        assert_eq!(
            fixture.owner.delete(&format!("{PLUGINS}/abuser")).await.status,
            200
        );
        fixture.scan().await;
        assert_eq!(fixture.items("comics").await, before, "{guest}");
    }
    assert_eq!(fixture.plugin("guest").await["state"], "active");
}
