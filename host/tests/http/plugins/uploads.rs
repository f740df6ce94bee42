//! Plugins that administrators upload: consent, versions, signatures, settings, preview, rollback, removal.

use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
use data_encoding::BASE64;
use serde_json::{Value, json};
use svc_covers::covers;

use crate::plugins::{PLUGINS, scan};
use crate::support::listening::{ListeningServer, quick};
use crate::support::write_requests::to_grant;
use crate::support::{Client, Reply, TestServer, TestServerOptions};
use svc_domain::audit::AuditEvent;
use svc_domain::kind::MediaKind;
use svc_plugin_host::{BuiltIn, Component, signed_message};
use svc_test_support::guests;

const NOTES: &str = "/api/v1/plugins/notes";
const WASM: &str = "application/wasm";

/// A plugin for `*.shared` whose titles are its setting `title`, by default this text.
fn version(number: &str, title: &str) -> Vec<u8> {
    let log = "log = \"Says what it finds\"";
    let manifest = guests::manifest("notes")
        .replace("1.0.0", number)
        .replace(log, &format!("{log}\nsettings = \"Knows the title\""));
    let setting = format!(
        "[settings.title]\ntype = \"text\"\nlabel = {{ en = \"Title\" }}\ndefault = \"{title}\"\nmax = 20\n"
    );
    guests::with_manifest(
        guests::component(&guests::body("settings")),
        &(manifest + &setting),
    )
}

/// A form with the plugin and its signature by a key.
fn signed(component: &[u8], seed: u8) -> (String, Vec<u8>) {
    let pair = Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap();
    let signature = BASE64.encode(pair.sign(&signed_message(component)).as_ref());
    let text = format!("key = \"{}\"\nsignature = \"{signature}\"\n", key(seed));
    form(&[("plugin", component), ("signature", text.as_bytes())])
}

fn key(seed: u8) -> String {
    let pair = Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap();
    BASE64.encode(pair.public_key().as_ref())
}

fn form(fields: &[(&str, &[u8])]) -> (String, Vec<u8>) {
    let mut body = Vec::new();
    for (name, content) in fields {
        body.extend(format!("--frontier\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n").bytes());
        body.extend(*content);
        body.extend(b"\r\n");
    }
    body.extend(b"--frontier--\r\n");
    ("multipart/form-data; boundary=frontier".to_owned(), body)
}

/// A server with a file that the plugin reads, and its owner.
struct Fixture {
    server: TestServer,
    owner: Client,
}

impl Fixture {
    async fn new() -> Self {
        let server = TestServer::start().await;
        let owner = server.as_owner().await;
        server.folder(MediaKind::music()).await;
        std::fs::write(server.root.join("Album/a.shared"), "a").unwrap();
        Self { server, owner }
    }

    async fn upload(&self, component: Vec<u8>) -> Reply {
        self.owner.post_bytes(PLUGINS, WASM, component).await
    }

    async fn upload_signed(&self, target: &str, component: &[u8], seed: u8) -> Value {
        let (content_type, body) = signed(component, seed);
        let reply = self.owner.post_bytes(target, &content_type, body).await;
        assert_eq!(reply.status, 201, "{}", reply.json());
        reply.json()
    }

    async fn grant(&self, permissions: &[&str]) -> Reply {
        let digest = to_grant(&self.get().await);
        self.grant_version(permissions, &digest).await
    }

    async fn grant_version(&self, permissions: &[&str], digest: &Value) -> Reply {
        let body = json!({ "grants": permissions, "digest": digest });
        self.owner.patch(NOTES, &body).await
    }

    async fn grant_all(&self) -> Value {
        let reply = self.grant(&["log", "settings", "source"]).await;
        assert_eq!(reply.status, 200, "{}", reply.json());
        reply.json()
    }

    /// A server on which version 1.0.0 is in use.
    async fn with_first_version() -> Self {
        let fixture = Self::new().await;
        assert_eq!(fixture.upload(version("1.0.0", "first")).await.status, 201);
        assert_eq!(fixture.grant_all().await["state"], "active");
        fixture
    }

    async fn get(&self) -> Value {
        self.owner.get(NOTES).await.json()
    }

