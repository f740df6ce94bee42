//! History, ratings, and what is shown of them with items.

use std::time::Duration;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::{TestServer, TestServerOptions};
use svc_domain::extraction::{Extraction, Field, Value as FieldValue};
use svc_domain::id::{FileId, FolderId, MediaId};
use svc_domain::kind::MediaKind;
use svc_domain::music::TrackFacts;
use svc_domain::path::RelativePath;
use svc_domain::photo::PhotoFacts;
use svc_domain::scan::FileRecord;
use svc_domain::time::{Clock as _, Timestamp};
use svc_domain::video::VideoFacts;
use svc_test_support::databases::{Schema, number, postgres_url};

const HISTORY: &str = "/api/v1/history";
const RATINGS: &str = "/api/v1/ratings";
const UNKNOWN: &str = "0000000000001";

/// Runs `test` on SQLite, and on PostgreSQL if there is a server.
pub(super) async fn on_each_database(test: impl AsyncFn(&TestServer)) {
    test(&TestServer::start().await).await;
    let Some(postgres) = postgres_url() else { return };
    let schema = Schema::create(&postgres).await;
    let server = TestServer::start_with(TestServerOptions {
        database_url: Some(schema.url.clone()),
        ..TestServerOptions::default()
    })
    .await;
    test(&server).await;
    server.store.database.close().await;
    schema.drop().await;
}

fn extraction(title: &str, seconds: u64, fields: Vec<(&str, FieldValue)>) -> Extraction {
    let fields = fields.into_iter().map(|(key, value)| Field {
        key: key.to_owned(),
        value,
    });
    Extraction {
        title: Some(title.to_owned()),
        duration_ms: Some(seconds * 1000),
        fields: fields.collect(),
        ..Extraction::default()
    }
}

/// A track of four minutes by `artist`, of the genre `genre`.
pub(super) async fn song(
    server: &TestServer,
    folder: FolderId,
    title: &str,
    artist: &str,
    genre: &str,
) -> FileId {
    let texts = |text: &str| FieldValue::Texts(vec![text.to_owned()]);
    let fields = vec![
        ("music.album", FieldValue::Text(format!("{artist}'s"))),
        ("music.artists", texts(artist)),
        ("music.genres", texts(genre)),
    ];
    let facts = TrackFacts::from_extraction(&extraction(title, 240, fields), &RelativePath::root(), "x.mp3");
    server
        .record(
            folder,
            &format!("{title}.mp3"),
            10,
            FileRecord::Track(Box::new(facts)),
        )
        .await
}

async fn video(
    server: &TestServer,
    folder: FolderId,
    kind: MediaKind,
    title: &str,
    fields: Vec<(&str, FieldValue)>,
) {
    let extraction = extraction(title, 6000, fields);
    let facts = VideoFacts::from_extraction(&extraction, &kind, &RelativePath::root(), title);
    server
        .record(
            folder,
            &format!("{title}.mkv"),
            10,
            FileRecord::Video(Box::new(facts)),
        )
        .await;
}

/// A movie of a hundred minutes; its id.
pub(super) async fn movie(server: &TestServer, title: &str) -> String {
    let folder = server.folder_at(MediaKind::movies(), "Movies").await;
    let fields = vec![("movie.title", FieldValue::Text(title.to_owned()))];
    video(server, folder, MediaKind::movies(), title, fields).await;
    let sql = format!("SELECT movie_id FROM movies WHERE title = '{title}'");
    MediaId::from(number(&server.database_url, &sql).await).to_string()
}

/// The first episodes of a show, of a hundred minutes each; their ids.
pub(super) async fn episodes(server: &TestServer, show: &str, count: i64) -> Vec<String> {
    let folder = server.folder_at(MediaKind::tv(), show).await;
    let mut ids = Vec::new();
    for episode in 1..=count {
        let title = format!("{show} {episode}");
        let fields = vec![
            ("tv.show", FieldValue::Text(show.to_owned())),
            ("tv.season", FieldValue::Integer(1)),
            ("tv.episode", FieldValue::Integer(episode)),
        ];
        video(server, folder, MediaKind::tv(), &title, fields).await;
        let sql = format!("SELECT episode_id FROM tv_episodes WHERE title = '{title}'");
        ids.push(MediaId::from(number(&server.database_url, &sql).await).to_string());
    }
    ids
}

