//! Streams end when their permission ends, and an account plays a limited number of files.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;

use salvo::Response;
use salvo::http::body::Body as _;
use salvo::http::{ReqBody, ResBody};
use serde_json::{Value, json};
use svc_covers::covers;
use tokio::sync::Notify;

use crate::links::songs;
use crate::support::accounts::SignedIn;
use crate::support::databases::on_each_database_with;
use crate::support::listening::{PATIENCE, quick};
use crate::support::{Client, TestServer, TestServerOptions};
use svc_domain::id::{FileId, UserId};
use svc_domain::kind::MediaKind;
use svc_identity::actor::Actor;
use svc_identity::capability::Capability;
use svc_identity::credential::Credential;

/// More than one chunk.
const LENGTH: usize = 1 << 20;

/// `lee`, who streams a track.
struct Player {
    server: TestServer,
    owner: Client,
    lee: UserId,
    session: SignedIn,
    song: FileId,
}

impl Player {
    fn options() -> TestServerOptions {
        TestServerOptions {
            event_limits: quick(),
            ..TestServerOptions::default()
        }
    }

    async fn new(server: TestServer) -> Self {
        server.person("ada", "owner").await;
        let lee = server.person("lee", "music_user").await;
        let folder = server.folder(MediaKind::music()).await;
        Self {
            song: server.track(folder, "one.mp3", "One", &[7; LENGTH]).await,
            owner: server.sign_in("ada").await.client,
            session: server.sign_in("lee").await,
            lee,
            server,
        }
    }

    /// A stream of which only the head was read.
    async fn play(&self, target: &str, token: Option<&Client>) -> Response {
        let authorization = token.map(|token| format!("Bearer {token}"));
        let headers: Vec<_> = authorization
            .iter()
            .map(|value| ("authorization", value.as_str()))
            .collect();
        let response = self.server.begin("GET", target, &headers, ReqBody::None).await;
        assert_eq!(response.status_code.unwrap().as_u16(), 200);
        response
    }

    async fn owner_does(&self, method: &str, target: &str, body: Value) -> Value {
        let reply = self.owner.send(method, target, &body).await;
        let expected = if method == "POST" { 201 } else { 200 };
        assert_eq!(reply.status, expected, "{method} {target}");
        reply.json()
    }
}

/// Reads a body slowly until it fails; panics if it completes.
async fn fails(body: &mut ResBody) {
    let taking = async {
        loop {
            let frame = poll_fn(|context| Pin::new(&mut *body).poll_frame(context)).await;
            match frame {
                Some(Ok(_)) => tokio::time::sleep(quick().sweep_interval).await,
                Some(Err(_)) => return,
                None => panic!("the whole file was sent"),
            }
        }
    };
    tokio::time::timeout(PATIENCE, taking).await.unwrap();
}

async fn streams_end(server: TestServer) {
    let player = Player::new(server).await;
    let (server, lee) = (&player.server, player.lee);
    let song = format!("/api/v1/music/stream/{}", player.song);
    let jwt = &player.session.client;
    let token = server.as_token(lee, None).await;
    let token_id = server.store.tokens.personal_access_tokens(lee).await.unwrap()[0].id;
    let item = json!({"mediaType": "music_track", "mediaId": player.song.to_string(), "purpose": "stream", "expiresIn": 600});
    let link = async |credential: &Client| {
        let made = credential.post("/api/v1/links", &item).await.json();
        let url = made["url"].as_str().unwrap().to_owned();
        url[url.find("/api/").unwrap()..].to_owned()
    };
    let second = server.sign_in("lee").await.client;
    let (by_token, by_session) = (link(&token).await, link(&second).await);

    // A token: its stream, and that of a link which it created.
    let mut stream = player.play(&song, Some(&token)).await.take_body();
    let mut linked = player.play(&by_token, None).await.take_body();
    let mut other = player.play(&song, Some(jwt)).await.take_body();
    let path = format!("/api/v1/users/{lee}/personal-access-tokens/{token_id}");
    player.owner_does("DELETE", &path, json!({})).await;
    fails(&mut stream).await;
    fails(&mut linked).await;
    assert_eq!(server.get(&by_token).await.status, 401);

    // A session: its stream, and that of a link which it created.
    let mut stream = player.play(&song, Some(&second)).await.take_body();
    let mut linked = player.play(&by_session, None).await.take_body();
    second.post("/api/v1/auth/logout", &json!({})).await;
    fails(&mut stream).await;
    fails(&mut linked).await;
    assert_eq!(server.get(&by_session).await.status, 401);

    // A library with a grant for others.
    let closed = json!({"name": "Closed", "mediaKind": "music", "grants": [{"role": "administrator"}]});
    let library = player.owner_does("POST", "/api/v1/libraries", closed).await;
    fails(&mut other).await;
    let path = format!("/api/v1/libraries/{}", library["libraryId"].as_str().unwrap());
    player.owner_does("DELETE", &path, json!({})).await;

    // The role that permits playing.
    let mut stream = player.play(&song, Some(jwt)).await.take_body();
    let path = format!("/api/v1/roles/music_user/assignments?userIds={lee}");
    player.owner_does("DELETE", &path, json!({})).await;
    fails(&mut stream).await;
    let back = json!({"userIds": [lee.to_string()]});
    player
        .owner_does("POST", "/api/v1/roles/music_user/assignments", back)
        .await;

    // The account; the streams of others continue.
    let mut stream = player.play(&song, Some(jwt)).await.take_body();
    let owners = player.owner.clone();
    let mut going_on = player.play(&song, Some(&owners)).await.take_body();
    server.enable(&player.owner, lee, false).await;
    fails(&mut stream).await;
    let mut received = 0;
    while let Some(frame) = poll_fn(|context| Pin::new(&mut going_on).poll_frame(context)).await {
        received += frame.unwrap().into_data().unwrap().len();
    }
    assert_eq!(received, LENGTH);
}

