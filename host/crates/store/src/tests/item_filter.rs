//! Filters that all lists of items share: favorites, watched, missing, random order.

use crate::tests::user_items::{episodes, movie};
use crate::tests::*;
use crate::{
    ArtistFilter, ArtistOrder, MovieFilter, MovieOrder, PhotoFilter, PhotoOrder, ReleaseFilter, ReleaseOrder,
    ShowFilter, ShowOrder, TrackFilter, TrackOrder,
};
use svc_covers::covers;
use svc_domain::change::ItemType;
use svc_domain::id::UserId;
use svc_domain::list::{ListRequest, Order, OrderedPagination, Pagination};
use svc_domain::photo::PhotoFacts;
use svc_domain::user_data::{ItemKey, PlayReport, PlayState};
use svc_test_support::databases::number;

const PAGE: Pagination = Pagination { take: 100, skip: 0 };

fn of<B>(by: B) -> ListRequest<B> {
    ListRequest::new(by, Order::Ascending, PAGE)
}

fn favorites(user: UserId) -> ItemFilter {
    ItemFilter {
        favorite_of: Some(user),
        ..ItemFilter::default()
    }
}

fn watched(user: UserId, watched: bool) -> ItemFilter {
    ItemFilter {
        watched: Some((user, watched)),
        ..ItemFilter::default()
    }
}

fn missing(missing: bool) -> ItemFilter {
    ItemFilter {
        missing: Some(missing),
        ..ItemFilter::default()
    }
}

fn shuffled() -> ItemFilter {
    ItemFilter {
        shuffle: Some(7),
        ..ItemFilter::default()
    }
}

async fn watch(test_store: &TestStore, user: UserId, item: ItemKey) {
    let report = PlayReport {
        at: NOW,
        position_ms: 6_000_000,
        state: PlayState::Completed,
    };
    test_store
        .store
        .user_items
        .report_playback(user, item, &report, Some(6_000_000))
        .await
        .unwrap();
}

/// Marks the files of this name as missing.
async fn lose(test_store: &TestStore, name: &str) {
    let sql = format!("SELECT file_id FROM files WHERE name = '{name}'");
    let gone = ScanBatch {
        now: NOW,
        missing: vec![FileId::from(number(&test_store.url, &sql).await)],
        ..ScanBatch::default()
    };
    test_store.writer().persist(&gone).await.unwrap();
}

async fn movies(test_store: &TestStore, items: ItemFilter) -> Vec<String> {
    let filter = MovieFilter {
        items,
        ..MovieFilter::default()
    };
    let listed = test_store
        .store
        .movies
        .list_movies(ALL_MEDIA, &filter, &of(MovieOrder::Title))
        .await
        .unwrap();
    assert_eq!(listed.total, listed.items.len() as u64);
    listed.items.into_iter().map(|movie| movie.title).collect()
}

#[covers("A15")]
#[tokio::test]
async fn movies_are_filtered_by_favorite_watched_and_missing() {
    on_each_database(async |test_store: &mut TestStore| {
        let (ada, bob) = (
            test_store.user("ada", &[]).await,
            test_store.user("bob", &[]).await,
        );
        let (_, folder) = test_store.folder(MediaKind::movies(), "a").await;
        let (a, b) = (
            movie(test_store, folder, "A").await,
            movie(test_store, folder, "B").await,
        );
        movie(test_store, folder, "C").await;
        test_store.store.user_items.rate(ada, a, 0.8, NOW).await.unwrap();
        test_store.store.user_items.rate(ada, b, 0.7, NOW).await.unwrap();
        watch(test_store, ada, b).await;
        lose(test_store, "C.mkv").await;
        for (filter, titles) in [
            (favorites(ada), &["A"][..]),
            (favorites(bob), &[]),
            (watched(ada, true), &["B"]),
            (watched(ada, false), &["A", "C"]),
            (watched(bob, false), &["A", "B", "C"]),
            (missing(true), &["C"]),
            (missing(false), &["A", "B"]),
            (ItemFilter::default(), &["A", "B", "C"]),
        ] {
            assert_eq!(movies(test_store, filter.clone()).await, titles, "{filter:?}");
        }
        let mut drawn = movies(test_store, shuffled()).await;
        drawn.sort_unstable();
        assert_eq!(drawn, ["A", "B", "C"]);
    })
    .await;
}