fn play(media_type: &str, id: &str, seconds: f64, state: &str) -> Value {
    json!({"mediaType": media_type, "mediaId": id, "seconds": seconds, "state": state})
}

async fn report(server: &TestServer, token: &str, body: Value) -> Value {
    let reply = server.send_as(token, "PATCH", HISTORY, &body).await;
    assert_eq!(reply.status, 200, "{body} {}", reply.json());
    reply.json()
}

async fn ids(server: &TestServer, token: &str, target: &str) -> Vec<String> {
    let reply = server.get_as(token, target).await;
    assert_eq!(reply.status, 200, "{target}");
    let list = reply.json();
    let items = list[0].as_array().unwrap();
    assert_eq!(list[1], items.len(), "{target}");
    let id = |item: &Value| item["mediaId"].as_str().unwrap().to_owned();
    items.iter().map(id).collect()
}

#[covers("GET /api/v1/history", "DELETE /api/v1/history/{mediaType}/{mediaId}")]
#[tokio::test]
async fn playing_is_kept_counted_and_shown_with_the_item() {
    on_each_database(async |server: &TestServer| {
        let owner = server.owner().await;
        let bea = server.token(server.user("bea", false, &["member"]).await);
        let folder = server.folder(MediaKind::music()).await;
        let track = song(server, folder, "Song", "Ann", "Jazz").await.to_string();
        let film = movie(server, "Film").await;
        report(server, &owner, play("movie", &film, 300.0, "stopped")).await;
        let first = report(server, &owner, play("music_track", &track, 0.0, "playing")).await;
        assert_eq!(
            (&first["playCount"], &first["state"]),
            (&json!(0), &json!("playing"))
        );
        // To the end at once, and then in real time.
        report(server, &owner, play("music_track", &track, 239.0, "playing")).await;
        report(server, &owner, play("music_track", &track, 0.0, "playing")).await;
        server.clock.advance(Duration::from_secs(121));
        let entry = report(server, &owner, play("music_track", &track, 121.0, "paused")).await;
        assert_eq!(
            (&entry["playCount"], &entry["seconds"], &entry["watched"]),
            (&json!(1), &json!(121.0), &json!(true))
        );
        assert_eq!(entry["item"]["title"], "Song");
        assert_eq!(entry["item"]["artists"], json!(["Ann"]));
        assert_eq!(entry["item"]["release"]["title"], "Ann's");

        assert_eq!(ids(server, &owner, HISTORY).await, [track.clone(), film.clone()]);
        assert_eq!(
            ids(server, &owner, "/api/v1/history?mediaType=movie").await,
            std::slice::from_ref(&film)
        );
        assert_eq!(
            server
                .get_as(&owner, "/api/v1/history?take=1&skip=1")
                .await
                .json()[1],
            2
        );
        assert_eq!(
            server
                .get_as(&owner, "/api/v1/history?mediaType=photo")
                .await
                .status,
            400
        );
        for (target, plays) in [
            (format!("/api/v1/music/tracks/{track}"), 1),
            ("/api/v1/music/tracks".to_owned(), 1),
        ] {
            let of = async |token: &str| {
                let json = server.get_as(token, &target).await.json();
                let track = if json.is_array() { &json[0][0] } else { &json };
                track["playCount"].clone()
            };
            assert_eq!(
                (of(&owner).await, of(&bea).await),
                (json!(plays), json!(0)),
                "{target}"
            );
        }
        assert_eq!(
            ids(server, &bea, HISTORY).await,
            Vec::<String>::new(),
            "everybody has their own"
        );

        // What happened before does not undo what is known.
        let mut late = play("music_track", &track, 5.0, "stopped");
        late["at"] = json!(Timestamp::from_millis(server.clock.now().millis() - 60_000).to_iso());
        assert_eq!(report(server, &owner, late).await["seconds"], 121.0);
        let mut ahead = play("music_track", &track, 130.0, "playing");
        ahead["at"] = json!("2999-01-01T00:00:00Z");
        assert_eq!(report(server, &owner, ahead).await["seconds"], 130.0);
        server.clock.advance(Duration::from_secs(1));
        let next = report(server, &owner, play("music_track", &track, 131.0, "playing")).await;
        assert_eq!(next["seconds"], 131.0, "a clock that is ahead shuts nobody out");

        let target = format!("{HISTORY}/music_track/{track}");
        for gone in [true, false] {
            let reply = server.send_as(&owner, "DELETE", &target, &Value::Null).await;
            assert_eq!((reply.status, reply.json()), (200, json!(gone)));
        }
        assert_eq!(ids(server, &owner, HISTORY).await, [film]);
    })
    .await;
}

