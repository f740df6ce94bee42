//! Media that a scan stored: tracks, releases, artists, genres, photos, the search index, missing and errored files.

use crate::tests::*;
use crate::{
    ArtistFilter, ArtistOrder, BoundingBox, GenreOrder, ItemFilter, PhotoFilter, PhotoOrder, ReleaseFilter,
    ReleaseOrder, SearchIndex, TrackFilter, TrackOrder,
};
use svc_domain::change::ChangeKind;
use svc_domain::extraction::ExtractFailure;
use svc_domain::id::PhotoId;
use svc_domain::list::{ListRequest, Order, OrderedPagination, Pagination};
use svc_domain::music::CreditRole;
use svc_domain::photo::{GeoPoint, PhotoFacts};
use svc_domain::scan::FileStatus;

const ALL: Pagination = Pagination { take: 100, skip: 0 };
const UP: Order = Order::Ascending;
const WHOLE: OrderedPagination = OrderedPagination { order: UP, page: ALL };

async fn titles(test_store: &TestStore, filter: &TrackFilter, by: TrackOrder, order: Order) -> Vec<String> {
    let tracks = test_store
        .store
        .music
        .list_tracks(ALL_MEDIA, filter, &ListRequest::new(by, order, ALL))
        .await
        .unwrap();
    assert_eq!(tracks.total, tracks.items.len() as u64);
    tracks.items.into_iter().map(|track| track.title).collect()
}

async fn artists(test_store: &TestStore) -> Vec<(String, i64, i64)> {
    let (filter, request) = (
        ArtistFilter::default(),
        ListRequest::new(ArtistOrder::Name, UP, ALL),
    );
    let listed = test_store.store.music.list_artists(ALL_MEDIA, &filter, &request);
    let artists = listed.await.unwrap().items.into_iter();
    artists
        .map(|artist| (artist.name, artist.release_count, artist.track_count))
        .collect()
}

async fn releases(test_store: &TestStore) -> Vec<(String, i64)> {
    let (filter, request) = (
        ReleaseFilter::default(),
        ListRequest::new(ReleaseOrder::Title, UP, ALL),
    );
    let listed = test_store.store.music.list_releases(ALL_MEDIA, &filter, &request);
    let releases = listed.await.unwrap().items.into_iter();
    releases
        .map(|release| (release.title, release.track_count))
        .collect()
}

async fn genres(test_store: &TestStore) -> Vec<(String, i64)> {
    let (music, request) = (
        &test_store.store.music,
        ListRequest::new(GenreOrder::Name, UP, ALL),
    );
    let genres = music
        .list_genres(ALL_MEDIA, &request)
        .await
        .unwrap()
        .items
        .into_iter();
    genres.map(|genre| (genre.name, genre.track_count)).collect()
}

async fn found(test_store: &TestStore, index: SearchIndex, words: &str) -> u64 {
    let found = test_store
        .store
        .search
        .search(ALL_MEDIA, &[index], words, ALL)
        .await
        .unwrap();
    let found = &found[0];
    assert_eq!(found.total, found.items.len() as u64);
    found.total
}

fn genre(name: &str) -> (&'static str, Value) {
    ("music.genres", Value::Texts(vec![name.to_owned()]))
}

