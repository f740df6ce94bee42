//! Browsing music and photos, and the indexer.

use serde_json::json;
use svc_covers::covers;

use crate::TestServer;
use svc_domain::kind::MediaKind;

#[covers(
    "GET /api/v1/music/artists",
    "GET /api/v1/music/artists/{musicArtistId}",
    "GET /api/v1/music/artists/{musicArtistId}/releases",
    "GET /api/v1/music/releases",
    "GET /api/v1/music/releases/{musicReleaseId}",
    "GET /api/v1/music/releases/{musicReleaseId}/tracks",
    "GET /api/v1/music/tracks",
    "GET /api/v1/music/tracks/{musicTrackId}",
    "GET /api/v1/music/genres"
)]
#[tokio::test]
async fn tracks_and_what_they_belong_to_are_listed() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let folder = server.folder(MediaKind::music()).await;
    let second = server.track(folder, "b.mp3", "Second", b"0123456789").await;
    server.track(folder, "a.mp3", "First", b"0123456789").await;

    let list = server.get_as(&token, "/api/v1/music/tracks").await.json();
    assert_eq!(
        (&list[1], &list[0][0]["title"], &list[0][1]["title"]),
        (&json!(2), &json!("First"), &json!("Second"))
    );
    let page = server
        .get_as(
            &token,
            "/api/v1/music/tracks?take=1&skip=1&orderBy=title&order=DESC",
        )
        .await
        .json();
    assert_eq!(
        (page[0].as_array().unwrap().len(), &page[0][0]["title"]),
        (1, &json!("First"))
    );
    assert_eq!(
        server.get_as(&token, "/api/v1/music/tracks?take=0").await.json(),
        json!([[], 2])
    );

    let track = server
        .get_as(&token, &format!("/api/v1/music/tracks/{second}"))
        .await
        .json();
    assert_eq!(
        (&track["musicTrackId"], &track["duration"]),
        (&json!(second.to_string()), &json!(1.5))
    );
    assert_eq!(
        (&track["codec"], &track["size"], &track["missing"]),
        (&json!("mp3"), &json!(10), &json!(false))
    );
    let names: Vec<_> = track["artists"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| (&a["name"], &a["order"]))
        .collect();
    assert_eq!(names, [(&json!("Ann"), &json!(0)), (&json!("Bob"), &json!(1))]);

    let release = track["release"]["musicReleaseId"].as_str().unwrap();
    let item = server
        .get_as(&token, &format!("/api/v1/music/releases/{release}"))
        .await
        .json();
    assert_eq!(
        (&item["title"], &item["trackCount"], &item["duration"]),
        (&json!("Blue"), &json!(2), &json!(3.0))
    );
    assert!(item["artwork"].is_string());
    let tracks = server
        .get_as(&token, &format!("/api/v1/music/releases/{release}/tracks"))
        .await
        .json();
    assert_eq!(tracks[1], 2);
    let last = format!("/api/v1/music/releases/{release}/tracks?take=1&orderBy=trackNumber&order=DESC");
    let last = server.get_as(&token, &last).await.json();
    assert_eq!((last[0].as_array().unwrap().len(), &last[1]), (1, &json!(2)));
    assert_eq!(last[0][0], tracks[0][1]);
    let artist = track["artists"][0]["musicArtistId"].as_str().unwrap();
    let item = server
        .get_as(&token, &format!("/api/v1/music/artists/{artist}"))
        .await
        .json();
    assert_eq!((&item["name"], &item["trackCount"]), (&json!("Ann"), &json!(2)));
    assert_eq!(
        item["artwork"],
        format!("/api/v1/music/releases/{release}/artwork")
    );
    let releases = server
        .get_as(&token, &format!("/api/v1/music/artists/{artist}/releases"))
        .await
        .json();
    assert_eq!(
        (&releases[1], &releases[0][0]["musicReleaseId"]),
        (&json!(1), &json!(release))
    );
    assert_eq!(server.get_as(&token, "/api/v1/music/artists").await.json()[1], 2);
    assert_eq!(
        server
            .get_as(&token, "/api/v1/music/releases?genre=jazz")
            .await
            .json()[1],
        1
    );
    assert_eq!(
        server.get_as(&token, "/api/v1/music/genres").await.json()[0][0]["name"],
        "Jazz"
    );
}

