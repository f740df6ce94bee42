//! Music and photos of a library are hidden from accounts without a grant.

use serde_json::json;
use svc_covers::covers;

use super::{LIBRARIES, create, is_unknown, listed, photo, titles, track};
use crate::support::TestServer;
use crate::support::databases::on_each_database;
use svc_domain::kind::MediaKind;

#[covers("T24")]
#[tokio::test]
async fn library_without_a_grant_is_hidden_on_every_music_and_photo_route() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let owner = server.as_owner().await;
        let mut people = Vec::new();
        for (name, place) in [("bea", "Bea"), ("ben", "Ben")] {
            let user = server.user(name, false, &["member"]).await;
            people.push((server.client(user), place));
            for kind in ["music", "photos"] {
                let body = json!({
                    "name": place, "mediaKind": kind, "paths": [place], "grants": [{"userId": user}]
                });
                create(&owner, body).await;
            }
        }
        let mut songs = Vec::new();
        for place in ["Bea", "Ben", "Open"] {
            let folder = server.folder_at(MediaKind::music(), place).await;
            songs.push((
                place,
                track(server, folder, place, &format!("{place} song"))
                    .await
                    .to_string(),
            ));
        }
        let mut photos = Vec::new();
        for place in ["Bea", "Ben", "Open"] {
            photos.push((place, photo(server, place).await.to_string()));
        }
        let tracks = owner.get("/api/v1/music/tracks").await.json();
        assert_eq!(tracks[1], 3);
        let track_of = |song: &str| {
            let all = tracks[0].as_array().unwrap();
            all.iter()
                .find(|track| track["musicTrackId"] == song)
                .unwrap()
                .clone()
        };
        for (token, place) in &people {
            let mine = |of: &str| of == *place || of == "Open";
            let seen = |what: &str| vec![format!("{place} {what}"), format!("Open {what}")];
            let music =
                async |path: &str, key: &str| listed(token, &format!("/api/v1/music/{path}"), key).await;
            assert_eq!(music("tracks", "title").await, seen("song"));
            assert_eq!(music("releases", "title").await, seen("album"));
            assert_eq!(music("artists", "name").await, seen("artist"));
            assert_eq!(music("genres", "name").await, seen("artist"));
            let shown = listed(token, "/api/v1/photos", "photoId").await;
            assert_eq!(shown.len(), 2);
            for (of, song) in &songs {
                let song = song.as_str();
                let track = track_of(song);
                let release = track["release"]["musicReleaseId"].as_str().unwrap();
                let artist = track["artists"][0]["musicArtistId"].as_str().unwrap();
                for (path, id) in [
                    ("tracks/{}", song),
                    ("tracks/{}/artwork", song),
                    ("tracks/{}/waveform", song),
                    ("stream/{}", song),
                    ("releases/{}", release),
                    ("releases/{}/tracks", release),
                    ("releases/{}/artwork", release),
                    ("artists/{}", artist),
                    ("artists/{}/releases", artist),
                ] {
                    let path = format!("/api/v1/music/{path}");
                    assert_eq!(is_unknown(token, &path, id).await, !mine(of), "{of} {path}");
                    assert!(!is_unknown(&owner, &path, id).await, "{of} {path}");
                }
                let count = usize::from(mine(of));
                for filter in [
                    format!("tracks?releaseId={release}"),
                    format!("tracks?artistId={artist}"),
                    format!("tracks?genre={of}%20artist"),
                    format!("releases?artistId={artist}"),
                    format!("releases?genre={of}%20artist"),
                ] {
                    assert_eq!(music(&filter, "title").await.len(), count, "{of} {filter}");
                }
            }
            for (of, photo) in &photos {
                assert_eq!(shown.contains(photo), mine(of));
                for path in ["/api/v1/photos/{}", "/api/v1/photos/{}/original"] {
                    assert_eq!(is_unknown(token, path, photo).await, !mine(of), "{of} {path}");
                    assert!(!is_unknown(&owner, path, photo).await);
                }
            }
            let libraries = listed(token, LIBRARIES, "name").await;
            assert_eq!(libraries, [*place, *place]);
        }
        assert_eq!(
            listed(&owner, LIBRARIES, "name").await,
            ["Bea", "Bea", "Ben", "Ben"]
        );
    })
    .await;
}

#[tokio::test]
async fn folders_added_by_a_later_scan_are_hidden() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let owner = server.as_owner().await;
        let bea = server.user("bea", false, &["member"]).await;
        let token = server.client(bea);
        let ben = server.as_user("ben", &["member"]).await;
        let body =
            json!({"name": "Bea", "mediaKind": "music", "paths": ["Bea"], "grants": [{"userId": bea}]});
        create(&owner, body).await;
        // Both accounts have been authorized before the folders exist.
        for token in [&token, &ben] {
            assert!(titles(token).await.is_empty());
        }
        for place in ["Bea", "Beata"] {
            let folder = server.folder_at(MediaKind::music(), place).await;
            track(server, folder, place, place).await;
        }
        assert_eq!(titles(&ben).await, ["Beata"]);
        assert_eq!(titles(&token).await, ["Bea", "Beata"]);
    })
    .await;
}