#[covers("PATCH /api/v1/history")]
#[tokio::test]
async fn input_of_history_and_ratings_is_checked() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let folder = server.folder(MediaKind::music()).await;
    let track = song(&server, folder, "Song", "Ann", "Jazz").await.to_string();
    let release = server.get_as(&owner, "/api/v1/music/releases").await.json()[0][0]["musicReleaseId"]
        .as_str()
        .unwrap()
        .to_owned();
    let good = play("music_track", &track, 1.0, "playing");
    for (field, value, status) in [
        ("mediaType", json!("song"), 400),
        ("mediaType", json!("photo"), 400),
        ("mediaType", json!("movie"), 404),
        ("mediaId", json!(UNKNOWN), 404),
        ("mediaId", json!("1"), 400),
        ("seconds", json!(-0.1), 400),
        ("seconds", json!(10_000_001), 400),
        ("seconds", json!("1"), 400),
        ("state", json!("seeking"), 400),
        ("at", json!("yesterday"), 400),
    ] {
        let mut body = good.clone();
        body[field] = value;
        let reply = server.send_as(&owner, "PATCH", HISTORY, &body).await;
        assert_eq!(reply.status, status, "{body}");
        let named = if status == 404 { "mediaId" } else { field };
        assert_eq!(reply.json()["errors"][0]["path"], named, "{body}");
    }
    let body = play("music_release", &release, 1.0, "playing");
    assert_eq!(
        server.send_as(&owner, "PATCH", HISTORY, &body).await.status,
        400,
        "made of others"
    );
    let good = json!({"mediaType": "music_track", "mediaId": track, "rating": 0.5});
    for (field, value, status) in [
        ("mediaType", json!("song"), 400),
        ("mediaType", json!("photo"), 404),
        ("mediaId", json!(UNKNOWN), 404),
        ("rating", json!(1.001), 400),
        ("rating", json!(-0.001), 400),
        ("rating", Value::Null, 400),
        ("rating", json!(0), 200),
        ("rating", json!(1), 200),
    ] {
        let mut body = good.clone();
        body[field] = value;
        assert_eq!(
            server.send_as(&owner, "PUT", RATINGS, &body).await.status,
            status,
            "{body}"
        );
    }
    for target in [
        format!("{HISTORY}/song/{track}"),
        format!("{HISTORY}/movie/{track}"),
        format!("{HISTORY}/music_track/x"),
        format!("{RATINGS}/music_track/{UNKNOWN}"),
    ] {
        let reply = server.send_as(&owner, "DELETE", &target, &Value::Null).await;
        assert_eq!(reply.status, 404, "{target}");
    }
}