#[tokio::test]
async fn track_comes_back_as_it_was_read() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::music(), "Ärger/CD 1").await;
        let more = [
            genre("Rock"),
            ("music.composers", Value::Texts(vec!["Zoë".into()])),
            ("music.replaygain-track-gain", Value::Real(-7.89)),
            ("music.replaygain-track-peak", Value::Real(0.987_654)),
            ("audio.bitrate", Value::Integer(320_000)),
            ("audio.codec", Value::Text("mp3".into())),
            ("music.isrc", Value::Text("US\0A".into())),
        ];
        let facts = track_of("The Song", &["The Band", "Guest"], "Album", 2, &more);
        let ids = test_store
            .persist(vec![test_store.file(folder, "01.mp3", record(facts.clone()))])
            .await;
        let track = test_store
            .store
            .music
            .track(ALL_MEDIA, ids[0].into())
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            (track.title.as_str(), track.sort_title.as_str()),
            ("The Song", "song")
        );
        assert_eq!((track.track_number, track.duration_ms), (Some(2), Some(60_002)));
        assert_eq!(
            (track.bitrate, track.codec.as_deref()),
            (Some(320_000), Some("mp3"))
        );
        assert_eq!(
            (track.size, track.missing, track.has_picture),
            (1000, false, true)
        );
        assert_eq!(track.replay_gain, facts.replay_gain);
        assert_eq!(
            track.isrc.as_deref(),
            Some("US\u{fffd}A"),
            "no database gets U+0000"
        );
        assert_eq!(track.created_at, ids[0].created_at());
        let people: Vec<_> = track
            .artists
            .iter()
            .map(|artist| (artist.name.as_str(), artist.role))
            .collect();
        let artist = CreditRole::Artist;
        assert_eq!(
            people,
            [
                ("The Band", artist),
                ("Guest", artist),
                ("Zoë", CreditRole::Composer)
            ]
        );
        assert_eq!(track.genres, ["Rock"]);

        let release = test_store
            .store
            .music
            .release(ALL_MEDIA, track.release.unwrap().0)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            (release.title.as_str(), release.track_count, release.disc_count),
            ("Album", 1, 1)
        );
        assert_eq!(
            (release.duration_ms, release.artwork_track),
            (60_002, Some(ids[0].into()))
        );
        assert_eq!(
            (release.artists[0].name.as_str(), release.genres.as_slice()),
            ("The Band", &["Rock".into()][..])
        );

        let file = test_store
            .store
            .files
            .media_file(ALL_MEDIA, ids[0])
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            (file.root, file.path.as_str()),
            (PathBuf::from("/media/music"), "Ärger/CD 1/01.mp3")
        );
        assert_eq!(
            (file.available, file.missing, file.plugin_id.as_deref()),
            (true, false, Some("music"))
        );
        let picture = test_store
            .store
            .music
            .release_picture(ALL_MEDIA, release.id)
            .await
            .unwrap()
            .unwrap();
        assert_eq!((picture.index, picture.mime.as_str()), (0, "image/png"));
        assert_eq!(
            picture.data,
            PictureData::At(Span {
                offset: 100,
                length: 200
            })
        );
    })
    .await;
}

async fn small_library(test_store: &TestStore) -> (FolderId, Vec<FileId>) {
    let (_, folder) = test_store.folder(MediaKind::music(), "a").await;
    let year = |year| {
        let date = svc_domain::extraction::PartialDate {
            year,
            month: None,
            day: None,
            time_ms: None,
            offset_minutes: None,
        };
        ("music.date", Value::Date(date))
    };
    let files = vec![
        test_store.file(
            folder,
            "1",
            record(track_of(
                "Échoes",
                &["Ann"],
                "First",
                2,
                &[year(1999), genre("Rock")],
            )),
        ),
        test_store.file(
            folder,
            "2",
            record(track_of(
                "Zebra",
                &["Ann"],
                "First",
                1,
                &[year(1999), genre("ROCK")],
            )),
        ),
        test_store.file(
            folder,
            "3",
            record(track_of("apple", &["Bob", "Ann"], "Second", 1, &[genre("Jazz")])),
        ),
        test_store.file(
            folder,
            "4",
            record(track_of("_Über", &["Bob"], "Second", 2, &[year(2005)])),
        ),
    ];
    let ids = test_store.persist(files).await;
    (folder, ids)
}

