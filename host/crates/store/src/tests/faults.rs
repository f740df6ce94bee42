//! Crashes, full disks, foreign and damaged databases, and writes of users during a scan.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection};
use svc_covers::covers;

use crate::tests::*;
use crate::{ReleaseFilter, ReleaseOrder, StoreError};
use svc_database::Pools;
use svc_domain::list::{ListRequest, Order, Pagination};

#[tokio::test]
async fn digest_is_not_stored_without_all_files_of_its_folder() {
    on_each_database(async |test_store: &mut TestStore| {
        let (directory, folder) = test_store.folder(MediaKind::music(), "a").await;
        // More than one transaction, the last of which fails: its folder does not exist.
        let mut files: Vec<StoredFile> = (0..1100)
            .map(|number| {
                test_store.file(
                    folder,
                    &number.to_string(),
                    record(track("T", &["A"], "B", number)),
                )
            })
            .collect();
        files[1099].file.folder = FolderId::from(1);
        let mut batch = ScanBatch {
            now: NOW,
            files,
            folders_done: vec![done(folder, 7, 1100)],
            ..ScanBatch::default()
        };
        let mut writer = test_store.writer();
        assert!(writer.persist(&batch).await.is_err());
        assert_eq!(
            test_store.store.index.folders(directory).await.unwrap()[0].digest,
            None
        );
        assert_eq!(
            test_store
                .store
                .index
                .files_in_folders(&[folder])
                .await
                .unwrap()
                .len(),
            1000
        );

        // The next scan knows the first 1000 and completes.
        batch.files[1099].file.folder = folder;
        batch.files[..1000]
            .iter_mut()
            .for_each(|file| file.file.known = true);
        writer.persist(&batch).await.unwrap();
        writer.recompute_aggregates(NOW).await.unwrap();
        let stored = &test_store.store.index.folders(directory).await.unwrap()[0];
        assert_eq!((stored.digest, stored.file_count), (Some([7; 16]), 1100));
        let releases = ReleaseFilter::default();
        let releases = test_store
            .store
            .music
            .list_releases(
                ALL_MEDIA,
                &releases,
                &ListRequest::new(ReleaseOrder::Title, Order::Ascending, Pagination::default()),
            )
            .await;
        assert_eq!(releases.unwrap().items[0].track_count, 1100);
    })
    .await;
}

#[tokio::test]
async fn cancelled_batch_leaves_nothing_and_the_writer_usable() {
    on_each_database(async |test_store: &mut TestStore| {
        let (directory, folder) = test_store.folder(MediaKind::music(), "a").await;
        let files = (0..400)
            .map(|number| {
                let (title, album) = (format!("T{number}"), format!("Album {number}"));
                test_store.file(
                    folder,
                    &number.to_string(),
                    record(track(&title, &["A"], &album, 1)),
                )
            })
            .collect();
        let batch = ScanBatch {
            now: NOW,
            files,
            folders_done: vec![done(folder, 7, 400)],
            ..ScanBatch::default()
        };
        let mut writer = test_store.writer();
        let mut given_up = 0;
        for micros in [0, 100, 500, 2_000, 5_000] {
            let limit = Duration::from_micros(micros);
            if tokio::time::timeout(limit, writer.persist(&batch)).await.is_ok() {
                break;
            }
            given_up += 1;
            let stored = &test_store.store.index.folders(directory).await.unwrap()[0];
            let files = test_store.store.index.files_in_folders(&[folder]).await.unwrap();
            // Whether the commit was under way or not: all or nothing.
            assert_eq!(stored.digest.is_some(), files.len() == 400);
            assert_eq!(stored.digest.is_none(), files.is_empty());
            if stored.digest.is_some() {
                return;
            }
        }
        assert!(given_up > 0);
        drop(writer);
        let mut writer = test_store.writer();
        writer.persist(&batch).await.unwrap();
        assert_eq!(
            test_store
                .store
                .index
                .files_in_folders(&[folder])
                .await
                .unwrap()
                .len(),
            400
        );
    })
    .await;
}

