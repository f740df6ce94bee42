//! Shows, seasons and episodes, down to the stream of an episode.

use serde_json::json;
use svc_covers::covers;

use super::{id, series};
use crate::support::media::text;
use svc_domain::extraction::Value as FieldValue;
use svc_domain::kind::MediaKind;

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
