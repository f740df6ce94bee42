//! Readings of the version before the one in use, kept for a rollback.

use std::collections::HashMap;

use crate::tests::kinds::{all, books, comic, comics, files, part, persisted, stored};
use crate::tests::*;
use crate::{KeptReading, digest_of};
use svc_domain::change::ItemType;
use svc_domain::extraction::ExtractFailure;
use svc_domain::item::ItemRecord;
use svc_domain::item_kind::KindSchema;
use svc_domain::plugin::PluginDecisions;

fn version(number: u8) -> Arc<PluginVersion> {
    let digest = format!("digest {number}");
    Arc::new(PluginVersion {
        id: "plugin".into(),
        version: format!("{number}.0.0"),
        component: digest.clone(),
        digest,
    })
}

/// The files as this version read them, with their digests.
fn read_by(number: u8, files: &[StoredFile], records: Vec<FileRecord>) -> Vec<StoredFile> {
    let read = files.iter().zip(records).map(|(file, record)| {
        let mut file = file.clone();
        file.plugin = Some(version(number));
        file.file.record = record;
        file.digest = Some(digest_of(&file.file));
        file
    });
    read.collect()
}

fn known(mut files: Vec<StoredFile>) -> Vec<StoredFile> {
    for file in &mut files {
        file.file.known = true;
    }
    files
}

/// Puts a version into use after another one.
async fn upgraded(test_store: &TestStore, from: u8, to: u8) {
    test_store.instance().await;
    let mut change = test_store.store.identity.change_identity().await.unwrap();
    let decisions = PluginDecisions {
        current: Some(version(to).component.clone()),
        previous: Some(version(from).component.clone()),
        ..PluginDecisions::none("plugin")
    };
    change.store_plugin_decisions(&decisions).await.unwrap();
    change.commit_without_invalidation().await.unwrap();
}

async fn kept(test_store: &TestStore, files: &[StoredFile]) -> HashMap<FileId, KeptReading> {
    let ids: Vec<FileId> = files.iter().map(|file| file.file.id).collect();
    test_store.store.index.kept_readings(&ids).await.unwrap()
}

/// The files as a scan restores them from their kept readings.
async fn restored(
    test_store: &TestStore,
    number: u8,
    schema: &KindSchema,
    files: &[StoredFile],
) -> Vec<StoredFile> {
    let versions = [("plugin".to_owned(), version(number).digest.clone())];
    let versions = test_store.store.index.kept_versions(&versions).await.unwrap();
    let mut kept = kept(test_store, files).await;
    let restore = |file: &StoredFile| {
        let reading = kept.remove(&file.file.id).unwrap();
        assert!(versions.contains_key(&reading.version));
        let title = reading.content.title.clone();
        let record = ItemRecord::from_content(
            reading.content,
            reading.picture,
            schema,
            &RelativePath::root(),
            &title,
        );
        let mut file = file.clone();
        file.file.record = FileRecord::Item(Box::new(record));
        file.plugin = Some(version(number));
        file.digest = Some(digest_of(&file.file));
        assert_eq!(file.digest, Some(reading.record_digest), "{title}");
        file.kept_group = reading.group;
        file
    };
    files.iter().map(restore).collect()
}

