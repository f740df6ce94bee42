//! Everything that is indexed of a plugin's kind is deleted.

use crate::PurgedPart;
use crate::tests::kinds::{all, books, comic, comics, files, part, persisted, stored};
use crate::tests::*;
use svc_domain::change::{ChangeKind, ItemType};

/// More than one transaction deletes.
const COMICS: i64 = 300;

async fn count(test_store: &TestStore, sql: &'static str) -> u64 {
    test_store.store.database.pools().count(sql, &[]).await.unwrap()
}

#[tokio::test]
async fn kind_is_purged_in_bounded_parts_and_other_kinds_stay() {
    on_each_database(async |test_store: &mut TestStore| {
        let (comics, books) = (comics(), books());
        let comic_kind = stored(test_store, &comics).await;
        let book_kind = stored(test_store, &books).await;
        let records =
            (0..COMICS).map(|number| comic(&format!("C{number}"), Some("Saga"), &["Ann"], Some(number)));
        let comic_files = files(test_store, &comics, "c", records.collect()).await;
        persisted(test_store, &comic_files).await;
        let digest = ScanBatch {
            now: NOW,
            folders_done: vec![done(comic_files[0].file.folder, 7, COMICS)],
            ..ScanBatch::default()
        };
        test_store.writer().persist(&digest).await.unwrap();
        // From here, the directory of the comics is not configured.
        let book_files = vec![part("Ann", "B", 1), part("Ann", "B", 2)];
        let book_files = files(test_store, &books, "b", book_files).await;
        persisted(test_store, &book_files).await;
        let (_, folder) = test_store.folder(MediaKind::music(), "m").await;
        let song = record(track("T", &["A"], "R", 1));
        test_store
            .persist(vec![test_store.file(folder, "t.mp3", song)])
            .await;
        let user = test_store.user("ann", &[]).await;
        let book = all(test_store, &book_kind).await.remove(0);
        for id in [book.id.get(), comic_files[0].file.id.get()] {
            let key = (ItemType::Item, id);
            test_store
                .store
                .user_items
                .rate(user, key, 1.0, NOW)
                .await
                .unwrap();
        }
        let changes = &test_store.store.changes;
        let since = changes.changes(None, 1).await.unwrap().next;

        // Files of a kind that every server has are not deleted in this way.
        let index = &test_store.store.index;
        let mut writer = test_store.writer();
        let of_music = writer.purge_kind(&MediaKind::music(), NOW).await.unwrap();
        let nothing = PurgedPart {
            is_last: true,
            ..PurgedPart::default()
        };
        assert_eq!(of_music, nothing);
        assert_eq!(index.count_files_of_kind(&MediaKind::music()).await.unwrap(), 1);

        assert_eq!(index.count_files_of_kind(&comics.kind).await.unwrap(), 300);
        let first = writer.purge_kind(&comics.kind, NOW).await.unwrap();
        assert_eq!((first.files, first.items.len(), first.is_last), (256, 256, false));
        assert!(
            first
                .items
                .iter()
                .all(|item| item.change == ChangeKind::Removed && item.kind == comics.kind)
        );
        assert_eq!(index.count_files_of_kind(&comics.kind).await.unwrap(), 44);
        let unchanged = "SELECT count(*) FROM folders WHERE stamp IS NOT NULL";
        assert_eq!(count(test_store, unchanged).await, 0, "the next scan looks again");
        let second = writer.purge_kind(&comics.kind, NOW).await.unwrap();
        assert_eq!(
            (second.files, second.items.len(), second.is_last),
            (44, 44, false)
        );
        assert_eq!(writer.purge_kind(&comics.kind, NOW).await.unwrap(), nothing);

        assert!(all(test_store, &comic_kind).await.is_empty());
        assert_eq!(all(test_store, &book_kind).await, [book]);
        for (sql, left) in [
            ("SELECT count(*) FROM items", 1),
            ("SELECT count(*) FROM item_files", 2),
            ("SELECT count(*) FROM files", 3),
            ("SELECT count(*) FROM folders", 2),
            ("SELECT count(*) FROM search_items", 1),
            ("SELECT count(*) FROM user_items", 1),
            (
                "SELECT count(*) FROM item_values v WHERE NOT EXISTS \
                 (SELECT 1 FROM items i WHERE i.item_id = v.item_id)",
                0,
            ),
        ] {
            assert_eq!(count(test_store, sql).await, left, "{sql}");
        }
        let removed = changes.changes(Some(since), 1000).await.unwrap().changes;
        let removed = removed.iter().filter(|change| {
            change.change.item == ItemType::Item && change.change.kind == ChangeKind::Removed
        });
        assert_eq!(removed.count(), 300);

        // The plugin is back.
        let again = files(
            test_store,
            &comics,
            "c",
            vec![comic("C0", Some("Saga"), &["Ann"], Some(0))],
        )
        .await;
        persisted(test_store, &again).await;
        let again = all(test_store, &comic_kind).await;
        assert_eq!((again.len(), again[0].title.as_str()), (1, "C0"));
    })
    .await;
}

#[tokio::test]
async fn group_that_a_purge_has_reached_in_part_is_counted_again() {
    on_each_database(async |test_store: &mut TestStore| {
        let books = books();
        let kind = stored(test_store, &books).await;
        let parts = (1..=COMICS).map(|track| part("Ann", "Long", track));
        let long = files(test_store, &books, "b", parts.collect()).await;
        persisted(test_store, &long).await;
        let before = all(test_store, &kind).await.remove(0);
        let mut writer = test_store.writer();
        let purged = writer.purge_kind(&books.kind, NOW).await.unwrap();
        assert_eq!(
            (purged.files, purged.items.len(), purged.is_last),
            (256, 0, false)
        );
        // The plugin came back, and a scan follows.
        writer.recompute_aggregates(NOW).await.unwrap();
        let after = all(test_store, &kind).await.remove(0);
        assert_eq!((after.id, after.part_count), (before.id, 44));
    })
    .await;
}
