//! `/cinema`: what to continue with.

use serde_json::json;
use svc_covers::covers;

use crate::UNKNOWN;
use crate::history::{HISTORY, ids, play, report};
use crate::ratings::RATINGS;
use crate::support::TestServer;
use crate::support::databases::on_each_database;
use crate::support::media::{episodes, movie};

#[covers("GET /api/v1/cinema/continue")]
#[tokio::test]
async fn what_a_library_hides_is_hidden_from_history_ratings_and_cinema() {
    on_each_database(async |server: TestServer| {
        let server = &server;
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
