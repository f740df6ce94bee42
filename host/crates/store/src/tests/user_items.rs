//! History, progress and ratings: storage, visibility, deletion; and the next episode of a show.

use crate::UserItemList;
use crate::tests::libraries::{insert, library, songs};
use crate::tests::*;
use svc_covers::covers;
use svc_domain::change::ItemType;
use svc_domain::extraction::ExtractFailure;
use svc_domain::id::UserId;
use svc_domain::library::Grant;
use svc_domain::list::{Order, OrderedPagination, Pagination};
use svc_domain::user_data::{ItemKey, PlayReport, PlayState, UserData, UserItem};
use svc_domain::video::VideoFacts;
use svc_test_support::databases::number;

const PAGE: OrderedPagination = OrderedPagination {
    order: Order::Descending,
    page: Pagination { take: 100, skip: 0 },
};

fn video(kind: MediaKind, name: &str, fields: Vec<(&str, Value)>) -> FileRecord {
    let fields = fields.into_iter().map(|(key, value)| Field {
        key: key.to_owned(),
        value,
    });
    let extraction = Extraction {
        duration_ms: Some(6_000_000),
        fields: fields.collect(),
        ..Extraction::default()
    };
    FileRecord::Video(Box::new(VideoFacts::from_extraction(
        &extraction,
        &kind,
        &RelativePath::root(),
        name,
    )))
}

pub(super) async fn movie(test_store: &TestStore, folder: FolderId, title: &str) -> ItemKey {
    let fields = vec![("movie.title", Value::Text(title.to_owned()))];
    let file = test_store.file(
        folder,
        &format!("{title}.mkv"),
        video(MediaKind::movies(), title, fields),
    );
    test_store.persist(vec![file]).await;
    let sql = format!("SELECT movie_id FROM movies WHERE title = '{title}'");
    (ItemType::Movie, number(&test_store.url, &sql).await)
}

async fn data_of(test_store: &TestStore, user: UserId, item: ItemKey) -> UserData {
    let user_items = &test_store.store.user_items;
    user_items.user_data(user, &[item]).await.unwrap()[&item]
}

/// Adds episodes of a show, given as (season, number), and returns their keys.
pub(super) async fn episodes(
    test_store: &TestStore,
    folder: FolderId,
    show: &str,
    places: &[(i64, i64)],
) -> Vec<ItemKey> {
    let mut files = Vec::new();
    for (season, episode) in places {
        let name = format!("{show} {season}x{episode}");
        let fields = vec![
            ("tv.show", Value::Text(show.to_owned())),
            ("tv.season", Value::Integer(*season)),
            ("tv.episode", Value::Integer(*episode)),
        ];
        files.push(test_store.file(
            folder,
            &format!("{name}.mkv"),
            video(MediaKind::tv(), &name, fields),
        ));
    }
    test_store.persist(files).await;
    let mut keys = Vec::new();
    for (season, episode) in places {
        let sql = format!(
            "SELECT e.episode_id FROM tv_episodes e JOIN tv_seasons n ON n.season_id = e.season_id \
             JOIN tv_shows s ON s.show_id = e.show_id WHERE s.title = '{show}' AND n.season_number = {season} \
             AND e.episode_number = {episode}"
        );
        keys.push((ItemType::TvEpisode, number(&test_store.url, &sql).await));
    }
    keys
}

async fn report(
    test_store: &TestStore,
    user: UserId,
    key: ItemKey,
    second: i64,
    position: i64,
    state: PlayState,
) -> UserItem {
    let report = PlayReport {
        at: Timestamp::from_millis(NOW.millis() + second * 1000),
        position_ms: position * 1000,
        state,
    };
    test_store
        .store
        .user_items
        .report_playback(user, key, &report, Some(6_000_000))
        .await
        .unwrap()
}

async fn listed(
    test_store: &TestStore,
    user: UserId,
    scope: &MediaScope,
    list: UserItemList,
) -> Vec<ItemKey> {
    let listed = test_store
        .store
        .user_items
        .list_user_items(user, scope, &ItemType::ALL, list, PAGE)
        .await
        .unwrap();
    assert_eq!(listed.total, listed.items.len() as u64);
    listed.items.iter().map(|item| item.key).collect()
}

