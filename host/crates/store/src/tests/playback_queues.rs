//! Playback queues: random edits compared with a list in memory, windows, concurrent changes, pools of dynamic queues.

use crate::tests::libraries::{insert, library, songs};
use crate::tests::user_items::{episodes, movie};
use crate::tests::*;
use crate::{QueueChange, QueuePosition};
use svc_domain::change::ItemType;
use svc_domain::id::{PlaybackQueueId, PlaybackQueueItemId, UserId};
use svc_domain::library::Grant;
use svc_domain::list::Pagination;
use svc_domain::playback_queue::{DrawState, MAX_QUEUES, PlaybackQueue, QueueType};
use svc_domain::user_data::ItemKey;
use svc_test_support::databases::number;

type ItemId = PlaybackQueueItemId;

async fn create(test_store: &TestStore, user: UserId, second: i64) -> PlaybackQueueId {
    let now = Timestamp::from_millis(NOW.millis() + second * 1000);
    let queue = PlaybackQueue {
        id: test_store.id(),
        user,
        queue_type: QueueType::Static,
        seed: "seed".into(),
        seeds: vec![1, 2],
        revision: 1,
        item_count: 0,
        cursor: None,
        draw: DrawState::default(),
        created_at: now,
        modified_at: now,
    };
    let change = test_store
        .store
        .playback_queues
        .create_queue(queue.clone())
        .await
        .unwrap();
    assert_eq!(change.commit().await.unwrap(), queue);
    queue.id
}

async fn change(test_store: &TestStore, user: UserId, id: PlaybackQueueId) -> QueueChange {
    test_store
        .store
        .playback_queues
        .change_queue(user, id, NOW)
        .await
        .unwrap()
        .unwrap()
}

fn fresh(test_store: &TestStore, count: usize) -> Vec<(ItemId, ItemKey)> {
    (0..count)
        .map(|n| (test_store.id(), (ItemType::MusicTrack, n as i64)))
        .collect()
}

/// All items in order. Asserts that their indexes are consecutive.
async fn order(test_store: &TestStore, user: UserId, id: PlaybackQueueId) -> Vec<ItemId> {
    let window = test_store
        .store
        .playback_queues
        .queue_window(user, id, None, 0, 20_000)
        .await
        .unwrap();
    let Some(window) = window else { return Vec::new() };
    assert_eq!(window.total, window.items.len() as u64);
    for (at, item) in window.items.iter().enumerate() {
        assert_eq!(item.index, at as u64);
    }
    window.items.iter().map(|item| item.id).collect()
}

/// Pseudo-random numbers from a seed, so that a failing case can be repeated.
struct SeededRandom(u64);

impl SeededRandom {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound.max(1)
    }
}

