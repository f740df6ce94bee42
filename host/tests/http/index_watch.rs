//! How the index follows the disk by itself: watches that are lost, and what changed while there was none.

use std::time::Duration;

use serde_json::{Value, json};

use crate::Bed;
use crate::events_bed::PATIENCE;
use crate::people::PASSWORD;
use crate::refresh::on_each_database;
use crate::reset::reset;
use svc_domain::kind::MediaKind;
use svc_indexer::keeper::Keeper;

const DIRECTORIES: &str = "/api/v1/index/directories";
const RUNS: &str = "/api/v1/index/runs";

/// A server over one music directory, and its owner's token.
async fn server() -> (Bed, String) {
    let bed = Bed::start().await;
    let folder = bed.folder(MediaKind::music()).await;
    // Over an empty index the first run would begin at once.
    bed.track(folder, "1.mp3", "One", b"sound").await;
    let token = bed.owner().await;
    (bed, token)
}

/// Has the server follow the disk.
fn follow(keeper: Keeper) {
    svc_platform::tasks::spawn("keeper", async move { keeper.run().await });
}

/// Asks until the answer is as it should be.
async fn ask_until(bed: &Bed, token: &str, target: &str, mut holds: impl FnMut(&Value) -> bool) {
    let mut last = Value::Null;
    let asking = async {
        loop {
            last = bed.get_as(token, target).await.json();
            if holds(&last) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let in_time = tokio::time::timeout(PATIENCE, asking).await.is_ok();
    assert!(in_time, "{target}: {last}");
}

async fn wait_for_watch(bed: &Bed, token: &str) {
    ask_until(bed, token, DIRECTORIES, |directories| {
        directories[0]["watcher"] == "ok"
    })
    .await;
}

async fn set(bed: &Bed, token: &str, settings: Value) {
    let body = json!({"app": null, "settings": settings});
    let reply = bed.send_as(token, "PATCH", "/api/v1/settings", &body).await;
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
async fn set_up(bed: &Bed, settings: Value) -> String {
    let body = json!({"username": "ada", "password": PASSWORD, "settings": settings});
    assert_eq!(bed.post("/api/v1/setup", &body).await.status, 201);
    bed.sign_in("ada").await.jwt
}

#[tokio::test]
async fn first_start_with_an_empty_index_runs_once_the_server_is_set_up() {
    on_each_database(async |bed: Bed| {
        bed.folder(MediaKind::music()).await;
        let eve = bed.token(bed.user("eve", false, &["administrator"]).await);
        // Not `at_once`: this run waits for nothing but the setup.
        follow(bed.state.keeper.clone());
        wait_for_watch(&bed, &eve).await;
        assert_eq!(bed.number("SELECT count(*) FROM runs").await, 0);
        let token = set_up(&bed, json!({})).await;
        ask_until(&bed, &token, RUNS, |runs| runs[1] == 1).await;
        let run = bed.get_as(&token, RUNS).await.json()[0][0].clone();
        assert_eq!(
            (&run["trigger"], &run["type"], &run["startedBy"]),
            (&json!("start"), &json!("quick"), &Value::Null)
        );
    })
    .await;
}

#[tokio::test]
async fn nothing_runs_at_the_first_start_where_nothing_is_to_run_by_itself_or_much_is_indexed() {
    on_each_database(async |bed: Bed| {
        let folder = bed.folder(MediaKind::music()).await;
        let off = json!({"watch_directories": false, "scan_schedule": "off"});
        let token = set_up(&bed, off).await;
        let keeper = &bed.state.keeper;
        assert!(!keeper.start_first().await.unwrap());
        assert_eq!(bed.number("SELECT count(*) FROM runs").await, 0);
        set(&bed, &token, json!({"scan_schedule": "daily"})).await;
        assert!(keeper.start_first().await.unwrap());
        bed.state.indexing.wait_until_idle().await;
        bed.track(folder, "1.mp3", "One", b"sound").await;
        assert!(!keeper.start_first().await.unwrap());
        assert_eq!(bed.number("SELECT count(*) FROM runs").await, 1);
    })
    .await;
}

#[tokio::test]
async fn root_that_goes_away_is_said_to_be_away() {
    let (bed, token) = server().await;
    follow(bed.state.keeper.clone());
    wait_for_watch(&bed, &token).await;
    std::fs::rename(&bed.root, bed.directory.path().join("away")).unwrap();
    ask_until(&bed, &token, DIRECTORIES, |directories| {
        directories[0]["watcher"] == "failed"
    })
    .await;
}

#[tokio::test]
async fn changes_are_noticed_in_what_takes_the_place_of_a_root() {
    let (bed, token) = server().await;
    follow(bed.state.keeper.clone());
    wait_for_watch(&bed, &token).await;
    std::fs::rename(&bed.root, bed.directory.path().join("away")).unwrap();
    std::fs::create_dir_all(bed.root.join("New")).unwrap();
    // Noticed from the moment on in which the new root is watched.
    ask_until(&bed, &token, RUNS, |runs| {
        std::fs::write(bed.root.join("New/notes.txt"), "x").unwrap();
        has_looked_at(runs, "New")
    })
    .await;
}

#[tokio::test]
async fn directories_are_watched_after_a_factory_reset() {
    let (bed, token) = server().await;
    follow(bed.state.keeper.clone());
    wait_for_watch(&bed, &token).await;
    let before = bed.get_as(&token, DIRECTORIES).await.json()[0]["directoryId"].clone();
    assert_eq!(reset(&bed, &token, "factory", "Factory reset").await.status, 201);
    let token = bed.owner().await;
    wait_for_watch(&bed, &token).await;
    let after = bed.get_as(&token, DIRECTORIES).await.json()[0]["directoryId"].clone();
    assert_ne!(after, before);
    std::fs::write(bed.root.join("Album/notes.txt"), "x").unwrap();
    ask_until(&bed, &token, RUNS, |runs| has_looked_at(runs, "Album")).await;
}

#[tokio::test]
async fn what_changed_before_the_watch_began_is_looked_for() {
    let (bed, token) = server().await;
    set(&bed, &token, json!({"scan_schedule": "off"})).await;
    follow(bed.state.keeper.clone().at_once());
    ask_until(&bed, &token, RUNS, |runs| runs[1] == 1).await;
    let runs = bed.get_as(&token, RUNS).await.json();
    assert!(has_looked_at(&runs, ""), "{runs}");

    set(&bed, &token, json!({"watch_directories": false})).await;
    ask_until(&bed, &token, DIRECTORIES, |directories| {
        directories[0]["watcher"] == "off"
    })
    .await;
    set(&bed, &token, json!({"watch_directories": true})).await;
    ask_until(&bed, &token, RUNS, |runs| runs[1] == 2).await;
}