    /// The titles of all tracks after a scan.
    async fn titles(&self) -> Vec<String> {
        scan(&self.server, &self.owner).await;
        let tracks = self.owner.get("/api/v1/music/tracks").await.json();
        let tracks = tracks[0].as_array().unwrap().iter();
        tracks
            .map(|track| track["title"].as_str().unwrap().to_owned())
            .collect()
    }
}

/// Codes of the reasons for which a version waits.
fn wait_codes(plugin: &Value) -> Vec<String> {
    let reasons = plugin["candidate"]["waitReasons"].as_array().unwrap().iter();
    reasons
        .map(|reason| reason["code"].as_str().unwrap().to_owned())
        .collect()
}

fn code(reply: &Reply) -> (u16, Option<String>) {
    (reply.status, reply.code())
}

#[covers("POST /api/v1/plugins", "GET /api/v1/plugins/{pluginId}")]
#[tokio::test]
async fn uploaded_plugin_runs_after_all_its_permissions_are_granted() {
    let fixture = Fixture::new().await;
    let reply = fixture.upload(version("1.0.0", "first")).await;
    assert_eq!(reply.status, 201);
    let plugin = reply.json();
    assert_eq!(
        (&plugin["state"], &plugin["origin"], &plugin["signedBy"]),
        (&json!("waiting"), &json!("uploaded"), &Value::Null)
    );
    let asked: Vec<_> = plugin["permissions"].as_array().unwrap().iter().collect();
    assert_eq!(
        asked[0],
        &json!({"name": "log", "reason": "Says what it finds", "granted": false})
    );
    assert_eq!(asked.len(), 3);
    assert_eq!(plugin["limits"][0]["effective"]["memoryMib"], 64);
    assert!(fixture.titles().await.is_empty(), "nothing of it runs");

    let refused = fixture.grant(&["source", "clock"]).await;
    let errors = refused.json()["errors"].to_string();
    assert_eq!(refused.status, 400);
    for text in [
        "does not ask for `clock`",
        "`log` is needed as well",
        "`settings` is needed as well",
    ] {
        assert!(errors.contains(text), "{errors}");
    }
    assert_eq!(fixture.get().await["state"], "waiting");

    let granted = fixture.grant_all().await;
    assert_eq!(granted["state"], "active");
    assert_eq!(granted["permissions"][2]["granted"], true);
    assert_eq!(fixture.titles().await, ["first"]);
    assert_eq!(fixture.get().await["stats"]["calls"], 1);

    // What it has can be taken back.
    let revoked = fixture.grant(&["source"]).await.json();
    assert_eq!(revoked["state"], "waiting");
    assert_eq!(
        revoked["reason"],
        "it waits for the permissions `log`, `settings`"
    );
    let granted = |at: usize| &revoked["permissions"][at]["granted"];
    assert_eq!(
        (granted(0), granted(1), granted(2)),
        (&json!(false), &json!(false), &json!(true))
    );
    let uploads = fixture.server.audit(AuditEvent::PluginUploaded).await;
    assert_eq!(uploads.len(), 1);
    assert_eq!(uploads[0].details["version"], "1.0.0");
    let updates = fixture.server.audit(AuditEvent::PluginUpdated).await;
    let granted: Vec<_> = updates
        .iter()
        .map(|entry| entry.details["granted"].as_str())
        .collect();
    assert!(
        granted.contains(&"log settings source") && granted.contains(&"source"),
        "{granted:?}"
    );
    assert_eq!(fixture.owner.get("/api/v1/plugins/nobody").await.status, 404);
}

