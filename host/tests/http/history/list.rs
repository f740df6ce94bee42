//! `GET /history`: plays are counted and shown with the item.

use std::time::Duration;

use serde_json::{Value, json};
use svc_covers::covers;

use super::{HISTORY, ids, play, report};
use crate::support::TestServer;
use crate::support::databases::on_each_database;
use crate::support::media::{movie, song};
use svc_domain::kind::MediaKind;
use svc_domain::time::{Clock as _, Timestamp};

#[covers("GET /api/v1/history", "DELETE /api/v1/history/{mediaType}/{mediaId}")]
#[tokio::test]
async fn playing_is_kept_counted_and_shown_with_the_item() {
    on_each_database(async |server: TestServer| {
        let server = &server;
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
