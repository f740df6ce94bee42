//! Movies, shows, seasons and episodes: lists, records, files, visibility.

use crate::tests::*;
use crate::{ItemFilter, MovieFilter, MovieOrder, ShowFilter, ShowOrder};
use svc_domain::id::SubtitleId;
use svc_domain::library::Library;
use svc_domain::list::{ListRequest, Listing, Order, OrderedPagination, Pagination};
use svc_domain::video::{Episode, Movie, Show, SubtitleOrigin, VideoFacts, VideoSubject};

const PAGE: Pagination = Pagination { take: 100, skip: 0 };
const UP: Order = Order::Ascending;
const WHOLE: OrderedPagination = OrderedPagination {
    order: UP,
    page: PAGE,
};

type Fields<'a> = &'a [(&'a str, Value)];

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn texts(texts: &[&str]) -> Value {
    Value::Texts(texts.iter().map(|&text| text.to_owned()).collect())
}

fn date(year: u16, month: u8, day: u8) -> Value {
    Value::Date(svc_domain::extraction::PartialDate {
        year,
        month: Some(month),
        day: Some(day),
        time_ms: None,
        offset_minutes: None,
    })
}

/// The record of a video file with a duration in seconds.
fn video(kind: MediaKind, folder: &str, name: &str, seconds: u64, fields: Fields<'_>) -> FileRecord {
    let field = |(key, value): &(&str, Value)| Field {
        key: (*key).to_owned(),
        value: value.clone(),
    };
    let extraction = Extraction {
        duration_ms: Some(seconds * 1000),
        fields: fields.iter().map(field).collect(),
        ..Extraction::default()
    };
    let folder = RelativePath::root().join_text(folder);
    let facts = VideoFacts::from_extraction(&extraction, &kind, &folder, name);
    FileRecord::Video(Box::new(facts))
}

fn movie(name: &str, seconds: u64, fields: Fields<'_>) -> FileRecord {
    video(MediaKind::movies(), "a", name, seconds, fields)
}

fn episode(show: &str, season: i64, number: i64, more: Fields<'_>) -> FileRecord {
    let mut fields = vec![
        ("tv.show", text(show)),
        ("tv.season", Value::Integer(season)),
        ("tv.episode", Value::Integer(number)),
    ];
    fields.extend(more.iter().cloned());
    video(MediaKind::tv(), "a", "e.mkv", 60, &fields)
}

async fn movies(test_store: &TestStore, filter: &MovieFilter, by: MovieOrder, order: Order) -> Vec<String> {
    let request = ListRequest::new(by, order, PAGE);
    let listed: Listing<Movie> = test_store
        .store
        .movies
        .list_movies(ALL_MEDIA, filter, &request)
        .await
        .unwrap();
    assert_eq!(listed.total, listed.items.len() as u64);
    listed.items.into_iter().map(|movie| movie.title).collect()
}

async fn shows(test_store: &TestStore, scope: &MediaScope, filter: &ShowFilter, by: ShowOrder) -> Vec<Show> {
    let listed = test_store
        .store
        .tv
        .list_shows(scope, filter, &ListRequest::new(by, UP, PAGE))
        .await
        .unwrap();
    assert_eq!(listed.total, listed.items.len() as u64);
    listed.items
}

/// Title, number of seasons, number of episodes, and whether there is artwork.
fn summaries(shows: &[Show]) -> Vec<(&str, i64, i64, bool)> {
    shows
        .iter()
        .map(|show| {
            (
                show.title.as_str(),
                show.season_count,
                show.episode_count,
                show.has_artwork,
            )
        })
        .collect()
}

/// Adds a library without grants over a path, and returns the scope of a user without a grant.
async fn close(test_store: &TestStore, kind: MediaKind, path: &str) -> MediaScope {
    let library = Library {
        id: test_store.id(),
        name: "Closed".into(),
        kind,
        paths: vec![RelativePath::parse(path).unwrap()],
        restricted: true,
        grants: Vec::new(),
        created_at: NOW,
    };
    test_store.instance().await;
    let mut change = test_store.store.identity.change_identity().await.unwrap();
    change.insert_library(&library).await.unwrap();
    change.commit().await.unwrap();
    test_store
        .store
        .libraries
        .media_scope(test_store.id())
        .await
        .unwrap()
}

#[tokio::test]
async fn movies_are_listed_in_each_order_and_by_each_filter() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::movies(), "a").await;
        let records = [
            (
                "a",
                300,
                vec![
                    ("movie.title", text("Ágata")),
                    ("movie.year", Value::Integer(1999)),
                    ("movie.released", date(1999, 5, 1)),
                    ("movie.genres", texts(&["Comédie", "Drama"])),
                ],
            ),
            (
                "b",
                100,
                vec![
                    ("movie.title", text("The Beacon")),
                    ("movie.year", Value::Integer(2005)),
                    ("movie.released", date(2005, 1, 1)),
                    ("movie.genres", texts(&["Drama", "drama"])),
                ],
            ),
            ("c", 200, vec![("movie.title", text("Cinder"))]),
        ];
        let files = records.iter();
        let files =
            files.map(|(name, seconds, fields)| test_store.file(folder, name, movie(name, *seconds, fields)));
        test_store.persist(files.collect()).await;
        let all = &MovieFilter::default();
        // This many at the end have no value, and are last in both directions.
        for (by, titles, without) in [
            (MovieOrder::Title, ["Ágata", "The Beacon", "Cinder"], 0),
            (MovieOrder::CreatedAt, ["Ágata", "The Beacon", "Cinder"], 0),
            (MovieOrder::Year, ["Ágata", "The Beacon", "Cinder"], 1),
            (MovieOrder::ReleasedAt, ["Ágata", "The Beacon", "Cinder"], 1),
            (MovieOrder::Runtime, ["The Beacon", "Cinder", "Ágata"], 0),
        ] {
            assert_eq!(movies(test_store, all, by, UP).await, titles, "{by:?}");
            let mut reversed = titles;
            reversed[..3 - without].reverse();
            assert_eq!(
                movies(test_store, all, by, Order::Descending).await,
                reversed,
                "{by:?}"
            );
        }
        let genre = |name: &str| MovieFilter {
            genre: Some(name.to_owned()),
            ..MovieFilter::default()
        };
        let years = |year_from, year_to| MovieFilter {
            year_from,
            year_to,
            ..MovieFilter::default()
        };
        let since = |moment| MovieFilter {
            items: added_since(Timestamp::from_millis(moment)),
            ..MovieFilter::default()
        };
        for (filter, titles) in [
            (genre("DRAMA"), &["Ágata", "The Beacon"][..]),
            (genre("comedie"), &["Ágata"]),
            (genre("dram"), &[]),
            (years(Some(2000), None), &["The Beacon"]),
            (years(None, Some(1999)), &["Ágata"]),
            (years(Some(1999), Some(2005)), &["Ágata", "The Beacon"]),
            (since(NOW.millis()), &["Ágata", "The Beacon", "Cinder"]),
            (since(NOW.millis() + 10_000), &[]),
        ] {
            assert_eq!(
                movies(test_store, &filter, MovieOrder::Title, UP).await,
                titles,
                "{filter:?}"
            );
        }
        let page = Pagination { take: 1, skip: 1 };
        let request = ListRequest::new(MovieOrder::Title, UP, page);
        let listed = test_store
            .store
            .movies
            .list_movies(ALL_MEDIA, all, &request)
            .await
            .unwrap();
        assert_eq!((listed.items[0].title.as_str(), listed.total), ("The Beacon", 3));
    })
    .await;
}

