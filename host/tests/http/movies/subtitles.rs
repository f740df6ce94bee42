//! `GET /subtitles/{subtitleId}`.

use serde_json::json;
use svc_covers::covers;

use super::{MovieFixture, missing};
use crate::UNKNOWN;

#[covers("GET /api/v1/subtitles/{subtitleId}", "code subtitle_embedded")]
#[tokio::test]
async fn subtitle_sidecars_are_served_and_other_files_are_404() {
    let cinema = MovieFixture::new().await;
    let reply = cinema.get(&cinema.subtitle(0)).await;
    assert_eq!(
        (reply.status, reply.header("content-type")),
        (200, "application/x-subrip")
    );
    assert!(reply.body.ends_with(b"Hello\n"));
    assert_eq!(reply.header("content-disposition"), "attachment");
    assert!(reply.header("content-security-policy").starts_with("sandbox"));
    let reply = cinema.get(&cinema.subtitle(1)).await;
    assert_eq!(
        (reply.body.as_slice(), reply.header("content-type")),
        (&b"WEBVTT\n"[..], "text/vtt")
    );
    // Paths outside of the root are ignored.
    for at in [2, 3] {
        assert_eq!(cinema.refusal(&cinema.subtitle(at)).await, (404, None), "{at}");
    }
    // Plugins may name files in the parent folder below the root.
    assert_eq!(cinema.get(&cinema.subtitle(4)).await.body, b"beside the folder");
    assert_eq!(
        cinema.refusal(&cinema.subtitle(5)).await,
        missing("file_missing"),
        "a link that leaves the root"
    );
    assert_eq!(
        cinema.refusal(&cinema.subtitle(6)).await,
        missing("subtitle_embedded")
    );
    let path = cinema.subtitle(0);
    let (subtitles, _) = path.rsplit_once('/').unwrap();
    for target in [
        format!("{subtitles}/"),
        format!("{subtitles}/{UNKNOWN}"),
        "/api/v1/subtitles/x".into(),
    ] {
        assert_eq!(cinema.refusal(&target).await, (404, None), "{target}");
    }
    std::fs::remove_file(cinema.server.root.join("Amber/amber.en.srt")).unwrap();
    assert_eq!(cinema.refusal(&path).await, missing("file_missing"));
}

#[tokio::test]
async fn subtitles_require_the_capability_of_the_video() {
    let cinema = MovieFixture::new().await;
    let server = &cinema.server;
    let mut tokens = Vec::new();
    for capability in ["Movies.Play", "TVEpisodes.Play"] {
        let role =
            json!({ "name": capability.to_lowercase().replace('.', "_"), "capabilities": [capability] });
        let made = cinema.token.post("/api/v1/roles", &role).await;
        assert_eq!(made.status, 201, "{}", made.json());
        let user = server
            .user(capability, false, &[role["name"].as_str().unwrap()])
            .await;
        tokens.push(server.client(user));
    }
    let target = cinema.subtitle(0);
    assert_eq!(tokens[0].get(&target).await.status, 200);
    assert_eq!(tokens[1].get(&target).await.status, 404);
    assert_eq!(tokens[1].get(&cinema.path).await.status, 403);
}
