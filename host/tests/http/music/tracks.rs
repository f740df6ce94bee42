//! Lists and records of tracks, releases, artists and genres.

use serde_json::json;
use svc_covers::covers;

use crate::support::TestServer;
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
async fn tracks_releases_artists_and_genres_are_listed() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let folder = server.folder(MediaKind::music()).await;
    let second = server.track(folder, "b.mp3", "Second", b"0123456789").await;
    server.track(folder, "a.mp3", "First", b"0123456789").await;

    let list = token.get("/api/v1/music/tracks").await.json();
    assert_eq!(
        (&list[1], &list[0][0]["title"], &list[0][1]["title"]),
        (&json!(2), &json!("First"), &json!("Second"))
    );
    let page = token
        .get("/api/v1/music/tracks?take=1&skip=1&orderBy=title&order=DESC")
        .await
        .json();
    assert_eq!(
        (page[0].as_array().unwrap().len(), &page[0][0]["title"]),
        (1, &json!("First"))
    );
    assert_eq!(
        token.get("/api/v1/music/tracks?take=0").await.json(),
        json!([[], 2])
    );

    let track = token.get(&format!("/api/v1/music/tracks/{second}")).await.json();
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
    let item = token
        .get(&format!("/api/v1/music/releases/{release}"))
        .await
        .json();
    assert_eq!(
        (&item["title"], &item["trackCount"], &item["duration"]),
        (&json!("Blue"), &json!(2), &json!(3.0))
    );
    assert!(item["artwork"].is_string());
    let tracks = token
        .get(&format!("/api/v1/music/releases/{release}/tracks"))
        .await
        .json();
    assert_eq!(tracks[1], 2);
    let last = format!("/api/v1/music/releases/{release}/tracks?take=1&orderBy=trackNumber&order=DESC");
    let last = token.get(&last).await.json();
    assert_eq!((last[0].as_array().unwrap().len(), &last[1]), (1, &json!(2)));
    assert_eq!(last[0][0], tracks[0][1]);
    let artist = track["artists"][0]["musicArtistId"].as_str().unwrap();
    let item = token.get(&format!("/api/v1/music/artists/{artist}")).await.json();
    assert_eq!((&item["name"], &item["trackCount"]), (&json!("Ann"), &json!(2)));
    assert_eq!(
        item["artwork"],
        format!("/api/v1/music/releases/{release}/artwork")
    );
    let releases = token
        .get(&format!("/api/v1/music/artists/{artist}/releases"))
        .await
        .json();
    assert_eq!(
        (&releases[1], &releases[0][0]["musicReleaseId"]),
        (&json!(1), &json!(release))
    );
    assert_eq!(token.get("/api/v1/music/artists").await.json()[1], 2);
    assert_eq!(token.get("/api/v1/music/releases?genre=jazz").await.json()[1], 1);
    assert_eq!(
        token.get("/api/v1/music/genres").await.json()[0][0]["name"],
        "Jazz"
    );
}

#[tokio::test]
async fn artists_and_releases_accept_the_filters_of_tracks() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let folder = server.folder(MediaKind::music()).await;
    server.track(folder, "a.mp3", "First", b"0123456789").await;
    let artists = token.get("/api/v1/music/artists").await.json();
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
            let listed = token.get(&format!("{list}?{filter}")).await.json();
            assert_eq!(listed[1], found, "{list} {filter}");
        }
    }
    let random = token.get("/api/v1/music/artists?random=7&take=1").await;
    assert!(random.header("link").contains("random=7"));
}
