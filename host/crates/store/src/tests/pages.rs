//! Pages of lists: cursors in every order, missing values, random order, cached totals.

use crate::tests::*;
use crate::{ItemFilter, PhotoFilter, PhotoOrder, StoreError, TrackFilter, TrackOrder};
use svc_covers::covers;
use svc_domain::library::{Grant, Library};
use svc_domain::list::{Cursor, CursorValue, ListRequest, Order, OrderedPagination, Pagination};
use svc_domain::photo::{Photo, PhotoFacts};

const ORDERS: [TrackOrder; 4] = [
    TrackOrder::Title,
    TrackOrder::CreatedAt,
    TrackOrder::Year,
    TrackOrder::Duration,
];

/// Tracks with equal titles, and with years that some of them lack.
async fn tracks(test_store: &TestStore, count: usize) {
    let (_, folder) = test_store.folder(MediaKind::music(), "a").await;
    let files = (0..count).map(|n| {
        let title = format!("Title {}", n % 7);
        let mut facts = track(&title, &["Ann"], &format!("R{}", n / 4), n as i64);
        facts.year = (n % 3 != 0).then_some(1990 + (n % 5) as i32);
        facts.duration_ms = (n % 4 != 1).then_some(1000 * (n % 6) as i64);
        test_store.file(folder, &n.to_string(), record(facts))
    });
    test_store.persist(files.collect()).await;
}

async fn page(
    test_store: &TestStore,
    filter: &TrackFilter,
    request: &ListRequest<TrackOrder>,
) -> (Vec<i64>, u64, Option<Cursor>) {
    let listed = test_store
        .store
        .music
        .list_tracks(ALL_MEDIA, filter, request)
        .await
        .unwrap();
    let ids = listed.items.iter().map(|track| track.id.get()).collect();
    (ids, listed.total, listed.next)
}

/// All pages of this size, each read from the cursor of the previous one.
async fn walk(
    test_store: &TestStore,
    filter: &TrackFilter,
    by: TrackOrder,
    order: Order,
    take: u32,
) -> Vec<i64> {
    let mut request = ListRequest::new(by, order, Pagination { take, skip: 0 });
    let mut walked = Vec::new();
    loop {
        let (ids, total, next) = page(test_store, filter, &request).await;
        assert_eq!(total, 40);
        walked.extend(ids);
        let Some(next) = next else { return walked };
        request.after = Some(next.to_string().parse().unwrap());
    }
}

#[covers("A16")]
#[tokio::test]
async fn pages_after_cursors_add_up_to_the_list_in_every_order() {
    on_each_database(async |test_store: &mut TestStore| {
        tracks(test_store, 40).await;
        let all = TrackFilter::default();
        for by in ORDERS {
            for order in [Order::Ascending, Order::Descending] {
                let whole = ListRequest::new(by, order, Pagination { take: 100, skip: 0 });
                let (whole, _, next) = page(test_store, &all, &whole).await;
                assert_eq!((whole.len(), next), (40, None));
                // Some of these cursors are among items with a value, some among those without, two are beyond the end.
                for skip in [1, 12, 25, 26, 27, 30, 31, 38, 40, 45] {
                    let part = ListRequest::new(by, order, Pagination { take: 4, skip });
                    let (part, total, _) = page(test_store, &all, &part).await;
                    let expected: Vec<i64> = whole.iter().copied().skip(skip as usize).take(4).collect();
                    assert_eq!((part, total), (expected, 40), "{by:?} {order:?} {skip}");
                }
                for take in [1, 3, 8, 40] {
                    assert_eq!(
                        walk(test_store, &all, by, order, take).await,
                        whole,
                        "{by:?} {order:?} {take}"
                    );
                }
            }
        }
    })
    .await;
}

