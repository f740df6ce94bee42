//! A valid request for each route that writes, and a server on which each succeeds.

use std::sync::Arc;

use salvo::http::ReqBody;
use serde_json::{Value, json};

use super::{TestServer, TestServerOptions};
use crate::support::Client;
use crate::support::accounts::SignedIn;
use crate::support::client::received;
use crate::support::cloud::ScriptedCloud;
use svc_api::route::{Access, Route};
use svc_api::router::routes;
use svc_domain::id::UserId;
use svc_domain::kind::MediaKind;
use svc_identity::capability::Capability;
use svc_plugin_host::{BuiltIn, Component, SourceFile};
use svc_test_support::guests;

/// A token of the cloud account of `eve`.
const CLOUD_TOKEN: &str = "of-eve";

/// A valid request.
#[derive(Debug, Clone)]
pub(crate) struct WriteRequest {
    pub(crate) method: &'static str,
    /// The path of the route.
    pub(crate) path: &'static str,
    pub(crate) target: String,
    pub(crate) body: Value,
    /// Sent instead of the body.
    pub(crate) upload: Option<Vec<u8>>,
    /// Sent beside the credential and the content type.
    pub(crate) more: Vec<(&'static str, &'static str)>,
}

impl WriteRequest {
    pub(crate) fn content_type(&self) -> &'static str {
        match self.upload {
            Some(_) => "application/wasm",
            None => "application/json",
        }
    }

    /// The headers, without the credential.
    pub(crate) fn headers(&self) -> Vec<(&'static str, &'static str)> {
        let mut headers = vec![("content-type", self.content_type())];
        headers.extend(&self.more);
        headers
    }

    /// What is sent.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let json = || self.body.to_string().into_bytes();
        self.upload.clone().unwrap_or_else(json)
    }

    pub(crate) fn route(&self) -> Route {
        let mut routes = routes().into_iter();
        let found = routes.find(|route| route.path == self.path && route.method == self.method);
        found.unwrap_or_else(|| panic!("{self:?}"))
    }
}

/// Makes the only plugin fail until it is quarantined.
fn quarantine(server: &TestServer) {
    let mut worker = server.plugins.worker();
    let plugin = server.plugins.handle("guest").unwrap();
    while plugin.is_active() {
        let source = Arc::new(SourceFile::in_memory(b"trap".to_vec(), "a.shared"));
        assert_eq!(worker.extract(&plugin, &source).unwrap_err().code(), "trap");
    }
}

/// A server with an owner, `eve` with all capabilities, `vic` with few, and one resource of each kind.
pub(crate) struct WriteFixture {
    pub(crate) server: TestServer,
    /// The owner.
    pub(crate) owner: Client,
    pub(crate) eve: UserId,
    /// The session of `eve`.
    pub(crate) session: SignedIn,
    pub(crate) requests: Vec<WriteRequest>,
}

impl WriteFixture {
    /// What the server of [`WriteFixture::new`] is started with.
    pub(crate) fn options() -> TestServerOptions {
        let bytes = guests::plugin("by_first_byte", "guest").leak();
        let cloud = ScriptedCloud::default();
        cloud.says(CLOUD_TOKEN, Ok("eve-in-the-cloud"));
        TestServerOptions {
            plugins: vec![BuiltIn {
                name: "guest",
                component: Component::Plain(bytes),
            }],
            cloud: Arc::new(cloud),
            ..TestServerOptions::default()
        }
    }

    pub(crate) async fn new(server: TestServer) -> Self {
        quarantine(&server);
        server.person("ada", "owner").await;
        let owner = server.sign_in("ada").await.client;
        let all: Vec<_> = Capability::ALL.iter().map(|one| one.as_str()).collect();
        let role = json!({"name": "everything", "capabilities": all});
        assert_eq!(owner.post("/api/v1/roles", &role).await.status, 201);
        let eve = server.person("eve", "everything").await;
        let session = server.sign_in("eve").await;
        let mut world = Self {
            server,
            owner,
            eve,
            session,
            requests: Vec::new(),
        };
        world.fill().await;
        world
    }

    /// Sends a request as `eve`, which must succeed; returns what it made.
    async fn make(&self, method: &str, target: &str, body: Value) -> Value {
        let reply = self.session.client.send(method, target, &body).await;
        assert!(
            reply.status == if method == "POST" { 201 } else { 200 },
            "{method} {target}: {} {}",
            reply.status,
            String::from_utf8_lossy(&reply.body)
        );
        reply.json()
    }