#[tokio::test]
async fn tracks_are_ordered_and_filtered_alike_everywhere() {
    on_each_database(async |test_store: &mut TestStore| {
        small_library(test_store).await;
        let all = TrackFilter::default();
        let by_title = titles(test_store, &all, TrackOrder::Title, UP).await;
        assert_eq!(by_title, ["apple", "Échoes", "_Über", "Zebra"]);
        let mut down = titles(test_store, &all, TrackOrder::Title, Order::Descending).await;
        down.reverse();
        assert_eq!(down, by_title);
        assert_eq!(
            titles(test_store, &all, TrackOrder::Year, UP).await,
            ["Échoes", "Zebra", "_Über", "apple"]
        );
        let down = titles(test_store, &all, TrackOrder::Year, Order::Descending).await;
        assert_eq!(
            down,
            ["_Über", "Zebra", "Échoes", "apple"],
            "without a year: the last in both directions"
        );
        let by_time = titles(test_store, &all, TrackOrder::CreatedAt, UP).await;
        assert_eq!(by_time, ["Échoes", "Zebra", "apple", "_Über"]);
        assert_eq!(
            titles(test_store, &all, TrackOrder::Duration, UP).await,
            ["Zebra", "apple", "Échoes", "_Über"]
        );

        let ann = test_store
            .store
            .music
            .list_artists(
                ALL_MEDIA,
                &ArtistFilter::default(),
                &ListRequest::new(ArtistOrder::Name, UP, ALL),
            )
            .await
            .unwrap()
            .items
            .remove(0);
        let filters = [
            (
                TrackFilter {
                    artist: Some(ann.id),
                    ..all.clone()
                },
                vec!["apple", "Échoes", "Zebra"],
            ),
            (
                TrackFilter {
                    genre: Some("röck".into()),
                    ..all.clone()
                },
                vec!["Échoes", "Zebra"],
            ),
            (
                TrackFilter {
                    year_from: Some(2000),
                    ..all.clone()
                },
                vec!["_Über"],
            ),
            (
                TrackFilter {
                    year_to: Some(2000),
                    ..all.clone()
                },
                vec!["Échoes", "Zebra"],
            ),
            (
                TrackFilter {
                    items: added_since(NOW),
                    ..all.clone()
                },
                vec!["apple", "Échoes", "_Über", "Zebra"],
            ),
            (
                TrackFilter {
                    items: added_since(Timestamp::from_millis(NOW.millis() + 1)),
                    ..all.clone()
                },
                vec![],
            ),
        ];
        for (filter, expected) in filters {
            assert_eq!(
                titles(test_store, &filter, TrackOrder::Title, UP).await,
                expected,
                "{filter:?}"
            );
        }
        let page = Pagination { take: 2, skip: 1 };
        let page = test_store
            .store
            .music
            .list_tracks(ALL_MEDIA, &all, &ListRequest::new(TrackOrder::Title, UP, page))
            .await
            .unwrap();
        let page_titles: Vec<_> = page.items.iter().map(|track| track.title.as_str()).collect();
        assert_eq!((page_titles, page.total), (vec!["Échoes", "_Über"], 4));
        let none = test_store
            .store
            .music
            .list_tracks(
                ALL_MEDIA,
                &all,
                &ListRequest::new(TrackOrder::Title, UP, Pagination { take: 0, skip: 0 }),
            )
            .await
            .unwrap();
        assert_eq!((none.items.len(), none.total), (0, 4));
    })
    .await;
}

#[tokio::test]
async fn tracks_form_releases_artists_and_genres() {
    on_each_database(async |test_store: &mut TestStore| {
        small_library(test_store).await;
        assert_eq!(
            artists(test_store).await,
            [("Ann".into(), 1, 3), ("Bob".into(), 1, 2)]
        );
        assert_eq!(
            releases(test_store).await,
            [("First".into(), 2), ("Second".into(), 2)]
        );
        assert_eq!(genres(test_store).await, [("Jazz".into(), 1), ("Rock".into(), 2)]);
        let all = ReleaseFilter::default();
        let years = test_store
            .store
            .music
            .list_releases(
                ALL_MEDIA,
                &all,
                &ListRequest::new(ReleaseOrder::Year, Order::Descending, ALL),
            )
            .await
            .unwrap();
        assert_eq!(years.items[0].year, Some(1999));
        let rock = ReleaseFilter {
            genre: Some("rock".into()),
            ..all
        };
        let rock = test_store
            .store
            .music
            .list_releases(
                ALL_MEDIA,
                &rock,
                &ListRequest::new(ReleaseOrder::CreatedAt, UP, ALL),
            )
            .await
            .unwrap();
        assert_eq!((rock.total, rock.items[0].title.as_str()), (1, "First"));
        let tracks = test_store
            .store
            .music
            .release_tracks(ALL_MEDIA, rock.items[0].id, WHOLE)
            .await
            .unwrap();
        let tracks: Vec<_> = tracks.items.iter().map(|track| track.title.as_str()).collect();
        assert_eq!(tracks, ["Zebra", "Échoes"]);
        let ann = rock.items[0].artists[0].id;
        assert_eq!(
            test_store
                .store
                .music
                .artist(ALL_MEDIA, ann)
                .await
                .unwrap()
                .unwrap()
                .name,
            "Ann"
        );
        let hers = test_store
            .store
            .music
            .list_releases(
                ALL_MEDIA,
                &ReleaseFilter {
                    artist: Some(ann),
                    ..ReleaseFilter::default()
                },
                &ListRequest::new(ReleaseOrder::Title, UP, ALL),
            )
            .await
            .unwrap();
        assert_eq!(hers.items, rock.items);
    })
    .await;
}

