//! What each job type does.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use serde_json::json;
use svc_covers::covers;

use super::{COUNTING, JOBS, ask, done, run_jobs, start, until};
use crate::support::databases::on_each_database;
use crate::support::listening::PATIENCE;
use crate::support::{TestServer, TestServerOptions};
use svc_domain::audit::AuditEvent;
use svc_domain::id::FileId;
use svc_domain::job::JobStatus;
use svc_domain::kind::MediaKind;
use svc_events::Events;
use svc_identity::error::{ErrorCode, ServiceError};
use svc_library::jobs::{JobItems, pregeneration_job};
use svc_store::{Store, StoreOptions};
use svc_test_support::databases::{Schema, postgres_url};

#[tokio::test]
async fn verify_reports_missing_and_changed_files() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let owner = server.as_owner().await;
        run_jobs(server);
        let folder = server.folder(MediaKind::photos()).await;
        let mut photos: Vec<FileId> = Vec::new();
        let recorded = SystemTime::UNIX_EPOCH + Duration::from_nanos(1_600_000_000_123_456_789);
        for name in ["good.jpg", "gone.jpg", "longer.jpg", "touched.jpg"] {
            photos.push(server.photo(folder, name, b"jpeg").await);
            let file = std::fs::File::options().write(true).open(server.root.join("Album").join(name));
            file.unwrap().set_modified(recorded).unwrap();
        }
        let at = |name: &str| server.root.join("Album").join(name);
        std::fs::remove_file(at("gone.jpg")).unwrap();
        std::fs::write(at("longer.jpg"), b"longer").unwrap();
        std::fs::write(at("touched.jpg"), b"JPEG").unwrap();
        let before = owner.get("/api/v1/photos").await.json();
        let job = done(&owner, json!({"type": "verify"})).await;
        assert_eq!(job["status"], "completed", "{job}");
        let result = &job["result"];
        assert_eq!(
            (&result["database"], &result["missing"], &result["changed"]),
            (&json!("ok"), &json!(1), &json!(2))
        );
        assert_eq!((&job["completedTasks"], &job["totalTasks"], &job["failedTasks"]), (&json!(4), &json!(4), &json!(3)));
        assert_eq!(
            result["findings"][0],
            json!({"fileId": photos[1], "mediaKind": "photos", "path": "Album/gone.jpg", "finding": "missing"})
        );
        assert_eq!(owner.get("/api/v1/photos").await.json(), before);
        std::fs::rename(&server.root, server.root.with_extension("away")).unwrap();
        let job = done(&owner, json!({"type": "verify"})).await;
        assert_eq!(job["result"]["unavailable"], 4);
        server.state.jobs.stop();
    })
    .await;
}

#[covers("T52")]
#[tokio::test]
async fn backup_opens_as_a_copy_of_the_database() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    run_jobs(&server);
    let folder = server.folder(MediaKind::photos()).await;
    let photo = server.photo(folder, "a.jpg", b"jpeg").await;
    let job = done(&owner, json!({"type": "backup", "parameters": {"keep": 1}})).await;
    assert_eq!(job["status"], "completed", "{job}");
    let name = job["result"]["name"].as_str().unwrap();
    let backup = server.directory.path().join("backups").join(name);
    assert_eq!(job["result"]["bytes"].as_u64().unwrap(), {
        let files = [
            "svc.db",
            "instance-id",
            "keys/signing.key",
            "keys/plugin-cache.key",
        ];
        files
            .map(|file| backup.join(file).metadata().unwrap().len())
            .iter()
            .sum::<u64>()
    });
    // The audit entry follows the end of the job.
    let reported = async {
        loop {
            let lines = server.audit(AuditEvent::BackupMade).await;
            match lines.as_slice() {
                [] => tokio::task::yield_now().await,
                [line] => return line.clone(),
                more => panic!("{more:?}"),
            }
        }
    };
    let line = tokio::time::timeout(PATIENCE, reported).await.unwrap();
    assert_eq!(line.details["name"], name);
    assert_eq!(json!(line.details["jobId"]), job["jobId"]);
    assert_eq!(line.actor.unwrap().name.as_deref(), Some("ada"));
    // Later changes are not in the backup.
    server.photo(folder, "b.jpg", b"jpeg").await;
    let copy = backup.join("svc.db");
    let store = Store::open(&format!("sqlite:{}", copy.display()), StoreOptions::default())
        .await
        .unwrap();
    store.database.check_integrity().await.unwrap();
    let scope = svc_domain::library::MediaScope::All;
    assert!(store.photos.photo(&scope, photo.into()).await.unwrap().is_some());
    assert_eq!(store.files.count_known_files().await.unwrap(), 1);
    assert_eq!(server.store.files.count_known_files().await.unwrap(), 2);
    store.database.close().await;
    // The next backup replaces it.
    let next = done(&owner, json!({"type": "backup", "parameters": {"keep": 1}})).await;
    assert_ne!(next["result"]["name"], job["result"]["name"]);
    assert!(!backup.exists());
    server.state.jobs.stop();
}