#[tokio::test]
async fn readings_are_kept_once_and_restored_as_they_were() {
    on_each_database(async |test_store: &mut TestStore| {
        let kind = stored(test_store, &comics()).await;
        let records = || {
            vec![
                comic("Gamma", Some("Saga"), &["Ann", "Bob"], Some(10)),
                comic("Same", None, &[], None),
                comic("Broken", Some("Saga"), &[], Some(2)),
            ]
        };
        let new = files(test_store, &comics(), "c", records()).await;
        let first = read_by(1, &new, records());
        persisted(test_store, &first).await;
        let before = all(test_store, &kind).await;
        assert!(kept(test_store, &new).await.is_empty(), "nothing was upgraded");

        upgraded(test_store, 1, 2).await;
        let mut second = known(read_by(
            2,
            &new,
            vec![
                comic("Other", None, &[], Some(1)),
                comic("Same", None, &[], None),
                FileRecord::Failed(ExtractFailure::Unsupported("new".into())),
            ],
        ));
        second[1].unchanged = true;
        persisted(test_store, &second).await;
        assert_eq!(all(test_store, &kind).await[1].title, "Other");
        assert_eq!(kept(test_store, &new).await.len(), 3);

        // The same version reads a file once more, with another result: the reading before it stays.
        let again = known(read_by(2, &new[1..2], vec![comic("Changed", None, &[], None)]));
        persisted(test_store, &again).await;

        upgraded(test_store, 2, 1).await;
        let back = known(restored(test_store, 1, &comics(), &new).await);
        persisted(test_store, &back).await;
        assert_eq!(all(test_store, &kind).await, before);

        // Forward again: the other version's readings were kept instead. What it failed to read was no reading.
        let forward = known(restored(test_store, 2, &comics(), &new[..2]).await);
        assert_eq!(kept(test_store, &new).await.len(), 2);
        let titles = forward.iter().map(|file| match &file.file.record {
            FileRecord::Item(record) => record.content.title.clone(),
            other => panic!("{other:?}"),
        });
        assert_eq!(titles.collect::<Vec<_>>(), ["Other", "Changed"]);

        // A file that changed loses its reading, and a reading goes with its file.
        let mut changed = known(read_by(1, &new[..1], records()));
        changed[0].file.size += 1;
        persisted(test_store, &changed).await;
        assert_eq!(kept(test_store, &new).await.len(), 1);
        test_store.delete_media().await;
        assert!(kept(test_store, &new).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn groups_return_with_their_ids_and_ratings_from_versions_that_merge_or_split_them() {
    on_each_database(async |test_store: &mut TestStore| {
        let kind = stored(test_store, &books()).await;
        let user = test_store.user("ann", &[]).await;
        let user_items = &test_store.store.user_items;
        let two_books = || {
            vec![
                part("Ann", "One", 1),
                part("Ann", "One", 2),
                part("Ann", "Two", 1),
            ]
        };
        for (merges, second) in [
            (
                true,
                vec![
                    part("Ann", "All", 1),
                    part("Ann", "All", 2),
                    part("Ann", "All", 3),
                ],
            ),
            (
                false,
                vec![part("Ann", "A", 1), part("Ann", "B", 2), part("Ann", "Two", 1)],
            ),
        ] {
            let new = files(test_store, &books(), &format!("b{merges}"), two_books()).await;
            persisted(test_store, &read_by(1, &new, two_books())).await;
            let before = all(test_store, &kind).await;
            assert_eq!(before.len(), 2);
            for item in &before {
                let key = (ItemType::Item, item.id.get());
                user_items.rate(user, key, 1.0, NOW).await.unwrap();
            }
            upgraded(test_store, 1, 2).await;
            persisted(test_store, &known(read_by(2, &new, second))).await;
            let meanwhile = all(test_store, &kind).await.len();
            assert_eq!(meanwhile, if merges { 1 } else { 3 });

            upgraded(test_store, 2, 1).await;
            // In two transactions, as a scan may be interrupted.
            for part in [&new[..1], &new[1..]] {
                let back = known(restored(test_store, 1, &books(), part).await);
                persisted(test_store, &back).await;
            }
            let after = all(test_store, &kind).await;
            assert_eq!(after, before, "merges: {merges}");
            let keys: Vec<_> = before
                .iter()
                .map(|item| (ItemType::Item, item.id.get()))
                .collect();
            let rated = user_items.user_data(user, &keys).await.unwrap();
            assert!(keys.iter().all(|key| rated[key].rating == Some(1.0)), "{rated:?}");

            // Without the other version, nothing brings its items back.
            let count = "SELECT count(*) FROM user_items";
            upgraded(test_store, 3, 1).await;
            test_store.writer().delete_unusable_readings().await.unwrap();
            assert!(kept(test_store, &new).await.is_empty());
            assert_eq!(
                test_store.store.database.pools().count(count, &[]).await.unwrap(),
                2
            );
            let versions = "SELECT count(*) FROM kept_versions";
            assert_eq!(
                test_store
                    .store
                    .database
                    .pools()
                    .count(versions, &[])
                    .await
                    .unwrap(),
                0
            );
            test_store.delete_media().await;
            upgraded(test_store, 1, 1).await;
        }
    })
    .await;
}

#[tokio::test]
async fn purged_kind_leaves_neither_readings_nor_ratings_of_items_that_would_have_returned() {
    on_each_database(async |test_store: &mut TestStore| {
        let kind = stored(test_store, &books()).await;
        let user = test_store.user("ann", &[]).await;
        let two_books = || vec![part("Ann", "One", 1), part("Ann", "Two", 1)];
        let new = files(test_store, &books(), "b", two_books()).await;
        persisted(test_store, &read_by(1, &new, two_books())).await;
        for item in all(test_store, &kind).await {
            let key = (ItemType::Item, item.id.get());
            test_store
                .store
                .user_items
                .rate(user, key, 1.0, NOW)
                .await
                .unwrap();
        }
        upgraded(test_store, 1, 2).await;
        let merged = vec![part("Ann", "All", 1), part("Ann", "All", 2)];
        persisted(test_store, &known(read_by(2, &new, merged))).await;
        assert_eq!(all(test_store, &kind).await.len(), 1);
        assert_eq!(kept(test_store, &new).await.len(), 2);
        let ratings = "SELECT count(*) FROM user_items";
        let pools = test_store.store.database.pools();
        assert_eq!(pools.count(ratings, &[]).await.unwrap(), 2);

        let mut writer = test_store.writer();
        let purged = writer.purge_kind(&books().kind, NOW).await.unwrap();
        assert_eq!((purged.files, purged.items.len(), purged.is_last), (2, 1, false));
        assert!(writer.purge_kind(&books().kind, NOW).await.unwrap().is_last);
        assert!(kept(test_store, &new).await.is_empty());
        assert_eq!(pools.count(ratings, &[]).await.unwrap(), 0);
    })
    .await;
}