#[tokio::test]
async fn random_edits_of_a_queue_match_a_list_in_memory() {
    on_each_database(async |test_store: &mut TestStore| {
        let ada = test_store.user("ada", &[]).await;
        for seed in 0..3 {
            let id = create(test_store, ada, seed).await;
            let mut numbers = SeededRandom(seed as u64);
            let (mut model, mut cursor): (Vec<ItemId>, Option<ItemId>) = (Vec::new(), None);
            let mut revision = 1;
            for step in 0..250 {
                let mut open = change(test_store, ada, id).await;
                let before = model.clone();
                let any = |numbers: &mut SeededRandom, model: &[ItemId]| -> Option<ItemId> {
                    (!model.is_empty()).then(|| model[numbers.below(model.len())])
                };
                match numbers.below(10) {
                    0..=2 => {
                        let count = 1 + numbers.below(4);
                        let items = fresh(test_store, count);
                        let (place, at) = match (numbers.below(3), any(&mut numbers, &model)) {
                            (0, _) => (QueuePosition::Front, 0),
                            (1, Some(item)) => (
                                QueuePosition::After(item),
                                model.iter().position(|other| *other == item).unwrap() + 1,
                            ),
                            _ => (QueuePosition::End, model.len()),
                        };
                        assert!(open.insert(&items, place).await.unwrap());
                        model.splice(at..at, items.iter().map(|(id, _)| *id));
                    }
                    // Always to the same position, until its gap is used up and all positions are renumbered.
                    3..=6 => {
                        let (Some(item), first) = (any(&mut numbers, &model), model.first().copied()) else {
                            continue;
                        };
                        let after = match numbers.below(3) {
                            0 => None,
                            1 => first,
                            _ => any(&mut numbers, &model),
                        };
                        assert!(open.move_item(item, after).await.unwrap());
                        if after != Some(item) {
                            model.retain(|other| *other != item);
                            let at = after.map_or(0, |after| {
                                model.iter().position(|other| *other == after).unwrap() + 1
                            });
                            model.insert(at, item);
                        }
                    }
                    7 => {
                        let Some(item) = any(&mut numbers, &model) else {
                            continue;
                        };
                        assert!(open.remove(item).await.unwrap());
                        let at = model.iter().position(|other| *other == item).unwrap();
                        model.remove(at);
                        if cursor == Some(item) {
                            cursor = model.get(at).or(model.last()).copied();
                        }
                    }
                    8 => {
                        let Some(item) = any(&mut numbers, &model) else {
                            continue;
                        };
                        assert!(open.set_cursor(item, 5).await.unwrap());
                        cursor = Some(item);
                    }
                    _ => {
                        // Dropped without a commit: nothing is stored.
                        assert!(
                            open.insert(&fresh(test_store, 2), QueuePosition::Front)
                                .await
                                .unwrap()
                        );
                        drop(open);
                        assert_eq!(order(test_store, ada, id).await, model, "{seed} {step}");
                        continue;
                    }
                }
                let queue = open.commit().await.unwrap();
                revision += i64::from(model != before);
                assert_eq!(queue.revision, revision, "{seed} {step}");
                assert_eq!(queue.item_count, model.len() as u64);
                assert_eq!(queue.cursor.map(|cursor| cursor.item), cursor, "{seed} {step}");
                if let Some(cursor) = queue.cursor {
                    assert_eq!(model[cursor.index as usize], cursor.item);
                }
                assert_eq!(order(test_store, ada, id).await, model, "{seed} {step}");
                assert_eq!(
                    test_store
                        .store
                        .playback_queues
                        .queue(ada, id)
                        .await
                        .unwrap()
                        .unwrap(),
                    queue
                );
            }
            assert!(model.len() > 20, "the steps make a list");
        }
    })
    .await;
}

#[tokio::test]
async fn moved_item_changes_one_row_until_its_gap_is_used_up() {
    on_each_database(async |test_store: &mut TestStore| {
        let ada = test_store.user("ada", &[]).await;
        let id = create(test_store, ada, 0).await;
        let items = fresh(test_store, 300);
        let mut open = change(test_store, ada, id).await;
        open.insert(&items, QueuePosition::End).await.unwrap();
        open.commit().await.unwrap();
        let sum = "SELECT CAST(sum(place) AS BIGINT) FROM playback_queue_items";
        let mut model: Vec<ItemId> = items.iter().map(|(id, _)| *id).collect();
        // Always behind the first item: each move halves the gap.
        let mut renumberings = 0;
        for _ in 0..60 {
            let places = number(&test_store.url, sum).await;
            let last = *model.last().unwrap();
            let mut open = change(test_store, ada, id).await;
            assert!(open.move_item(last, Some(model[0])).await.unwrap());
            open.commit().await.unwrap();
            model.pop();
            model.insert(1, last);
            renumberings += i64::from((number(&test_store.url, sum).await - places).abs() > 300 << 20);
        }
        assert_eq!(order(test_store, ada, id).await, model);
        assert!(renumberings <= 4, "{renumberings} of 60 moves touched all rows");
    })
    .await;
}