#[tokio::test]
async fn full_database_accepts_writes_as_soon_as_there_is_room() {
    let test_store = sqlite_test_store().await;
    let (directory, _) = test_store.folder(MediaKind::music(), "a").await;
    let Pools::Sqlite { writer, .. } = test_store.store.database.pools() else {
        panic!("not SQLite")
    };
    sqlx::query("PRAGMA max_page_count = 1")
        .execute(writer)
        .await
        .unwrap();
    let add = async || {
        let path = RelativePath::root().join_text(&test_store.id::<FolderId>().to_string().repeat(300));
        test_store
            .store
            .index
            .add_folders(directory, &[(test_store.id(), path)])
            .await
    };
    let mut added = 1;
    let error = loop {
        match add().await {
            Ok(()) => added += 1,
            Err(error) => break error,
        }
        assert!(added < 1000, "never full");
    };
    assert!(matches!(error, StoreError::Full(_)), "{error:?}");
    sqlx::query("PRAGMA max_page_count = 1000000")
        .execute(writer)
        .await
        .unwrap();
    add().await.unwrap();
    assert_eq!(
        test_store.store.index.folders(directory).await.unwrap().len(),
        added + 1
    );
    test_store.store.database.check_integrity().await.unwrap();
}

#[covers("T52")]
#[tokio::test]
async fn copy_of_the_database_files_during_a_scan_opens_with_whole_batches() {
    let test_store = sqlite_test_store().await;
    let (directory, folder) = test_store.folder(MediaKind::music(), "a").await;
    let file = test_store.file(folder, "1", record(track("T", &["A"], "B", 1)));
    let batch = ScanBatch {
        now: NOW,
        files: vec![file],
        folders_done: vec![done(folder, 7, 1)],
        ..ScanBatch::default()
    };
    test_store.writer().persist(&batch).await.unwrap();
    let mut open = test_store.write(WritePriority::Scan).await;
    open.execute("UPDATE folders SET stamp = NULL", &[])
        .await
        .unwrap();

    let copy = tempfile::tempdir().unwrap();
    for name in ["svc.db", "svc.db-wal"] {
        std::fs::copy(test_store.dir.path().join(name), copy.path().join(name)).unwrap();
    }
    let store = Store::open(&sqlite_url(&copy), StoreOptions::default())
        .await
        .unwrap();
    store.database.check_integrity().await.unwrap();
    assert_eq!(
        store.index.folders(directory).await.unwrap()[0].digest,
        Some([7; 16])
    );
    assert_eq!(store.index.files_in_folders(&[folder]).await.unwrap().len(), 1);
    store.database.close().await;
}

#[tokio::test]
async fn user_does_not_wait_for_more_than_one_transaction_of_a_scan() {
    let test_store = sqlite_test_store().await;
    let scanning = test_store.write(WritePriority::Scan).await;
    let next = async |priority| {
        test_store.write(priority).await.commit().await.unwrap();
        std::time::Instant::now()
    };
    // In this order they queue; the scan that runs is confirmed last.
    let (next_scan, user, done) = tokio::join!(
        next(WritePriority::Scan),
        next(WritePriority::Interactive),
        scanning.commit()
    );
    done.unwrap();
    assert!(user < next_scan);
}

#[tokio::test]
async fn durability_follows_the_write_priority() {
    let test_store = sqlite_test_store().await;
    for (priority, expected) in [
        (WritePriority::Interactive, 2),
        (WritePriority::Scan, 1),
        (WritePriority::Interactive, 2),
    ] {
        let mut tx = test_store.write(priority).await;
        let rows: Vec<(i64,)> = tx.fetch_all("PRAGMA synchronous", &[]).await.unwrap();
        assert_eq!(rows, [(expected,)], "{priority:?}");
        tx.commit().await.unwrap();
    }
}

