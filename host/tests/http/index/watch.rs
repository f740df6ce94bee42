//! The index follows changes on disk.

use std::time::Duration;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::reset::reset;
use crate::support::accounts::PASSWORD;
use crate::support::databases::on_each_database;
use crate::support::listening::PATIENCE;
use crate::support::{Client, TestServer};
use svc_domain::kind::MediaKind;
use svc_indexer::scan_scheduler::ScanScheduler;

const DIRECTORIES: &str = "/api/v1/index/directories";

const RUNS: &str = "/api/v1/index/runs";

/// A server over one music directory, and its owner.
async fn start_server() -> (TestServer, Client) {
    let server = TestServer::start().await;
    let folder = server.folder(MediaKind::music()).await;
    // An empty index would start a run at once.
    server.track(folder, "1.mp3", "One", b"sound").await;
    let token = server.as_owner().await;
    (server, token)
}

/// Starts the scan scheduler.
fn follow(scan_scheduler: ScanScheduler) {
    svc_platform::tasks::spawn("scan-scheduler", async move { scan_scheduler.run().await });
}

/// Repeats a request until the condition holds.
async fn ask_until(token: &Client, target: &str, mut holds: impl FnMut(&Value) -> bool) {
    let mut last = Value::Null;
    let asking = async {
        loop {
            last = token.get(target).await.json();
            if holds(&last) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let in_time = tokio::time::timeout(PATIENCE, asking).await.is_ok();
    assert!(in_time, "{target}: {last}");
}

async fn wait_for_watch(token: &Client) {
    ask_until(token, DIRECTORIES, |directories| {
        directories[0]["watcher"] == "ok"
    })
    .await;
}

async fn set(token: &Client, settings: Value) {
    let body = json!({"app": null, "settings": settings});
    let reply = token.patch("/api/v1/settings", &body).await;
    assert_eq!(reply.status, 200);
}

/// Whether the watch triggered a run over this folder.
fn has_looked_at(runs: &Value, path: &str) -> bool {
    let part = json!({"rootDir": "music", "path": path});
    runs[0].as_array().unwrap().iter().any(|run| {
        let parts = run["paths"].as_array().unwrap();
        run["trigger"] == "watch" && parts.contains(&part)
    })
}

/// Sets the server up with these settings; returns the owner.
async fn set_up(server: &TestServer, settings: Value) -> Client {
    let body = json!({"username": "ada", "password": PASSWORD, "settings": settings});
    assert_eq!(server.post("/api/v1/setup", &body).await.status, 201);
    server.sign_in("ada").await.client
}

#[covers("A17")]
#[tokio::test]
async fn empty_index_is_scanned_once_after_the_setup() {
    on_each_database(async |server: TestServer| {
        server.folder(MediaKind::music()).await;
        let eve = server.as_user("eve", &["administrator"]).await;
        // Without `without_delay` only the setup triggers this run.
        follow(server.state.scan_scheduler.clone());
        wait_for_watch(&eve).await;
        assert_eq!(server.number("SELECT count(*) FROM runs").await, 0);
        let token = set_up(&server, json!({})).await;
        ask_until(&token, RUNS, |runs| runs[1] == 1).await;
        let run = token.get(RUNS).await.json()[0][0].clone();
        assert_eq!(
            (&run["trigger"], &run["type"], &run["startedBy"]),
            (&json!("start"), &json!("quick"), &Value::Null)
        );
    })
    .await;
}

#[tokio::test]
async fn first_start_with_automatic_scans_off_or_a_filled_index_starts_no_run() {
    on_each_database(async |server: TestServer| {
        let folder = server.folder(MediaKind::music()).await;
        let off = json!({"watch_directories": false, "scan_schedule": "off"});
        let token = set_up(&server, off).await;
        let scan_scheduler = &server.state.scan_scheduler;
        assert!(!scan_scheduler.start_first().await.unwrap());
        assert_eq!(server.number("SELECT count(*) FROM runs").await, 0);
        set(&token, json!({"scan_schedule": "daily"})).await;
        assert!(scan_scheduler.start_first().await.unwrap());
        server.state.indexing.wait_until_idle().await;
        server.track(folder, "1.mp3", "One", b"sound").await;
        assert!(!scan_scheduler.start_first().await.unwrap());
        assert_eq!(server.number("SELECT count(*) FROM runs").await, 1);
    })
    .await;
}

#[tokio::test]
async fn missing_root_is_reported_as_failed() {
    let (server, token) = start_server().await;
    follow(server.state.scan_scheduler.clone());
    wait_for_watch(&token).await;
    std::fs::rename(&server.root, server.directory.path().join("away")).unwrap();
    ask_until(&token, DIRECTORIES, |directories| {
        directories[0]["watcher"] == "failed"
    })
    .await;
}

#[tokio::test]
async fn changes_in_a_replaced_root_are_indexed() {
    let (server, token) = start_server().await;
    follow(server.state.scan_scheduler.clone());
    wait_for_watch(&token).await;
    std::fs::rename(&server.root, server.directory.path().join("away")).unwrap();
    std::fs::create_dir_all(server.root.join("New")).unwrap();
    // The write is repeated until the new root is watched.
    ask_until(&token, RUNS, |runs| {
        std::fs::write(server.root.join("New/notes.txt"), "x").unwrap();
        has_looked_at(runs, "New")
    })
    .await;
}

#[tokio::test]
async fn directories_are_watched_after_a_factory_reset() {
    let (server, token) = start_server().await;
    follow(server.state.scan_scheduler.clone());
    wait_for_watch(&token).await;
    let before = token.get(DIRECTORIES).await.json()[0]["directoryId"].clone();
    assert_eq!(reset(&token, "factory", "Factory reset").await.status, 201);
    let token = server.as_owner().await;
    wait_for_watch(&token).await;
    let after = token.get(DIRECTORIES).await.json()[0]["directoryId"].clone();
    assert_ne!(after, before);
    std::fs::write(server.root.join("Album/notes.txt"), "x").unwrap();
    ask_until(&token, RUNS, |runs| has_looked_at(runs, "Album")).await;
}

#[tokio::test]
async fn changes_before_the_watch_started_are_indexed() {
    let (server, token) = start_server().await;
    set(&token, json!({"scan_schedule": "off"})).await;
    follow(server.state.scan_scheduler.clone().without_delay());
    ask_until(&token, RUNS, |runs| runs[1] == 1).await;
    let runs = token.get(RUNS).await.json();
    assert!(has_looked_at(&runs, ""), "{runs}");

    set(&token, json!({"watch_directories": false})).await;
    ask_until(&token, DIRECTORIES, |directories| {
        directories[0]["watcher"] == "off"
    })
    .await;
    set(&token, json!({"watch_directories": true})).await;
    ask_until(&token, RUNS, |runs| runs[1] == 2).await;
}