#[tokio::test]
async fn window_has_the_items_around_an_item() {
    on_each_database(async |test_store: &mut TestStore| {
        let (ada, bob) = (
            test_store.user("ada", &[]).await,
            test_store.user("bob", &[]).await,
        );
        let id = create(test_store, ada, 0).await;
        assert_eq!(
            test_store
                .store
                .playback_queues
                .queue_window(ada, id, None, 5, 5)
                .await
                .unwrap(),
            None
        );
        let items = fresh(test_store, 10);
        let mut open = change(test_store, ada, id).await;
        open.insert(&items, QueuePosition::End).await.unwrap();
        open.commit().await.unwrap();
        for (around, leading, trailing, expected) in [
            (None, 3, 2, 0..3),
            (Some(0), 3, 2, 0..3),
            (Some(5), 2, 1, 3..7),
            (Some(9), 100, 100, 0..10),
            (Some(4), 0, 0, 4..5),
        ] {
            let around = around.map(|at: usize| items[at].0);
            let window = test_store
                .store
                .playback_queues
                .queue_window(ada, id, around, leading, trailing)
                .await
                .unwrap()
                .unwrap();
            let shown: Vec<_> = window
                .items
                .iter()
                .map(|item| (item.index, item.id, item.key))
                .collect();
            let wanted: Vec<_> = expected.map(|at| (at as u64, items[at].0, items[at].1)).collect();
            assert_eq!((shown, window.total, window.revision), (wanted, 10, 2));
        }
        assert_eq!(
            test_store
                .store
                .playback_queues
                .queue_window(bob, id, None, 5, 5)
                .await
                .unwrap(),
            None
        );
        assert!(
            test_store
                .store
                .playback_queues
                .queue(bob, id)
                .await
                .unwrap()
                .is_none()
        );
        assert!(
            test_store
                .store
                .playback_queues
                .change_queue(bob, id, NOW)
                .await
                .unwrap()
                .is_none()
        );
        let found = test_store
            .store
            .playback_queues
            .queue_of_item(ada, items[3].0)
            .await
            .unwrap();
        assert_eq!(found, Some((id, (ItemType::MusicTrack, 3))));
        assert_eq!(
            test_store
                .store
                .playback_queues
                .queue_of_item(bob, items[3].0)
                .await
                .unwrap(),
            None
        );
        change(test_store, ada, id).await.delete().await.unwrap();
        assert!(
            test_store
                .store
                .playback_queues
                .queue(ada, id)
                .await
                .unwrap()
                .is_none()
        );
        assert_eq!(
            number(&test_store.url, "SELECT count(*) FROM playback_queue_items").await,
            0
        );
    })
    .await;
}

#[tokio::test]
async fn least_recently_changed_queue_is_deleted_beyond_the_limit() {
    on_each_database(async |test_store: &mut TestStore| {
        let (ada, bob) = (
            test_store.user("ada", &[]).await,
            test_store.user("bob", &[]).await,
        );
        let others = create(test_store, bob, 0).await;
        let mut made = Vec::new();
        for second in 0..MAX_QUEUES as i64 {
            made.push(create(test_store, ada, second).await);
        }
        let touched = test_store.store.playback_queues.change_queue(
            ada,
            made[0],
            Timestamp::from_millis(NOW.millis() + 999_000),
        );
        touched.await.unwrap().unwrap().commit().await.unwrap();
        let last = create(test_store, ada, 500).await;
        let listed = test_store
            .store
            .playback_queues
            .list_queues(ada, Pagination { take: 1000, skip: 0 })
            .await
            .unwrap();
        assert_eq!(listed.total, MAX_QUEUES);
        let ids: Vec<_> = listed.items.iter().map(|queue| queue.id).collect();
        assert_eq!(ids[..2], [made[0], last]);
        assert!(!ids.contains(&made[1]) && ids.contains(&made[2]));
        assert!(
            test_store
                .store
                .playback_queues
                .queue(bob, others)
                .await
                .unwrap()
                .is_some()
        );
    })
    .await;
}

#[tokio::test]
async fn concurrent_changes_are_serialized() {
    on_each_database(async |test_store: &mut TestStore| {
        let ada = test_store.user("ada", &[]).await;
        let id = create(test_store, ada, 0).await;
        let running: Vec<_> = (0..12)
            .map(|_| {
                let (store, items) = (test_store.store.clone(), fresh(test_store, 3));
                svc_platform::tasks::spawn("change", async move {
                    let mut open = store
                        .playback_queues
                        .change_queue(ada, id, NOW)
                        .await
                        .unwrap()
                        .unwrap();
                    open.insert(&items, QueuePosition::Front).await.unwrap();
                    open.commit().await.unwrap().revision
                })
            })
            .collect();
        let mut revisions = Vec::new();
        for task in running {
            revisions.push(task.await.unwrap());
        }
        revisions.sort_unstable();
        assert_eq!(revisions, (2..14).collect::<Vec<i64>>());
        let order = order(test_store, ada, id).await;
        assert_eq!(order.len(), 36);
        let places = number(
            &test_store.url,
            "SELECT count(DISTINCT place) FROM playback_queue_items",
        )
        .await;
        assert_eq!(places, 36);
    })
    .await;
}

