//! Artwork of shows, seasons and episodes.

use svc_covers::covers;

use super::{id, series};
use crate::UNKNOWN;

#[covers(
    "GET /api/v1/tv/shows/{tvShowId}/artwork",
    "GET /api/v1/tv/seasons/{tvSeasonId}/artwork",
    "GET /api/v1/tv/episodes/{tvEpisodeId}/artwork"
)]
#[tokio::test]
async fn show_season_and_episode_have_their_own_artwork() {
    let (_server, token) = series().await;
    let get = async |target: String| token.get(&target).await;
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
