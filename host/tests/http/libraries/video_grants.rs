//! Movies and shows of a library are hidden from accounts without a grant.

use serde_json::{Value, json};

use crate::UNKNOWN;
use crate::support::databases::on_each_database;
use crate::support::media::{text, texts};
use crate::support::{Client, TestServer};
use svc_domain::extraction::Value as FieldValue;
use svc_domain::kind::MediaKind;

/// The paths of all items of a folder.
struct Place {
    name: &'static str,
    paths: Vec<String>,
}

/// A movie, a show, and an episode of a show that all places share.
async fn fill(server: &TestServer, name: &str, number: i64) {
    let folder = server.folder_at(MediaKind::movies(), name).await;
    let fields = [
        ("movie.title", text(&format!("{name} movie"))),
        ("movie.genres", texts(&[name])),
        (
            "related.subtitles",
            texts(&[r#"{"name":"m.srt","format":"srt"}"#]),
        ),
        (
            "related.artwork",
            texts(&[r#"{"name":"poster.jpg","purpose":"poster"}"#]),
        ),
    ];
    server
        .video((folder, name), (MediaKind::movies(), "m.mkv"), b"movie", &fields)
        .await;
    let folder = server.folder_at(MediaKind::tv(), name).await;
    for (show, season) in [("Shared".to_owned(), number), (format!("{name} show"), 1)] {
        let pictures = r#"{"name":"poster.jpg","purpose":"season-poster"}"#;
        let of_show = r#"{"name":"poster.jpg","purpose":"show-poster"}"#;
        let own = r#"{"name":"poster.jpg","purpose":"thumb"}"#;
        let fields = [
            ("tv.show", text(&show)),
            ("tv.season", FieldValue::Integer(season)),
            ("tv.episode", FieldValue::Integer(1)),
            (
                "related.subtitles",
                texts(&[r#"{"name":"m.srt","format":"srt"}"#]),
            ),
            ("related.artwork", texts(&[own, pictures, of_show])),
        ];
        let file = format!("{show}.mkv");
        server
            .video((folder, name), (MediaKind::tv(), &file), b"episode", &fields)
            .await;
    }
    server.beside(&format!("{name}/poster.jpg"), b"poster");
    server.beside(&format!("{name}/m.srt"), b"subtitles");
}

fn items(list: &Value) -> &[Value] {
    let items = list[0].as_array().unwrap();
    assert_eq!(list[1], items.len());
    items
}

fn id(record: &Value, member: &str) -> String {
    record[member].as_str().unwrap().to_owned()
}

/// The paths that the owner finds.
async fn place(owner: &Client, name: &'static str) -> Place {
    let get = async |target: String| owner.get(&target).await.json();
    let mut paths = Vec::new();
    let subtitle = |record: &Value| {
        let id = id(&record["sources"][0]["subtitles"][0], "subtitleId");
        format!("/api/v1/subtitles/{id}")
    };
    let movies = get("/api/v1/movies".into()).await;
    let named = |list: &Value, title: &str| {
        let found = items(list).iter().find(|record| record["title"] == title);
        found.unwrap().clone()
    };
    let movie = named(&movies, &format!("{name} movie"));
    let path = format!("/api/v1/movies/{}", id(&movie, "movieId"));
    paths.extend(["", "/artwork", "/stream"].map(|below| format!("{path}{below}")));
    let source = id(&movie["sources"][0], "sourceId");
    paths.push(format!("{path}/stream?sourceId={source}"));
    paths.push(subtitle(&movie));
    let show = named(&get("/api/v1/tv/shows".into()).await, &format!("{name} show"));
    let path = format!("/api/v1/tv/shows/{}", id(&show, "tvShowId"));
    paths.extend(["", "/seasons", "/episodes", "/artwork"].map(|below| format!("{path}{below}")));
    let season = items(&get(format!("{path}/seasons")).await)[0].clone();
    let path = format!("/api/v1/tv/seasons/{}", id(&season, "tvSeasonId"));
    paths.extend(["", "/episodes", "/artwork"].map(|below| format!("{path}{below}")));
    let episode = items(&get(format!("{path}/episodes")).await)[0].clone();
    let path = format!("/api/v1/tv/episodes/{}", id(&episode, "tvEpisodeId"));
    paths.extend(["", "/artwork", "/stream"].map(|below| format!("{path}{below}")));
    paths.push(subtitle(&episode));
    Place { name, paths }
}

#[tokio::test]
async fn library_without_a_grant_is_hidden_on_every_video_route() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let owner = server.as_owner().await;
        let mut people = Vec::new();
        for (name, place) in [("bea", "Bea"), ("ben", "Ben")] {
            let user = server.user(name, false, &["cinema_user"]).await;
            people.push((server.client(user), place));
            for kind in ["movies", "tv"] {
                let body = json!({
                    "name": place, "mediaKind": kind, "paths": [place], "grants": [{"userId": user}]
                });
                let made = owner.post("/api/v1/libraries", &body).await;
                assert_eq!(made.status, 201, "{}", made.json());
            }
        }
        let names = ["Bea", "Ben", "Open"];
        for (number, name) in (1..).zip(names) {
            fill(server, name, number).await;
        }
        let mut places = Vec::new();
        for name in names {
            places.push(place(&owner, name).await);
        }
        for (token, own) in &people {
            let get = async |target: &str| token.get(target).await;
            let titles = async |target: &str, member: &str| {
                let list = get(target).await.json();
                items(&list)
                    .iter()
                    .map(|record| id(record, member))
                    .collect::<Vec<_>>()
            };
            let movies = [format!("{own} movie"), "Open movie".to_owned()];
            assert_eq!(titles("/api/v1/movies", "title").await, movies);
            let shows = [format!("{own} show"), "Open show".to_owned(), "Shared".to_owned()];
            assert_eq!(titles("/api/v1/tv/shows", "title").await, shows);
            for name in names {
                let count = usize::from(name == *own || name == "Open");
                let narrowed = titles(&format!("/api/v1/movies?genre={name}"), "title").await;
                assert_eq!(narrowed.len(), count, "{name}");
            }
            // In the shared show each sees their own season and the unrestricted one.
            let list = get("/api/v1/tv/shows").await.json();
            let shared = &items(&list)[2];
            assert_eq!(
                (&shared["seasonCount"], &shared["episodeCount"]),
                (&json!(2), &json!(2))
            );
            let shared = format!("/api/v1/tv/shows/{}", id(shared, "tvShowId"));
            let seasons = get(&format!("{shared}/seasons")).await.json();
            let numbers: Vec<_> = items(&seasons)
                .iter()
                .map(|season| season["seasonNumber"].clone())
                .collect();
            assert_eq!(numbers, [json!(if *own == "Bea" { 1 } else { 2 }), json!(3)]);
            assert_eq!(items(&get(&format!("{shared}/episodes")).await.json()).len(), 2);
            let all = owner.get(&format!("{shared}/seasons")).await.json();
            assert_eq!(items(&all).len(), 3);

            for place in &places {
                let seen = place.name == *own || place.name == "Open";
                assert_eq!(place.paths.len(), 16);
                for path in &place.paths {
                    let reply = get(path).await;
                    assert_eq!(reply.status, if seen { 200 } else { 404 }, "{own} {path}");
                    assert_eq!(owner.get(path).await.status, 200, "{path}");
                    if !seen {
                        // The response equals that for an unknown id.
                        let nothing = get(&format!("/api/v1/movies/{UNKNOWN}")).await;
                        assert_eq!(reply.body, nothing.body, "{path}");
                    }
                }
            }
        }
        let music = server.user("max", false, &["music_user"]).await;
        let music = server.client(music);
        for path in &places[2].paths {
            assert_eq!(music.get(path).await.status, 403, "{path}");
        }
    })
    .await;
}
