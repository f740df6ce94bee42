//! `POST /links`: signed links to one item.

use serde_json::json;
use svc_covers::covers;

use crate::support::{Client, TestServer};
use svc_api::route::Access;
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

pub(crate) async fn link(token: &Client, body: serde_json::Value) -> crate::support::Reply {
    token.post("/api/v1/links", &body).await
}

/// The path and query of a URL.
fn target(reply: &crate::support::Reply) -> String {
    let url = reply.json()["url"].as_str().unwrap().to_owned();
    url[url.find("/api/").unwrap()..].to_owned()
}

#[test]
fn link_purpose_names_a_route_that_accepts_links() {
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
async fn link_opens_one_item_without_a_header() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let songs = songs(&server, ["one.mp3", "two.mp3"]).await;
    let (one, two) = (songs[0], songs[1]);
    let body = json!({"mediaType": "music_track", "mediaId": one.to_string(), "purpose": "stream", "expiresIn": 600});
    let made = link(&token, body).await;
    assert_eq!(made.status, 201);
    let target = target(&made);
    assert!(made.json()["url"].as_str().unwrap().starts_with("http"));
    let played = server.get(&target).await;
    assert_eq!((played.status, played.body.as_slice()), (200, CONTENT));
    let part = server.send("GET", &target, &[("range", "bytes=2-3")], "").await;
    assert_eq!((part.status, part.body.as_slice()), (206, &b"23"[..]));
    // The link opens nothing else.
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
    let by_link = link(&server.with_token(secret), body).await;
    assert_eq!(by_link.status, 401, "a link cannot create links");
}

#[tokio::test]
async fn link_ends_with_the_permissions_of_its_creator() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
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
        assert_eq!(link(&owner, body.clone()).await.status, status, "{body}");
    }
    let photographer = server.as_user("pia", &["photos_user"]).await;
    let refused = link(&photographer, ask("music_track", &id, "stream", 60)).await;
    assert_eq!(refused.status, 403);

    let lee = server.user("lee", false, &["music_user"]).await;
    let listener = server.client(lee);
    let made = link(&listener, ask("music_track", &id, "stream", 60)).await;
    let target = target(&made);
    assert_eq!(server.get(&target).await.status, 200);
    let taken = format!("/api/v1/roles/music_user/assignments?userIds={lee}");
    let reply = owner.delete(&taken).await;
    assert_eq!(reply.status, 200);
    assert_eq!(
        server.get(&target).await.status,
        403,
        "a link has the current permissions of its creator"
    );
}
