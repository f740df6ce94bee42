//! The instance, scan runs with their logs, media directories, the database version.

use std::collections::BTreeMap;

use crate::tests::*;
use crate::{Instance, RunLogFilter, StoreError};
use svc_covers::covers;
use svc_domain::id::{RunId, UserId};
use svc_domain::list::{Order, OrderedPagination, Pagination};
use svc_domain::scan::{KindCounts, Run, RunLogEntry, RunLogEvent, RunOptions, RunStatus, RunType};

#[tokio::test]
async fn instance_is_created_once() {
    on_each_database(async |test_store: &mut TestStore| {
        assert_eq!(test_store.store.instance.instance().await.unwrap(), None);
        let named = |id: &str| Instance {
            instance_id: id.into(),
            created_at: NOW,
        };
        let first = test_store
            .store
            .instance
            .create_instance_if_absent(&named("first"))
            .await
            .unwrap();
        let second = test_store
            .store
            .instance
            .create_instance_if_absent(&named("second"))
            .await
            .unwrap();
        assert_eq!((&first, &second), (&named("first"), &named("first")));
        test_store.reopen().await;
        assert_eq!(test_store.store.instance.instance().await.unwrap(), Some(first));
    })
    .await;
}

#[tokio::test]
async fn statistics_are_of_this_moment_after_a_refresh() {
    on_each_database(async |test_store: &mut TestStore| {
        let run = run(test_store, RunStatus::Running);
        test_store.store.runs.insert_run(&run).await.unwrap();
        test_store.store.database.refresh_statistics().await.unwrap();
        if test_store.url.starts_with("postgres") {
            let pools = test_store.store.database.pools();
            let counted = "SELECT CAST(reltuples AS BIGINT) FROM pg_class \
                WHERE oid = to_regclass('runs')";
            assert_eq!(pools.count(counted, &[]).await.unwrap(), 1);
        }
    })
    .await;
}

fn run(test_store: &TestStore, status: RunStatus) -> Run {
    Run {
        id: test_store.id(),
        run_type: RunType::Full,
        options: RunOptions::default(),
        status,
        started_by: Some(UserId::from(77)),
        started_at: NOW,
        completed_at: None,
        counts: BTreeMap::from([(
            "music".to_owned(),
            KindCounts {
                found: 3,
                ..KindCounts::default()
            },
        )]),
        files_opened: 3,
        seconds: 1.25,
        warnings: vec!["one".into()],
    }
}

#[tokio::test]
async fn runs_are_listed_latest_first_and_fail_when_interrupted() {
    on_each_database(async |test_store: &mut TestStore| {
        let (mut first, second) = (
            run(test_store, RunStatus::Running),
            run(test_store, RunStatus::Paused),
        );
        test_store.store.runs.insert_run(&first).await.unwrap();
        test_store.store.runs.insert_run(&second).await.unwrap();
        first.status = RunStatus::Completed;
        first.completed_at = Some(NOW);
        first.warnings.clear();
        test_store.store.runs.save_run(&first).await.unwrap();
        assert_eq!(
            test_store.store.runs.run(first.id).await.unwrap(),
            Some(first.clone())
        );
        let listed = test_store
            .store
            .runs
            .list_runs(Pagination { take: 1, skip: 0 })
            .await
            .unwrap();
        assert_eq!((listed.items, listed.total), (vec![second.clone()], 2));

        assert_eq!(test_store.store.runs.fail_interrupted_runs(NOW).await.unwrap(), 1);
        assert_eq!(
            test_store
                .store
                .runs
                .run(second.id)
                .await
                .unwrap()
                .unwrap()
                .status,
            RunStatus::Failed
        );
        assert_eq!(test_store.store.runs.run(first.id).await.unwrap(), Some(first));
        assert_eq!(test_store.store.runs.run(RunId::from(1)).await.unwrap(), None);
    })
    .await;
}

/// All lines, oldest first.
const WRITTEN: OrderedPagination = OrderedPagination {
    order: Order::Ascending,
    page: Pagination { take: 12, skip: 0 },
};