#[tokio::test]
async fn history_holds_the_last_report_of_each_user_newest_first() {
    on_each_database(async |test_store: &mut TestStore| {
        let tracks: Vec<ItemKey> = songs(test_store)
            .await
            .iter()
            .map(|id| (ItemType::MusicTrack, id.get()))
            .collect();
        let (_, folder) = test_store.folder(MediaKind::movies(), "m").await;
        let movie = movie(test_store, folder, "Heat").await;
        let (ada, bob) = (
            test_store.user("ada", &[]).await,
            test_store.user("bob", &[]).await,
        );
        let before = test_store.store.version_counters.personal_version_counter(ada);
        report(test_store, ada, tracks[0], 0, 0, PlayState::Playing).await;
        report(test_store, ada, movie, 10, 300, PlayState::Stopped).await;
        let counted = report(test_store, ada, tracks[0], 240, 240, PlayState::Playing).await;
        assert_eq!(counted.data.playback.play_count, 1);
        assert_eq!(
            test_store.store.version_counters.personal_version_counter(ada),
            before + 3
        );
        assert_eq!(test_store.store.version_counters.personal_version_counter(bob), 0);
        let late = report(test_store, ada, tracks[0], 200, 10, PlayState::Stopped).await;
        assert_eq!(late, counted, "a late report is answered with what is known");

        let history = listed(test_store, ada, ALL_MEDIA, UserItemList::History).await;
        assert_eq!(history, [tracks[0], movie]);
        assert_eq!(
            listed(test_store, bob, ALL_MEDIA, UserItemList::History).await,
            []
        );
        let resumable = listed(test_store, ada, ALL_MEDIA, UserItemList::Resumable).await;
        assert_eq!(resumable, [tracks[0], movie]);
        let of_movies = test_store.store.user_items.list_user_items(
            ada,
            ALL_MEDIA,
            &[ItemType::Movie],
            UserItemList::Resumable,
            PAGE,
        );
        assert_eq!(of_movies.await.unwrap().total, 1);
        let movies_only = [ItemType::Movie];
        let one = OrderedPagination {
            page: Pagination { take: 1, skip: 0 },
            ..PAGE
        };
        let part = test_store.store.user_items.list_user_items(
            ada,
            ALL_MEDIA,
            &movies_only,
            UserItemList::History,
            one,
        );
        assert_eq!(part.await.unwrap().items[0].key, movie);
        let oldest = OrderedPagination {
            order: Order::Ascending,
            ..one
        };
        for list in [UserItemList::History, UserItemList::Resumable] {
            let first =
                test_store
                    .store
                    .user_items
                    .list_user_items(ada, ALL_MEDIA, &ItemType::ALL, list, oldest);
            assert_eq!(first.await.unwrap().items[0].key, movie);
        }
        let none =
            test_store
                .store
                .user_items
                .list_user_items(ada, ALL_MEDIA, &[], UserItemList::History, PAGE);
        assert_eq!(none.await.unwrap().total, 0);

        test_store.reopen().await;
        let data = test_store
            .store
            .user_items
            .user_data(ada, &[tracks[0], tracks[1], movie])
            .await
            .unwrap();
        assert_eq!(data.len(), 2);
        assert_eq!(data[&tracks[0]], counted.data);
        assert!(
            test_store
                .store
                .user_items
                .delete_playback(ada, tracks[0])
                .await
                .unwrap()
        );
        assert!(
            !test_store
                .store
                .user_items
                .delete_playback(ada, tracks[0])
                .await
                .unwrap()
        );
        assert_eq!(
            listed(test_store, ada, ALL_MEDIA, UserItemList::History).await,
            [movie]
        );
    })
    .await;
}

#[tokio::test]
async fn ratings_and_history_of_an_item_are_deleted_separately() {
    on_each_database(async |test_store: &mut TestStore| {
        let track = (ItemType::MusicTrack, songs(test_store).await[0].get());
        let ada = test_store.user("ada", &[]).await;
        let rated = test_store
            .store
            .user_items
            .rate(ada, track, 0.5, NOW)
            .await
            .unwrap();
        assert_eq!((rated.data.rating, rated.data.rated_at), (Some(0.5), Some(NOW)));
        report(test_store, ada, track, 0, 10, PlayState::Playing).await;
        test_store
            .store
            .user_items
            .rate(ada, track, 1.0, NOW)
            .await
            .unwrap();
        let all = UserItemList::Ratings { least: 0.0 };
        assert_eq!(listed(test_store, ada, ALL_MEDIA, all).await, [track]);
        assert!(
            test_store
                .store
                .user_items
                .delete_playback(ada, track)
                .await
                .unwrap()
        );
        let kept = data_of(test_store, ada, track).await;
        assert_eq!((kept.rating, kept.playback.played_at), (Some(1.0), None));
        report(test_store, ada, track, 0, 10, PlayState::Playing).await;
        assert!(
            test_store
                .store
                .user_items
                .delete_rating(ada, track)
                .await
                .unwrap()
        );
        assert!(
            !test_store
                .store
                .user_items
                .delete_rating(ada, track)
                .await
                .unwrap()
        );
        let kept = data_of(test_store, ada, track).await;
        assert_eq!((kept.rating, kept.playback.position_ms), (None, 10_000));
        assert!(
            test_store
                .store
                .user_items
                .delete_playback(ada, track)
                .await
                .unwrap()
        );
        assert_eq!(
            number(&test_store.url, "SELECT count(*) FROM user_items").await,
            0,
            "nothing is left over"
        );

        test_store
            .store
            .user_items
            .rate(ada, track, 0.8, NOW)
            .await
            .unwrap();
        for (least, count) in [(0.8, 1), (0.81, 0)] {
            let found = listed(test_store, ada, ALL_MEDIA, UserItemList::Ratings { least }).await;
            assert_eq!(found.len(), count, "{least}");
        }
    })
    .await;
}