#[tokio::test]
async fn artists_are_narrowed_by_their_tracks_and_releases() {
    on_each_database(async |test_store: &mut TestStore| {
        let (folder, _) = small_library(test_store).await;
        // Eve is named for the release alone.
        let mut facts = track_of("Solo", &["Eve"], "Third", 1, &[genre("Folk")]);
        facts.credits.clear();
        test_store
            .persist(vec![test_store.file(folder, "5", record(facts))])
            .await;
        let of_genre = |name: &str| ArtistFilter {
            genre: Some(name.to_owned()),
            ..ArtistFilter::default()
        };
        let of_years = |from, to| ArtistFilter {
            year_from: from,
            year_to: to,
            ..ArtistFilter::default()
        };
        let since = |millis| ArtistFilter {
            items: added_since(Timestamp::from_millis(millis)),
            ..ArtistFilter::default()
        };
        for (filter, expected) in [
            (ArtistFilter::default(), vec!["Ann", "Bob", "Eve"]),
            (of_genre("röck"), vec!["Ann"]),
            (of_genre("jazz"), vec!["Ann", "Bob"]),
            (of_genre("folk"), vec!["Eve"]),
            (of_genre("polka"), vec![]),
            (of_years(Some(2000), None), vec!["Bob"]),
            (of_years(None, Some(2000)), vec!["Ann"]),
            (of_years(Some(2000), Some(2004)), vec![]),
            (
                // Jazz and years that are of different tracks.
                ArtistFilter {
                    genre: Some("jazz".into()),
                    ..of_years(Some(1990), None)
                },
                vec![],
            ),
            (since(NOW.millis()), vec!["Ann", "Bob", "Eve"]),
            (since(NOW.millis() + 1), vec![]),
            (
                ArtistFilter {
                    items: ItemFilter {
                        shuffle: Some(3),
                        ..ItemFilter::default()
                    },
                    ..of_genre("jazz")
                },
                vec!["Ann", "Bob"],
            ),
        ] {
            let request = ListRequest::new(ArtistOrder::Name, UP, ALL);
            let listed = test_store
                .store
                .music
                .list_artists(ALL_MEDIA, &filter, &request)
                .await
                .unwrap();
            let mut names: Vec<_> = listed.items.iter().map(|artist| artist.name.as_str()).collect();
            names.sort_unstable();
            assert_eq!(
                (listed.total, names),
                (expected.len() as u64, expected),
                "{filter:?}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn artist_shows_the_picture_of_their_first_release_that_has_one() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::music(), "a").await;
        // The second track of a release has its picture.
        let files = [("1", "Zoo", 2), ("2", "Moon", 2), ("3", "Alone", 1)];
        let files = files.map(|(name, album, number)| {
            test_store.file(folder, name, record(track(name, &["Ann"], album, number)))
        });
        test_store.persist(files.into()).await;
        let alone = test_store.file(folder, "4", record(track("4", &["Bob"], "Other", 1)));
        test_store.persist(vec![alone]).await;
        let releases = test_store
            .store
            .music
            .list_releases(
                ALL_MEDIA,
                &ReleaseFilter::default(),
                &ListRequest::new(ReleaseOrder::Title, UP, ALL),
            )
            .await
            .unwrap();
        let moon = releases.items.iter().find(|release| release.title == "Moon");
        let listed = test_store
            .store
            .music
            .list_artists(
                ALL_MEDIA,
                &ArtistFilter::default(),
                &ListRequest::new(ArtistOrder::Name, UP, ALL),
            )
            .await
            .unwrap();
        let pictures: Vec<_> = listed.items.iter().map(|artist| artist.artwork_release).collect();
        assert_eq!(pictures, [moon.map(|release| release.id), None]);
        let ann = listed.items[0].id;
        let shown = test_store.store.music.artist(ALL_MEDIA, ann).await.unwrap();
        assert_eq!(shown.as_ref(), listed.items.first());
    })
    .await;
}

#[tokio::test]
async fn search_finds_words_by_each_of_their_beginnings() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::music(), "one").await;
        let facts = track("Überströmung 漢字表記五六", &["Ann"], "Album", 1);
        test_store
            .persist(vec![test_store.file(folder, "1", record(facts))])
            .await;
        for word in ["Überströmung", "uberstromung", "漢字表記五六"] {
            for (end, letter) in word.char_indices() {
                let beginning = &word[..end + letter.len_utf8()];
                assert_eq!(
                    found(test_store, SearchIndex::Tracks, beginning).await,
                    1,
                    "{beginning}"
                );
            }
        }
        assert_eq!(found(test_store, SearchIndex::Tracks, "berst").await, 0);
        assert_eq!(found(test_store, SearchIndex::Tracks, "漢字表記五七").await, 0);
    })
    .await;
}