#[tokio::test]
async fn log_of_a_run_is_filtered_by_event_and_kind_in_either_direction() {
    on_each_database(async |test_store: &mut TestStore| {
        let run = run(test_store, RunStatus::Running);
        test_store.store.runs.insert_run(&run).await.unwrap();
        let line = |event: &str, kind: MediaKind| RunLogEntry {
            id: test_store.id(),
            run: run.id,
            event: event.to_owned(),
            kind: Some(kind),
            path: RelativePath::root().join_text("a.mp3"),
            plugin: Some("music 0.1.0".into()),
            reason: None,
            diff: None,
        };
        let logs = vec![
            line("file_errored", MediaKind::music()),
            line("file_errored", MediaKind::photos()),
            line("file_missing", MediaKind::music()),
        ];
        let batch = ScanBatch {
            now: NOW,
            logs: logs.clone(),
            ..ScanBatch::default()
        };
        test_store.writer().persist(&batch).await.unwrap();
        let all = test_store
            .store
            .runs
            .list_run_logs(run.id, &RunLogFilter::default(), WRITTEN)
            .await
            .unwrap();
        assert_eq!((&all.items, all.total), (&logs, 3));
        let last = OrderedPagination {
            order: Order::Descending,
            page: Pagination { take: 1, skip: 0 },
        };
        let any = RunLogFilter::default();
        let last = test_store
            .store
            .runs
            .list_run_logs(run.id, &any, last)
            .await
            .unwrap();
        assert_eq!((last.items.as_slice(), last.total), (&logs[2..], 3));
        let filter = RunLogFilter {
            event: Some(RunLogEvent::Errored),
            kind: Some(MediaKind::photos()),
        };
        let some = test_store
            .store
            .runs
            .list_run_logs(run.id, &filter, WRITTEN)
            .await
            .unwrap();
        assert_eq!((some.items.as_slice(), some.total), (&logs[1..2], 1));
    })
    .await;
}

#[tokio::test]
async fn directory_that_is_removed_and_added_again_keeps_its_id() {
    on_each_database(async |test_store: &mut TestStore| {
        let one = (MediaKind::music(), PathBuf::from("/a"));
        let two = (MediaKind::photos(), PathBuf::from("/b"));
        let both = test_store
            .store
            .directories
            .sync_directories(&[one.clone(), two.clone()], &test_store.ids, NOW)
            .await
            .unwrap();
        assert_eq!(
            (both[0].path.clone(), both[1].kind.clone()),
            (one.1.clone(), two.0.clone())
        );
        let less = test_store
            .store
            .directories
            .sync_directories(std::slice::from_ref(&two), &test_store.ids, NOW)
            .await
            .unwrap();
        assert_eq!(less, both[1..]);
        assert_eq!(
            test_store.store.directories.directory_ids().await.unwrap(),
            [both[1].id]
        );
        test_store
            .store
            .directories
            .set_directory_available(both[1].id, false, NOW)
            .await
            .unwrap();
        let again = test_store
            .store
            .directories
            .sync_directories(&[one, two], &test_store.ids, NOW)
            .await
            .unwrap();
        assert_eq!((again[0].id, again[1].id), (both[0].id, both[1].id));
        assert_eq!((again[1].available, again[1].last_seen_at), (false, None));
        test_store
            .store
            .directories
            .set_directory_available(both[1].id, true, NOW)
            .await
            .unwrap();
        assert_eq!(
            test_store.store.directories.list_directories().await.unwrap()[1].last_seen_at,
            Some(NOW)
        );
    })
    .await;
}

#[covers("code database_unavailable", "A5")]
#[tokio::test]
async fn database_reports_its_version_and_is_reachable() {
    on_each_database(async |test_store: &mut TestStore| {
        test_store.store.database.ping().await.unwrap();
        let version = test_store.store.database.database_version().await.unwrap();
        let major = match version.engine {
            "SQLite" => "3.",
            "PostgreSQL" => "1",
            other => panic!("{other}"),
        };
        let is_bare = version
            .version
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.');
        assert!(is_bare && version.version.starts_with(major), "{version:?}");
        let other = Store::open(&test_store.url, StoreOptions::default())
            .await
            .unwrap();
        other.database.close().await;
        assert!(matches!(
            other.database.ping().await,
            Err(StoreError::Unavailable(_))
        ));
    })
    .await;
}
