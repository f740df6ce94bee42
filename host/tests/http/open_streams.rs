//! Media files that are being sent when the right to them ends.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;

use salvo::Response;
use salvo::http::body::Body as _;
use salvo::http::{ReqBody, ResBody};
use serde_json::{Value, json};
use svc_covers::covers;
use tokio::sync::Notify;

use crate::access_matrix::personal_access_token;
use crate::event_streams::{PATIENCE, quick};
use crate::people::SignedIn;
use crate::{TestServer, TestServerOptions};
use svc_domain::id::{FileId, UserId};
use svc_domain::kind::MediaKind;
use svc_identity::capability::Capability;
use svc_identity::credential::Credential;
use svc_test_support::databases::{Schema, postgres_url};

/// More than is sent in one piece.
const LENGTH: usize = 1 << 20;

/// `lee`, who plays a song.
struct Player {
    server: TestServer,
    owner: String,
    lee: UserId,
    session: SignedIn,
    song: FileId,
}

impl Player {
    async fn start(database_url: Option<String>) -> Self {
        let server = TestServer::start_with(TestServerOptions {
            database_url,
            event_limits: quick(),
            ..TestServerOptions::default()
        })
        .await;
        server.person("ada", "owner").await;
        let lee = server.person("lee", "music_user").await;
        let folder = server.folder(MediaKind::music()).await;
        Self {
            song: server.track(folder, "one.mp3", "One", &[7; LENGTH]).await,
            owner: server.sign_in("ada").await.jwt,
            session: server.sign_in("lee").await,
            lee,
            server,
        }
    }

    /// A stream of which nothing but the head was taken.
    async fn play(&self, target: &str, token: Option<&str>) -> Response {
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
        let reply = self.server.send_as(&self.owner, method, target, &body).await;
        let expected = if method == "POST" { 201 } else { 200 };
        assert_eq!(reply.status, expected, "{method} {target}");
        reply.json()
    }
}

/// Takes pieces, one whenever the server has looked, until the body fails; panics if it comes to its end.
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

async fn streams_end(database_url: Option<String>) {
    let player = Player::start(database_url).await;
    let (server, lee) = (&player.server, player.lee);
    let song = format!("/api/v1/music/stream/{}", player.song);
    let jwt = player.session.jwt.as_str();
    let token = personal_access_token(server, lee, None).await;
    let token_id = server.store.tokens.personal_access_tokens(lee).await.unwrap()[0].id;
    let item = json!({"mediaType": "music_track", "mediaId": player.song.to_string(), "purpose": "stream", "expiresIn": 600});
    let link = async |credential: &str| {
        let made = server
            .send_as(credential, "POST", "/api/v1/links", &item)
            .await
            .json();
        let url = made["url"].as_str().unwrap().to_owned();
        url[url.find("/api/").unwrap()..].to_owned()
    };
    let second = server.sign_in("lee").await.jwt;
    let (by_token, by_session) = (link(&token).await, link(&second).await);

    // A token: its stream, and that of a link which was made with it.
    let mut stream = player.play(&song, Some(&token)).await.take_body();
    let mut linked = player.play(&by_token, None).await.take_body();
    let mut other = player.play(&song, Some(jwt)).await.take_body();
    let path = format!("/api/v1/users/{lee}/personal-access-tokens/{token_id}");
    player.owner_does("DELETE", &path, json!({})).await;
    fails(&mut stream).await;
    fails(&mut linked).await;
    assert_eq!(server.get(&by_token).await.status, 401);

    // A session, by which another link was made.
    let mut stream = player.play(&song, Some(&second)).await.take_body();
    let mut linked = player.play(&by_session, None).await.take_body();
    server
        .send_as(&second, "POST", "/api/v1/auth/logout", &json!({}))
        .await;
    fails(&mut stream).await;
    fails(&mut linked).await;
    assert_eq!(server.get(&by_session).await.status, 401);

    // A library that others are let into.
    let closed = json!({"name": "Closed", "mediaKind": "music", "grants": [{"role": "administrator"}]});
    let library = player.owner_does("POST", "/api/v1/libraries", closed).await;
    fails(&mut other).await;
    let path = format!("/api/v1/libraries/{}", library["libraryId"].as_str().unwrap());
    player.owner_does("DELETE", &path, json!({})).await;

    // A role.
    let mut stream = player.play(&song, Some(jwt)).await.take_body();
    let path = format!("/api/v1/roles/music_user/assignments?userIds={lee}");
    player.owner_does("DELETE", &path, json!({})).await;
    fails(&mut stream).await;
    let back = json!({"userIds": [lee.to_string()]});
    player
        .owner_does("POST", "/api/v1/roles/music_user/assignments", back)
        .await;

    // The account; what others play goes on.
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
async fn connection_of_a_client_that_takes_nothing_is_closed() {
    let player = Player::start(None).await;
    let credential = Credential::AccessToken(player.session.jwt.clone());
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
async fn stream_ends_with_what_permits_it() {
    streams_end(None).await;
    let Some(postgres) = postgres_url() else { return };
    let schema = Schema::create(&postgres).await;
    streams_end(Some(schema.url.clone())).await;
    schema.drop().await;
}