#[tokio::test]
async fn search_with_many_hits_continues_in_the_order_of_ids() {
    on_each_database(async |test_store: &mut TestStore| {
        const MANY: u64 = 230;
        let (_, folder) = test_store.folder(MediaKind::music(), "many").await;
        let files = (0..MANY).map(|number| {
            let facts = track(&format!("Again {number}"), &["Ann"], "Album", 1);
            test_store.file(folder, &number.to_string(), record(facts))
        });
        let files: Vec<_> = files.collect();
        let ids: Vec<i64> = files.iter().map(|file| file.file.id.get()).collect();
        test_store.persist(files).await;
        let indexes = [SearchIndex::Artists, SearchIndex::Movies, SearchIndex::Tracks];
        for (skip, take) in [(0, 12), (195, 6), (195, 20), (225, 12), (230, 12), (0, 0)] {
            let found = test_store
                .store
                .search
                .search(ALL_MEDIA, &indexes, "a", Pagination { take, skip });
            let found = found.await.unwrap();
            let count_cache: Vec<u64> = found.iter().map(|hits| hits.total).collect();
            assert_eq!(count_cache, [1, 0, MANY], "in the order of the indexes");
            let part = ids.iter().skip(skip as usize).take(take as usize);
            assert_eq!(
                found[2].items,
                part.copied().collect::<Vec<_>>(),
                "{take} after {skip}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn search_finds_items_by_the_beginnings_of_their_words() {
    on_each_database(async |test_store: &mut TestStore| {
        small_library(test_store).await;
        assert_eq!(found(test_store, SearchIndex::Tracks, "ech").await, 1);
        assert_eq!(
            found(test_store, SearchIndex::Tracks, "sec bo").await,
            2,
            "release and artist"
        );
        assert_eq!(found(test_store, SearchIndex::Tracks, "sec zebra").await, 0);
        assert_eq!(found(test_store, SearchIndex::Releases, "ann fir").await, 1);
        assert_eq!(found(test_store, SearchIndex::Artists, "b").await, 1);
        assert_eq!(found(test_store, SearchIndex::Artists, "").await, 0);
        assert_eq!(
            found(test_store, SearchIndex::Artists, "and or not near").await,
            0
        );
    })
    .await;
}

#[tokio::test]
async fn changed_track_leaves_its_old_release_artist_genre_and_words() {
    on_each_database(async |test_store: &mut TestStore| {
        let (folder, ids) = small_library(test_store).await;
        let mut changed = Vec::new();
        for (at, name) in [(0, "1"), (1, "2")] {
            let mut file = test_store.file(
                folder,
                name,
                record(track_of("New", &["Eve"], "Third", 1, &[genre("Folk")])),
            );
            file.file.id = ids[at];
            file.file.known = true;
            changed.push(file);
        }
        test_store.persist(changed).await;
        assert_eq!(
            releases(test_store).await,
            [("Second".into(), 2), ("Third".into(), 2)]
        );
        assert_eq!(
            artists(test_store).await,
            [("Ann".into(), 0, 1), ("Bob".into(), 1, 2), ("Eve".into(), 1, 2)]
        );
        assert_eq!(genres(test_store).await, [("Folk".into(), 2), ("Jazz".into(), 1)]);
        assert_eq!(found(test_store, SearchIndex::Tracks, "ech").await, 0);
        assert_eq!(found(test_store, SearchIndex::Tracks, "eve").await, 2);
        assert_eq!(found(test_store, SearchIndex::Releases, "first").await, 0);
        assert_eq!(found(test_store, SearchIndex::Releases, "third").await, 1);
    })
    .await;
}

#[tokio::test]
async fn release_takes_the_words_of_the_file_that_was_read_last() {
    on_each_database(async |test_store: &mut TestStore| {
        let (folder, ids) = small_library(test_store).await;
        let mut file = test_store.file(folder, "1", record(track("Échoes", &["Ann"], "FIRST", 2)));
        file.file.id = ids[0];
        file.file.known = true;
        let outcome = {
            let mut writer = test_store.writer();
            let batch = ScanBatch {
                now: NOW,
                files: vec![file],
                ..ScanBatch::default()
            };
            let outcome = writer.persist(&batch).await.unwrap();
            writer.recompute_aggregates(NOW).await.unwrap();
            outcome
        };
        assert_eq!(
            (outcome.added_releases.len(), outcome.added_artists.len()),
            (0, 0)
        );
        assert_eq!(
            releases(test_store).await,
            [("FIRST".into(), 2), ("Second".into(), 2)]
        );
    })
    .await;
}

#[tokio::test]
async fn file_that_failed_is_errored_and_keeps_what_was_read_of_it_before() {
    on_each_database(async |test_store: &mut TestStore| {
        let (folder, ids) = small_library(test_store).await;
        let mut broken = test_store.file(
            folder,
            "1",
            FileRecord::Failed(ExtractFailure::Timeout {
                limit: std::time::Duration::from_secs(2),
            }),
        );
        (broken.file.id, broken.file.known) = (ids[0], true);
        let mut unread = test_store.file(folder, "2", FileRecord::Failed(ExtractFailure::Io("EIO".into())));
        (unread.file.id, unread.file.known) = (ids[1], true);
        test_store.persist(vec![broken, unread]).await;
        for (id, title) in [(ids[0], "Échoes"), (ids[1], "Zebra")] {
            let track = test_store
                .store
                .music
                .track(ALL_MEDIA, id.into())
                .await
                .unwrap()
                .unwrap();
            assert_eq!((track.title.as_str(), track.missing), (title, false));
        }
        assert_eq!(releases(test_store).await[0], ("First".into(), 2));
        let drawable = test_store
            .store
            .playback_queues
            .pool_tracks(ALL_MEDIA)
            .await
            .unwrap();
        assert_eq!(drawable.len(), 2, "what cannot be read is not played unasked");
        let files = test_store.store.index.files_in_folders(&[folder]).await.unwrap();
        let errored = files
            .iter()
            .filter(|file| file.status == FileStatus::Errored)
            .count();
        assert_eq!((files.len(), errored), (4, 2));
        let directory = test_store.store.directories.list_directories().await.unwrap()[0].id;
        for (path, indexed) in [("a", 2), ("", 0), ("a/b", 0)] {
            let folder = RelativePath::from_stored(path.into());
            let names = test_store
                .store
                .index
                .indexed_names(directory, &folder)
                .await
                .unwrap();
            assert_eq!(names.len(), indexed, "{path:?} {names:?}");
            assert!(!names.contains("1") && !names.contains("2"), "{names:?}");
        }
        assert_eq!(
            test_store.store.directories.file_counts().await.unwrap()[&MediaKind::music()],
            2
        );
    })
    .await;
}

#[tokio::test]
async fn missing_file_keeps_its_row_and_comes_back() {
    on_each_database(async |test_store: &mut TestStore| {
        let (folder, ids) = small_library(test_store).await;
        let mut writer = test_store.writer();
        let missing = ids[..3].to_vec();
        writer
            .persist(&ScanBatch {
                now: NOW,
                missing,
                ..ScanBatch::default()
            })
            .await
            .unwrap();
        assert!(
            test_store
                .store
                .music
                .track(ALL_MEDIA, ids[0].into())
                .await
                .unwrap()
                .unwrap()
                .missing
        );
        assert!(
            test_store
                .store
                .files
                .media_file(ALL_MEDIA, ids[0])
                .await
                .unwrap()
                .unwrap()
                .missing
        );
        assert_eq!(
            titles(test_store, &TrackFilter::default(), TrackOrder::Title, UP)
                .await
                .len(),
            4
        );
        assert_eq!(
            test_store.store.directories.file_counts().await.unwrap()[&MediaKind::music()],
            1
        );
        let restored = vec![ids[0], ids[3]];
        writer
            .persist(&ScanBatch {
                now: NOW,
                restored,
                ..ScanBatch::default()
            })
            .await
            .unwrap();
        assert!(
            !test_store
                .store
                .music
                .track(ALL_MEDIA, ids[0].into())
                .await
                .unwrap()
                .unwrap()
                .missing
        );
        let files = test_store.store.index.files_in_folders(&[folder]).await.unwrap();
        assert_eq!(
            files
                .iter()
                .filter(|file| file.status == FileStatus::Missing)
                .count(),
            2
        );
        let changes = test_store
            .store
            .changes
            .changes(Some(0), 100)
            .await
            .unwrap()
            .changes;
        let restored = changes
            .iter()
            .filter(|change| change.change.kind == ChangeKind::Restored)
            .map(|change| change.item);
        assert_eq!(
            restored.collect::<Vec<i64>>(),
            [ids[0].get()],
            "the other was there"
        );
    })
    .await;
}

fn photo(
    test_store: &TestStore,
    folder: FolderId,
    name: &str,
    day: i64,
    place: Option<(f64, f64)>,
) -> StoredFile {
    let mut facts = PhotoFacts::from_extraction(&Extraction::default(), name, NOW);
    facts.taken_at = Timestamp::from_millis(day * 86_400_000);
    facts.width = (day > 1).then_some(4000 - day as i32);
    facts.model = Some(format!("X{day}"));
    facts.make = Some("ACME".into());
    facts.iso = Some(100);
    facts.aperture = Some(2.8);
    facts.exposure_time = Some(svc_domain::extraction::Rational {
        numerator: 1,
        denominator: 250,
    });
    facts.place = place.map(|(latitude, longitude)| GeoPoint {
        latitude,
        longitude,
        altitude: None,
    });
    test_store.file(folder, name, FileRecord::Photo(Box::new(facts)))
}

#[tokio::test]
async fn photos_are_ordered_and_filtered_alike_everywhere() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::photos(), "p").await;
        let files = vec![
            photo(test_store, folder, "b.jpg", 3, Some((10.0, 179.0))),
            photo(test_store, folder, "a.jpg", 1, Some((-20.0, -179.0))),
            photo(test_store, folder, "c.jpg", 2, Some((50.0, 8.0))),
        ];
        let first = files[0].file.clone();
        let ids = test_store.persist(files).await;
        let names = async |filter: &PhotoFilter, by, order| -> Vec<String> {
            let listed = test_store
                .store
                .photos
                .list_photos(ALL_MEDIA, filter, &ListRequest::new(by, order, ALL))
                .await
                .unwrap();
            assert_eq!(listed.total, listed.items.len() as u64);
            listed.items.into_iter().map(|photo| photo.file_name).collect()
        };
        let all = PhotoFilter::default();
        assert_eq!(
            names(&all, PhotoOrder::TakenAt, Order::Descending).await,
            ["b.jpg", "c.jpg", "a.jpg"]
        );
        assert_eq!(
            names(&all, PhotoOrder::CreatedAt, UP).await,
            ["b.jpg", "a.jpg", "c.jpg"]
        );
        assert_eq!(
            names(&all, PhotoOrder::Width, UP).await,
            ["b.jpg", "c.jpg", "a.jpg"],
            "nobody knows how wide the last one is"
        );
        assert_eq!(
            names(&all, PhotoOrder::Height, Order::Descending).await,
            ["c.jpg", "a.jpg", "b.jpg"]
        );
        assert_eq!(names(&all, PhotoOrder::ModifiedAt, UP).await.len(), 3);
        let day = |day: i64| Some(Timestamp::from_millis(day * 86_400_000));
        let area = |west, east| {
            Some(BoundingBox {
                west,
                south: -30.0,
                east,
                north: 30.0,
            })
        };
        let filters = [
            (
                PhotoFilter {
                    from: day(2),
                    to: day(2),
                    ..all.clone()
                },
                vec!["c.jpg"],
            ),
            (
                PhotoFilter {
                    camera: Some("X1".into()),
                    ..all.clone()
                },
                vec!["a.jpg"],
            ),
            (
                PhotoFilter {
                    camera: Some("ACME".into()),
                    ..all.clone()
                },
                vec!["a.jpg", "c.jpg", "b.jpg"],
            ),
            (
                PhotoFilter {
                    lens: Some("none".into()),
                    ..all.clone()
                },
                vec![],
            ),
            (
                PhotoFilter {
                    bounding_box: area(170.0, -170.0),
                    ..all.clone()
                },
                vec!["a.jpg", "b.jpg"],
            ),
            (
                PhotoFilter {
                    bounding_box: area(0.0, 179.5),
                    ..all.clone()
                },
                vec!["b.jpg"],
            ),
        ];
        for (filter, expected) in filters {
            assert_eq!(
                names(&filter, PhotoOrder::TakenAt, UP).await,
                expected,
                "{filter:?}"
            );
        }
        let stored = test_store
            .store
            .photos
            .photo(ALL_MEDIA, PhotoId::from(ids[0]))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(FileRecord::Photo(Box::new(stored.facts)), first.record);
        assert_eq!(stored.modified_at.millis(), first.mtime_ns.div_euclid(1_000_000));
        assert_eq!(found(test_store, SearchIndex::Photos, "acme x3").await, 1);
    })
    .await;
}