#[tokio::test]
async fn stalled_stream_is_closed_on_revocation() {
    let player = Player::new(TestServer::start_with(Player::options()).await).await;
    let credential = Credential::AccessToken(player.session.client.to_string());
    let authentication = &player.server.state.authentication;
    let lee = authentication.actor(Some(credential)).await.unwrap();
    let streams = &player.server.state.open_streams;
    let stream = streams
        .play(&lee, Capability::MusicTracksPlay, player.song)
        .unwrap();
    let closed = Arc::new(Notify::new());
    let close = Arc::clone(&closed);
    stream.close_by(move || close.notify_one());
    player.server.enable(&player.owner, player.lee, false).await;
    tokio::time::timeout(PATIENCE, closed.notified()).await.unwrap();
    assert!(stream.has_ended());
}

#[covers("T15", "A1", "S5")]
#[tokio::test]
async fn stream_ends_when_its_permission_ends() {
    on_each_database_with(Player::options, streams_end).await;
}

#[covers("code too_many_streams")]
#[tokio::test]
async fn stream_beyond_max_concurrent_streams_is_409() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let files = songs(&server, ["one.mp3", "two.mp3", "three.mp3"]).await;
    let actor = |token: &Client| {
        let credential = Credential::AccessToken(token.to_string());
        server.state.authentication.actor(Some(credential))
    };
    let (ada, lee) = (
        actor(&owner).await.unwrap(),
        actor(&server.as_user("lee", &["music_user"]).await)
            .await
            .unwrap(),
    );
    let streams = &server.state.open_streams;
    let begin = |actor: &Actor, file| streams.play(actor, Capability::MusicTracksPlay, file);
    let free: Vec<_> = files.iter().map(|file| begin(&ada, *file).unwrap()).collect();
    drop(free);
    let body = json!({"app": null, "settings": {"max_concurrent_streams": 2}});
    assert_eq!(owner.patch("/api/v1/settings", &body).await.status, 200);
    let first = begin(&ada, files[0]).unwrap();
    let again = begin(&ada, files[0]).unwrap();
    let second = begin(&ada, files[1]).unwrap();
    // A third file of the same user is refused; another range of a playing file is not.
    let target = format!("/api/v1/music/stream/{}", files[2]);
    let refused = owner.get(&target).await;
    assert_eq!(
        (refused.status, &refused.json()["code"]),
        (409, &json!("too_many_streams"))
    );
    let seek = format!("/api/v1/music/stream/{}", files[1]);
    assert_eq!(owner.get(&seek).await.status, 200);
    drop(begin(&lee, files[2]).unwrap());
    drop(first);
    assert_eq!(owner.get(&target).await.status, 409, "one of two streams ended");
    drop(again);
    assert_eq!(owner.get(&target).await.status, 200);
    // A completed stream does not count.
    assert_eq!(owner.get(&target).await.status, 200);
    drop(second);
}