#[tokio::test]
async fn concurrent_reports_are_serialized() {
    on_each_database(async |test_store: &mut TestStore| {
        let track = (ItemType::MusicTrack, songs(test_store).await[0].get());
        let ada = test_store.user("ada", &[]).await;
        let reports = (0..20).map(|second| {
            let store = test_store.store.clone();
            let report = PlayReport {
                at: Timestamp::from_millis(NOW.millis() + second * 1000),
                position_ms: second * 1000,
                state: PlayState::Playing,
            };
            svc_platform::tasks::spawn("report", async move {
                store.user_items.report_playback(ada, track, &report, None).await
            })
        });
        let running: Vec<_> = reports.collect();
        for report in running {
            report.await.unwrap().unwrap();
        }
        let kept = data_of(test_store, ada, track).await.playback;
        assert_eq!(kept.played_at.unwrap().millis(), NOW.millis() + 19_000);
        assert_eq!(kept.position_ms, 19_000);
        assert!(kept.listened_ms <= 19_000);
    })
    .await;
}

/// A known file that could not be read this time.
fn broken(test_store: &TestStore, folder: FolderId, name: &str, id: i64) -> StoredFile {
    let failure = ExtractFailure::Trap("a fault of a new version".into());
    let mut file = test_store.file(folder, name, FileRecord::Failed(failure));
    (file.file.id, file.file.known) = (id.into(), true);
    file
}