    async fn fill(&mut self) {
        let server = &self.server;
        let music = server.folder(MediaKind::music()).await;
        let song = server
            .track(music, "one.mp3", "One", b"0123456789")
            .await
            .to_string();
        let other = server
            .track(music, "two.mp3", "Two", b"0123456789")
            .await
            .to_string();
        let photos = server.folder_at(MediaKind::photos(), "Album").await;
        let photo = server.photo(photos, "one.jpg", b"0123456789").await.to_string();
        let vic = server.person("vic", "newcomer").await;
        let text = |value: &Value, key: &str| value[key].as_str().unwrap().to_owned();

        let spare_session = {
            server.sign_in("eve").await;
            let sessions = self
                .session
                .client
                .get("/api/v1/users/current/sessions")
                .await
                .json();
            let spare = sessions
                .as_array()
                .unwrap()
                .iter()
                .find(|one| one["current"] == false);
            text(spare.unwrap(), "sessionId")
        };
        let tokens = format!("/api/v1/users/{vic}/personal-access-tokens");
        let token = self.make("POST", &tokens, json!({"label": "old"})).await;
        let token = text(&token, "personalAccessTokenId");
        for role in ["helpers", "spare"] {
            self.make(
                "POST",
                "/api/v1/roles",
                json!({"name": role, "capabilities": ["Movies.Read"]}),
            )
            .await;
        }
        let invitation = self
            .make("POST", "/api/v1/invitations", json!({"role": "newcomer"}))
            .await;
        let invitation = text(&invitation, "invitationId");
        let origin = self
            .make(
                "POST",
                "/api/v1/cors-origins",
                json!({"origin": "https://old.example"}),
            )
            .await;
        let origin = text(&origin, "id");
        let job = self.make("POST", "/api/v1/jobs", json!({"type": "verify"})).await;
        let job = text(&job, "jobId");
        let library = self
            .make(
                "POST",
                "/api/v1/libraries",
                json!({"name": "Old", "mediaKind": "music"}),
            )
            .await;
        let library = text(&library, "libraryId");
        let item = json!({"mediaType": "music_track", "mediaId": song});
        let two = json!({"type": "static", "items": [item, {"mediaType": "music_track", "mediaId": other}]});
        let queue = self.make("POST", "/api/v1/playback-queues", two).await;
        let queue = text(&queue, "playbackQueueId");
        let in_queue = format!("/api/v1/playback-queues/{queue}/items");
        let items = self.session.client.get(&in_queue).await.json();
        let queued = |at: usize| text(&items[0][at], "playbackQueueItemId");
        let (first, second) = (queued(0), queued(1));
        let album = self
            .make("POST", "/api/v1/photo-albums", json!({"name": "Old"}))
            .await;
        let album = text(&album, "photoAlbumId");
        let rating = json!({"mediaType": "music_track", "mediaId": song, "rating": 0.5});
        let played = json!({"mediaType": "music_track", "mediaId": song, "seconds": 1.0, "state": "playing"});
        self.make("PUT", "/api/v1/ratings", rating.clone()).await;
        self.make("PATCH", "/api/v1/history", played.clone()).await;

        let link = [("svc-cloud-token", CLOUD_TOKEN)];
        let linked = self
            .session
            .client
            .request("POST", "/api/v1/users/current/cloud-link", &link, "")
            .await;
        assert_eq!(linked.status, 201);
        let mut codes = Vec::new();
        for _ in 0..2 {
            let started = server.post("/api/v1/auth/device", &json!({"app": "music"})).await;
            assert_eq!(started.status, 201);
            codes.push(json!({"userCode": started.json()["userCode"]}));
        }

        // The requests succeed in this order.
        for (id, version) in [("notes", "1.0.0"), ("notes", "2.0.0"), ("spare", "1.0.0")] {
            install(&self.session.client, id, version).await;
        }
        let candidate = plugin("notes", "3.0.0");
        let waits = self
            .session
            .client
            .post_bytes("/api/v1/plugins", "application/wasm", candidate);
        assert_eq!(waits.await.status, 201);
        let mut add = |method, path: &'static str, ids: &[&str], query: &str, body| {
            let mut target = path.to_owned();
            for id in ids {
                let (begin, end) = (target.find('{').unwrap(), target.find('}').unwrap());
                target.replace_range(begin..=end, id);
            }
            self.requests.push(WriteRequest {
                method,
                path,
                target: target + query,
                body,
                upload: None,
                more: Vec::new(),
            });
        };
        let vic = vic.to_string();
        let none = || json!({});
        let account = json!({"username": "made", "password": "made by eve"});
        add("POST", "/api/v1/users", &[], "", account);
        add(
            "PATCH",
            "/api/v1/users/current",
            &[],
            "",
            json!({"displayName": "Eve"}),
        );
        add(
            "PATCH",
            "/api/v1/users/{id}",
            &[&vic],
            "",
            json!({"displayName": "Vic"}),
        );
        add(
            "DELETE",
            "/api/v1/users/current/sessions/{sessionId}",
            &[&spare_session],
            "",
            none(),
        );
        add("DELETE", "/api/v1/users/current/sessions", &[], "", none());
        add("DELETE", "/api/v1/users/{id}/sessions", &[&vic], "", none());
        add(
            "POST",
            "/api/v1/users/{id}/personal-access-tokens",
            &[&vic],
            "",
            json!({"label": "new"}),
        );
        add(
            "DELETE",
            "/api/v1/users/{id}/personal-access-tokens/{personalAccessTokenId}",
            &[&vic, &token],
            "",
            none(),
        );
        add("POST", "/api/v1/users/current/cloud-link", &[], "", none());
        add("DELETE", "/api/v1/users/current/cloud-link", &[], "", none());
        add("POST", "/api/v1/auth/device/approve", &[], "", codes[0].clone());
        add("POST", "/api/v1/auth/device/deny", &[], "", codes[1].clone());
        let role = json!({"name": "made", "capabilities": ["Photos.Read"]});
        add("POST", "/api/v1/roles", &[], "", role);
        add(
            "PATCH",
            "/api/v1/roles/{role}",
            &["helpers"],
            "",
            json!({"capabilities": ["Photos.Read"]}),
        );
        add(
            "POST",
            "/api/v1/roles/{role}/assignments",
            &["helpers"],
            "",
            json!({"userIds": [vic]}),
        );
        add(
            "DELETE",
            "/api/v1/roles/{role}/assignments",
            &["helpers"],
            &format!("?userIds={vic}"),
            none(),
        );
        add("DELETE", "/api/v1/roles/{role}", &["spare"], "", none());
        let invited = json!({"role": "newcomer"});
        add("POST", "/api/v1/invitations", &[], "", invited);
        add("DELETE", "/api/v1/invitations/{id}", &[&invitation], "", none());
        let settings = json!({"app": null, "settings": {"server_name": "made"}});
        add("PATCH", "/api/v1/settings", &[], "", settings);
        let new_origin = json!({"origin": "https://new.example"});
        add("POST", "/api/v1/cors-origins", &[], "", new_origin);
        add("DELETE", "/api/v1/cors-origins/{id}", &[&origin], "", none());
        add(
            "PATCH",
            "/api/v1/index/state",
            &[],
            "",
            json!({"action": "resume"}),
        );
        add("POST", "/api/v1/jobs", &[], "", json!({"type": "verify"}));
        add(
            "PATCH",
            "/api/v1/jobs/{jobId}",
            &[&job],
            "",
            json!({"action": "cancel"}),
        );
        add(
            "PATCH",
            "/api/v1/plugins/{pluginId}",
            &["guest"],
            "",
            json!({"action": "release"}),
        );
        let new_library = json!({"name": "New", "mediaKind": "music"});
        add("POST", "/api/v1/libraries", &[], "", new_library);
        add(
            "PATCH",
            "/api/v1/libraries/{libraryId}",
            &[&library],
            "",
            json!({"name": "Renamed"}),
        );
        add("DELETE", "/api/v1/libraries/{libraryId}", &[&library], "", none());
        let link =
            json!({"mediaType": "music_track", "mediaId": song, "purpose": "stream", "expiresIn": 600});
        add("POST", "/api/v1/links", &[], "", link);
        add(
            "PATCH",
            "/api/v1/photos/{photoId}",
            &[&photo],
            "",
            json!({"description": "made"}),
        );
        add("PATCH", "/api/v1/history", &[], "", played);
        add(
            "DELETE",
            "/api/v1/history/{mediaType}/{mediaId}",
            &["music_track", &song],
            "",
            none(),
        );
        add("PUT", "/api/v1/ratings", &[], "", rating);
        add(
            "DELETE",
            "/api/v1/ratings/{mediaType}/{mediaId}",
            &["music_track", &song],
            "",
            none(),
        );
        let new_queue = json!({"type": "static", "items": [item]});
        add("POST", "/api/v1/playback-queues", &[], "", new_queue);
        add(
            "PUT",
            "/api/v1/playback-queues/{playbackQueueId}/cursor",
            &[&queue],
            "",
            json!({"playbackQueueItemId": second, "seconds": 1.0}),
        );
        add(
            "POST",
            "/api/v1/playback-queues/{playbackQueueId}/items",
            &[&queue],
            "",
            json!({"items": [item], "insert": "end"}),
        );
        add(
            "PATCH",
            "/api/v1/playback-queues/{playbackQueueId}/items/{playbackQueueItemId}",
            &[&queue, &first],
            "",
            json!({"after": second}),
        );
        add(
            "DELETE",
            "/api/v1/playback-queues/{playbackQueueId}/items/{playbackQueueItemId}",
            &[&queue, &first],
            "",
            none(),
        );
        add(
            "DELETE",
            "/api/v1/playback-queues/{playbackQueueId}",
            &[&queue],
            "",
            none(),
        );
        add("POST", "/api/v1/photo-albums", &[], "", json!({"name": "New"}));
        add(
            "PATCH",
            "/api/v1/photo-albums/{photoAlbumId}",
            &[&album],
            "",
            json!({"name": "Renamed"}),
        );
        let one_photo = json!({"photoIds": [photo]});
        add(
            "POST",
            "/api/v1/photo-albums/{photoAlbumId}/photos",
            &[&album],
            "",
            one_photo.clone(),
        );
        add(
            "DELETE",
            "/api/v1/photo-albums/{photoAlbumId}/photos",
            &[&album],
            "",
            one_photo,
        );
        add(
            "DELETE",
            "/api/v1/photo-albums/{photoAlbumId}",
            &[&album],
            "",
            none(),
        );
        add("POST", "/api/v1/index/run", &[], "", json!({"type": "quick"}));
        let deindex = json!({"type": "deindex", "validationPhrase": "Deindex media"});
        add("POST", "/api/v1/reset", &[], "", deindex);
        add(
            "POST",
            "/api/v1/plugins/{pluginId}/preview",
            &["notes"],
            "",
            none(),
        );
        add(
            "DELETE",
            "/api/v1/plugins/{pluginId}/candidate",
            &["notes"],
            "",
            none(),
        );
        add(
            "POST",
            "/api/v1/plugins/{pluginId}/rollback",
            &["notes"],
            "",
            none(),
        );
        add("DELETE", "/api/v1/plugins/{pluginId}", &["spare"], "", none());
        add("POST", "/api/v1/plugins", &[], "", none());
        if let Some(upload) = self.requests.last_mut() {
            upload.upload = Some(plugin("fresh", "1.0.0"));
        }
        for request in &mut self.requests {
            if request.path.ends_with("/cloud-link") && request.method == "POST" {
                request.more = vec![("svc-cloud-token", CLOUD_TOKEN)];
            }
        }
    }
}