#[covers(
    "GET /api/v1/ratings",
    "PUT /api/v1/ratings",
    "DELETE /api/v1/ratings/{mediaType}/{mediaId}"
)]
#[tokio::test]
async fn ratings_are_of_each_user_and_shown_with_tracks_and_photos() {
    on_each_database(async |server: &TestServer| {
        let owner = server.owner().await;
        let bea = server.token(server.user("bea", false, &["member"]).await);
        let folder = server.folder(MediaKind::music()).await;
        let track = song(server, folder, "Song", "Ann", "Jazz").await.to_string();
        let other = song(server, folder, "Other", "Ann", "Jazz").await.to_string();
        let stars = Extraction {
            fields: vec![Field {
                key: "photo.rating".to_owned(),
                value: FieldValue::Integer(3),
            }],
            ..Extraction::default()
        };
        let folder = server.folder_at(MediaKind::photos(), "Photos").await;
        let facts = PhotoFacts::from_extraction(&stars, "p.jpg", Timestamp::from_millis(0));
        let photo = server
            .record(folder, "p.jpg", 4, FileRecord::Photo(Box::new(facts)))
            .await
            .to_string();
        let artist = server.get_as(&owner, "/api/v1/music/artists").await.json()[0][0]["musicArtistId"]
            .as_str()
            .unwrap()
            .to_owned();
        let shown =
            async |token: &str, target: String| server.get_as(token, &target).await.json()["rating"].clone();
        let (track_at, photo_at) = (
            format!("/api/v1/music/tracks/{track}"),
            format!("/api/v1/photos/{photo}"),
        );
        assert_eq!(shown(&owner, track_at.clone()).await, Value::Null);
        assert_eq!(
            shown(&owner, photo_at.clone()).await,
            0.6,
            "three stars of the file"
        );
        for (media_type, id, rating) in [
            ("music_track", &track, 0.8),
            ("music_track", &other, 0.79),
            ("photo", &photo, 0.2),
            ("music_artist", &artist, 1.0),
        ] {
            let body = json!({"mediaType": media_type, "mediaId": id, "rating": rating});
            let reply = server.send_as(&owner, "PUT", RATINGS, &body).await;
            assert_eq!((reply.status, &reply.json()["rating"]), (200, &json!(rating)));
            server.clock.advance(Duration::from_millis(5));
        }
        assert_eq!(shown(&owner, track_at.clone()).await, 0.8);
        assert_eq!(shown(&owner, photo_at.clone()).await, 0.2);
        assert_eq!(shown(&bea, track_at.clone()).await, Value::Null);
        assert_eq!(shown(&bea, photo_at.clone()).await, 0.6);
        let all = [artist.clone(), photo.clone(), other.clone(), track.clone()];
        assert_eq!(ids(server, &owner, RATINGS).await, all);
        let mut oldest = all.to_vec();
        oldest.reverse();
        let first = format!("{RATINGS}?orderBy=ratedAt&order=ASC");
        assert_eq!(ids(server, &owner, &first).await, oldest);
        let favorites = format!("{RATINGS}?favorites=true");
        assert_eq!(
            ids(server, &owner, &favorites).await,
            [artist.clone(), track.clone()]
        );
        assert_eq!(
            ids(server, &owner, &format!("{favorites}&mediaType=music_track")).await,
            std::slice::from_ref(&track)
        );
        assert_eq!(ids(server, &bea, RATINGS).await, Vec::<String>::new());
        let target = format!("{RATINGS}/photo/{photo}");
        for gone in [true, false] {
            let reply = server.send_as(&owner, "DELETE", &target, &Value::Null).await;
            assert_eq!((reply.status, reply.json()), (200, json!(gone)));
        }
        assert_eq!(shown(&owner, photo_at).await, 0.6);
    })
    .await;
}

#[tokio::test]
async fn favorites_and_their_total_follow_the_ratings() {
    on_each_database(async |server: &TestServer| {
        let owner = server.owner().await;
        let bea = server.token(server.user("bea", false, &["member"]).await);
        let folder = server.folder(MediaKind::music()).await;
        song(server, folder, "Song", "Ann", "Jazz").await;
        for (media_type, list, id) in [
            ("music_track", "tracks", "musicTrackId"),
            ("music_release", "releases", "musicReleaseId"),
            ("music_artist", "artists", "musicArtistId"),
        ] {
            let all = server
                .get_as(&owner, &format!("/api/v1/music/{list}"))
                .await
                .json();
            let item = all[0][0][id].as_str().unwrap().to_owned();
            let favorites = async |token: &str| {
                let reply = server
                    .get_as(token, &format!("/api/v1/music/{list}?favorites=true"))
                    .await
                    .json();
                (reply[0].as_array().unwrap().len(), reply[1].clone())
            };
            assert_eq!(favorites(&owner).await, (0, json!(0)), "{list}");
            for (rating, count) in [(1.0, 1), (0.5, 0), (0.9, 1)] {
                let body = json!({"mediaType": media_type, "mediaId": item, "rating": rating});
                assert_eq!(server.send_as(&owner, "PUT", RATINGS, &body).await.status, 200);
                assert_eq!(favorites(&owner).await, (count, json!(count)), "{list} {rating}");
            }
            assert_eq!(favorites(&bea).await, (0, json!(0)), "{list}");
            let target = format!("{RATINGS}/{media_type}/{item}");
            assert_eq!(
                server
                    .send_as(&owner, "DELETE", &target, &Value::Null)
                    .await
                    .status,
                200
            );
            assert_eq!(favorites(&owner).await, (0, json!(0)), "{list} forgotten");
        }
    })
    .await;
}

