//! `/cinema`: what to continue with.

use serde_json::json;
use svc_covers::covers;

use crate::UNKNOWN;
use crate::history::{HISTORY, ids, play, report};
use crate::ratings::RATINGS;
use crate::support::databases::on_each_database;
use crate::support::media::{episodes, movie};
use crate::support::{Client, TestServer};

#[covers("GET /api/v1/cinema/continue")]
#[tokio::test]
async fn library_without_a_grant_is_hidden_from_history_ratings_and_cinema() {
    on_each_database(async |server: TestServer| {
        let server = &server;
        let owner = server.as_owner().await;
        let bea = server.user("bea", false, &["member"]).await;
        let token = server.client(bea);
        let parts = episodes(server, "Show", 3).await;
        let film = movie(server, "Film").await;
        report(&token, play("tv_episode", &parts[0], 0.0, "completed")).await;
        report(&token, play("tv_episode", &parts[2], 3000.0, "stopped")).await;
        report(&token, play("movie", &film, 3000.0, "stopped")).await;
        let rating = json!({"mediaType": "tv_episode", "mediaId": parts[0], "rating": 1});
        assert_eq!(token.put(RATINGS, &rating).await.status, 200);
        let (resumable, next) = ("/api/v1/cinema/continue", "/api/v1/cinema/next-up");
        assert_eq!(ids(&token, resumable).await, [film.clone(), parts[2].clone()]);
        assert_eq!(ids(&token, next).await, [parts[1].clone()]);
        let shown = token.get(resumable).await.json()[0][1].clone();
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
            let of = async |token: &Client| token.get(&target).await.json().get("progress").cloned();
            assert_eq!(of(&token).await, Some(progress), "{target}");
            assert_eq!(of(&owner).await, None, "{target}");
        }

        let body = json!({"name": "TV", "mediaKind": "tv", "grants": [{"role": "administrator"}]});
        assert_eq!(owner.post("/api/v1/libraries", &body).await.status, 201);
        assert_eq!(ids(&token, HISTORY).await, std::slice::from_ref(&film));
        assert_eq!(ids(&token, resumable).await, std::slice::from_ref(&film));
        for target in [next, RATINGS] {
            assert_eq!(ids(&token, target).await, Vec::<String>::new(), "{target}");
        }
        let hidden = play("tv_episode", &parts[0], 0.0, "completed");
        let unknown = play("tv_episode", UNKNOWN, 0.0, "completed");
        let refused = token.patch(HISTORY, &hidden).await;
        let never = token.patch(HISTORY, &unknown).await;
        assert_eq!((refused.status, refused.body), (404, never.body));
        assert_eq!(token.put(RATINGS, &rating).await.status, 404);

        // Without the capability for movies, the history has none.
        let music = server.as_user("ben", &["music_user"]).await;
        let body = play("movie", &film, 10.0, "playing");
        assert_eq!(music.patch(HISTORY, &body).await.status, 404);
        assert_eq!(ids(&music, resumable).await, Vec::<String>::new());
        assert_eq!(ids(&music, next).await, Vec::<String>::new());
        let guest = server.as_user("visitor", &["guest"]).await;
        for (method, target) in [
            ("GET", HISTORY),
            ("PATCH", HISTORY),
            ("GET", RATINGS),
            ("PUT", RATINGS),
            ("GET", next),
        ] {
            let reply = guest.send(method, target, &body).await;
            assert_eq!(reply.status, 403, "guests have no history: {method} {target}");
        }
    })
    .await;
}
