//! Validation of the input of `PATCH /history` and `PUT /ratings`.

use serde_json::{Value, json};
use svc_covers::covers;

use super::{HISTORY, play};
use crate::UNKNOWN;
use crate::ratings::RATINGS;
use crate::support::TestServer;
use crate::support::media::song;
use svc_domain::kind::MediaKind;

#[covers("PATCH /api/v1/history")]
#[tokio::test]
async fn input_of_history_and_ratings_is_validated() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let folder = server.folder(MediaKind::music()).await;
    let track = song(&server, folder, "Song", "Ann", "Jazz").await.to_string();
    let release = owner.get("/api/v1/music/releases").await.json()[0][0]["musicReleaseId"]
        .as_str()
        .unwrap()
        .to_owned();
    let good = play("music_track", &track, 1.0, "playing");
    for (field, value, status) in [
        ("mediaType", json!("song"), 400),
        ("mediaType", json!("photo"), 400),
        ("mediaType", json!("movie"), 404),
        ("mediaId", json!(UNKNOWN), 404),
        ("mediaId", json!("1"), 400),
        ("seconds", json!(-0.1), 400),
        ("seconds", json!(10_000_001), 400),
        ("seconds", json!("1"), 400),
        ("state", json!("seeking"), 400),
        ("at", json!("yesterday"), 400),
    ] {
        let mut body = good.clone();
        body[field] = value;
        let reply = owner.patch(HISTORY, &body).await;
        assert_eq!(reply.status, status, "{body}");
        let named = if status == 404 { "mediaId" } else { field };
        assert_eq!(reply.json()["errors"][0]["path"], named, "{body}");
    }
    let body = play("music_release", &release, 1.0, "playing");
    assert_eq!(
        owner.patch(HISTORY, &body).await.status,
        400,
        "a release cannot be played"
    );
    let good = json!({"mediaType": "music_track", "mediaId": track, "rating": 0.5});
    for (field, value, status) in [
        ("mediaType", json!("song"), 400),
        ("mediaType", json!("photo"), 404),
        ("mediaId", json!(UNKNOWN), 404),
        ("rating", json!(1.001), 400),
        ("rating", json!(-0.001), 400),
        ("rating", Value::Null, 400),
        ("rating", json!(0), 200),
        ("rating", json!(1), 200),
    ] {
        let mut body = good.clone();
        body[field] = value;
        assert_eq!(owner.put(RATINGS, &body).await.status, status, "{body}");
    }
    for target in [
        format!("{HISTORY}/song/{track}"),
        format!("{HISTORY}/movie/{track}"),
        format!("{HISTORY}/music_track/x"),
        format!("{RATINGS}/music_track/{UNKNOWN}"),
    ] {
        let reply = owner.delete(&target).await;
        assert_eq!(reply.status, 404, "{target}");
    }
}
