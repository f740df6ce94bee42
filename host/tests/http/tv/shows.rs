//! Shows, seasons and episodes, down to the stream of an episode.

use serde_json::json;
use svc_covers::covers;

use super::{id, series};
use crate::support::client::redacted;
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
async fn show_leads_to_seasons_episodes_and_stream() {
    let (_server, token) = series().await;
    let get = async |target: String| token.get(&target).await;
    let shows = get("/api/v1/tv/shows".into()).await.json();
    let show = &shows[0][0];
    let show_path = format!("/api/v1/tv/shows/{}", id(show, "tvShowId"));
    assert_eq!(shows[1], 1);
    assert_eq!(&get(show_path.clone()).await.json(), show);
    assert_eq!(show["artwork"], format!("{show_path}/artwork"));
    insta::assert_json_snapshot!(redacted(show.clone()), @r#"
    {
      "artwork": "/api/v1/tv/shows/[id]/artwork",
      "contentRating": "TV-MA",
      "createdAt": "[time]",
      "episodeCount": 3,
      "externalIds": {
        "tvdb": "1"
      },
      "genres": [
        "Mystery"
      ],
      "overview": "About time.",
      "seasonCount": 2,
      "sortTitle": "dark",
      "title": "Dark",
      "tvShowId": "[id]",
      "year": 2017
    }
    "#);

    let seasons = get(format!("{show_path}/seasons")).await.json();
    let season = &seasons[0][0];
    let season_path = format!("/api/v1/tv/seasons/{}", id(season, "tvSeasonId"));
    assert_eq!(seasons[1], 2);
    assert_eq!(&get(season_path.clone()).await.json(), season);
    assert_eq!(season["artwork"], format!("{season_path}/artwork"));
    assert_eq!(season["tvShowId"], show["tvShowId"]);
    insta::assert_json_snapshot!(redacted(season.clone()), @r#"
    {
      "artwork": "/api/v1/tv/seasons/[id]/artwork",
      "episodeCount": 2,
      "seasonNumber": 1,
      "tvSeasonId": "[id]",
      "tvShowId": "[id]"
    }
    "#);
    assert!(seasons[0][1].get("artwork").is_none());

    let episodes = get(format!("{season_path}/episodes")).await.json();
    assert_eq!(episodes[1], 2);
    let episode = &episodes[0][0];
    let episode_path = format!("/api/v1/tv/episodes/{}", id(episode, "tvEpisodeId"));
    assert_eq!(&get(episode_path.clone()).await.json(), episode);
    assert_eq!(episode["artwork"], format!("{episode_path}/artwork"));
    assert_eq!(
        (&episode["tvShowId"], &episode["tvSeasonId"]),
        (&show["tvShowId"], &season["tvSeasonId"])
    );
    let mut record = episode.clone();
    record["sources"].take();
    insta::assert_json_snapshot!(redacted(record), @r#"
    {
      "artwork": "/api/v1/tv/episodes/[id]/artwork",
      "createdAt": "[time]",
      "episodeNumber": 1,
      "externalIds": {
        "tvdb": "2"
      },
      "missing": false,
      "overview": "It begins.",
      "parse": {
        "confidence": 0.9,
        "pattern": "sxxexx"
      },
      "people": [
        {
          "name": "Bo",
          "role": "director"
        }
      ],
      "runtime": 60.0,
      "seasonNumber": 1,
      "showTitle": "Dark",
      "sortTitle": "episode 1",
      "sources": null,
      "title": "Episode 1",
      "tvEpisodeId": "[id]",
      "tvSeasonId": "[id]",
      "tvShowId": "[id]"
    }
    "#);

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
async fn shows_are_ordered_and_filtered() {
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
        let list = token.get(&format!("/api/v1/tv/shows{query}")).await.json();
        assert_eq!(
            (&list[1], &list[0][0]["title"]),
            (&json!(total), &json!(first)),
            "{query}"
        );
    }
    for query in ["?orderBy=runtime", "?yearTo=x", "?take=-1"] {
        let reply = token.get(&format!("/api/v1/tv/shows{query}")).await;
        assert_eq!(reply.status, 400, "{query}");
    }
}
