//! Shows, seasons and episodes: records, files, and what lies beside them.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::TestServer;
use crate::media_files::{text, texts};
use svc_domain::extraction::Value as FieldValue;
use svc_domain::kind::MediaKind;

const UNKNOWN: &str = "0000000000001";

/// Two seasons of a show: its poster above them, a poster of the first, a thumb of its first episode.
async fn series() -> (TestServer, String) {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let mut folders = Vec::new();
    for season in [1, 2] {
        folders.push(
            server
                .folder_at(MediaKind::tv(), &format!("Dark/Season {season}"))
                .await,
        );
    }
    for (season, number) in [(1, 1), (1, 2), (2, 1)] {
        let place = format!("Dark/Season {season}");
        let folder = folders[season as usize - 1];
        let mut pictures = vec![r#"{"name":"../poster.jpg","purpose":"show-poster"}"#];
        if season == 1 {
            pictures.push(r#"{"name":"season.png","purpose":"season-poster"}"#);
        }
        if (season, number) == (1, 1) {
            pictures.insert(0, r#"{"name":"e1.jpg","purpose":"thumb"}"#);
        }
        let name = format!("e{number}.mkv");
        let fields = [
            ("tv.show", text("Dark")),
            ("tv.show-year", FieldValue::Integer(2017)),
            ("tv.show-overview", text("About time.")),
            ("tv.content-rating", text("TV-MA")),
            ("tv.genres", texts(&["Mystery"])),
            ("tv.show-external-ids", texts(&["tvdb:1"])),
            ("tv.season", FieldValue::Integer(season)),
            ("tv.episode", FieldValue::Integer(number)),
            ("tv.overview", text("It begins.")),
            ("tv.people", texts(&[r#"{"name":"Bo","role":"director"}"#])),
            ("tv.external-ids", texts(&["tvdb:2"])),
            ("name.pattern", text("sxxexx")),
            ("name.confidence", FieldValue::Real(0.9)),
            ("related.artwork", texts(&pictures)),
        ];
        let content = format!("season {season} episode {number}");
        server
            .video(
                (folder, &place),
                (MediaKind::tv(), &name),
                content.as_bytes(),
                &fields,
            )
            .await;
    }
    server.beside("Dark/poster.jpg", b"of the show");
    server.beside("Dark/Season 1/season.png", b"of the season");
    server.beside("Dark/Season 1/e1.jpg", b"of the episode");
    (server, token)
}

fn id<'v>(record: &'v Value, member: &str) -> &'v str {
    record[member].as_str().unwrap()
}

#[covers(
    "GET /api/v1/tv/shows/{tvShowId}",
    "GET /api/v1/tv/shows/{tvShowId}/seasons",
    "GET /api/v1/tv/shows/{tvShowId}/episodes",
    "GET /api/v1/tv/seasons/{tvSeasonId}",
    "GET /api/v1/tv/seasons/{tvSeasonId}/episodes",
    "GET /api/v1/tv/episodes/{tvEpisodeId}",
    "GET /api/v1/tv/episodes/{tvEpisodeId}/stream"
)]
#[tokio::test]
async fn show_is_walked_from_the_list_to_the_bytes_of_an_episode() {
    let (server, token) = series().await;
    let get = async |target: String| server.get_as(&token, &target).await;
    let shows = get("/api/v1/tv/shows".into()).await.json();
    let show = &shows[0][0];
    let show_path = format!("/api/v1/tv/shows/{}", id(show, "tvShowId"));
    assert!(show["createdAt"].is_string());
    let expected = json!({
        "tvShowId": show["tvShowId"], "title": "Dark", "sortTitle": "dark", "year": 2017, "overview": "About time.",
        "genres": ["Mystery"], "contentRating": "TV-MA", "externalIds": { "tvdb": "1" }, "seasonCount": 2,
        "episodeCount": 3, "artwork": format!("{show_path}/artwork"), "createdAt": show["createdAt"],
    });
    assert_eq!((show, &shows[1]), (&expected, &json!(1)));
    assert_eq!(get(show_path.clone()).await.json(), expected);

    let seasons = get(format!("{show_path}/seasons")).await.json();
    let season = &seasons[0][0];
    let season_path = format!("/api/v1/tv/seasons/{}", id(season, "tvSeasonId"));
    let expected = json!({
        "tvSeasonId": season["tvSeasonId"], "tvShowId": show["tvShowId"], "seasonNumber": 1, "episodeCount": 2,
        "artwork": format!("{season_path}/artwork"),
    });
    assert_eq!((season, &seasons[1]), (&expected, &json!(2)));
    assert_eq!(get(season_path.clone()).await.json(), expected);
    assert!(seasons[0][1].get("artwork").is_none());

    let episodes = get(format!("{season_path}/episodes")).await.json();
    assert_eq!(episodes[1], 2);
    let episode = &episodes[0][0];
    let episode_path = format!("/api/v1/tv/episodes/{}", id(episode, "tvEpisodeId"));
    let expected = json!({
        "tvEpisodeId": episode["tvEpisodeId"], "tvShowId": show["tvShowId"], "showTitle": "Dark",
        "tvSeasonId": season["tvSeasonId"], "seasonNumber": 1, "episodeNumber": 1, "title": "Episode 1",
        "sortTitle": "episode 1", "runtime": 60.0, "overview": "It begins.",
        "people": [{ "name": "Bo", "role": "director" }], "externalIds": { "tvdb": "2" },
        "sources": episode["sources"], "parse": { "pattern": "sxxexx", "confidence": 0.9 },
        "artwork": format!("{episode_path}/artwork"), "createdAt": episode["createdAt"], "missing": false,
    });
    assert_eq!(episode, &expected);
    assert_eq!(get(episode_path.clone()).await.json(), expected);

    let all = get(format!("{show_path}/episodes?take=2&skip=1")).await.json();
    let places: Vec<_> = all[0]
        .as_array()
        .unwrap()
        .iter()
        .map(|episode| (episode["seasonNumber"].clone(), episode["episodeNumber"].clone()))
        .collect();
    assert_eq!(
        (places, &all[1]),
        (vec![(json!(1), json!(2)), (json!(2), json!(1))], &json!(3))
    );

    let last = get(format!("{show_path}/seasons?take=1&order=DESC")).await.json();
    assert_eq!(last, json!([[seasons[0][1]], 2]));
    let last = get(format!("{season_path}/episodes?orderBy=episodeNumber&skip=1"))
        .await
        .json();
    assert_eq!(last, json!([[episodes[0][1]], 2]));

    let stream = get(format!("{episode_path}/stream")).await;
    assert_eq!(
        (stream.status, stream.body.as_slice()),
        (200, &b"season 1 episode 1"[..])
    );
    assert_eq!(stream.header("content-type"), "video/x-matroska");
    let source = id(&episode["sources"][0], "sourceId");
    let same = get(format!("{episode_path}/stream?sourceId={source}")).await;
    assert_eq!(same.body, stream.body);
    let of_another = id(&episodes[0][1]["sources"][0], "sourceId");
    let none = get(format!("{episode_path}/stream?sourceId={of_another}")).await;
    assert_eq!(none.status, 404);
}

#[covers(
    "GET /api/v1/tv/shows/{tvShowId}/artwork",
    "GET /api/v1/tv/seasons/{tvSeasonId}/artwork",
    "GET /api/v1/tv/episodes/{tvEpisodeId}/artwork"
)]
#[tokio::test]
async fn pictures_of_show_season_and_episode_are_their_own() {
    let (server, token) = series().await;
    let get = async |target: String| server.get_as(&token, &target).await;
    let show = get("/api/v1/tv/shows".into()).await.json()[0][0].take();
    let show_path = format!("/api/v1/tv/shows/{}", id(&show, "tvShowId"));
    let seasons = get(format!("{show_path}/seasons")).await.json();
    let season_path = |at: usize| format!("/api/v1/tv/seasons/{}", id(&seasons[0][at], "tvSeasonId"));
    let episodes = get(format!("{}/episodes", season_path(0))).await.json();
    let episode_path = |at: usize| format!("/api/v1/tv/episodes/{}", id(&episodes[0][at], "tvEpisodeId"));
    for (path, content) in [
        (show_path.clone(), &b"of the show"[..]),
        (season_path(0), b"of the season"),
        (episode_path(0), b"of the episode"),
    ] {
        let reply = get(format!("{path}/artwork")).await;
        assert_eq!((reply.status, reply.body.as_slice()), (200, content), "{path}");
    }
    for path in [
        format!("{show_path}/artwork?kind=backdrop"),
        format!("{}/artwork", season_path(1)),
        format!("{}/artwork?kind=backdrop", season_path(0)),
        format!("{}/artwork", episode_path(1)),
        format!("{}/artwork?kind=poster", episode_path(0)),
    ] {
        let reply = get(path.clone()).await;
        assert_eq!(
            (reply.status, reply.json()["code"].as_str()),
            (404, Some("artwork_missing")),
            "{path}"
        );
    }
    for kind in ["shows", "seasons", "episodes"] {
        for below in ["", "/artwork"] {
            let reply = get(format!("/api/v1/tv/{kind}/{UNKNOWN}{below}")).await;
            assert_eq!(
                (reply.status, reply.json()["code"].as_str()),
                (404, None),
                "{kind}"
            );
        }
    }
}