#[covers("POST /api/v1/plugins/{pluginId}/preview")]
#[tokio::test]
async fn new_version_waits_beside_the_one_in_use_and_can_be_previewed() {
    let fixture = Fixture::with_first_version().await;
    assert_eq!(fixture.titles().await, ["first"]);
    let preview = format!("{NOTES}/preview");
    let nothing_waits = fixture.owner.post(&preview, &json!({})).await;
    assert_eq!(
        code(&nothing_waits),
        (409, Some("plugin_action_conflict".to_owned()))
    );

    let plugin = fixture.upload(version("2.0.0", "second")).await.json();
    assert_eq!(
        (&plugin["version"], &plugin["state"]),
        (&json!("1.0.0"), &json!("active"))
    );
    assert_eq!(plugin["candidate"]["version"], "2.0.0");
    assert_eq!(plugin["candidate"]["permissions"][0]["granted"], true);
    assert_eq!(
        plugin["candidate"]["changes"],
        json!({
            "kindsGained": [], "kindsLost": [], "kindsRegrouped": [],
            "fieldsGained": [], "fieldsLost": [], "fieldsChanged": [],
            "extensionsGained": [], "extensionsLost": [],
            "permissionsGained": [], "permissionsLost": [],
            "items": [],
        })
    );
    assert_eq!(fixture.titles().await, ["first"]);

    let reply = fixture.owner.post(&preview, &json!({})).await;
    assert_eq!(reply.status, 201, "{}", reply.json());
    let previewed = reply.json();
    assert_eq!(
        previewed,
        json!({
            "from": "1.0.0",
            "to": "2.0.0",
            "digest": plugin["candidate"]["digest"],
            "changes": plugin["candidate"]["changes"],
            "unchanged": 0,
            "leftOut": 0,
            "files": [{
                "kind": "music",
                "rootDir": fixture.server.root.to_str(),
                "relativePath": "Album/a.shared",
                "reasons": ["newest", "oldest", "largest"],
                "before": {"outcome": "indexed"},
                "after": {"outcome": "indexed"},
                "changes": [{"field": "title", "before": "first", "after": "second"}],
            }],
        })
    );
    assert_eq!(fixture.titles().await, ["first"], "a preview stores nothing");
    assert_eq!(fixture.server.audit(AuditEvent::PluginPreviewed).await.len(), 1);
    assert_eq!(
        fixture
            .owner
            .post(&format!("{preview}?files=201"), &json!({}))
            .await
            .status,
        400
    );

    // What then happens is what the preview said.
    fixture.grant_all().await;
    assert_eq!(fixture.titles().await, ["second"]);
}

#[covers(
    "POST /api/v1/plugins/{pluginId}/rollback",
    "DELETE /api/v1/plugins/{pluginId}/candidate"
)]
#[tokio::test]
async fn version_before_comes_back_by_rollback() {
    let fixture = Fixture::with_first_version().await;
    let rollback = format!("{NOTES}/rollback");
    let candidate = format!("{NOTES}/candidate");
    assert_eq!(fixture.owner.post(&rollback, &json!({})).await.status, 409);
    assert_eq!(fixture.owner.delete(&candidate).await.status, 404);
    fixture.upload(version("1.5.0", "discarded")).await;
    let discarded = fixture.owner.delete(&candidate).await;
    assert_eq!(
        (discarded.status, &discarded.json()["candidate"]),
        (200, &Value::Null)
    );

    fixture.upload(version("2.0.0", "second")).await;
    let plugin = fixture.grant_all().await;
    assert_eq!(
        (&plugin["version"], &plugin["previous"]["version"]),
        (&json!("2.0.0"), &json!("1.0.0"))
    );
    assert_eq!(fixture.titles().await, ["second"]);
    let plugin = fixture.owner.post(&rollback, &json!({})).await;
    assert_eq!(plugin.status, 201);
    let plugin = plugin.json();
    assert_eq!(
        (&plugin["version"], &plugin["previous"]["version"]),
        (&json!("1.0.0"), &json!("2.0.0"))
    );
    assert_eq!(fixture.titles().await, ["first"]);
    assert_eq!(
        fixture.server.audit(AuditEvent::PluginRolledBack).await[0].details["version"],
        "1.0.0"
    );
    // Only versions that something refers to are kept.
    assert_eq!(
        fixture
            .server
            .number("SELECT count(*) FROM plugin_components")
            .await,
        2
    );
}