#[tokio::test]
async fn genres_follow_the_current_metadata_of_the_file() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::movies(), "a").await;
        let of = |genre: &str| {
            let fields = [("movie.title", text("Amber")), ("movie.genres", texts(&[genre]))];
            movie("a", 1, &fields)
        };
        let file = test_store.file(folder, "a", of("Drama"));
        let mut again = file.clone();
        test_store.persist(vec![file]).await;
        again.file.known = true;
        again.file.record = of("Western");
        test_store.persist(vec![again]).await;
        let genre = |name: &str| MovieFilter {
            genre: Some(name.to_owned()),
            ..MovieFilter::default()
        };
        assert_eq!(
            movies(test_store, &genre("western"), MovieOrder::Title, UP).await,
            ["Amber"]
        );
        assert_eq!(
            movies(test_store, &genre("drama"), MovieOrder::Title, UP).await,
            Vec::<String>::new()
        );
    })
    .await;
}

#[tokio::test]
async fn movie_has_its_files_with_all_metadata_best_first() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::movies(), "a").await;
        let title = || ("movie.title", text("Amber"));
        let part = |number| ("movie.part", Value::Integer(number));
        let streams = [
            r#"{"type":"video","codec":"hevc","width":3840,"height":2160,"fps":23.976,"hdr":"hdr10","default":true}"#,
            r#"{"type":"audio","codec":"eac3","channels":6,"language":"eng","default":true}"#,
            r#"{"type":"subtitle","codec":"subrip","language":"ger","forced":true,"default":false}"#,
        ];
        let full = vec![
            title(),
            part(1),
            ("movie.edition", text("Extended")),
            ("video.container", text("matroska")),
            ("video.streams", texts(&streams)),
            ("video.chapters", texts(&[r#"{"startMs":0,"title":"One"}"#])),
            (
                "related.subtitles",
                texts(&[r#"{"name":"p1.en.srt","format":"srt","language":"en"}"#]),
            ),
            ("related.artwork", texts(&[r#"{"name":"poster.jpg","purpose":"poster"}"#])),
            ("movie.people", texts(&[r#"{"name":"Ann","role":"actor","character":"Vera"}"#])),
            ("movie.external-ids", texts(&["imdb:tt1"])),
            ("movie.studios", texts(&["Kiln"])),
        ];
        let second = test_store.file(folder, "p2", movie("p2", 40, &[title(), part(2)]));
        let mut small = test_store.file(folder, "small", movie("small", 100, &[title()]));
        small.file.size = 10;
        let first = test_store.file(folder, "p1", movie("p1", 60, &full));
        let ids = test_store.persist(vec![second, small, first]).await;
        let (second, small, first) = (ids[0], ids[1], ids[2]);

        let filter = MovieFilter::default();
        let listed = test_store
            .store
            .movies
            .list_movies(ALL_MEDIA, &filter, &ListRequest::new(MovieOrder::Title, UP, PAGE))
            .await;
        let listed = listed.unwrap().items;
        let found = test_store.store.movies.movie(ALL_MEDIA, listed[0].id).await.unwrap().unwrap();
        assert_eq!(listed, std::slice::from_ref(&found));
        assert_eq!(
            (found.external_ids.as_slice(), found.studios.as_slice()),
            (&[("imdb".to_owned(), "tt1".to_owned())][..], &["Kiln".to_owned()][..])
        );
        assert_eq!(found.people[0].character.as_deref(), Some("Vera"));
        assert_eq!(found.runtime_ms(), Some(200_000));
        let order: Vec<FileId> = found.sources.iter().map(|source| source.id.into()).collect();
        assert_eq!(order, [first, small, second]);
        let files = test_store.store.video_files.movie_files(ALL_MEDIA, found.id).await.unwrap();
        assert_eq!(files.iter().map(|file| file.file).collect::<Vec<_>>(), order);

        let best = &found.sources[0];
        assert_eq!((best.part, best.edition.as_deref()), (Some(1), Some("Extended")));
        assert_eq!((best.video[0].hdr.as_deref(), best.video[0].width), (Some("hdr10"), Some(3840)));
        assert_eq!((best.audio[0].channels, best.audio[0].is_default), (Some(6), true));
        assert_eq!(best.chapters[0].title.as_deref(), Some("One"));
        assert!(best.has_artwork && !found.sources[1].has_artwork);
        let [outside, inside] = best.subtitles.as_slice() else {
            panic!("{:?}", best.subtitles);
        };
        assert_eq!(outside.origin, SubtitleOrigin::File("p1.en.srt".into()));
        assert_eq!((&inside.origin, inside.forced), (&SubtitleOrigin::Stream, true));
        for subtitle in [outside, inside] {
            let file = test_store.store.video_files.subtitle_file(ALL_MEDIA, subtitle.id).await.unwrap().unwrap();
            assert_eq!((&file.subtitle, file.media.file, file.of_movie), (subtitle, first, true));
        }
        let other = SubtitleId::of_file(small.into(), "p1.en.srt");
        assert_eq!(test_store.store.video_files.subtitle_file(ALL_MEDIA, other).await.unwrap(), None);
        let subject = VideoSubject::Movie(found.id);
        let pictures = test_store.store.video_files.video_pictures(ALL_MEDIA, subject, "poster").await.unwrap();
        assert_eq!(pictures.len(), 1);
        assert_eq!((pictures[0].0.file, pictures[0].1.as_slice()), (first, &["poster.jpg".to_owned()][..]));
        assert_eq!(test_store.store.video_files.video_pictures(ALL_MEDIA, subject, "banner").await.unwrap(), []);

        // A missing file is never the best.
        let gone = ScanBatch {
            now: NOW,
            missing: vec![first],
            ..ScanBatch::default()
        };
        test_store.writer().persist(&gone).await.unwrap();
        let found = test_store.store.movies.movie(ALL_MEDIA, found.id).await.unwrap().unwrap();
        let missing = found.sources.iter().map(|source| (source.id.into(), source.missing));
        let missing: Vec<(FileId, bool)> = missing.collect();
        assert_eq!(missing, [(small, false), (second, false), (first, true)]);
    })
    .await;
}

/// Adds two seasons and specials of "Dark", and one episode of "Alone"; some have posters.
async fn add_shows(test_store: &TestStore) -> Vec<FileId> {
    let (_, a) = test_store.folder(MediaKind::tv(), "a").await;
    let (_, b) = test_store.folder(MediaKind::tv(), "b").await;
    let of_show = |purpose: &str| {
        let picture = format!(r#"{{"name":"../poster.jpg","purpose":"{purpose}"}}"#);
        ("related.artwork", texts(&[picture.as_str()]))
    };
    let year = ("tv.show-year", Value::Integer(2017));
    let genres = ("tv.genres", texts(&["Mystery"]));
    let dark = |season, number, more: Fields<'_>| {
        let fields = [&[year.clone(), genres.clone()], more].concat();
        episode("Dark", season, number, &fields)
    };
    let files = [
        (a, dark(1, 2, &[("tv.episode-end", Value::Integer(3))])),
        (
            a,
            dark(
                1,
                1,
                &[
                    ("name.pattern", text("sxxexx")),
                    ("name.confidence", Value::Real(0.9)),
                ],
            ),
        ),
        (b, dark(2, 1, &[of_show("season-poster")])),
        (b, dark(0, 1, &[of_show("show-poster")])),
        (b, episode("Alone", 1, 1, &[])),
    ];
    let files = files.into_iter().enumerate();
    let files = files.map(|(at, (folder, record))| test_store.file(folder, &format!("{at}.mkv"), record));
    test_store.persist(files.collect()).await
}

fn places(episodes: &[Episode]) -> Vec<(Option<i32>, Option<i32>)> {
    episodes
        .iter()
        .map(|episode| (episode.season_number, episode.number))
        .collect()
}

#[tokio::test]
async fn episodes_and_seasons_without_a_number_are_last_in_both_directions() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::tv(), "a").await;
        let show = ("tv.show", text("Dark"));
        let dated = [show.clone(), ("tv.air-date", date(2020, 5, 1))];
        let records = [
            video(MediaKind::tv(), "a", "x.mkv", 60, &dated),
            episode("Dark", 1, 2, &[]),
            episode("Dark", 1, 1, &[]),
            episode("Dark", 2, 1, &[]),
        ];
        let files = records.into_iter().enumerate();
        let files = files.map(|(at, record)| test_store.file(folder, &format!("{at}.mkv"), record));
        test_store.persist(files.collect()).await;
        let dark = shows(test_store, ALL_MEDIA, &ShowFilter::default(), ShowOrder::Title).await;
        let down = OrderedPagination {
            order: Order::Descending,
            page: PAGE,
        };
        let numbered = |season, number| (Some(season), Some(number));
        let none = (None, None);
        for (part, numbers, order) in [
            (
                WHOLE,
                [Some(1), Some(2), None],
                [numbered(1, 1), numbered(1, 2), numbered(2, 1), none],
            ),
            (
                down,
                [Some(2), Some(1), None],
                [numbered(2, 1), numbered(1, 2), numbered(1, 1), none],
            ),
        ] {
            let seasons = test_store
                .store
                .tv
                .show_seasons(ALL_MEDIA, dark[0].id, part)
                .await
                .unwrap();
            let reported: Vec<_> = seasons.items.iter().map(|season| season.number).collect();
            assert_eq!(reported, numbers);
            let episodes = test_store
                .store
                .tv
                .show_episodes(ALL_MEDIA, dark[0].id, &ItemFilter::default(), part)
                .await
                .unwrap();
            assert_eq!(places(&episodes.items), order);
        }
    })
    .await;
}

#[tokio::test]
async fn shows_have_seasons_and_episodes_in_order() {
    on_each_database(async |test_store: &mut TestStore| {
        add_shows(test_store).await;
        let all = &ShowFilter::default();
        let found = shows(test_store, ALL_MEDIA, all, ShowOrder::Title).await;
        assert_eq!(summaries(&found), [("Alone", 1, 1, false), ("Dark", 3, 4, true)]);
        for (by, first) in [(ShowOrder::CreatedAt, "Dark"), (ShowOrder::Year, "Dark")] {
            assert_eq!(
                shows(test_store, ALL_MEDIA, all, by).await[0].title,
                first,
                "{by:?}"
            );
        }
        for (filter, count) in [
            (
                ShowFilter {
                    genre: Some("MYSTERY".into()),
                    ..ShowFilter::default()
                },
                1,
            ),
            (
                ShowFilter {
                    genre: Some("Drama".into()),
                    ..ShowFilter::default()
                },
                0,
            ),
            (
                ShowFilter {
                    year_from: Some(2017),
                    ..ShowFilter::default()
                },
                1,
            ),
            (
                ShowFilter {
                    year_to: Some(2016),
                    ..ShowFilter::default()
                },
                0,
            ),
            (
                ShowFilter {
                    items: added_since(NOW),
                    ..ShowFilter::default()
                },
                2,
            ),
        ] {
            assert_eq!(
                shows(test_store, ALL_MEDIA, &filter, ShowOrder::Title)
                    .await
                    .len(),
                count,
                "{filter:?}"
            );
        }
        let dark = &found[1];
        assert_eq!(
            test_store
                .store
                .tv
                .show(ALL_MEDIA, dark.id)
                .await
                .unwrap()
                .as_ref(),
            Some(dark)
        );
        let seasons = test_store
            .store
            .tv
            .show_seasons(ALL_MEDIA, dark.id, WHOLE)
            .await
            .unwrap()
            .items;
        let reported: Vec<_> = seasons
            .iter()
            .map(|season| (season.number, season.episode_count, season.has_artwork))
            .collect();
        assert_eq!(
            reported,
            [(Some(0), 1, false), (Some(1), 2, false), (Some(2), 1, true)]
        );
        assert_eq!(
            test_store
                .store
                .tv
                .season(ALL_MEDIA, seasons[1].id)
                .await
                .unwrap()
                .as_ref(),
            Some(&seasons[1])
        );
        let first = test_store
            .store
            .tv
            .season_episodes(ALL_MEDIA, seasons[1].id, &ItemFilter::default(), WHOLE)
            .await
            .unwrap()
            .items;
        assert_eq!(places(&first), [(Some(1), Some(1)), (Some(1), Some(2))]);
        assert_eq!(first[1].number_end, Some(3));
        assert_eq!(
            (first[0].show_title.as_str(), first[0].season),
            ("Dark", seasons[1].id)
        );
        let found = first[0].name_match().unwrap();
        assert_eq!((found.pattern.as_str(), found.confidence), ("sxxexx", Some(0.9)));
        assert_eq!(
            test_store
                .store
                .tv
                .episode(ALL_MEDIA, first[0].id)
                .await
                .unwrap()
                .as_ref(),
            Some(&first[0])
        );
        let watched = test_store
            .store
            .tv
            .show_episodes(ALL_MEDIA, dark.id, &ItemFilter::default(), WHOLE)
            .await
            .unwrap();
        let order = [(0, 1), (1, 1), (1, 2), (2, 1)].map(|(season, number)| (Some(season), Some(number)));
        assert_eq!((places(&watched.items), watched.total), (order.to_vec(), 4));
        let part = OrderedPagination {
            order: UP,
            page: Pagination { take: 2, skip: 1 },
        };
        let found = test_store
            .store
            .tv
            .show_episodes(ALL_MEDIA, dark.id, &ItemFilter::default(), part)
            .await
            .unwrap();
        assert_eq!((places(&found.items), found.total), (order[1..3].to_vec(), 4));
        let last = OrderedPagination {
            order: Order::Descending,
            page: Pagination { take: 1, skip: 0 },
        };
        let found = test_store
            .store
            .tv
            .show_episodes(ALL_MEDIA, dark.id, &ItemFilter::default(), last)
            .await
            .unwrap();
        assert_eq!((places(&found.items), found.total), (order[3..].to_vec(), 4));
        let found = test_store
            .store
            .tv
            .season_episodes(ALL_MEDIA, seasons[1].id, &ItemFilter::default(), last)
            .await
            .unwrap();
        assert_eq!((places(&found.items), found.total), (order[2..3].to_vec(), 2));
        let found = test_store
            .store
            .tv
            .show_seasons(ALL_MEDIA, dark.id, last)
            .await
            .unwrap();
        assert_eq!((found.items, found.total), (seasons[2..].to_vec(), 3));
        for (subject, purpose, count) in [
            (VideoSubject::Show(dark.id), "show-poster", 1),
            (VideoSubject::Season(seasons[2].id), "season-poster", 1),
            (VideoSubject::Season(seasons[1].id), "season-poster", 0),
            (VideoSubject::Episode(first[0].id), "thumb", 0),
        ] {
            let pictures = test_store
                .store
                .video_files
                .video_pictures(ALL_MEDIA, subject, purpose)
                .await
                .unwrap();
            assert_eq!(pictures.len(), count, "{subject:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn only_visible_shows_and_movies_are_listed_and_counted() {
    on_each_database(async |test_store: &mut TestStore| {
        let ids = add_shows(test_store).await;
        let all = &ShowFilter::default();
        let found = shows(test_store, ALL_MEDIA, all, ShowOrder::Title).await;
        let (alone, dark) = (&found[0], &found[1]);
        let seasons = test_store
            .store
            .tv
            .show_seasons(ALL_MEDIA, dark.id, WHOLE)
            .await
            .unwrap()
            .items;
        let specials = test_store
            .store
            .tv
            .season_episodes(ALL_MEDIA, seasons[0].id, &ItemFilter::default(), WHOLE)
            .await
            .unwrap()
            .items;
        let scope = &close(test_store, MediaKind::tv(), "b").await;

        let seen = shows(test_store, scope, all, ShowOrder::Title).await;
        assert_eq!(summaries(&seen), [("Dark", 1, 2, false)]);
        let store = &test_store.store;
        assert_eq!(store.tv.show(scope, alone.id).await.unwrap(), None);
        assert_eq!(
            store.tv.show_seasons(scope, alone.id, WHOLE).await.unwrap().items,
            []
        );
        let first = store.tv.show_seasons(scope, dark.id, WHOLE).await.unwrap().items;
        assert_eq!(
            (first.len(), first[0].number, first[0].episode_count),
            (1, Some(1), 2)
        );
        for (at, season) in seasons.iter().enumerate() {
            let one = store.tv.season(scope, season.id).await.unwrap();
            let episodes = store
                .tv
                .season_episodes(scope, season.id, &ItemFilter::default(), WHOLE)
                .await
                .unwrap()
                .items;
            assert_eq!(
                (one.is_some(), episodes.len()),
                (at == 1, if at == 1 { 2 } else { 0 })
            );
        }
        assert_eq!(
            store
                .tv
                .show_episodes(scope, dark.id, &ItemFilter::default(), WHOLE)
                .await
                .unwrap()
                .total,
            2
        );
        assert_eq!(store.tv.episode(scope, specials[0].id).await.unwrap(), None);
        assert_eq!(
            store
                .video_files
                .episode_files(scope, specials[0].id)
                .await
                .unwrap(),
            []
        );
        let poster = VideoSubject::Show(dark.id);
        assert_eq!(
            store
                .video_files
                .video_pictures(scope, poster, "show-poster")
                .await
                .unwrap(),
            []
        );
        for (subject, is_seen) in [
            (poster, true),
            (VideoSubject::Show(alone.id), false),
            (VideoSubject::Season(seasons[1].id), true),
            (VideoSubject::Season(seasons[0].id), false),
            (VideoSubject::Episode(specials[0].id), false),
        ] {
            assert_eq!(
                store.video_files.can_see_video(scope, subject).await.unwrap(),
                is_seen,
                "{subject:?}"
            );
            assert!(store.video_files.can_see_video(ALL_MEDIA, subject).await.unwrap());
        }
        assert!(
            !store
                .video_files
                .can_see_video(ALL_MEDIA, VideoSubject::Movie(ids[0].get().into()))
                .await
                .unwrap()
        );

        // A movie with a visible and a hidden file is shown with the visible one.
        let (_, open) = test_store.folder(MediaKind::movies(), "a").await;
        let (_, closed) = test_store.folder(MediaKind::movies(), "b").await;
        let named = |title: &str, seconds, more: Fields<'_>| {
            movie("m", seconds, &[&[("movie.title", text(title))], more].concat())
        };
        let subtitle = (
            "related.subtitles",
            texts(&[r#"{"name":"m.srt","format":"srt"}"#]),
        );
        let files = vec![
            test_store.file(open, "1", named("Both", 50, &[])),
            test_store.file(closed, "2", named("Both", 90, &[subtitle])),
            test_store.file(closed, "3", named("Closed", 90, &[])),
        ];
        let ids = test_store.persist(files).await;
        let scope = &close(test_store, MediaKind::movies(), "b").await;
        let filter = MovieFilter::default();
        let listed = store
            .movies
            .list_movies(scope, &filter, &ListRequest::new(MovieOrder::Title, UP, PAGE))
            .await
            .unwrap();
        assert_eq!((listed.items.len(), listed.total), (1, 1));
        let both = &listed.items[0];
        assert_eq!((both.runtime_ms(), both.sources.len()), (Some(50_000), 1));
        assert_eq!(
            store.video_files.movie_files(scope, both.id).await.unwrap().len(),
            1
        );
        let all = store
            .movies
            .list_movies(ALL_MEDIA, &filter, &ListRequest::new(MovieOrder::Title, UP, PAGE))
            .await
            .unwrap();
        assert_eq!((all.items[0].runtime_ms(), all.total), (Some(90_000), 2));
        assert_eq!(store.movies.movie(scope, all.items[1].id).await.unwrap(), None);
        let hidden = SubtitleId::of_file(ids[1].into(), "m.srt");
        assert_eq!(
            store.video_files.subtitle_file(scope, hidden).await.unwrap(),
            None
        );
        assert!(
            store
                .video_files
                .subtitle_file(ALL_MEDIA, hidden)
                .await
                .unwrap()
                .is_some()
        );
    })
    .await;
}

#[tokio::test]
async fn renamed_show_keeps_its_id_and_takes_the_genres_of_the_new_name() {
    on_each_database(async |test_store: &mut TestStore| {
        let (_, folder) = test_store.folder(MediaKind::tv(), "a").await;
        let of = |show: &str, genre: &str| episode(show, 1, 1, &[("tv.genres", texts(&[genre]))]);
        let file = test_store.file(folder, "1", of("Drak", "Drama"));
        let mut again = file.clone();
        test_store.persist(vec![file]).await;
        let all = &ShowFilter::default();
        let before = shows(test_store, ALL_MEDIA, all, ShowOrder::Title).await;
        again.file.known = true;
        again.file.record = of("Dark", "Mystery");
        test_store.persist(vec![again]).await;
        let genre = |name: &str| ShowFilter {
            genre: Some(name.to_owned()),
            ..ShowFilter::default()
        };
        let after = shows(test_store, ALL_MEDIA, &genre("mystery"), ShowOrder::Title).await;
        assert_eq!((after[0].id, after[0].title.as_str()), (before[0].id, "Dark"));
        assert_eq!(
            shows(test_store, ALL_MEDIA, &genre("drama"), ShowOrder::Title).await,
            []
        );
        assert_eq!(shows(test_store, ALL_MEDIA, all, ShowOrder::Title).await.len(), 1);
    })
    .await;
}
