//! Files that are read again with the same record change nothing; batches invalidate only the media that they change.

use crate::tests::*;
use svc_covers::covers;
use svc_domain::change::ChangeKind;
use svc_domain::extraction::ExtractFailure;
use svc_domain::kind::CachePartition;
use svc_domain::photo::PhotoFacts;

/// The entries that storing these files adds to the change feed, and whether it invalidates cached responses.
async fn reported(test_store: &TestStore, files: &[&StoredFile]) -> (Vec<(ChangeKind, i64)>, bool) {
    let digests = files.iter().map(|stored| crate::digest_of(&stored.file));
    let digests: Vec<i64> = digests.collect();
    let read = files.iter().zip(&digests);
    let known = read.clone().filter(|(stored, _)| stored.file.known);
    let known = known.map(|(stored, digest)| (stored.file.id, *digest)).collect();
    let same = test_store.store.index.unchanged_files(&known).await.unwrap();
    let files = read.map(|(stored, digest)| StoredFile {
        digest: Some(*digest),
        unchanged: same.contains(&stored.file.id),
        ..(*stored).clone()
    });
    let files: Vec<StoredFile> = files.collect();
    let since = test_store.store.changes.changes(None, 1).await.unwrap().next;
    let revision = test_store.store.version_counters.media_version_counter(None);
    let batch = ScanBatch {
        now: NOW,
        files,
        ..ScanBatch::default()
    };
    test_store.writer().persist(&batch).await.unwrap();
    let changes = test_store
        .store
        .changes
        .changes(Some(since), 100)
        .await
        .unwrap()
        .changes;
    let reported = changes.iter().map(|change| (change.change.kind, change.item));
    (
        reported.collect(),
        test_store.store.version_counters.media_version_counter(None) != revision,
    )
}

fn another_plugin() -> Option<Arc<PluginVersion>> {
    Some(Arc::new(PluginVersion {
        version: "0.2.0".into(),
        digest: "cd34".into(),
        component: "cd34".into(),
        ..(*plugin()).clone()
    }))
}

#[covers("A7")]
#[tokio::test]
async fn file_with_an_unchanged_record_changes_nothing_and_is_not_reported() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::music(), "a").await;
        let mut song = test_store.file(folder, "1.mp3", record(track("One", &["Ann"], "First", 1)));
        let mut other = test_store.file(folder, "2.mp3", record(track("Two", &["Ann"], "First", 2)));
        let id = song.file.id.get();
        let (changes, is_new) = reported(test_store, &[&song, &other]).await;
        assert!(is_new && changes.contains(&(ChangeKind::Added, id)));
        test_store.writer().recompute_aggregates(NOW).await.unwrap();
        (song.file.known, other.file.known) = (true, true);

        assert_eq!(reported(test_store, &[&song, &other]).await, (vec![], false));
        // The plugin that read it is stored, without a reported change.
        song.plugin = another_plugin();
        assert_eq!(reported(test_store, &[&song]).await, (vec![], false));
        let stale = [("music".to_owned(), "cd34".to_owned())];
        assert_eq!(
            test_store.store.index.stale_plugins(&stale).await.unwrap().len(),
            1,
            "that of the other"
        );

        // One of two files changes; the other is not reported.
        song.file.record = record(track("One more", &["Ann"], "First", 1));
        let updated = vec![(ChangeKind::Updated, id)];
        assert_eq!(
            reported(test_store, &[&song, &other]).await,
            (updated.clone(), true)
        );
        assert_eq!(reported(test_store, &[&song, &other]).await, (vec![], false));
        // Size and modification time are in responses, and some fields are derived from the name.
        song.file.size += 1;
        assert_eq!(reported(test_store, &[&song]).await, (updated.clone(), true));
        song.file.mtime_ns += 1;
        assert_eq!(reported(test_store, &[&song]).await, (updated.clone(), true));
        song.file.name = "one.mp3".to_owned();
        assert_eq!(reported(test_store, &[&song]).await, (updated.clone(), true));

        // Failures, recovered files and restored files are changes.
        let readable = song.file.record.clone();
        song.file.record = FileRecord::Failed(ExtractFailure::Io("EIO".to_owned()));
        assert!(reported(test_store, &[&song]).await.1);
        assert!(!reported(test_store, &[&song]).await.1, "it failed before");
        song.file.record = readable;
        assert_eq!(reported(test_store, &[&song]).await, (updated.clone(), true));
        let gone = ScanBatch {
            now: NOW,
            missing: vec![song.file.id],
            ..ScanBatch::default()
        };
        test_store.writer().persist(&gone).await.unwrap();
        assert!(reported(test_store, &[&song]).await.1, "it is there again");
    })
    .await;
}

