//! What a version that waits has more and less than the one in use, and how many items that concerns.

use serde_json::{Value, json};

use crate::plugins::{PLUGINS, scan};
use crate::support::databases::on_each_database_with;
use crate::support::write_requests::to_grant;
use crate::support::{Client, TestServer, TestServerOptions};
use svc_test_support::guests;

/// A directory of `things`, which a plugin defines.
fn with_things() -> TestServerOptions {
    TestServerOptions {
        roots: vec!["things"],
        ..TestServerOptions::default()
    }
}

/// A version of the plugin, each of whose items has the fields `x.things.series` and `x.things.number`.
fn version(manifest: &str) -> Vec<u8> {
    let body = guests::answering(&[
        guests::Part::Text("x.things.series", "Saga"),
        guests::Part::Integer("x.things.number", 7),
    ]);
    guests::with_manifest(guests::component(&body), manifest)
}

async fn upload(owner: &Client, manifest: &str) -> Value {
    let reply = owner
        .post_bytes(PLUGINS, "application/wasm", version(manifest))
        .await;
    assert_eq!(reply.status, 201, "{}", reply.json());
    reply.json()
}

/// Indexes three items with version 1.0.0.
async fn index_three(server: &TestServer, owner: &Client) -> String {
    let manifest = guests::kind_manifest("things", "things");
    let things = server.directory.path().join("things");
    for number in 0..3 {
        std::fs::write(things.join(format!("{number}.shared")), "a").unwrap();
    }
    let grants = json!({"grants": ["log", "source"], "digest": to_grant(&upload(owner, &manifest).await)});
    let granted = owner.patch(&format!("{PLUGINS}/things"), &grants).await;
    assert_eq!(granted.json()["state"], "active");
    scan(server, owner).await;
    let list = owner.get("/api/v1/items?kind=things").await.json();
    assert_eq!(list[1], 3, "{list}");
    manifest.replace("1.0.0", "2.0.0")
}

async fn preview(owner: &Client) -> Value {
    let reply = owner.post(&format!("{PLUGINS}/things/preview"), &json!({})).await;
    assert_eq!(reply.status, 201, "{}", reply.json());
    reply.json()["changes"].clone()
}

#[tokio::test]
async fn lost_field_and_changed_field_are_listed_with_the_items_that_lose_values() {
    on_each_database_with(with_things, async |server| {
        let owner = server.as_owner().await;
        let second = index_three(&server, &owner).await;
        let number = second
            .find("[[kinds.fields]]\nkey = \"x.things.number\"")
            .unwrap();
        let permissions = second.find("[permissions]").unwrap();
        let without_number = format!("{}{}", &second[..number], &second[permissions..])
            .replace("sort = true\nfacet = true", "facet = true")
            .replace("extensions = [\"shared\"]", "extensions = [\"shared\", \"more\"]");
        let uploaded = upload(&owner, &without_number).await;
        let changes = &uploaded["candidate"]["changes"];
        assert_eq!(
            *changes,
            json!({
                "kindsGained": [], "kindsLost": [], "kindsRegrouped": [],
                "fieldsGained": [],
                "fieldsLost": [
                    {"kind": "things", "field": "x.things.number", "type": "integer", "uses": ["sort"]},
                ],
                "fieldsChanged": [{
                    "kind": "things",
                    "field": "x.things.series",
                    "before": {"type": "text", "uses": ["search", "sort", "facet"]},
                    "after": {"type": "text", "uses": ["search", "facet"]},
                }],
                "extensionsGained": [{"kind": "things", "extension": "more"}],
                "extensionsLost": [],
                "permissionsGained": [], "permissionsLost": [],
                "items": [{"kind": "things", "unavailable": 0, "losingValues": 3}],
            })
        );
        assert_eq!(preview(&owner).await, *changes);
    })
    .await;
}

#[tokio::test]
async fn lost_kind_is_listed_with_the_items_that_become_unavailable() {
    on_each_database_with(with_things, async |server| {
        let owner = server.as_owner().await;
        let second = index_three(&server, &owner).await;
        let renamed = second.replace("kind = \"things\"", "kind = \"tunebooks\"");
        let uploaded = upload(&owner, &renamed).await;
        let changes = &uploaded["candidate"]["changes"];
        assert_eq!(
            (&changes["kindsGained"], &changes["kindsLost"], &changes["items"]),
            (
                &json!(["tunebooks"]),
                &json!(["things"]),
                &json!([{"kind": "things", "unavailable": 3, "losingValues": 0}])
            )
        );
        assert_eq!(preview(&owner).await, *changes);
    })
    .await;
}