#[tokio::test]
async fn deleting_the_media_keeps_the_directories() {
    on_each_database(async |test_store: &mut TestStore| {
        let (folder, _) = small_library(test_store).await;
        let read_to = test_store.store.changes.changes(None, 100).await.unwrap().next;
        assert!(read_to > 0);
        test_store.delete_media().await;
        assert_eq!(
            (
                artists(test_store).await.len(),
                releases(test_store).await.len(),
                genres(test_store).await.len()
            ),
            (0, 0, 0)
        );
        assert_eq!(
            test_store.store.index.files_in_folders(&[folder]).await.unwrap(),
            []
        );
        assert_eq!(found(test_store, SearchIndex::Tracks, "a").await, 0);
        assert_eq!(
            test_store
                .store
                .directories
                .list_directories()
                .await
                .unwrap()
                .len(),
            1
        );
        assert_eq!(
            test_store.store.directories.file_counts().await.unwrap()[&MediaKind::music()],
            0
        );
        assert!(
            test_store
                .store
                .changes
                .changes(Some(read_to), 100)
                .await
                .unwrap()
                .incomplete
        );
        small_library(test_store).await;
        assert_eq!(releases(test_store).await.len(), 2);
        let changes = test_store
            .store
            .changes
            .changes(Some(read_to), 100)
            .await
            .unwrap();
        assert!(
            changes.incomplete,
            "who had read all is not told of additions alone"
        );
    })
    .await;
}

