//! The index follows changes on disk.

use std::time::Duration;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::reset::reset;
use crate::support::TestServer;
use crate::support::accounts::PASSWORD;
use crate::support::databases::on_each_database;
use crate::support::listening::PATIENCE;
use svc_domain::kind::MediaKind;
use svc_indexer::scan_scheduler::ScanScheduler;

const DIRECTORIES: &str = "/api/v1/index/directories";

const RUNS: &str = "/api/v1/index/runs";

/// A server over one music directory, and its owner's token.
async fn start_server() -> (TestServer, String) {
    let server = TestServer::start().await;
    let folder = server.folder(MediaKind::music()).await;
    // Over an empty index the first run would begin at once.
    server.track(folder, "1.mp3", "One", b"sound").await;
    let token = server.owner().await;
    (server, token)
}

/// Has the server follow the disk.
fn follow(scan_scheduler: ScanScheduler) {
    svc_platform::tasks::spawn("keeper", async move { scan_scheduler.run().await });
}

/// Asks until the answer is as it should be.
async fn ask_until(server: &TestServer, token: &str, target: &str, mut holds: impl FnMut(&Value) -> bool) {
    let mut last = Value::Null;
    let asking = async {
        loop {
            last = server.get_as(token, target).await.json();
            if holds(&last) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let in_time = tokio::time::timeout(PATIENCE, asking).await.is_ok();
    assert!(in_time, "{target}: {last}");
}

async fn wait_for_watch(server: &TestServer, token: &str) {
    ask_until(server, token, DIRECTORIES, |directories| {
        directories[0]["watcher"] == "ok"
    })
    .await;
}

async fn set(server: &TestServer, token: &str, settings: Value) {
    let body = json!({"app": null, "settings": settings});
    let reply = server.send_as(token, "PATCH", "/api/v1/settings", &body).await;
    assert_eq!(reply.status, 200);
}

/// Whether the watch had a run over this folder.
fn has_looked_at(runs: &Value, path: &str) -> bool {
    let part = json!({"rootDir": "music", "path": path});
    runs[0].as_array().unwrap().iter().any(|run| {
        let parts = run["paths"].as_array().unwrap();
        run["trigger"] == "watch" && parts.contains(&part)
    })
}

/// Sets the server up with these settings; gives the owner's token.
async fn set_up(server: &TestServer, settings: Value) -> String {
    let body = json!({"username": "ada", "password": PASSWORD, "settings": settings});
    assert_eq!(server.post("/api/v1/setup", &body).await.status, 201);
    server.sign_in("ada").await.jwt
}

#[covers("A17")]
#[tokio::test]
async fn first_start_with_an_empty_index_runs_once_the_server_is_set_up() {
    on_each_database(async |server: TestServer| {
        server.folder(MediaKind::music()).await;
        let eve = server.token(server.user("eve", false, &["administrator"]).await);
        // Not `at_once`: this run waits for nothing but the setup.
        follow(server.state.scan_scheduler.clone());
        wait_for_watch(&server, &eve).await;
        assert_eq!(server.number("SELECT count(*) FROM runs").await, 0);
        let token = set_up(&server, json!({})).await;
        ask_until(&server, &token, RUNS, |runs| runs[1] == 1).await;
        let run = server.get_as(&token, RUNS).await.json()[0][0].clone();
        assert_eq!(
            (&run["trigger"], &run["type"], &run["startedBy"]),
            (&json!("start"), &json!("quick"), &Value::Null)
        );
    })
    .await;
}

#[tokio::test]
async fn nothing_runs_at_the_first_start_where_nothing_is_to_run_by_itself_or_much_is_indexed() {
    on_each_database(async |server: TestServer| {
        let folder = server.folder(MediaKind::music()).await;
        let off = json!({"watch_directories": false, "scan_schedule": "off"});
        let token = set_up(&server, off).await;
        let scan_scheduler = &server.state.scan_scheduler;
        assert!(!scan_scheduler.start_first().await.unwrap());
        assert_eq!(server.number("SELECT count(*) FROM runs").await, 0);
        set(&server, &token, json!({"scan_schedule": "daily"})).await;
        assert!(scan_scheduler.start_first().await.unwrap());
        server.state.indexing.wait_until_idle().await;
        server.track(folder, "1.mp3", "One", b"sound").await;
        assert!(!scan_scheduler.start_first().await.unwrap());
        assert_eq!(server.number("SELECT count(*) FROM runs").await, 1);
    })
    .await;
}

#[tokio::test]
async fn root_that_goes_away_is_said_to_be_away() {
    let (server, token) = start_server().await;
    follow(server.state.scan_scheduler.clone());
    wait_for_watch(&server, &token).await;
    std::fs::rename(&server.root, server.directory.path().join("away")).unwrap();
    ask_until(&server, &token, DIRECTORIES, |directories| {
        directories[0]["watcher"] == "failed"
    })
    .await;
}

#[tokio::test]
async fn changes_are_noticed_in_what_takes_the_place_of_a_root() {
    let (server, token) = start_server().await;
    follow(server.state.scan_scheduler.clone());
    wait_for_watch(&server, &token).await;
    std::fs::rename(&server.root, server.directory.path().join("away")).unwrap();
    std::fs::create_dir_all(server.root.join("New")).unwrap();
    // Noticed from the moment on in which the new root is watched.
    ask_until(&server, &token, RUNS, |runs| {
        std::fs::write(server.root.join("New/notes.txt"), "x").unwrap();
        has_looked_at(runs, "New")
    })
    .await;
}

#[tokio::test]
async fn directories_are_watched_after_a_factory_reset() {
    let (server, token) = start_server().await;
    follow(server.state.scan_scheduler.clone());
    wait_for_watch(&server, &token).await;
    let before = server.get_as(&token, DIRECTORIES).await.json()[0]["directoryId"].clone();
    assert_eq!(
        reset(&server, &token, "factory", "Factory reset").await.status,
        201
    );
    let token = server.owner().await;
    wait_for_watch(&server, &token).await;
    let after = server.get_as(&token, DIRECTORIES).await.json()[0]["directoryId"].clone();
    assert_ne!(after, before);
    std::fs::write(server.root.join("Album/notes.txt"), "x").unwrap();
    ask_until(&server, &token, RUNS, |runs| has_looked_at(runs, "Album")).await;
}

#[tokio::test]
async fn what_changed_before_the_watch_began_is_looked_for() {
    let (server, token) = start_server().await;
    set(&server, &token, json!({"scan_schedule": "off"})).await;
    follow(server.state.scan_scheduler.clone().at_once());
    ask_until(&server, &token, RUNS, |runs| runs[1] == 1).await;
    let runs = server.get_as(&token, RUNS).await.json();
    assert!(has_looked_at(&runs, ""), "{runs}");

    set(&server, &token, json!({"watch_directories": false})).await;
    ask_until(&server, &token, DIRECTORIES, |directories| {
        directories[0]["watcher"] == "off"
    })
    .await;
    set(&server, &token, json!({"watch_directories": true})).await;
    ask_until(&server, &token, RUNS, |runs| runs[1] == 2).await;
}