#[tokio::test]
async fn pools_and_parts_contain_only_visible_items_with_files() {
    on_each_database(async |test_store: &mut TestStore| {
        // A1 by Ann (Rock), B1 by Ann and Bob (Jazz), B2 by Bob (Jazz), D1 by Dan (Rock); B1 and B2 are in `b`.
        let ids: Vec<i64> = songs(test_store).await.iter().map(|id| id.get()).collect();
        let (ada, bob) = (
            test_store.user("ada", &[]).await,
            test_store.user("bob", &[]).await,
        );
        insert(
            test_store,
            &library(test_store, MediaKind::music(), &["b"], &[Grant::User(bob)]),
        )
        .await;
        let scope = test_store.store.libraries.media_scope(ada).await.unwrap();
        let store = &test_store.store;
        for (at, rating) in [(0, 0.8), (1, 1.0), (3, 0.7)] {
            let key = (ItemType::MusicTrack, ids[at]);
            store.user_items.rate(ada, key, rating, NOW).await.unwrap();
        }
        let of = |at: &[(usize, u32)]| -> Vec<(i64, u32)> {
            let mut wanted: Vec<_> = at.iter().map(|(at, near)| (ids[*at], *near)).collect();
            wanted.sort_unstable();
            wanted
        };
        let sorted = |mut pool: Vec<(i64, u32)>| {
            pool.sort_unstable();
            pool
        };
        for (scope, tracks, favorites, similar) in [
            (
                ALL_MEDIA,
                &[(0, 0), (1, 0), (2, 0), (3, 0)][..],
                &[(0, 0), (1, 0)][..],
                &[(0, 2), (1, 2), (3, 0)][..],
            ),
            (
                &scope,
                &[(0, 0), (3, 0)][..],
                &[(0, 0)][..],
                &[(0, 2), (3, 0)][..],
            ),
        ] {
            assert_eq!(
                sorted(store.playback_queues.pool_tracks(scope).await.unwrap()),
                of(tracks)
            );
            assert_eq!(
                sorted(store.playback_queues.pool_favorites(scope, ada).await.unwrap()),
                of(favorites)
            );
            assert_eq!(
                store.playback_queues.pool_favorites(scope, bob).await.unwrap(),
                []
            );
            assert_eq!(
                store
                    .playback_queues
                    .pool_similar(scope, &ids[..1])
                    .await
                    .unwrap(),
                of(similar)
            );
        }
        let track = store
            .music
            .track(ALL_MEDIA, ids[0].into())
            .await
            .unwrap()
            .unwrap();
        let release = (ItemType::MusicRelease, track.release.unwrap().0.get());
        let artist = (ItemType::MusicArtist, track.artists[0].id.get());
        let tracks = |at: &[usize]| -> Option<Vec<ItemKey>> {
            Some(at.iter().map(|at| (ItemType::MusicTrack, ids[*at])).collect())
        };
        for key in [release, artist] {
            assert_eq!(
                store
                    .playback_queues
                    .playable_items_of(ALL_MEDIA, key)
                    .await
                    .unwrap(),
                tracks(&[0, 1])
            );
            assert_eq!(
                store
                    .playback_queues
                    .playable_items_of(&scope, key)
                    .await
                    .unwrap(),
                tracks(&[0])
            );
        }
        let (_, folder) = test_store.folder(MediaKind::tv(), "t").await;
        let parts = episodes(test_store, folder, "Show", &[(0, 1), (2, 1), (1, 2), (1, 1)]).await;
        let show = number(&test_store.url, "SELECT show_id FROM tv_shows").await;
        let found = store
            .playback_queues
            .playable_items_of(&scope, (ItemType::TvShow, show))
            .await
            .unwrap();
        assert_eq!(found, Some(vec![parts[3], parts[2], parts[1], parts[0]]));
        let movie = movie(test_store, folder, "Heat").await;
        assert_eq!(
            store
                .playback_queues
                .playable_items_of(&scope, movie)
                .await
                .unwrap(),
            None
        );

        // The item of a missing file is not drawn.
        let missing = vec![FileId::from(ids[0])];
        let batch = ScanBatch {
            now: NOW,
            missing,
            ..ScanBatch::default()
        };
        test_store.writer().persist(&batch).await.unwrap();
        assert_eq!(
            sorted(store.playback_queues.pool_tracks(&scope).await.unwrap()),
            of(&[(3, 0)])
        );
        assert_eq!(
            store.playback_queues.pool_favorites(&scope, ada).await.unwrap(),
            []
        );
    })
    .await;
}
