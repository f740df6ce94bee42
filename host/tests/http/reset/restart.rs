//! Concurrent and interrupted factory resets, and the next start.

use svc_covers::covers;

use super::{marker, reset, restarted, set_up, signing_key, stopped, with_media};
use crate::INSTANCE;
use crate::support::TestServer;
use svc_domain::time::{Clock as _, SystemClock};
use svc_platform::data_dir::DataDir;
use svc_store::Instance;

const NEXT: &str = "ffffffffffffffffffffffffffffffff";

#[tokio::test]
async fn concurrent_factory_resets_leave_one_instance_that_restarts() {
    let server = with_media().await;
    let token = server.as_owner().await;
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let token = token.clone();
        calls.spawn(async move { reset(&token, "factory", "Factory reset").await.status });
    }
    let mut statuses = calls.join_all().await;
    statuses.sort_unstable();
    assert_eq!(statuses[0], 201);
    // A caller whose account has been deleted changes nothing.
    assert_eq!(statuses[1..], [410; 7]);
    let id = server.get("/api/v1/instance").await.json()["instanceId"].clone();
    assert_eq!(set_up(&server, "eve").await.status, 201);
    let directory = stopped(server).await;
    assert_eq!(marker(&directory), [id.as_str().unwrap()]);
    let (_, found) = restarted(&directory).await;
    assert_eq!(found.unwrap().0.instance_id, id);
}

#[tokio::test]
async fn reset_cut_off_before_its_commit_has_no_effect() {
    let server = TestServer::start().await;
    set_up(&server, "ada").await;
    let (directory, key_before) = {
        let key = signing_key(&server.directory);
        (stopped(server).await, key)
    };
    let data_dir = DataDir::open(directory.path()).unwrap();
    data_dir.set_instance_marker(&[INSTANCE, NEXT]).unwrap();
    drop(data_dir);
    for _ in 0..2 {
        let (store, found) = restarted(&directory).await;
        assert_eq!(found.unwrap().0.instance_id, INSTANCE);
        assert_eq!(
            (marker(&directory), signing_key(&directory)),
            (vec![INSTANCE.to_owned()], key_before.clone())
        );
        assert!(store.users.owner_exists().await.unwrap());
        store.database.close().await;
    }
}

#[tokio::test]
async fn reset_cut_off_after_its_commit_completes_at_the_next_start() {
    let server = TestServer::start().await;
    set_up(&server, "ada").await;
    let key = signing_key(&server.directory);
    let mut change = server.store.identity.change_identity().await.unwrap();
    let next = Instance {
        instance_id: NEXT.into(),
        created_at: server.clock.now(),
    };
    change.delete_everything(&next).await.unwrap();
    change.commit().await.unwrap();
    let directory = stopped(server).await;
    let data_dir = DataDir::open(directory.path()).unwrap();
    data_dir.set_instance_marker(&[INSTANCE, NEXT]).unwrap();
    drop(data_dir);
    let (store, found) = restarted(&directory).await;
    let (instance, first) = found.unwrap();
    assert_eq!(instance.instance_id, NEXT);
    assert_ne!(signing_key(&directory), key);
    assert_eq!(marker(&directory), [NEXT]);
    assert!(!store.users.owner_exists().await.unwrap());
    store.database.close().await;
    assert_eq!(restarted(&directory).await.1.unwrap().1, first, "one entry");
}

#[covers("T46")]
#[tokio::test]
async fn lost_or_foreign_database_does_not_reopen_the_setup() {
    let server = TestServer::start().await;
    set_up(&server, "ada").await;
    let directory = stopped(server).await;
    let database = directory.path().join("svc.db");
    for name in ["svc.db", "svc.db-wal", "svc.db-shm"] {
        // Not all of the files exist.
        let _ = std::fs::rename(
            directory.path().join(name),
            directory.path().join(format!("old-{name}")),
        );
    }
    assert!(!database.exists());
    let (store, lost) = restarted(&directory).await;
    assert!(lost.unwrap_err().contains(INSTANCE));
    let other = Instance {
        instance_id: NEXT.into(),
        created_at: SystemClock.now(),
    };
    store.instance.create_instance_if_absent(&other).await.unwrap();
    store.database.close().await;
    assert!(restarted(&directory).await.1.unwrap_err().contains(NEXT));
    assert_eq!(marker(&directory), [INSTANCE]);
}