#[covers("code plugin_version_changed")]
#[tokio::test]
async fn permissions_are_granted_to_the_version_that_was_looked_at() {
    let fixture = Fixture::with_first_version().await;
    let all = ["log", "settings", "source"];
    let first = fixture.get().await["digest"].clone();
    fixture.upload(version("2.0.0", "previewed")).await;
    let preview = fixture.owner.post(&format!("{NOTES}/preview"), &json!({})).await;
    let previewed = preview.json()["digest"].clone();
    assert_eq!(previewed, fixture.get().await["candidate"]["digest"]);

    // Another version replaces the one that was previewed.
    fixture.upload(version("2.0.1", "unseen")).await;
    let before = fixture.get().await;
    let refused = fixture.grant_version(&all, &previewed).await;
    assert_eq!(code(&refused), (409, Some("plugin_version_changed".to_owned())));
    assert_eq!(fixture.get().await, before, "nothing changed");
    for body in [json!({ "grants": all }), json!({ "digest": previewed })] {
        let reply = fixture.owner.patch(NOTES, &body).await;
        assert_eq!(
            (reply.status, &reply.json()["errors"][0]["path"]),
            (400, &json!("digest"))
        );
    }

    // The permissions of the version in use change while another waits.
    let revoked = fixture.grant_version(&["log", "source"], &first).await.json();
    assert_eq!(
        (
            &revoked["version"],
            &revoked["state"],
            &revoked["candidate"]["version"]
        ),
        (&json!("1.0.0"), &json!("waiting"), &json!("2.0.1"))
    );
    let unseen = &before["candidate"]["digest"];
    let accepted = fixture.grant_version(&all, unseen).await.json();
    assert_eq!(
        (&accepted["version"], &accepted["state"]),
        (&json!("2.0.1"), &json!("active"))
    );
}

#[tokio::test]
async fn version_before_comes_back_with_the_permissions_that_it_had() {
    let fixture = Fixture::with_first_version().await;
    assert_eq!(fixture.titles().await, ["first"]);
    let modest = guests::with_manifest(
        guests::component(&guests::body("good")),
        &guests::manifest("notes").replace("1.0.0", "2.0.0"),
    );
    fixture.upload(modest).await;
    assert_eq!(fixture.grant(&["log", "source"]).await.json()["state"], "active");
    assert_eq!(fixture.titles().await, ["ok"]);
    let rollback = format!("{NOTES}/rollback");
    let back = fixture.owner.post(&rollback, &json!({})).await.json();
    assert_eq!(
        (
            &back["version"],
            &back["state"],
            &back["permissions"][1]["granted"]
        ),
        (&json!("1.0.0"), &json!("active"), &json!(true))
    );
    assert_eq!(fixture.titles().await, ["first"]);

    // What was taken back since does not return.
    let forward = fixture.owner.post(&rollback, &json!({})).await.json();
    assert_eq!(
        (&forward["version"], &forward["state"]),
        (&json!("2.0.0"), &json!("active"))
    );
    fixture.grant(&["source"]).await;
    let back = fixture.owner.post(&rollback, &json!({})).await.json();
    assert_eq!(
        (&back["state"], &back["reason"]),
        (&json!("waiting"), &json!("it waits for the permissions `log`"))
    );
}

#[tokio::test]
async fn version_with_less_of_its_kind_waits_even_with_a_known_signer() {
    let fixture = Fixture::new().await;
    let manifest = |number: &str| guests::kind_manifest("notes", "things").replace("1.0.0", number);
    let plugin = |manifest: &str| guests::with_manifest(guests::component(&guests::body("good")), manifest);
    fixture
        .upload_signed(PLUGINS, &plugin(&manifest("1.0.0")), 1)
        .await;
    assert_eq!(fixture.grant(&["log", "source"]).await.status, 200);
    for (number, present, instead) in [
        ("2.0.0", "type = \"integer\"", "type = \"real\""),
        ("2.1.0", "x.notes.number", "x.notes.count"),
        ("2.2.0", "sort = true\nfacet = true", "facet = true"),
        ("2.3.0", "kind = \"things\"", "kind = \"others\""),
        (
            "2.4.0",
            "extensions = [\"shared\"]\nmedia-types = { shared = \"application/x-shared\" }",
            "extensions = [\"other\"]",
        ),
    ] {
        let less = manifest(number).replace(present, instead);
        let waiting = fixture.upload_signed(PLUGINS, &plugin(&less), 1).await;
        assert_eq!(
            (&waiting["version"], &waiting["candidate"]["version"]),
            (&json!("1.0.0"), &json!(number))
        );
        assert_eq!(wait_codes(&waiting), ["losses"], "{number}");
    }
    let other_label = manifest("3.0.0").replace("en = \"Number\"", "en = \"No.\"");
    let at_once = fixture.upload_signed(PLUGINS, &plugin(&other_label), 1).await;
    assert_eq!(
        (&at_once["version"], &at_once["candidate"]),
        (&json!("3.0.0"), &Value::Null)
    );
}