#[covers("A15")]
#[tokio::test]
async fn show_is_watched_when_each_of_its_episodes_is() {
    on_each_database(async |test_store: &mut TestStore| {
        let ada = test_store.user("ada", &[]).await;
        let (_, folder) = test_store.folder(MediaKind::tv(), "a").await;
        let dark = episodes(test_store, folder, "Dark", &[(1, 1), (1, 2)]).await;
        let wire = episodes(test_store, folder, "Wire", &[(1, 1)]).await;
        for item in [dark[0], wire[0]] {
            watch(test_store, ada, item).await;
        }
        test_store
            .store
            .user_items
            .rate(ada, dark[1], 1.0, NOW)
            .await
            .unwrap();
        lose(test_store, "Wire 1x1.mkv").await;
        let shows = async |items: ItemFilter| {
            let filter = ShowFilter {
                items,
                ..ShowFilter::default()
            };
            let listed = test_store
                .store
                .tv
                .list_shows(ALL_MEDIA, &filter, &of(ShowOrder::Title))
                .await
                .unwrap();
            listed
                .items
                .into_iter()
                .map(|show| show.title)
                .collect::<Vec<_>>()
        };
        for (filter, titles) in [
            (watched(ada, true), &["Wire"][..]),
            (watched(ada, false), &["Dark"]),
            (missing(true), &["Wire"]),
            (missing(false), &["Dark"]),
            (favorites(ada), &[]),
        ] {
            assert_eq!(shows(filter.clone()).await, titles, "{filter:?}");
        }
        assert_eq!(shows(shuffled()).await.len(), 2);

        let show = number(
            &test_store.url,
            "SELECT show_id FROM tv_shows WHERE title = 'Dark'",
        )
        .await;
        let part = OrderedPagination {
            order: Order::Ascending,
            page: PAGE,
        };
        for (filter, numbers) in [
            (watched(ada, true), &[Some(1)][..]),
            (watched(ada, false), &[Some(2)]),
            (favorites(ada), &[Some(2)]),
            (missing(true), &[]),
            (missing(false), &[Some(1), Some(2)]),
        ] {
            let listed = test_store
                .store
                .tv
                .show_episodes(ALL_MEDIA, show.into(), &filter, part)
                .await
                .unwrap();
            let reported: Vec<_> = listed.items.iter().map(|episode| episode.number).collect();
            assert_eq!(
                (reported.as_slice(), listed.total),
                (numbers, numbers.len() as u64),
                "{filter:?}"
            );
        }
    })
    .await;
}

#[covers("A15")]
#[tokio::test]
async fn photos_are_favorites_by_own_rating_or_else_by_that_of_the_file() {
    on_each_database(async |test_store: &mut TestStore| {
        let (ada, bob) = (
            test_store.user("ada", &[]).await,
            test_store.user("bob", &[]).await,
        );
        let (_, folder) = test_store.folder(MediaKind::photos(), "a").await;
        let files = [("a.jpg", None), ("b.jpg", Some(4)), ("c.jpg", Some(3))];
        let files = files.map(|(name, rating)| {
            let mut facts = PhotoFacts::from_extraction(&Extraction::default(), name, NOW);
            facts.rating = rating;
            test_store.file(folder, name, FileRecord::Photo(Box::new(facts)))
        });
        let ids = test_store.persist(files.into()).await;
        let key = |at: usize| (ItemType::Photo, ids[at].get());
        test_store
            .store
            .user_items
            .rate(ada, key(0), 0.9, NOW)
            .await
            .unwrap();
        test_store
            .store
            .user_items
            .rate(ada, key(1), 0.2, NOW)
            .await
            .unwrap();
        lose(test_store, "c.jpg").await;
        for (items, names) in [
            (favorites(ada), &["a.jpg"][..]),
            (favorites(bob), &["b.jpg"]),
            (missing(true), &["c.jpg"]),
            (missing(false), &["a.jpg", "b.jpg"]),
        ] {
            let filter = PhotoFilter {
                items,
                ..PhotoFilter::default()
            };
            let request = of(PhotoOrder::CreatedAt);
            let listed = test_store
                .store
                .photos
                .list_photos(ALL_MEDIA, &filter, &request)
                .await
                .unwrap();
            let reported: Vec<&str> = listed
                .items
                .iter()
                .map(|photo| photo.file_name.as_str())
                .collect();
            assert_eq!(reported, names, "{filter:?}");
            let days = test_store
                .store
                .photos
                .photo_buckets(
                    ALL_MEDIA,
                    &filter,
                    &[],
                    svc_domain::photo_bucket::Granularity::Day,
                )
                .await
                .unwrap();
            let counted: i64 = days.iter().map(|day| day.count).sum();
            assert_eq!(counted, names.len() as i64, "{filter:?}");
        }
    })
    .await;
}

#[covers("A15")]
#[tokio::test]
async fn release_and_artist_are_missing_when_all_their_tracks_are() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::music(), "a").await;
        let files = vec![
            test_store.file(folder, "1", record(track("One", &["Ann"], "First", 1))),
            test_store.file(folder, "2", record(track("Two", &["Ann"], "First", 2))),
            test_store.file(folder, "3", record(track("Three", &["Bob"], "Second", 1))),
        ];
        test_store.persist(files).await;
        lose(test_store, "1").await;
        lose(test_store, "3").await;
        for (gone, tracks, releases, artists) in [
            (true, &["One", "Three"][..], &["Second"], &["Bob"]),
            (false, &["Two"], &["First"], &["Ann"]),
        ] {
            let items = missing(gone);
            let filter = TrackFilter {
                items: items.clone(),
                ..TrackFilter::default()
            };
            let found = test_store
                .store
                .music
                .list_tracks(ALL_MEDIA, &filter, &of(TrackOrder::Title))
                .await;
            let reported: Vec<String> = found
                .unwrap()
                .items
                .into_iter()
                .map(|track| track.title)
                .collect();
            assert_eq!(reported, tracks);
            let filter = ReleaseFilter {
                items: items.clone(),
                ..ReleaseFilter::default()
            };
            let found = test_store
                .store
                .music
                .list_releases(ALL_MEDIA, &filter, &of(ReleaseOrder::Title))
                .await;
            let reported: Vec<String> = found
                .unwrap()
                .items
                .into_iter()
                .map(|release| release.title)
                .collect();
            assert_eq!(reported, releases);
            let filter = ArtistFilter {
                items,
                ..ArtistFilter::default()
            };
            let found = test_store
                .store
                .music
                .list_artists(ALL_MEDIA, &filter, &of(ArtistOrder::Name))
                .await;
            let reported: Vec<String> = found
                .unwrap()
                .items
                .into_iter()
                .map(|artist| artist.name)
                .collect();
            assert_eq!(reported, artists);
        }
    })
    .await;
}