#[tokio::test]
async fn items_whose_only_file_cannot_be_read_keep_their_user_data() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, movies) = test_store.folder(MediaKind::movies(), "m").await;
        let movie = movie(test_store, movies, "Heat").await;
        let (_, series) = test_store.folder(MediaKind::tv(), "t").await;
        let part = episodes(test_store, series, "Show", &[(1, 1)]).await[0];
        let (_, music) = test_store.folder(MediaKind::music(), "s").await;
        let song = test_store.file(music, "1", record(track("One", &["Ann"], "Blue", 1)));
        let song = test_store.persist(vec![song]).await[0].get();
        let id = async |sql: &str| number(&test_store.url, sql).await;
        let keys = [
            movie,
            part,
            (ItemType::TvShow, id("SELECT show_id FROM tv_shows").await),
            (ItemType::MusicTrack, song),
            (
                ItemType::MusicRelease,
                id("SELECT release_id FROM music_releases").await,
            ),
            (
                ItemType::MusicArtist,
                id("SELECT artist_id FROM music_artists").await,
            ),
        ];
        let ada = test_store.user("ada", &[]).await;
        for key in keys {
            test_store
                .store
                .user_items
                .rate(ada, key, 0.9, NOW)
                .await
                .unwrap();
        }
        let of_movie = "SELECT source_id FROM video_sources WHERE movie_id IS NOT NULL";
        let of_episode = "SELECT source_id FROM video_sources WHERE episode_id IS NOT NULL";
        let files = vec![
            broken(test_store, movies, "Heat.mkv", id(of_movie).await),
            broken(test_store, series, "Show 1x1.mkv", id(of_episode).await),
            broken(test_store, music, "1", song),
        ];
        test_store.persist(files).await;
        assert_eq!(id("SELECT count(*) FROM files WHERE status = 1").await, 3);
        let kept = test_store.store.user_items.user_data(ada, &keys).await.unwrap();
        let seen = test_store
            .store
            .items
            .item_summaries(ALL_MEDIA, keys)
            .await
            .unwrap();
        for key in keys {
            assert_eq!(kept[&key].rating, Some(0.9), "{key:?}");
            assert!(!seen[&key].missing, "{key:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn hidden_items_are_not_listed_and_purged_ones_lose_their_user_data() {
    on_each_database(async |test_store: &mut TestStore| {
        let ids = songs(test_store).await;
        let tracks: Vec<ItemKey> = ids.iter().map(|id| (ItemType::MusicTrack, id.get())).collect();
        let (_, folder) = test_store.folder(MediaKind::movies(), "m").await;
        let movie = movie(test_store, folder, "Heat").await;
        let (_, folder) = test_store.folder(MediaKind::tv(), "t").await;
        let part = episodes(test_store, folder, "Show", &[(1, 1)]).await[0];
        let (ada, bob) = (
            test_store.user("ada", &[]).await,
            test_store.user("bob", &[]).await,
        );
        let release = test_store
            .store
            .music
            .track(ALL_MEDIA, ids[2].into())
            .await
            .unwrap()
            .unwrap()
            .release
            .unwrap()
            .0;
        let release = (ItemType::MusicRelease, release.get());
        for key in [tracks[0], tracks[2], release, movie, part] {
            report(test_store, ada, key, 0, 10, PlayState::Playing).await;
            test_store
                .store
                .user_items
                .rate(ada, key, 0.9, NOW)
                .await
                .unwrap();
        }
        // Tracks 1 and 2, and the release of the latter, are in a library of Bob's.
        insert(
            test_store,
            &library(test_store, MediaKind::music(), &["b"], &[Grant::User(bob)]),
        )
        .await;
        let scope = test_store.store.libraries.media_scope(ada).await.unwrap();
        for list in [UserItemList::History, UserItemList::Ratings { least: 0.0 }] {
            assert_eq!(
                listed(test_store, ada, &scope, list).await,
                [part, movie, tracks[0]]
            );
            assert_eq!(listed(test_store, ada, ALL_MEDIA, list).await.len(), 5);
        }
        let keys = [tracks[0], tracks[1], release, movie, part];
        let seen = test_store.store.items.item_summaries(&scope, keys).await.unwrap();
        assert_eq!(seen.len(), 3);
        let track = &seen[&tracks[0]];
        assert_eq!(
            (track.title.as_str(), track.artists.as_slice()),
            ("A1", &["Ann".to_owned()][..])
        );
        assert_eq!(track.parent.as_ref().unwrap().1, "Both");
        let episode = &seen[&part];
        assert_eq!((episode.season, episode.episode), (Some(1), Some(1)));
        assert_eq!(episode.parent.as_ref().unwrap().1, "Show");
        assert_eq!(
            (seen[&movie].title.as_str(), seen[&movie].duration_ms),
            ("Heat", Some(6_000_000))
        );

        // Missing items are kept and shown as missing; purged ones lose their user data.
        let all = number(&test_store.url, "SELECT count(*) FROM user_items").await;
        let mut writer = test_store.writer();
        let missing = [&ids[..], &files_of(test_store).await].concat();
        writer
            .persist(&ScanBatch {
                now: NOW,
                missing,
                ..ScanBatch::default()
            })
            .await
            .unwrap();
        assert_eq!(
            listed(test_store, ada, ALL_MEDIA, UserItemList::History)
                .await
                .len(),
            5
        );
        let seen = test_store
            .store
            .items
            .item_summaries(ALL_MEDIA, keys)
            .await
            .unwrap();
        assert!(seen[&movie].missing && seen[&part].missing && seen[&tracks[0]].missing);
        assert_eq!(
            number(&test_store.url, "SELECT count(*) FROM user_items").await,
            all
        );
        let kinds = [MediaKind::music(), MediaKind::movies(), MediaKind::tv()];
        let roots = kinds.map(|kind| (kind.clone(), PathBuf::from(format!("/media/{kind}"))));
        test_store
            .store
            .directories
            .sync_directories(&roots, &test_store.ids, NOW)
            .await
            .unwrap();
        let later = Timestamp::from_millis(NOW.millis() + 1);
        assert!(writer.purge_missing(later, later).await.unwrap() > 0);
        writer.recompute_aggregates(later).await.unwrap();
        assert_eq!(
            listed(test_store, ada, ALL_MEDIA, UserItemList::History).await,
            []
        );
        assert_eq!(
            number(&test_store.url, "SELECT count(*) FROM user_items").await,
            0
        );
    })
    .await;
}

/// All files.
async fn files_of(test_store: &TestStore) -> Vec<FileId> {
    let rows: Vec<(i64,)> = test_store
        .store
        .database
        .pools()
        .fetch_all("SELECT file_id FROM files", &[])
        .await
        .unwrap();
    rows.into_iter().map(|(id,)| id.into()).collect()
}

#[covers("GET /api/v1/cinema/next-up")]
#[tokio::test]
async fn next_up_is_the_first_unwatched_episode_after_the_one_watched_last() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::tv(), "t").await;
        // Indexed in no particular order; season 0 has the specials, which come last.
        let places = [(2, 1), (1, 10), (0, 1), (1, 2), (1, 1)];
        let a = episodes(test_store, folder, "A", &places).await;
        let [a21, a110, a01, a12, a11] = a[..] else {
            panic!()
        };
        let b = episodes(test_store, folder, "B", &[(1, 1), (1, 2)]).await;
        let (_, hidden) = test_store.folder(MediaKind::tv(), "x").await;
        let c = episodes(test_store, hidden, "C", &[(1, 1), (1, 2)]).await;
        let (ada, bob) = (
            test_store.user("ada", &[]).await,
            test_store.user("bob", &[]).await,
        );
        let next = async |scope: &MediaScope| -> Vec<ItemKey> {
            let next = test_store
                .store
                .user_items
                .next_up(ada, scope, PAGE.page)
                .await
                .unwrap();
            assert_eq!(next.total, next.items.len() as u64);
            next.items
                .into_iter()
                .map(|id| (ItemType::TvEpisode, id))
                .collect()
        };
        assert_eq!(next(ALL_MEDIA).await, []);
        report(test_store, ada, a11, 0, 100, PlayState::Stopped).await;
        assert_eq!(next(ALL_MEDIA).await, [], "begun, not watched");
        for (second, watched, expected) in [
            (1, a11, vec![a12]),
            (2, b[0], vec![b[1], a12]),
            (3, a12, vec![a110, b[1]]),
            (4, a21, vec![a01, b[1]]),
            (5, a110, vec![a01, b[1]]),
            (6, b[1], vec![a01]),
            (7, a01, vec![]),
        ] {
            report(test_store, ada, watched, second, 0, PlayState::Completed).await;
            assert_eq!(next(ALL_MEDIA).await, expected, "{second}");
        }
        assert!(
            test_store
                .store
                .user_items
                .delete_playback(ada, a01)
                .await
                .unwrap()
        );
        assert_eq!(next(ALL_MEDIA).await, [a01], "unwatched again");

        report(test_store, ada, c[0], 8, 0, PlayState::Completed).await;
        assert_eq!(next(ALL_MEDIA).await, [c[1], a01]);
        insert(
            test_store,
            &library(test_store, MediaKind::tv(), &["x"], &[Grant::User(bob)]),
        )
        .await;
        let scope = test_store.store.libraries.media_scope(ada).await.unwrap();
        assert_eq!(next(&scope).await, [a01]);
        let part = test_store
            .store
            .user_items
            .next_up(ada, ALL_MEDIA, Pagination { take: 1, skip: 1 })
            .await
            .unwrap();
        assert_eq!((part.items, part.total), (vec![a01.1], 2));
    })
    .await;
}