#[covers("GET /api/v1/cinema/continue")]
#[tokio::test]
async fn what_a_library_hides_is_hidden_from_history_ratings_and_cinema() {
    on_each_database(async |server: &TestServer| {
        let owner = server.owner().await;
        let bea = server.user("bea", false, &["member"]).await;
        let token = server.token(bea);
        let parts = episodes(server, "Show", 3).await;
        let film = movie(server, "Film").await;
        report(server, &token, play("tv_episode", &parts[0], 0.0, "completed")).await;
        report(server, &token, play("tv_episode", &parts[2], 3000.0, "stopped")).await;
        report(server, &token, play("movie", &film, 3000.0, "stopped")).await;
        let rating = json!({"mediaType": "tv_episode", "mediaId": parts[0], "rating": 1});
        assert_eq!(server.send_as(&token, "PUT", RATINGS, &rating).await.status, 200);
        let (resumable, next) = ("/api/v1/cinema/continue", "/api/v1/cinema/next-up");
        assert_eq!(
            ids(server, &token, resumable).await,
            [film.clone(), parts[2].clone()]
        );
        assert_eq!(ids(server, &token, next).await, [parts[1].clone()]);
        let shown = server.get_as(&token, resumable).await.json()[0][1].clone();
        assert_eq!(
            shown["progress"],
            json!({"seconds": 3000.0, "watched": false, "playCount": 0})
        );
        assert_eq!(shown["item"]["show"]["title"], "Show");
        assert_eq!(shown["item"]["show"]["episodeNumber"], 3);
        for (target, seconds, watched) in [
            (format!("/api/v1/movies/{film}"), 3000.0, false),
            (format!("/api/v1/tv/episodes/{}", parts[0]), 0.0, true),
            (format!("/api/v1/tv/episodes/{}", parts[2]), 3000.0, false),
        ] {
            let progress = json!({"seconds": seconds, "watched": watched, "playCount": 0});
            let of = async |token: &str| {
                server
                    .get_as(token, &target)
                    .await
                    .json()
                    .get("progress")
                    .cloned()
            };
            assert_eq!(of(&token).await, Some(progress), "{target}");
            assert_eq!(of(&owner).await, None, "{target}");
        }

        let body = json!({"name": "TV", "mediaKind": "tv", "grants": [{"role": "administrator"}]});
        assert_eq!(
            server
                .send_as(&owner, "POST", "/api/v1/libraries", &body)
                .await
                .status,
            201
        );
        assert_eq!(ids(server, &token, HISTORY).await, std::slice::from_ref(&film));
        assert_eq!(ids(server, &token, resumable).await, std::slice::from_ref(&film));
        for target in [next, RATINGS] {
            assert_eq!(
                ids(server, &token, target).await,
                Vec::<String>::new(),
                "{target}"
            );
        }
        let hidden = play("tv_episode", &parts[0], 0.0, "completed");
        let unknown = play("tv_episode", UNKNOWN, 0.0, "completed");
        let refused = server.send_as(&token, "PATCH", HISTORY, &hidden).await;
        let never = server.send_as(&token, "PATCH", HISTORY, &unknown).await;
        assert_eq!((refused.status, refused.body), (404, never.body));
        assert_eq!(server.send_as(&token, "PUT", RATINGS, &rating).await.status, 404);

        // By role as well: who may not read movies has none in the history.
        let music = server.token(server.user("ben", false, &["music_user"]).await);
        let body = play("movie", &film, 10.0, "playing");
        assert_eq!(server.send_as(&music, "PATCH", HISTORY, &body).await.status, 404);
        assert_eq!(ids(server, &music, resumable).await, Vec::<String>::new());
        assert_eq!(ids(server, &music, next).await, Vec::<String>::new());
        let guest = server.token(server.user("visitor", false, &["guest"]).await);
        for (method, target) in [
            ("GET", HISTORY),
            ("PATCH", HISTORY),
            ("GET", RATINGS),
            ("PUT", RATINGS),
            ("GET", next),
        ] {
            let reply = server.send_as(&guest, method, target, &body).await;
            assert_eq!(reply.status, 403, "guests keep nothing: {method} {target}");
        }
    })
    .await;
}