#[covers("A16")]
#[tokio::test]
async fn items_without_a_value_are_last_in_both_directions() {
    on_each_database(async |test_store: &mut TestStore| {
        tracks(test_store, 40).await;
        let listed = async |by, order| {
            let whole = ListRequest::new(by, order, Pagination { take: 100, skip: 0 });
            let all = TrackFilter::default();
            test_store
                .store
                .music
                .list_tracks(ALL_MEDIA, &all, &whole)
                .await
                .unwrap()
                .items
        };
        for order in [Order::Ascending, Order::Descending] {
            let years = listed(TrackOrder::Year, order).await;
            let (with, without) = years.split_at(26);
            assert!(without.iter().all(|track| track.year.is_none()), "{order:?}");
            let years: Option<Vec<i32>> = with.iter().map(|track| track.year).collect();
            let mut sorted = years.clone().unwrap();
            sorted.sort_unstable();
            if order == Order::Descending {
                sorted.reverse();
            }
            assert_eq!(years, Some(sorted));
            let lengths = listed(TrackOrder::Duration, order).await;
            let (with, without) = lengths.split_at(30);
            assert!(with.iter().all(|track| track.duration_ms.is_some()), "{order:?}");
            assert!(
                without.iter().all(|track| track.duration_ms.is_none()),
                "{order:?}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn tracks_of_a_release_without_a_number_are_last_in_both_directions() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::music(), "a").await;
        let of = |title: &str, number| {
            let mut facts = track(title, &["Ann"], "First", 1);
            facts.track_number = number;
            test_store.file(folder, title, record(facts))
        };
        let files = vec![of("none", None), of("two", Some(2)), of("one", Some(1))];
        test_store.persist(files).await;
        let request = ListRequest::new(TrackOrder::Title, Order::Ascending, Pagination::default());
        let all = TrackFilter::default();
        let listed = test_store
            .store
            .music
            .list_tracks(ALL_MEDIA, &all, &request)
            .await
            .unwrap();
        let (release, _) = listed.items[0].release.clone().unwrap();
        for (order, titles) in [
            (Order::Ascending, ["one", "two", "none"]),
            (Order::Descending, ["two", "one", "none"]),
        ] {
            let part = OrderedPagination {
                order,
                page: Pagination::default(),
            };
            let tracks = test_store
                .store
                .music
                .release_tracks(ALL_MEDIA, release, part)
                .await
                .unwrap();
            let reported: Vec<&str> = tracks.items.iter().map(|track| track.title.as_str()).collect();
            assert_eq!((reported.as_slice(), tracks.total), (&titles[..], 3), "{order:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn cursor_survives_the_deletion_of_its_item_and_is_invalid_in_another_order() {
    on_each_database(async |test_store: &mut TestStore| {
        tracks(test_store, 12).await;
        let all = TrackFilter::default();
        let mut request = ListRequest::new(
            TrackOrder::Title,
            Order::Ascending,
            Pagination { take: 5, skip: 0 },
        );
        let (first, _, next) = page(test_store, &all, &request).await;
        request.page.take = 100;
        let (whole, ..) = page(test_store, &all, &request).await;
        let next = next.unwrap();
        assert_eq!(next.id, first[4]);
        let sql = sqlx::AssertSqlSafe("DELETE FROM files WHERE file_id = $1".to_owned());
        let mut tx = test_store.write(WritePriority::Scan).await;
        tx.execute(sql, &svc_database::args::args![next.id])
            .await
            .unwrap();
        tx.commit().await.unwrap();
        request.after = Some(next.clone());
        let (rest, total, _) = page(test_store, &all, &request).await;
        assert_eq!((rest.as_slice(), total), (&whole[5..], 11));

        let of = |by, order| ListRequest {
            after: Some(next.clone()),
            ..ListRequest::new(by, order, Pagination::default())
        };
        for other in [
            of(TrackOrder::Title, Order::Descending),
            of(TrackOrder::Year, Order::Ascending),
            of(TrackOrder::CreatedAt, Order::Ascending),
        ] {
            let refused = test_store.store.music.list_tracks(ALL_MEDIA, &all, &other).await;
            assert!(matches!(refused, Err(StoreError::ForeignCursor)), "{other:?}");
        }
        let forged = ListRequest {
            after: Some(Cursor {
                value: CursorValue::Number(3),
                ..next.clone()
            }),
            ..ListRequest::new(TrackOrder::Title, Order::Ascending, Pagination::default())
        };
        let refused = test_store.store.music.list_tracks(ALL_MEDIA, &all, &forged).await;
        assert!(matches!(refused, Err(StoreError::ForeignCursor)));
    })
    .await;
}

#[tokio::test]
async fn random_order_is_the_same_for_a_seed_and_has_every_item_once() {
    on_each_database(async |test_store: &mut TestStore| {
        tracks(test_store, 40).await;
        let seeded = |seed| TrackFilter {
            items: ItemFilter {
                shuffle: Some(seed),
                ..ItemFilter::default()
            },
            ..TrackFilter::default()
        };
        let walked = walk(test_store, &seeded(7), TrackOrder::Title, Order::Ascending, 9).await;
        let again = walk(test_store, &seeded(7), TrackOrder::Title, Order::Ascending, 40).await;
        let other = walk(test_store, &seeded(8), TrackOrder::Title, Order::Ascending, 40).await;
        assert_eq!(walked, again);
        assert_ne!(walked, other);
        let mut sorted = walked.clone();
        sorted.sort_unstable();
        assert_ne!(sorted, walked, "it looks random");
        sorted.dedup();
        assert_eq!(sorted.len(), 40);
    })
    .await;
}

#[tokio::test]
async fn list_of_some_libraries_has_only_their_items() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, a) = test_store.folder(MediaKind::photos(), "a").await;
        let (_, b) = test_store.folder(MediaKind::photos(), "b").await;
        let files = [(a, "one.jpg"), (a, "two.jpg"), (b, "three.jpg")];
        let file = |(folder, name): (FolderId, &str)| {
            let facts = PhotoFacts::from_extraction(&Extraction::default(), name, NOW);
            test_store.file(folder, name, FileRecord::Photo(Box::new(facts)))
        };
        test_store.persist(files.into_iter().map(file).collect()).await;
        let library = |path: &str| Library {
            id: test_store.id(),
            name: path.to_owned(),
            kind: MediaKind::photos(),
            paths: vec![RelativePath::root().join_text(path)],
            restricted: false,
            grants: Vec::<Grant>::new(),
            created_at: NOW,
        };
        let (first, second) = (library("a"), library("b"));
        test_store.user("ada", &[]).await;
        for library in [&first, &second] {
            let mut change = test_store.store.identity.change_identity().await.unwrap();
            change.insert_library(library).await.unwrap();
            change.commit().await.unwrap();
        }
        let names = async |libraries: Vec<svc_domain::id::LibraryId>| {
            let request = ListRequest {
                libraries,
                ..ListRequest::new(PhotoOrder::CreatedAt, Order::Ascending, Pagination::default())
            };
            let filter = PhotoFilter::default();
            let listed = test_store
                .store
                .photos
                .list_photos(ALL_MEDIA, &filter, &request)
                .await
                .unwrap();
            assert_eq!(listed.total, listed.items.len() as u64);
            let name = |photo: Photo| photo.file_name;
            listed.items.into_iter().map(name).collect::<Vec<_>>()
        };
        assert_eq!(names(vec![]).await, ["one.jpg", "two.jpg", "three.jpg"]);
        assert_eq!(names(vec![first.id]).await, ["one.jpg", "two.jpg"]);
        assert_eq!(names(vec![second.id]).await, ["three.jpg"]);
        assert_eq!(names(vec![first.id, second.id]).await.len(), 3);
        assert!(names(vec![test_store.id()]).await.is_empty());
    })
    .await;
}