#[tokio::test]
async fn episodes_with_only_an_absolute_number_are_ordered_by_it() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::tv(), "t").await;
        // Indexed in no particular order.
        for absolute in [14, 12, 13] {
            let name = format!("[Group] Show - {absolute:03}");
            let fields = vec![
                ("tv.show", Value::Text("Show".to_owned())),
                ("tv.absolute", Value::Integer(absolute)),
            ];
            let file = video(MediaKind::tv(), &name, fields);
            test_store
                .persist(vec![test_store.file(folder, &format!("{name}.mkv"), file)])
                .await;
        }
        let mut parts = Vec::new();
        for absolute in [12, 13, 14] {
            let sql = format!("SELECT episode_id FROM tv_episodes WHERE absolute_number = {absolute}");
            parts.push((ItemType::TvEpisode, number(&test_store.url, &sql).await));
        }
        let show = number(&test_store.url, "SELECT show_id FROM tv_shows").await;
        let queued = test_store
            .store
            .playback_queues
            .playable_items_of(ALL_MEDIA, (ItemType::TvShow, show))
            .await;
        assert_eq!(queued.unwrap(), Some(parts.clone()));
        let ada = test_store.user("ada", &[]).await;
        for (second, at, next) in [(1, 0, vec![parts[1].1]), (2, 1, vec![parts[2].1]), (3, 2, vec![])] {
            report(test_store, ada, parts[at], second, 0, PlayState::Completed).await;
            let found = test_store
                .store
                .user_items
                .next_up(ada, ALL_MEDIA, PAGE.page)
                .await
                .unwrap();
            assert_eq!(found.items, next, "after {at}");
        }
    })
    .await;
}
