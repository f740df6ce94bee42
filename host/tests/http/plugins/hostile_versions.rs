//! Hostile versions of a sound plugin: what is said of each in its preview and after a scan, and what a rollback brings
//! back. No file, item or record is lost, and the items of another plugin stay as they are.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::plugins::PLUGINS;
use crate::plugins::hostile::{Fixture, HOSTILE, Hostile};
use svc_test_support::guests::{self, Part};

const THINGS: &str = "/api/v1/plugins/things";
const FILES: usize = 6;

/// Guests of `tests/guests` that are sound, are no plugins of media, or have tests of their own: `endless_start` below,
/// `pages` in `hostile_pages.rs`, `cloud_hostile` in `hostile.rs`.
const OTHERS: [&str; 12] = [
    "artwork",
    "by_first_byte",
    "cloud_accounts",
    "cloud_hostile",
    "endless_start",
    "frame",
    "good",
    "leaky",
    "odd_reads",
    "pages",
    "settings",
    "thumbnailer",
];

#[test]
fn every_hostile_guest_is_uploaded_somewhere() {
    let directory = guests::repository().join("tests/guests");
    let files = std::fs::read_dir(directory).unwrap();
    let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
    let there: BTreeSet<String> = names
        .filter_map(|name| Some(name.strip_suffix(".wat")?.to_owned()))
        .collect();
    let hostile = HOSTILE.map(|hostile| hostile.guest).into_iter();
    let known: BTreeSet<String> = hostile.chain(OTHERS).map(str::to_owned).collect();
    assert_eq!(there, known);
}

/// A server with comics and with things, whose plugin is sound and was uploaded.
struct Things {
    fixture: Fixture,
    /// The items of both kinds, as the sound version reads them.
    before: [Vec<Value>; 2],
    /// The manifest of another version of the plugin.
    second: String,
}

impl Things {
    async fn new() -> Self {
        let fixture = Fixture::with_things(FILES).await;
        let first = guests::kind_manifest("things", "things");
        let body = guests::answering(&[
            Part::Text("x.things.series", "Saga"),
            Part::Integer("x.things.number", 7),
        ]);
        assert_eq!(fixture.install("things", &body, &first).await["state"], "active");
        fixture.scan().await;
        let things = fixture.items("things").await;
        assert_eq!(things.len(), FILES);
        assert_eq!(things[0]["fields"]["x.things.number"], 7);
        Self {
            before: [fixture.items("comics").await, things],
            second: first.replace("1.0.0", "2.0.0"),
            fixture,
        }
    }

    /// Nothing is lost: each file is known, and each item as the sound version read it.
    async fn assert_whole(&self, name: &str) {
        let [comics, things] = &self.before;
        assert_eq!(self.fixture.items("comics").await, *comics, "{name}");
        assert_eq!(self.fixture.items("things").await, *things, "{name}");
        let known = "SELECT count(*) FROM files WHERE missing_since IS NULL";
        assert_eq!(
            self.fixture.server.number(known).await,
            FILES as i64 + 1,
            "{name}"
        );
    }

    async fn assert_first_is_active(&self, name: &str) {
        let plugin = self.fixture.plugin("things").await;
        assert_eq!(
            (&plugin["version"], &plugin["state"]),
            (&json!("1.0.0"), &json!("active")),
            "{name}"
        );
    }

    async fn roll_back(&self, name: &str) {
        let back = self
            .fixture
            .owner
            .post(&format!("{THINGS}/rollback"), &json!({}))
            .await;
        assert_eq!(back.status, 201, "{name}: {}", back.json());
        self.fixture.scan().await;
        self.assert_first_is_active(name).await;
        self.assert_whole(name).await;
        let failed = "SELECT count(*) FROM files WHERE failure_code IS NOT NULL";
        assert_eq!(self.fixture.server.number(failed).await, 0, "{name}");
    }

    /// Uploads, previews, accepts, scans with and rolls back a version whose calls fail with this code and reason.
    async fn suffer(&self, name: &str, body: &str, code: &str, reason: &str) {
        let fixture = &self.fixture;
        assert_eq!(fixture.upload(body, &self.second).await.status, 201, "{name}");
        let preview = format!("{THINGS}/preview?files=2");
        let preview = fixture.owner.post(&preview, &json!({})).await;
        assert_eq!(preview.status, 201, "{name}: {}", preview.json());
        let preview = preview.json();
        let files = preview["files"].as_array().unwrap();
        assert_eq!(files.len(), 2, "{name}");
        for file in files {
            let outcomes = (&file["before"]["outcome"], &file["after"]["outcome"]);
            assert_eq!(outcomes, (&json!("indexed"), &json!(code)), "{name}");
            let message = file["after"]["message"].as_str().unwrap();
            assert!(message.contains(reason), "{name}: {message}");
        }
        self.assert_first_is_active(name).await;
        self.assert_whole(name).await;

        let accepted = fixture.install("things", body, &self.second).await;
        assert_eq!(
            (&accepted["version"], &accepted["state"]),
            (&json!("2.0.0"), &json!("active")),
            "{name}"
        );
        fixture.scan().await;
        let plugin = fixture.plugin("things").await;
        let failures = &plugin["stats"]["failures"];
        if code == "budget" {
            // Of too much output the file may be the reason.
            assert_eq!(
                (&plugin["state"], failures),
                (&json!("active"), &json!({code: FILES}))
            );
        } else {
            assert_eq!(plugin["state"], "quarantined", "{name}: {plugin}");
            assert_eq!(*failures, json!({code: 5}), "{name}");
            let named = plugin["reason"].as_str().unwrap();
            assert!(
                named.contains("5 failures in a row") && named.contains(reason),
                "{name}: {named}"
            );
        }
        self.assert_whole(name).await;
        self.roll_back(name).await;
    }
}

