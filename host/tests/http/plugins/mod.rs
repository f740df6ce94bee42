//! `/plugins`: state, statistics and quarantine; uploads in `uploads.rs`, hostile ones in `hostile*.rs`.

mod hostile;
mod hostile_pages;
mod hostile_versions;
mod kind_owners;
mod manifest_changes;
mod uploads;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::support::{Client, Reply, TestServer, TestServerOptions};
use svc_domain::audit::AuditEvent;
use svc_domain::kind::MediaKind;
use svc_plugin_host::{BuiltIn, Component};
use svc_test_support::guests;

const PLUGINS: &str = "/api/v1/plugins";

const GUEST: &str = "/api/v1/plugins/by-first-byte";

/// A server with a plugin that reads `*.shared`: it traps at files that begin with `t`.
async fn start() -> (TestServer, Client) {
    let bytes = guests::plugin("by_first_byte", "by-first-byte").leak();
    let server = TestServer::start_with(TestServerOptions {
        plugins: vec![BuiltIn {
            name: "guest",
            component: Component::Plain(bytes),
        }],
        ..TestServerOptions::default()
    })
    .await;
    let owner = server.as_owner().await;
    server.folder(MediaKind::music()).await;
    (server, owner)
}

fn put(server: &TestServer, name: &str, content: &str) {
    std::fs::write(server.root.join("Album").join(name), content).unwrap();
}

async fn scan(server: &TestServer, token: &Client) {
    let body = json!({"type": "quick"});
    let reply = token.post("/api/v1/index/run", &body).await;
    assert_eq!(reply.status, 201);
    server.state.indexing.wait_until_idle().await;
}

async fn explain(token: &Client, name: &str) -> Reply {
    let target = format!("/api/v1/index/file?rootDir=music&relativePath=Album/{name}");
    token.get(&target).await
}

async fn release(token: &Client, target: &str) -> (u16, Value) {
    let reply = token.patch(target, &json!({"action": "release"})).await;
    (reply.status, reply.json())
}

async fn only(token: &Client) -> Value {
    let plugins = token.get(PLUGINS).await.json();
    assert_eq!(plugins.as_array().unwrap().len(), 1, "{plugins}");
    plugins[0].clone()
}

#[covers("GET /api/v1/plugins")]
#[tokio::test]
async fn plugins_are_listed_with_state_permissions_limits_and_statistics() {
    let (server, owner) = start().await;
    put(&server, "a.shared", "good");
    put(&server, "b.shared", "neither");
    put(&server, "c.shared", "trap");
    scan(&server, &owner).await;
    let mut plugin = only(&owner).await;
    let digest = plugin["digest"].take();
    assert_eq!(digest.as_str().unwrap().len(), 64);
    let stats = plugin["stats"].take();
    assert_eq!(
        (&stats["calls"], &stats["errors"], &stats["traps"]),
        (&json!(3), &json!(1), &json!(1))
    );
    assert_eq!(stats["failures"], json!({"refused": 1, "trap": 1}));
    assert!(stats["p99Us"].as_u64() >= stats["p50Us"].as_u64());
    assert!(stats["maxMemory"].as_u64().unwrap() >= 65_536);
    assert_eq!(
        plugin,
        json!({
            "pluginId": "by-first-byte",
            "name": "Guest by-first-byte",
            "description": "",
            "version": "1.0.0",
            "license": null,
            "homepage": null,
            "world": "svc:plugin@0.1",
            "abilities": ["extractor"],
            "kinds": ["music"],
            "schemas": {},
            "state": "active",
            "digest": null,
            "origin": "built-in",
            "signedBy": null,
            "settings": {},
            "settingsSchema": {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "type": "object",
                "properties": {},
                "additionalProperties": false,
            },
            "permissions": [
                {"name": "log", "reason": "Says what it finds", "granted": true},
                {"name": "source", "reason": "Reads the file", "granted": true},
            ],
            "limits": [{
                "ability": "extractor",
                "requested": {"memoryMib": 64, "secondsPerFile": 0.2, "readMib": 8},
                "effective": {"memoryMib": 64, "secondsPerFile": 0.2, "readMib": 8, "reads": 10_000},
            }],
            "stats": null,
        })
    );
    let member = server.as_user("bob", &["member"]).await;
    assert_eq!(member.get(PLUGINS).await.status, 403);
    assert_eq!(release(&member, GUEST).await.0, 403);
}

#[tokio::test]
async fn requests_for_a_trapping_file_do_not_quarantine_the_plugin() {
    let (server, owner) = start().await;
    put(&server, "a.shared", "good");
    put(&server, "t.shared", "trap");
    let mut reported = 0;
    let refused = loop {
        let reply = explain(&owner, "t.shared").await;
        if reply.status != 200 {
            break reply;
        }
        assert_eq!(reply.json()["now"]["failure"]["code"], "trap");
        reported += 1;
        assert!(reported <= 100, "the number of traps is limited");
    };
    assert!(reported > 5, "more than quarantines a plugin: {reported}");
    assert_eq!(
        (refused.status, refused.json()["code"].as_str()),
        (503, Some("busy"))
    );
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(only(&owner).await["state"], "active");
    scan(&server, &owner).await;
    let tracks = owner.get("/api/v1/music/tracks").await.json();
    assert_eq!((&tracks[1], &tracks[0][0]["title"]), (&json!(1), &json!("ok")));
}

#[covers("PATCH /api/v1/plugins/{pluginId}", "code plugin_action_conflict")]
#[tokio::test]
async fn quarantine_is_ended_by_release() {
    let (server, owner) = start().await;
    let conflict = release(&owner, GUEST).await;
    assert_eq!(
        (conflict.0, conflict.1["code"].as_str()),
        (409, Some("plugin_action_conflict"))
    );
    assert_eq!(release(&owner, "/api/v1/plugins/nobody").await.0, 404);
    let unknown = owner.patch(GUEST, &json!({"action": "explode"})).await;
    assert_eq!(unknown.status, 400);
    for number in 0..5 {
        put(&server, &format!("{number}.shared"), "trap");
    }
    scan(&server, &owner).await;
    let plugin = only(&owner).await;
    assert_eq!(plugin["state"], "quarantined");
    assert!(plugin["reason"].as_str().unwrap().contains("5 failures in a row"));
    // Neither a run nor a request uses a quarantined plugin.
    put(&server, "good.shared", "good");
    scan(&server, &owner).await;
    let tracks = || async { owner.get("/api/v1/music/tracks").await.json()[1].clone() };
    assert_eq!(tracks().await, 0);
    let explained = explain(&owner, "good.shared").await.json();
    assert_eq!(explained["now"]["skipped"]["code"], "plugin_quarantined");

    let released = release(&owner, GUEST).await;
    assert_eq!((released.0, &released.1["state"]), (200, &json!("active")));
    assert_eq!(only(&owner).await["state"], "active");
    assert_eq!(release(&owner, GUEST).await.0, 409);
    scan(&server, &owner).await;
    assert_eq!(tracks().await, 1);
    let [line] = server.audit(AuditEvent::PluginReleased).await.try_into().unwrap();
    assert_eq!(line.actor.as_ref().unwrap().name.as_deref(), Some("ada"));
    assert_eq!(line.details["plugin"], "by-first-byte");
}
