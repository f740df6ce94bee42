//! Invalid parameters and unknown ids.

use serde_json::json;
use svc_covers::covers;

use crate::support::TestServer;

#[covers("R41")]
#[tokio::test]
async fn invalid_parameter_is_400_with_its_name() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
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
        (
            "/api/v1/index/run/logs?runId=0000000000001&event=nonsense",
            "event",
        ),
        (
            "/api/v1/index/run/logs?runId=0000000000001&orderBy=event",
            "orderBy",
        ),
        ("/api/v1/photos?bbox=1,2,3", "bbox"),
        ("/api/v1/photos?bbox=-200,0,0,10", "bbox"),
        ("/api/v1/photos?from=yesterday", "from"),
        ("/api/v1/index/run/logs", "runId"),
        ("/api/v1/music/tracks/0000000000001/artwork?size=huge", "size"),
    ] {
        let reply = token.get(target).await;
        assert_eq!(
            (reply.status, &reply.json()["errors"][0]["path"]),
            (400, &json!(path)),
            "{target}"
        );
    }
}

#[covers("GET /api/v1/index/runs/{runId}")]
#[tokio::test]
async fn unknown_item_is_404() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    for id in ["0000000000001", "junk", "1", "..", "%00"] {
        for path in [
            "music/tracks",
            "music/releases",
            "music/artists",
            "photos",
            "music/stream",
            "index/runs",
        ] {
            let reply = token.get(&format!("/api/v1/{path}/{id}")).await;
            assert_eq!(reply.status, 404, "{path}/{id}");
        }
    }
}