#[covers("T42")]
#[tokio::test]
async fn hostile_version_is_named_in_its_preview_and_undone_by_a_rollback() {
    let things = Things::new().await;
    for Hostile { guest, code, reason } in HOSTILE {
        things.suffer(guest, &guests::body(guest), code, reason).await;
    }
}

/// Values of other types than the fields of the kind declare.
#[covers("T42")]
#[tokio::test]
async fn version_that_lies_about_its_schema_is_named_and_undone() {
    let things = Things::new().await;
    for (part, reason) in [
        (
            Part::Text("x.things.number", "seven"),
            "`x.things.number` is integer, not text",
        ),
        (
            Part::Integer("x.things.series", 7),
            "`x.things.series` is text, not integer",
        ),
        (
            Part::Real("x.things.number", 7.5),
            "`x.things.number` is integer, not real",
        ),
    ] {
        let body = guests::answering(&[part]);
        things.suffer(reason, &body, "bad_output", reason).await;
    }
}

#[tokio::test]
async fn version_that_does_not_start_fails_alone_and_is_undone() {
    let things = Things::new().await;
    let (fixture, name) = (&things.fixture, "endless_start");
    let body = guests::body(name);
    assert_eq!(fixture.upload(&body, &things.second).await.status, 201);
    things.assert_first_is_active(name).await;
    let reason = "it does not start: stopped after 0.5s";
    let preview = fixture.owner.post(&format!("{THINGS}/preview"), &json!({})).await;
    assert_eq!(
        (preview.status, preview.code()),
        (409, Some("plugin_action_conflict".to_owned()))
    );
    let message = preview.json()["message"].to_string();
    assert!(message.contains(reason), "{message}");

    let accepted = fixture.install("things", &body, &things.second).await;
    assert_eq!(
        (&accepted["version"], &accepted["state"], &accepted["reason"]),
        (&json!("2.0.0"), &json!("failed"), &json!(reason))
    );
    assert_eq!(fixture.plugin("guest").await["state"], "active");
    fixture.scan().await;
    things.assert_whole(name).await;
    let list = fixture.owner.get("/api/v1/items?kind=things").await.json();
    let unavailable = list[0][0]["unavailable"]["reason"].as_str().unwrap();
    assert!(unavailable.contains(reason), "{unavailable}");
    things.roll_back(name).await;
}

#[covers("limit BODY_BYTES")]
#[tokio::test]
async fn value_of_a_megabyte_is_refused_for_a_setting() {
    let fixture = Fixture::with_things(1).await;
    let log = "log = \"Says what it finds\"";
    let manifest = guests::kind_manifest("things", "things")
        .replace(log, &format!("{log}\nsettings = \"Knows the title\""));
    let setting = "[settings.title]\ntype = \"text\"\nlabel = { en = \"Title\" }\ndefault = \"mine\"\n";
    let installed = fixture
        .install("things", &guests::body("settings"), &(manifest + setting))
        .await;
    assert_eq!(installed["settings"], json!({"title": "mine"}));
    fixture.scan().await;
    let before = fixture.items("things").await;
    assert_eq!(before[0]["title"], "mine");
    let set = async |title: String| {
        let body = json!({"settings": {"title": title}});
        fixture.owner.patch(THINGS, &body).await
    };
    let too_large = set("a".repeat(1 << 20)).await;
    assert_eq!(too_large.status, 413);
    let message = too_large.json()["message"].to_string();
    assert!(
        message.contains("the body must be at most 65536 bytes long"),
        "{message}"
    );
    for title in ["a".repeat(60_000), "a".repeat(1_001)] {
        let too_long = set(title).await;
        assert_eq!(
            (too_long.status, &too_long.json()["errors"][0]["path"]),
            (400, &json!("settings.title"))
        );
    }
    assert_eq!(
        fixture.plugin("things").await["settings"],
        json!({"title": "mine"})
    );
    fixture.scan().await;
    assert_eq!(fixture.items("things").await, before);
}

#[tokio::test]
async fn upgrade_that_drops_a_field_loses_the_field_and_no_item() {
    let fixture = Fixture::with_things(1).await;
    let by_first_byte = guests::body("by_first_byte");
    let first = guests::kind_manifest("things", "things");
    assert_eq!(
        fixture.install("things", &by_first_byte, &first).await["state"],
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
        fixture.install("things", &by_first_byte, &second).await["version"],
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