#[tokio::test]
async fn artists_and_their_releases_are_filtered_as_the_other_music_is() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let folder = server.folder(MediaKind::music()).await;
    server.track(folder, "a.mp3", "First", b"0123456789").await;
    let artists = server.get_as(&token, "/api/v1/music/artists").await.json();
    let artist = artists[0][0]["musicArtistId"].as_str().unwrap();
    let lists = [
        ("/api/v1/music/artists".to_owned(), 2),
        (format!("/api/v1/music/artists/{artist}/releases"), 1),
    ];
    for (list, total) in lists {
        for (filter, found) in [
            ("genre=jazz", total),
            ("genre=polka", 0),
            ("yearFrom=1900", 0),
            ("yearTo=2100", 0),
            ("addedSince=2020-01-01", total),
            ("addedSince=2100-01-01", 0),
            ("favorites=true", 0),
            ("random=7", total),
        ] {
            let listed = server.get_as(&token, &format!("{list}?{filter}")).await.json();
            assert_eq!(listed[1], found, "{list} {filter}");
        }
    }
    let random = server
        .get_as(&token, "/api/v1/music/artists?random=7&take=1")
        .await;
    assert!(random.header("link").contains("random=7"));
}

#[covers("GET /api/v1/photos", "GET /api/v1/photos/{photoId}")]
#[tokio::test]
async fn photos_are_listed_with_their_facts() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let folder = server.folder(MediaKind::photos()).await;
    let photo = server.photo(folder, "IMG_20200102_030405.jpg", b"jpeg").await;
    let list = server.get_as(&token, "/api/v1/photos").await.json();
    assert_eq!(
        (&list[1], &list[0][0]["photoId"]),
        (&json!(1), &json!(photo.to_string()))
    );
    let item = server
        .get_as(&token, &format!("/api/v1/photos/{photo}"))
        .await
        .json();
    assert_eq!(
        (&item["width"], &item["takenAtSource"]),
        (&json!(640), &json!("filename"))
    );
    assert_eq!(item["takenAt"], "2020-01-02T03:04:05.000Z");
    assert_eq!(
        server
            .get_as(&token, "/api/v1/photos?from=2021-01-01")
            .await
            .json(),
        json!([[], 0])
    );
}

#[covers("R41")]
#[tokio::test]
async fn wrong_parameters_are_named() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    for (target, path) in [
        ("/api/v1/music/tracks?take=1001", "take"),
        ("/api/v1/music/tracks?skip=-1", "skip"),
        ("/api/v1/music/tracks?order=asc", "order"),
        ("/api/v1/music/tracks?orderBy=password", "orderBy"),
        ("/api/v1/music/tracks?artistId=1", "artistId"),
        ("/api/v1/music/releases?yearFrom=MMXX", "yearFrom"),
        ("/api/v1/music/artists?yearFrom=abc", "yearFrom"),
        ("/api/v1/music/artists?addedSince=lately", "addedSince"),
        (
            "/api/v1/music/artists/0000000000001/releases?yearTo=abc",
            "yearTo",
        ),
        ("/api/v1/music/releases/0000000000001/tracks?take=abc", "take"),
        ("/api/v1/music/releases/0000000000001/tracks?orderBy=x", "orderBy"),
        ("/api/v1/tv/shows/0000000000001/seasons?take=abc", "take"),
        (
            "/api/v1/tv/shows/0000000000001/episodes?orderBy=password",
            "orderBy",
        ),
        ("/api/v1/tv/seasons/0000000000001/episodes?skip=-1", "skip"),
        ("/api/v1/history?orderBy=password", "orderBy"),
        ("/api/v1/ratings?order=up", "order"),
        ("/api/v1/cinema/continue?order=up", "order"),
        ("/api/v1/cinema/next-up?orderBy=password", "orderBy"),
        ("/api/v1/playback-queues?orderBy=title", "orderBy"),
        ("/api/v1/index/runs?order=up", "order"),
        ("/api/v1/index/run/logs?event=nonsense", "event"),
        ("/api/v1/index/run/logs?orderBy=event", "orderBy"),
        ("/api/v1/photos?bbox=1,2,3", "bbox"),
        ("/api/v1/photos?bbox=-200,0,0,10", "bbox"),
        ("/api/v1/photos?from=yesterday", "from"),
        ("/api/v1/index/run/logs", "runId"),
        ("/api/v1/music/tracks/0000000000001/artwork?size=huge", "size"),
    ] {
        let reply = server.get_as(&token, target).await;
        assert_eq!(
            (reply.status, &reply.json()["errors"][0]["path"]),
            (400, &json!(path)),
            "{target}"
        );
    }
}