/// A plugin that reads nothing of the fixture.
pub(crate) fn plugin(id: &str, version: &str) -> Vec<u8> {
    let manifest = guests::manifest(id)
        .replace("1.0.0", version)
        .replace(", \"shared\"", "");
    guests::with_manifest(guests::component(&guests::body("good")), &manifest)
}

/// Uploads a plugin, and grants what it asks for.
pub(crate) async fn install(client: &Client, id: &str, version: &str) {
    let uploaded = client
        .post_bytes("/api/v1/plugins", "application/wasm", plugin(id, version))
        .await;
    assert_eq!(uploaded.status, 201, "{}", uploaded.json());
    let grants = json!({"grants": ["log", "source"]});
    let granted = client.patch(&format!("/api/v1/plugins/{id}"), &grants).await;
    assert_eq!(granted.json()["state"], "active", "{}", granted.json());
}

/// Every route that writes and requires a credential.
fn writing_routes() -> Vec<(String, &'static str)> {
    let routes = routes().into_iter();
    let writes = routes.filter(|route| route.method != "GET" && route.access != Access::Public);
    let mut writes: Vec<_> = writes
        .map(|route| (route.method.to_string(), route.path))
        .collect();
    writes.sort();
    writes
}

#[tokio::test]
async fn every_writing_route_has_a_request_that_succeeds() {
    let server = TestServer::start_with(WriteFixture::options()).await;
    let world = WriteFixture::new(server).await;
    let known = world.requests.iter();
    let mut known: Vec<_> = known
        .map(|request| (request.method.to_owned(), request.path))
        .collect();
    known.sort();
    assert_eq!(known, writing_routes());
    for request in &world.requests {
        let jwt = &world.session.client;
        let headers = request.headers();
        let body = ReqBody::Once(request.bytes().into());
        let reply = received(jwt.begin(request.method, &request.target, &headers, body).await).await;
        let expected = if request.method == "POST" { 201 } else { 200 };
        let body = String::from_utf8_lossy(&reply.body).into_owned();
        assert_eq!(reply.status, expected, "{request:?}: {body}");
    }
}