#[tokio::test]
async fn texts_without_end_are_stored_and_found() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::music(), &"深い/".repeat(500)).await;
        let long = |letter: &str| format!("{letter} {}", letter.repeat(50_000));
        let files = vec![
            test_store.file(
                folder,
                "1",
                record(track_of(
                    &long("a"),
                    &[&long("ß")],
                    &long("é"),
                    1,
                    &[genre(&long("g"))],
                )),
            ),
            test_store.file(
                folder,
                "2",
                record(track_of(
                    &long("b"),
                    &[&long("ß")],
                    &format!("{}x", long("é")),
                    1,
                    &[],
                )),
            ),
        ];
        let ids = test_store.persist(files).await;
        assert_eq!(
            test_store
                .store
                .music
                .track(ALL_MEDIA, ids[0].into())
                .await
                .unwrap()
                .unwrap()
                .title,
            long("a")
        );
        assert_eq!(
            releases(test_store).await.len(),
            2,
            "keys that differ only at their end stay apart"
        );
        assert_eq!(artists(test_store).await.len(), 1);
        assert_eq!(found(test_store, SearchIndex::Tracks, "aaaa").await, 1);
    })
    .await;
}

#[tokio::test]
async fn folders_of_a_large_directory_are_all_there() {
    on_each_database(async |test_store: &mut TestStore| {
        let (directory, first) = test_store.folder(MediaKind::music(), "a").await;
        let mut expected = vec![first];
        let more: Vec<(FolderId, RelativePath)> = (0..9000)
            .map(|number: u32| {
                (
                    test_store.id(),
                    RelativePath::root().join_text(&number.to_string()),
                )
            })
            .collect();
        expected.extend(more.iter().map(|(id, _)| *id));
        for some in more.chunks(1000) {
            test_store.store.index.add_folders(directory, some).await.unwrap();
        }
        test_store
            .folder(MediaKind::photos(), "of another directory")
            .await;
        let mut found: Vec<FolderId> = Vec::new();
        for folder in test_store.store.index.folders(directory).await.unwrap() {
            assert_eq!((folder.digest, folder.file_count), (None, 0));
            found.push(folder.id);
        }
        found.sort_unstable();
        expected.sort_unstable();
        assert_eq!(found, expected);
    })
    .await;
}
