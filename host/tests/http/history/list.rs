//! `GET /history`: plays are counted and shown with the item.

use std::time::Duration;

use serde_json::json;
use svc_covers::covers;

use super::{HISTORY, ids, play, report};
use crate::support::databases::on_each_database;
use crate::support::media::{movie, song};
use crate::support::{Client, TestServer};
use svc_domain::kind::MediaKind;
use svc_domain::time::{Clock as _, Timestamp};

#[covers("GET /api/v1/history", "DELETE /api/v1/history/{mediaType}/{mediaId}")]
#[tokio::test]
async fn play_is_stored_counted_and_shown_with_the_item() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let owner = server.as_owner().await;
        let bea = server.as_user("bea", &["member"]).await;
        let folder = server.folder(MediaKind::music()).await;
        let track = song(server, folder, "Song", "Ann", "Jazz").await.to_string();
        let film = movie(server, "Film").await;
        report(&owner, play("movie", &film, 300.0, "stopped")).await;
        let first = report(&owner, play("music_track", &track, 0.0, "playing")).await;
        assert_eq!(
            (&first["playCount"], &first["state"]),
            (&json!(0), &json!("playing"))
        );
        // Jumping to the end does not count; playing in real time does.
        report(&owner, play("music_track", &track, 239.0, "playing")).await;
        report(&owner, play("music_track", &track, 0.0, "playing")).await;
        server.clock.advance(Duration::from_secs(121));
        let entry = report(&owner, play("music_track", &track, 121.0, "paused")).await;
        assert_eq!(
            (&entry["playCount"], &entry["seconds"], &entry["watched"]),
            (&json!(1), &json!(121.0), &json!(true))
        );
        assert_eq!(entry["item"]["title"], "Song");
        assert_eq!(entry["item"]["artists"], json!(["Ann"]));
        assert_eq!(entry["item"]["release"]["title"], "Ann's");

        assert_eq!(ids(&owner, HISTORY).await, [track.clone(), film.clone()]);
        assert_eq!(
            ids(&owner, "/api/v1/history?mediaType=movie").await,
            std::slice::from_ref(&film)
        );
        assert_eq!(owner.get("/api/v1/history?take=1&skip=1").await.json()[1], 2);
        assert_eq!(owner.get("/api/v1/history?mediaType=photo").await.status, 400);
        for (target, plays) in [
            (format!("/api/v1/music/tracks/{track}"), 1),
            ("/api/v1/music/tracks".to_owned(), 1),
        ] {
            let of = async |token: &Client| {
                let json = token.get(&target).await.json();
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
            ids(&bea, HISTORY).await,
            Vec::<String>::new(),
            "the history is per user"
        );

        // A late report does not overwrite a newer one.
        let mut late = play("music_track", &track, 5.0, "stopped");
        late["at"] = json!(Timestamp::from_millis(server.clock.now().millis() - 60_000).to_iso());
        assert_eq!(report(&owner, late).await["seconds"], 121.0);
        let mut ahead = play("music_track", &track, 130.0, "playing");
        ahead["at"] = json!("2999-01-01T00:00:00Z");
        assert_eq!(report(&owner, ahead).await["seconds"], 130.0);
        server.clock.advance(Duration::from_secs(1));
        let next = report(&owner, play("music_track", &track, 131.0, "playing")).await;
        assert_eq!(
            next["seconds"], 131.0,
            "a client clock that is ahead does not block later reports"
        );

        let target = format!("{HISTORY}/music_track/{track}");
        for gone in [true, false] {
            let reply = owner.delete(&target).await;
            assert_eq!((reply.status, reply.json()), (200, json!(gone)));
        }
        assert_eq!(ids(&owner, HISTORY).await, [film]);
    })
    .await;
}