#[tokio::test]
async fn new_database_is_private_and_has_the_configured_pragmas() {
    let test_store = sqlite_test_store().await;
    let mode = std::fs::metadata(test_store.dir.path().join("svc.db"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let mut tx = test_store.write(WritePriority::Interactive).await;
    for (pragma, expected) in [
        ("PRAGMA foreign_keys", 1),
        ("PRAGMA trusted_schema", 0),
        ("PRAGMA mmap_size", 0),
        ("PRAGMA busy_timeout", 5000),
        ("PRAGMA temp_store", 2),
        ("PRAGMA application_id", 0x7376_6331),
    ] {
        let rows: Vec<(i64,)> = tx.fetch_all(pragma, &[]).await.unwrap();
        assert_eq!(rows, [(expected,)], "{pragma}");
    }
    let rows: Vec<(String,)> = tx.fetch_all("PRAGMA journal_mode", &[]).await.unwrap();
    assert_eq!(rows, [("wal".to_owned(),)]);
    let read_only = test_store
        .store
        .database
        .pools()
        .fetch_all::<(i64,)>("DELETE FROM users RETURNING user_id", &[])
        .await;
    assert!(read_only.is_err(), "readers cannot write");
}

async fn refused(dir: &tempfile::TempDir) -> StoreError {
    let path = dir.path().join("svc.db");
    let before = std::fs::read(&path).unwrap();
    let error = Store::open(&sqlite_url(dir), StoreOptions::default())
        .await
        .unwrap_err();
    assert_eq!(std::fs::read(&path).unwrap(), before, "the file is untouched");
    error
}

async fn sqlite_file(dir: &tempfile::TempDir, sql: &'static str) {
    let options = SqliteConnectOptions::new()
        .filename(dir.path().join("svc.db"))
        .create_if_missing(true);
    let mut connection = options.connect().await.unwrap();
    sqlx::raw_sql(sql).execute(&mut connection).await.unwrap();
    connection.close().await.unwrap();
}

#[tokio::test]
async fn foreign_and_newer_databases_are_refused_and_untouched() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(
        dir.path().join("svc.db"),
        b"Dear diary, today I was mistaken for a database.",
    )
    .unwrap();
    assert!(matches!(refused(&dir).await, StoreError::NotADatabase(_)));

    let dir = tempfile::tempdir().unwrap();
    sqlite_file(&dir, "CREATE TABLE t (x); PRAGMA application_id = 99").await;
    assert!(matches!(
        refused(&dir).await,
        StoreError::ForeignDatabase {
            application_id: 99,
            ..
        }
    ));

    let test_store = sqlite_test_store().await;
    test_store.store.database.close().await;
    sqlite_file(&test_store.dir, "PRAGMA user_version = 999").await;
    assert!(matches!(
        refused(&test_store.dir).await,
        StoreError::NewerSchema { found: 999, .. }
    ));

    for url in ["mysql://root:secret@host/db", "svc.db", ""] {
        let error = Store::open(url, StoreOptions::default()).await.unwrap_err();
        assert!(matches!(error, StoreError::BadUrl(_)));
        assert!(!error.to_string().contains("secret"));
    }
}

#[tokio::test]
async fn newer_schema_is_refused_on_each_database() {
    on_each_database(async |test_store: &mut TestStore| {
        let mut tx = test_store.write(WritePriority::Interactive).await;
        tx.execute("INSERT INTO schema_migrations (number) VALUES (999)", &[])
            .await
            .unwrap();
        tx.commit().await.unwrap();
        let error = Store::open(&test_store.url, StoreOptions::default())
            .await
            .unwrap_err();
        assert!(
            matches!(error, StoreError::NewerSchema { found: 999, .. }),
            "{error}"
        );
    })
    .await;
}

#[tokio::test]
async fn damaged_database_is_reported_as_such_and_never_recreated() {
    let test_store = sqlite_test_store().await;
    test_store.store.database.close().await;
    let path = test_store.dir.path().join("svc.db");
    let whole = std::fs::read(&path).unwrap();
    for (from, to) in [(100, 200), (4096, 4300), (40_000, 48_000)] {
        let mut damaged = whole.clone();
        damaged[from..to].fill(0xa5);
        std::fs::write(&path, &damaged).unwrap();
        let outcome = match Store::open(&test_store.url, StoreOptions::default()).await {
            Ok(store) => store.database.check_integrity().await,
            Err(error) => Err(error),
        };
        assert!(
            matches!(outcome, Err(StoreError::Corrupt(_))),
            "{from}: {outcome:?}"
        );
    }
}