#[tokio::test]
async fn backup_of_postgresql_is_refused_and_names_pg_dump() {
    let Some(postgres) = postgres_url() else { return };
    let schema = Schema::create(&postgres).await;
    let server = TestServer::start_with(TestServerOptions {
        database_url: Some(schema.url.clone()),
        ..TestServerOptions::default()
    })
    .await;
    let owner = server.as_owner().await;
    let refused = owner.post(JOBS, &json!({"type": "backup"})).await;
    assert_eq!(refused.status, 400);
    assert!(
        refused.json()["errors"][0]["message"]
            .as_str()
            .unwrap()
            .contains("pg_dump")
    );
    server.store.database.close().await;
    schema.drop().await;
}

#[tokio::test]
async fn reextract_without_files_completes() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let owner = server.as_owner().await;
        run_jobs(server);
        server.folder(MediaKind::music()).await;
        let none = done(
            &owner,
            json!({"type": "reextract", "parameters": {"mediaKind": "music"}}),
        )
        .await;
        assert_eq!(
            (&none["status"], &none["totalTasks"]),
            (&json!("completed"), &json!(0))
        );
        server.state.jobs.stop();
    })
    .await;
}

#[tokio::test]
async fn pregeneration_reports_the_items_that_fail() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let token = server.as_owner().await;
        let folder = server.folder(MediaKind::photos()).await;
        let mut photos = Vec::new();
        for number in 0..5 {
            photos.push(
                server
                    .photo(folder, &format!("{number}.jpg"), b"jpeg")
                    .await
                    .get(),
            );
        }
        let (made, bad) = (Arc::new(Mutex::new(Vec::new())), photos[2]);
        let make = {
            let made = Arc::clone(&made);
            move |item: i64| {
                let made = Arc::clone(&made);
                async move {
                    made.lock().unwrap().push(item);
                    match item {
                        _ if item == bad => Err(ServiceError::Absent {
                            code: ErrorCode::FileMissing,
                            message: "the file is not there any more",
                        }),
                        _ => Ok(()),
                    }
                }
            }
        };
        let registered = pregeneration_job(&COUNTING, &server.store.jobs, JobItems::Photos, make);
        let (jobs, task) = start(server, &Events::default(), registered);
        let job = ask(server, &jobs, &token).await;
        let ended = until(server, job.id, JobStatus::Completed).await;
        assert_eq!((ended.progress.completed, ended.progress.failed), (5, 1));
        let failures = &ended.progress.result["failures"];
        let reason = json!({"id": FileId::from(bad), "reason": "the file is not there any more"});
        assert_eq!(failures, &json!([reason]));
        assert_eq!(*made.lock().unwrap(), photos);
        for items in [JobItems::PicturedReleases, JobItems::Tracks] {
            assert_eq!(server.store.jobs.count_job_items(items).await.unwrap(), 0);
            assert!(server.store.jobs.job_items(items, 0, 9).await.unwrap().is_empty());
        }
        jobs.stop();
        task.await.unwrap();
    })
    .await;
}