#[tokio::test]
async fn photos_are_compared_by_all_fields() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::photos(), "a").await;
        let facts = PhotoFacts::from_extraction(&Extraction::default(), "p.jpg", NOW);
        let photo = |facts: &PhotoFacts| FileRecord::Photo(Box::new(facts.clone()));
        let mut file = test_store.file(folder, "p.jpg", photo(&facts));
        reported(test_store, &[&file]).await;
        file.file.known = true;
        assert_eq!(reported(test_store, &[&file]).await, (vec![], false));
        let wider = PhotoFacts {
            width: Some(4000),
            ..facts.clone()
        };
        let brighter = PhotoFacts {
            aperture: Some(2.8),
            ..facts
        };
        for facts in [wider, brighter] {
            file.file.record = photo(&facts);
            assert!(reported(test_store, &[&file]).await.1, "{facts:?}");
            assert!(!reported(test_store, &[&file]).await.1, "{facts:?}");
        }
    })
    .await;
}

/// Which cache partitions a batch invalidates: music, photos, video.
async fn invalidated(test_store: &TestStore, batch: &ScanBatch) -> [bool; 3] {
    let parts = [
        CachePartition::Music,
        CachePartition::Photos,
        CachePartition::Video,
    ]
    .map(Some);
    let before = parts.map(|part| test_store.store.version_counters.media_version_counter(part));
    let whole = test_store.store.version_counters.media_version_counter(None);
    test_store.writer().persist(batch).await.unwrap();
    let after = parts.map(|part| test_store.store.version_counters.media_version_counter(part));
    assert_eq!(
        test_store.store.version_counters.media_version_counter(None) != whole,
        before != after
    );
    std::array::from_fn(|at| before[at] != after[at])
}

#[tokio::test]
async fn batch_invalidates_only_the_cache_partitions_of_its_media() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, music) = test_store.folder(MediaKind::music(), "a").await;
        let (_, photos) = test_store.folder(MediaKind::photos(), "b").await;
        let song = test_store.file(music, "1.mp3", record(track("One", &["Ann"], "First", 1)));
        let facts = PhotoFacts::from_extraction(&Extraction::default(), "p.jpg", NOW);
        let photo = |name| test_store.file(photos, name, FileRecord::Photo(Box::new(facts.clone())));
        let failed = FileRecord::Failed(ExtractFailure::Io("EIO".to_owned()));
        let gone = song.file.id;
        let of = |files| ScanBatch {
            now: NOW,
            files,
            ..ScanBatch::default()
        };
        let other = test_store.file(music, "2.mp3", record(track("Two", &["Ann"], "First", 2)));
        for (batch, expected) in [
            (of(vec![song]), [true, false, false]),
            (of(vec![photo("1.jpg"), photo("2.jpg")]), [false, true, false]),
            (of(vec![photo("3.jpg"), other]), [true; 3]),
            (of(vec![test_store.file(music, "3.mp3", failed)]), [true; 3]),
            (of(vec![]), [false; 3]),
        ] {
            assert_eq!(invalidated(test_store, &batch).await, expected, "{batch:?}");
        }
        let missing = ScanBatch {
            missing: vec![gone],
            ..of(vec![photo("4.jpg")])
        };
        assert_eq!(invalidated(test_store, &missing).await, [true; 3]);
    })
    .await;
}