#[tokio::test]
async fn known_signer_replaces_a_version_at_once() {
    let fixture = Fixture::new().await;
    let first = fixture
        .upload_signed(PLUGINS, &version("1.0.0", "first"), 1)
        .await;
    assert_eq!(
        (&first["state"], &first["signedBy"]),
        (&json!("waiting"), &json!(key(1)))
    );
    fixture.grant_all().await;

    let second = fixture
        .upload_signed(PLUGINS, &version("2.0.0", "second"), 1)
        .await;
    assert_eq!(
        (&second["version"], &second["candidate"]),
        (&json!("2.0.0"), &Value::Null)
    );
    assert_eq!(fixture.titles().await, ["second"]);
    let held = format!("{PLUGINS}?hold=true");
    let held = fixture.upload_signed(&held, &version("2.1.0", "held"), 1).await;
    assert_eq!(
        (&held["version"], &held["candidate"]["version"]),
        (&json!("2.0.0"), &json!("2.1.0"))
    );
    assert_eq!(wait_codes(&held), ["held"]);
    let foreign = fixture
        .upload_signed(PLUGINS, &version("3.0.0", "foreign"), 2)
        .await;
    assert_eq!(foreign["candidate"]["signedBy"], key(2));
    assert_eq!(foreign["version"], "2.0.0");
    assert_eq!(
        foreign["candidate"]["waitReasons"],
        json!([{"code": "other_signer", "message": "it is signed with another key than version 2.0.0"}])
    );
    let unsigned = fixture.upload(version("3.1.0", "unsigned")).await.json();
    assert_eq!(
        (&unsigned["version"], &unsigned["candidate"]["version"]),
        (&json!("2.0.0"), &json!("3.1.0"))
    );
    assert_eq!(wait_codes(&unsigned), ["not_signed"]);
    fixture.grant(&["log", "settings", "source"]).await;
    let asking =
        guests::manifest("notes").replace("[permissions]", "[permissions]\nrelated = \"Reads notes\"");
    let asking = guests::with_manifest(guests::component(&guests::body("good")), &asking);
    let asking = fixture.upload_signed(PLUGINS, &asking, 1).await;
    assert_eq!(wait_codes(&asking), ["other_signer", "permissions"]);
    assert_eq!(
        asking["candidate"]["waitReasons"][1]["message"],
        "it asks for `related`"
    );
    fixture.owner.delete(&format!("{NOTES}/candidate")).await;
    fixture.upload(version("3.2.0", "unsigned")).await;

    // A signature that is not of these bytes, or no signature at all, loses nothing.
    let other = signed(&version("4.0.0", "other"), 1);
    let other = String::from_utf8_lossy(&other.1);
    let text = other
        .split("\r\n\r\n")
        .last()
        .unwrap()
        .split("\r\n")
        .next()
        .unwrap()
        .to_owned();
    for text in [text.as_str(), "", "key = \"a\""] {
        let component = version("5.0.0", "fifth");
        let (content_type, body) = form(&[("plugin", &component), ("signature", text.as_bytes())]);
        let reply = fixture.owner.post_bytes(PLUGINS, &content_type, body).await;
        assert_eq!(reply.status, 400);
        assert_eq!(reply.json()["errors"][0]["path"], "signature", "{}", reply.json());
    }
    assert_eq!(fixture.get().await["candidate"]["version"], "3.2.0");
}

