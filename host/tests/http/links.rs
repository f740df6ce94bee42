//! `POST /links`: signed links to one item.

use serde_json::json;
use svc_covers::covers;

use crate::support::TestServer;
use svc_api::access::Access;
use svc_api::router::routes;
use svc_api::routes::links::PURPOSES;
use svc_domain::id::FileId;
use svc_domain::kind::MediaKind;

const CONTENT: &[u8] = b"0123456789";

pub(crate) async fn songs<const N: usize>(server: &TestServer, names: [&str; N]) -> Vec<FileId> {
    let folder = server.folder(MediaKind::music()).await;
    let mut songs = Vec::new();
    for name in names {
        songs.push(server.track(folder, name, name, CONTENT).await);
    }
    songs
}

pub(crate) async fn link(server: &TestServer, token: &str, body: serde_json::Value) -> crate::support::Reply {
    server.send_as(token, "POST", "/api/v1/links", &body).await
}

/// The path and query of a URL.
fn target(reply: &crate::support::Reply) -> String {
    let url = reply.json()["url"].as_str().unwrap().to_owned();
    url[url.find("/api/").unwrap()..].to_owned()
}

#[test]
fn every_purpose_is_a_route_that_takes_links_with_its_capability() {
    for (item, purpose, template, capability) in PURPOSES {
        let found = routes().into_iter().find(|route| {
            let parts = || route.path.split('/').zip(template.split('/'));
            route.path.split('/').count() == template.split('/').count()
                && parts().all(|(part, wanted)| part == wanted || (part.starts_with('{') && wanted == "{}"))
        });
        let access = found.map(|route| route.access);
        assert_eq!(access, Some(Access::Link(*capability)), "{item:?} {purpose}");
    }
}

#[covers("POST /api/v1/links")]
#[tokio::test]
async fn link_opens_one_item_for_its_maker_without_any_header() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let songs = songs(&server, ["one.mp3", "two.mp3"]).await;
    let (one, two) = (songs[0], songs[1]);
    let body = json!({"mediaType": "music_track", "mediaId": one.to_string(), "purpose": "stream", "expiresIn": 600});
    let made = link(&server, &token, body).await;
    assert_eq!(made.status, 201);
    let target = target(&made);
    assert!(made.json()["url"].as_str().unwrap().starts_with("http"));
    let played = server.get(&target).await;
    assert_eq!((played.status, played.body.as_slice()), (200, CONTENT));
    let part = server.send("GET", &target, &[("range", "bytes=2-3")], "").await;
    assert_eq!((part.status, part.body.as_slice()), (206, &b"23"[..]));
    // No other item, purpose or method, and nothing else at all.
    let other = target.replace(&one.to_string(), &two.to_string());
    assert_eq!(server.get(&other).await.status, 401);
    let secret = target.split_once("token=").unwrap().1;
    for path in [
        format!("/api/v1/music/tracks/{one}/artwork"),
        format!("/api/v1/music/tracks/{one}"),
        "/api/v1/users/current".to_owned(),
        "/api/v1/events/subscribe".to_owned(),
    ] {
        assert_eq!(
            server.get(&format!("{path}?token={secret}")).await.status,
            401,
            "{path}"
        );
    }
    let body = json!({"mediaType": "music_track", "mediaId": two.to_string(), "purpose": "stream", "expiresIn": 600});
    let by_link = link(&server, secret, body).await;
    assert_eq!(by_link.status, 401, "a link makes no link");
}

#[tokio::test]
async fn link_is_refused_for_what_the_maker_may_not_open_and_ends_with_their_rights() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let id = songs(&server, ["one.mp3"]).await[0].to_string();
    let ask = |media: &str, id: &str, purpose: &str, seconds: u64| json!({"mediaType": media, "mediaId": id, "purpose": purpose, "expiresIn": seconds});
    for (body, status) in [
        (ask("music_track", &id, "stream", 59), 400),
        (ask("music_track", &id, "stream", 86_401), 400),
        (ask("music_track", &id, "download", 60), 400),
        (ask("song", &id, "stream", 60), 400),
        (ask("music_track", "0000000000000", "stream", 60), 404),
        (ask("music_track", "x", "stream", 60), 400),
        (ask("photo", &id, "original", 60), 404),
    ] {
        assert_eq!(link(&server, &owner, body.clone()).await.status, status, "{body}");
    }
    let photographer = server.token(server.user("pia", false, &["photos_user"]).await);
    let refused = link(&server, &photographer, ask("music_track", &id, "stream", 60)).await;
    assert_eq!(refused.status, 403);

    let lee = server.user("lee", false, &["music_user"]).await;
    let listener = server.token(lee);
    let made = link(&server, &listener, ask("music_track", &id, "stream", 60)).await;
    let target = target(&made);
    assert_eq!(server.get(&target).await.status, 200);
    let taken = format!("/api/v1/roles/music_user/assignments?userIds={lee}");
    let reply = server.send_as(&owner, "DELETE", &taken, &json!({})).await;
    assert_eq!(reply.status, 200);
    assert_eq!(
        server.get(&target).await.status,
        403,
        "it opens what its maker may open now"
    );
}