#[covers("GET /api/v1/tv/shows")]
#[tokio::test]
async fn shows_are_ordered_and_narrowed_as_asked() {
    let (server, token) = series().await;
    let place = (server.folder_at(MediaKind::tv(), "Alone").await, "Alone");
    let fields = [("tv.show", text("Alone")), ("tv.episode", FieldValue::Integer(1))];
    server
        .video(place, (MediaKind::tv(), "a.mp4"), b"x", &fields)
        .await;
    for (query, total, first) in [
        ("", 2, "Alone"),
        ("?order=DESC", 2, "Dark"),
        ("?orderBy=createdAt", 2, "Alone"),
        ("?orderBy=year&order=DESC", 2, "Dark"),
        ("?genre=mystery", 1, "Dark"),
        ("?yearFrom=2000", 1, "Dark"),
        ("?addedSince=2020-01-01&skip=1", 2, "Dark"),
    ] {
        let list = server
            .get_as(&token, &format!("/api/v1/tv/shows{query}"))
            .await
            .json();
        assert_eq!(
            (&list[1], &list[0][0]["title"]),
            (&json!(total), &json!(first)),
            "{query}"
        );
    }
    for query in ["?orderBy=runtime", "?yearTo=x", "?take=-1"] {
        let reply = server.get_as(&token, &format!("/api/v1/tv/shows{query}")).await;
        assert_eq!(reply.status, 400, "{query}");
    }
}