#[tokio::test]
async fn settings_follow_their_schema_and_make_files_stale() {
    let fixture = Fixture::with_first_version().await;
    assert_eq!(fixture.titles().await, ["first"]);
    let plugin = fixture.get().await;
    assert_eq!(plugin["settings"], json!({"title": "first"}));
    assert_eq!(
        plugin["settingsSchema"]["properties"]["title"],
        json!({"type": "string", "title": "Title", "default": "first", "maxLength": 20, "x-label": {"en": "Title"}})
    );
    let set = async |value: Value| fixture.owner.patch(NOTES, &json!({ "settings": value })).await;
    for (wrong, path) in [
        (json!({"title": 3}), "settings.title"),
        (
            json!({"title": "longer than twenty characters"}),
            "settings.title",
        ),
        (json!({"nothing": 1}), "settings.nothing"),
    ] {
        let reply = set(wrong).await;
        assert_eq!(reply.status, 400);
        assert_eq!(reply.json()["errors"][0]["path"], path);
    }
    let unknown = set(json!({"nothing": 1})).await.json();
    assert_eq!(
        unknown["errors"][0]["message"],
        "is not a setting of the plugin, which has `title`"
    );
    let changed = set(json!({"title": "chosen"})).await;
    assert_eq!(
        (changed.status, &changed.json()["settings"]["title"]),
        (200, &json!("chosen"))
    );
    assert_eq!(fixture.titles().await, ["chosen"]);
    assert_eq!(
        set(json!({"title": null})).await.json()["settings"]["title"],
        "first"
    );
    assert_eq!(fixture.titles().await, ["first"]);
}

#[covers("DELETE /api/v1/plugins/{pluginId}")]
#[tokio::test]
async fn plugin_is_disabled_enabled_and_removed() {
    let fixture = Fixture::with_first_version().await;
    assert_eq!(fixture.titles().await, ["first"]);
    let enable = async |enabled: bool| {
        fixture
            .owner
            .patch(NOTES, &json!({ "enabled": enabled }))
            .await
            .json()
    };
    let disabled = enable(false).await;
    assert_eq!(disabled["state"], "disabled");
    let permissions = disabled["permissions"].as_array().unwrap();
    assert_eq!(permissions.len(), 3);
    assert!(
        permissions.iter().all(|permission| permission["granted"] == true),
        "what was granted stays so: {disabled}"
    );
    assert_eq!(enable(true).await["state"], "active");
    let both = json!({"enabled": true, "action": "release"});
    assert_eq!(fixture.owner.patch(NOTES, &both).await.status, 400);

    assert_eq!(fixture.owner.delete(NOTES).await.status, 200);
    assert_eq!(fixture.owner.get(NOTES).await.status, 404);
    assert_eq!(fixture.owner.delete(NOTES).await.status, 404);
    assert_eq!(fixture.titles().await, ["first"], "its items stay");
    assert_eq!(fixture.server.audit(AuditEvent::PluginRemoved).await.len(), 1);
    assert_eq!(
        fixture
            .server
            .number("SELECT count(*) FROM plugin_components")
            .await,
        0
    );
}

#[tokio::test]
async fn plugin_of_the_operator_is_disabled_but_not_replaced_or_removed() {
    let component = version("1.0.0", "built in");
    let server = TestServer::start_with(TestServerOptions {
        plugins: vec![BuiltIn {
            name: "notes",
            component: Component::Plain(component.clone().leak()),
        }],
        ..TestServerOptions::default()
    })
    .await;
    let owner = server.as_owner().await;
    for reply in [
        owner.post_bytes(PLUGINS, WASM, component).await,
        owner.delete(NOTES).await,
        owner.patch(NOTES, &json!({"grants": [], "digest": "0"})).await,
    ] {
        assert_eq!(code(&reply), (409, Some("plugin_action_conflict".to_owned())));
    }
    let disabled = owner.patch(NOTES, &json!({"enabled": false})).await.json();
    assert_eq!(
        (&disabled["state"], &disabled["origin"]),
        (&json!("disabled"), &json!("built-in"))
    );
    assert_eq!(
        owner.patch(NOTES, &json!({"enabled": true})).await.json()["state"],
        "active"
    );
}