#[covers("GET /api/v1/index/runs/{runId}")]
#[tokio::test]
async fn unknown_items_are_not_found() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    for id in ["0000000000001", "junk", "1", "..", "%00"] {
        for path in [
            "music/tracks",
            "music/releases",
            "music/artists",
            "photos",
            "music/stream",
            "index/runs",
        ] {
            let reply = server.get_as(&token, &format!("/api/v1/{path}/{id}")).await;
            assert_eq!(reply.status, 404, "{path}/{id}");
        }
    }
}

#[covers(
    "POST /api/v1/index/run",
    "GET /api/v1/index/run/logs",
    "GET /api/v1/index/runs",
    "GET /api/v1/index/counts"
)]
#[tokio::test]
async fn indexer_is_run_and_asked_about() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    server.folder(MediaKind::music()).await;
    let state = server.get_as(&token, "/api/v1/index/state").await.json();
    assert_eq!(state, json!({"state": "idle", "run": null}));
    for (action, status) in [("pause", 409), ("stop", 409), ("resume", 200), ("dance", 400)] {
        let reply = server
            .send_as(&token, "PATCH", "/api/v1/index/state", &json!({"action": action}))
            .await;
        assert_eq!(reply.status, status, "{action}");
    }
    assert_eq!(
        server
            .send_as(&token, "PATCH", "/api/v1/index/state", &json!({}))
            .await
            .status,
        400
    );
    for body in [json!({}), json!({"type": "slow"})] {
        assert_eq!(
            server
                .send_as(&token, "POST", "/api/v1/index/run", &body)
                .await
                .status,
            400,
            "{body}"
        );
    }
    let tv = json!({"type": "quick", "mediaKinds": ["tv"]});
    let reply = server.send_as(&token, "POST", "/api/v1/index/run", &tv).await;
    assert_eq!(reply.status, 404, "no directory of the kind");
    let reply = server
        .send_as(&token, "POST", "/api/v1/index/run", &json!({"type": "quick"}))
        .await;
    assert_eq!(reply.status, 201);
    let run = reply.json()["runId"].as_str().unwrap().to_owned();
    for _ in 0..500 {
        if server.get_as(&token, "/api/v1/index/state").await.json()["state"] == "idle" {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let item = server
        .get_as(&token, &format!("/api/v1/index/runs/{run}"))
        .await
        .json();
    assert_eq!(
        (&item["type"], &item["status"]),
        (&json!("quick"), &json!("completed"))
    );
    assert!(item["startedBy"].is_string() && item["completedAt"].is_string());
    assert_eq!(server.get_as(&token, "/api/v1/index/runs").await.json()[1], 1);
    assert_eq!(
        server
            .get_as(&token, &format!("/api/v1/index/run/logs?runId={run}"))
            .await
            .status,
        200
    );
    assert_eq!(
        server
            .get_as(&token, "/api/v1/index/run/logs?runId=0000000000001")
            .await
            .json(),
        json!([[], 0])
    );
    assert_eq!(
        server.get_as(&token, "/api/v1/index/counts").await.json()["tvFiles"],
        0
    );
    let directories = server.get_as(&token, "/api/v1/index/directories").await.json();
    assert_eq!(directories[0]["mediaKind"], "music");
    assert_eq!(server.get_as(&token, "/api/v1/plugins").await.json(), json!([]));
}