#[covers("limit PLUGIN_BODY_BYTES")]
#[tokio::test]
async fn body_that_is_no_plugin_is_refused_with_the_reason() {
    let fixture = Fixture::new().await;
    let broken = guests::with_manifest(
        guests::component(&guests::body("good")),
        "id = \"Not An Id\"\nname = 3\n",
    );
    for (component, reason) in [
        (b"plain text".to_vec(), "not WebAssembly"),
        (b"\0asm\x01\0\0\0".to_vec(), "core module"),
        (version("1.0.0", "cut")[..200].to_vec(), "truncated"),
        (broken, "line 2, column 8: `name`"),
    ] {
        let reply = fixture.upload(component).await;
        assert_eq!(reply.status, 400);
        let error = &reply.json()["errors"][0];
        assert_eq!(error["path"], "plugin");
        assert!(error["message"].as_str().unwrap().contains(reason), "{error}");
    }
    let text = fixture
        .owner
        .post_bytes(PLUGINS, "text/plain", b"a".to_vec())
        .await;
    assert_eq!(text.status, 415);
    for fields in [
        &[("signature", &b"a"[..])][..],
        &[("plugin", b"a"), ("plugin", b"a")],
        &[("plugin", b"a"), ("other", b"a")],
    ] {
        let (content_type, body) = form(fields);
        assert_eq!(
            fixture
                .owner
                .post_bytes(PLUGINS, &content_type, body)
                .await
                .status,
            400
        );
    }
    let cut = fixture
        .owner
        .post_bytes(PLUGINS, "multipart/form-data; boundary=a", b"--a".to_vec())
        .await;
    assert_eq!(cut.status, 400);
    let large = fixture.upload(vec![0; (64 << 20) + (64 << 10) + 1]).await;
    assert_eq!(large.status, 413);
    assert!(
        fixture
            .owner
            .get(PLUGINS)
            .await
            .json()
            .as_array()
            .unwrap()
            .is_empty()
    );
    let member = fixture.server.as_user("bob", &["member"]).await;
    assert_eq!(
        member
            .post_bytes(PLUGINS, WASM, version("1.0.0", "member"))
            .await
            .status,
        403
    );
}

#[tokio::test]
async fn uploaded_plugins_and_decisions_survive_a_restart() {
    let fixture = Fixture::with_first_version().await;
    fixture
        .owner
        .patch(NOTES, &json!({"settings": {"title": "chosen"}}))
        .await;
    let store = &fixture.server.store;
    let choices = svc_library::plugins::stored_choices(&store.plugins, &store.kinds)
        .await
        .unwrap();
    let [uploaded] = choices.uploaded.as_slice() else {
        panic!("{choices:?}");
    };
    assert_eq!(&*uploaded.component, version("1.0.0", "first"));
    assert_eq!(uploaded.granted.as_ref().unwrap().len(), 3);
    assert_eq!(choices.values["notes"]["title"], "chosen");
}

#[tokio::test]
async fn factory_reset_removes_uploaded_plugins() {
    let fixture = Fixture::with_first_version().await;
    let reset = &fixture.server.state.reset;
    reset.factory_reset_unattended().await.unwrap();
    assert!(fixture.server.plugins.list().is_empty());
}

#[tokio::test]
async fn changes_of_states_are_events_for_those_who_may_read_plugins() {
    let listening = ListeningServer::start(quick()).await;
    let owner = listening.server.as_owner().await;
    let member = listening.server.as_user("bob", &["member"]).await;
    // States before the first look are no changes.
    listening.server.state.plugins.announce_changes().await;
    let mut hears = listening.listen(&owner).await;
    let mut deaf = listening.listen(&member).await;
    let uploaded = owner.post_bytes(PLUGINS, WASM, version("1.0.0", "first")).await;
    let grants = json!({"grants": ["log", "settings", "source"], "digest": to_grant(&uploaded.json())});
    owner.patch(NOTES, &grants).await;
    owner.delete(NOTES).await;
    let mut states = Vec::new();
    for _ in 0..3 {
        let event = hears.next().await.unwrap();
        assert_eq!(event["type"], "plugin.state_changed");
        assert_eq!(event["payload"]["pluginId"], "notes");
        states.push(event["payload"]["state"].as_str().unwrap().to_owned());
    }
    assert_eq!(states, ["waiting", "active", "removed"]);
    assert!(deaf.is_silent().await);
}
