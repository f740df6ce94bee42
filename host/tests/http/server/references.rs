//! Ids in request bodies and filters, and repeated deletes.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::UNKNOWN;
use crate::support::accounts::PASSWORD;
use crate::support::write_requests::{install, plugin};
use crate::support::{Reply, TestServer};
use svc_api::router::routes;
use svc_domain::kind::MediaKind;

fn paths(reply: &Reply) -> Vec<String> {
    let json = reply.json();
    let errors = json["errors"].as_array().unwrap_or_else(|| panic!("{json}"));
    let path = |error: &Value| error["path"].as_str().unwrap().to_owned();
    errors.iter().map(path).collect()
}

fn item(id: &str) -> Value {
    json!({"mediaType": "music_track", "mediaId": id})
}

/// The id in a response.
fn id_in(reply: &Reply, field: &str) -> String {
    assert_eq!(reply.status, 201, "{}", String::from_utf8_lossy(&reply.body));
    reply.json()[field].as_str().unwrap().to_owned()
}

#[covers("A14")]
#[tokio::test]
async fn unknown_reference_in_a_body_is_404_and_malformed_is_400() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let folder = server.folder(MediaKind::music()).await;
    let track = server
        .track(folder, "a.mp3", "One", b"0123456789")
        .await
        .to_string();
    let make = async |target: &str, body: Value| token.post(target, &body).await;
    let queue = make(
        "/api/v1/playback-queues",
        json!({"type": "static", "items": [item(&track)]}),
    )
    .await;
    let queue = id_in(&queue, "playbackQueueId");
    let queue = format!("/api/v1/playback-queues/{queue}");
    let items = token.get(&format!("{queue}/items")).await.json();
    let place = items[0][0]["playbackQueueItemId"].as_str().unwrap();
    let album = make("/api/v1/photo-albums", json!({"name": "A"})).await;
    let album = format!("/api/v1/photo-albums/{}", id_in(&album, "photoAlbumId"));
    let played = |id: &str, place: &str| {
        json!({"mediaType": "music_track", "mediaId": id, "seconds": 1, "state": "playing",
               "playbackQueueItemId": place})
    };
    let link =
        |id: &str| json!({"mediaType": "music_track", "mediaId": id, "purpose": "stream", "expiresIn": 60});
    type Make<'a> = Box<dyn Fn(&str) -> Value + 'a>;
    let cases: [(&str, &str, Make<'_>, &str); 15] = [
        (
            "PATCH",
            "/api/v1/history",
            Box::new(|id| played(id, place)),
            "mediaId",
        ),
        (
            "PATCH",
            "/api/v1/history",
            Box::new(|id| played(&track, id)),
            "playbackQueueItemId",
        ),
        (
            "PUT",
            "/api/v1/ratings",
            Box::new(|id| json!({"mediaType": "music_track", "mediaId": id, "rating": 1})),
            "mediaId",
        ),
        ("POST", "/api/v1/links", Box::new(link), "mediaId"),
        (
            "POST",
            "/api/v1/playback-queues",
            Box::new(|id| json!({"type": "static", "items": [item(&track), item(id)]})),
            "items[1].mediaId",
        ),
        (
            "POST",
            &format!("{queue}/items"),
            Box::new(|id| json!({"items": [item(id)], "insert": "end"})),
            "items[0].mediaId",
        ),
        (
            "PATCH",
            &format!("{queue}/items/{place}"),
            Box::new(|id| json!({"after": id})),
            "after",
        ),
        (
            "PUT",
            &format!("{queue}/cursor"),
            Box::new(|id| json!({"playbackQueueItemId": id, "seconds": 0})),
            "playbackQueueItemId",
        ),
        (
            "POST",
            "/api/v1/photo-albums",
            Box::new(|id| json!({"name": "B", "sharedWith": [id]})),
            "sharedWith[0]",
        ),
        (
            "PATCH",
            &album,
            Box::new(|id| json!({"sharedWith": [id]})),
            "sharedWith[0]",
        ),
        (
            "PATCH",
            &album,
            Box::new(|id| json!({"coverPhotoId": id})),
            "coverPhotoId",
        ),
        (
            "POST",
            "/api/v1/libraries",
            Box::new(
                |id| json!({"name": "L", "mediaKind": "music", "grants": [{"role": "member"}, {"userId": id}]}),
            ),
            "grants[1].userId",
        ),
        (
            "POST",
            "/api/v1/roles/member/assignments",
            Box::new(|id| json!({"userIds": [id]})),
            "userIds[0]",
        ),
        (
            "POST",
            "/api/v1/jobs",
            Box::new(|id| json!({"type": "reextract", "parameters": {"ids": [track, id]}})),
            "parameters.ids[1]",
        ),
        (
            "POST",
            "/api/v1/jobs",
            Box::new(|id| json!({"type": "reextract", "parameters": {"ids": [id]}})),
            "parameters.ids[0]",
        ),
    ];
    for (method, target, body, path) in &cases {
        for (id, status) in [("no id", 400), (UNKNOWN, 404)] {
            let reply = token.send(method, target, &body(id)).await;
            let what = format!("{method} {target} {}", body(id));
            assert_eq!(
                (reply.status, paths(&reply)),
                (status, vec![(*path).to_owned()]),
                "{what}"
            );
        }
    }
    let history = token.get("/api/v1/history").await.json();
    assert_eq!(
        history,
        json!([[], 0]),
        "a report with an unknown queue item is not stored"
    );
    let jobs = token.get("/api/v1/jobs").await.json();
    assert_eq!(jobs[1], 0);
}

#[covers("A14")]
#[tokio::test]
async fn unknown_kind_path_or_role_is_404_and_malformed_is_400() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let folder = server.folder_at(MediaKind::music(), "Album").await;
    server.track(folder, "a.mp3", "One", b"0123456789").await;
    let run = |more: Value| {
        let mut body = json!({"type": "quick"});
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        ("/api/v1/index/run", body)
    };
    let job = |parameters: Value| {
        (
            "/api/v1/jobs",
            json!({"type": "reextract", "parameters": parameters}),
        )
    };
    let path = |root: &str, path: &str| json!({"rootDir": root, "path": path});
    for ((target, body), status, field) in [
        (
            run(json!({"mediaKinds": ["music", "Not a kind"]})),
            400,
            "mediaKinds[1]",
        ),
        (
            run(json!({"mediaKinds": ["music", "comics"]})),
            404,
            "mediaKinds[1]",
        ),
        (
            run(json!({"paths": [path("Not a kind", "")]})),
            400,
            "paths[0].rootDir",
        ),
        (
            run(json!({"paths": [path("music", ""), path("comics", "")]})),
            404,
            "paths[1].rootDir",
        ),
        (
            run(json!({"paths": [path("music", "../x")]})),
            400,
            "paths[0].path",
        ),
        (
            run(json!({"paths": [path("music", "Album"), path("music", "Nowhere")]})),
            404,
            "paths[1].path",
        ),
        (
            job(json!({"mediaKind": "Not a kind"})),
            400,
            "parameters.mediaKind",
        ),
        (job(json!({"mediaKind": "comics"})), 404, "parameters.mediaKind"),
        (
            (
                "/api/v1/jobs",
                json!({"type": "purge_kind", "parameters": {"mediaKind": "Not a kind"}}),
            ),
            400,
            "parameters.mediaKind",
        ),
        (
            (
                "/api/v1/jobs",
                json!({"type": "purge_kind", "parameters": {"mediaKind": "comics"}}),
            ),
            404,
            "parameters.mediaKind",
        ),
        (
            job(json!({"mediaKind": "music", "path": "../x"})),
            400,
            "parameters.path",
        ),
        (
            job(json!({"mediaKind": "music", "path": "Nowhere"})),
            404,
            "parameters.path",
        ),
        (
            (
                "/api/v1/libraries",
                json!({"name": "L", "mediaKind": "Not a kind"}),
            ),
            400,
            "mediaKind",
        ),
        (
            ("/api/v1/libraries", json!({"name": "L", "mediaKind": "comics"})),
            404,
            "mediaKind",
        ),
        (
            (
                "/api/v1/libraries",
                json!({"name": "L", "mediaKind": "music", "grants": [{"role": "stranger"}]}),
            ),
            404,
            "grants[0].role",
        ),
        (
            (
                "/api/v1/users",
                json!({"username": "bob", "password": PASSWORD, "role": "stranger"}),
            ),
            404,
            "role",
        ),
    ] {
        let reply = token.post(target, &body).await;
        assert_eq!(
            (reply.status, paths(&reply)),
            (status, vec![field.to_owned()]),
            "{target} {body}"
        );
    }
    // A path is known if it is in the index or on disk.
    std::fs::remove_dir_all(server.root.join("Album")).unwrap();
    std::fs::create_dir_all(server.root.join("New/Deep")).unwrap();
    for place in ["Album", "Album/a.mp3", "New/Deep"] {
        let (target, mut body) = run(json!({"paths": [path("music", place)]}));
        body["dryRun"] = json!(true);
        let reply = token.post(target, &body).await;
        assert_eq!(reply.status, 201, "{place}");
        server.state.indexing.wait_until_idle().await;
    }
}

#[covers("A14")]
#[tokio::test]
async fn filter_by_unknown_id_is_empty_and_malformed_is_400() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let folder = server.folder(MediaKind::music()).await;
    server.track(folder, "a.mp3", "One", b"0123456789").await;
    let empty_list = json!([[], 0]);
    for (target, empty) in [
        ("/api/v1/music/tracks?artistId=", &empty_list),
        ("/api/v1/music/tracks?releaseId=", &empty_list),
        ("/api/v1/music/tracks?libraryIds=", &empty_list),
        ("/api/v1/music/releases?artistId=", &empty_list),
        ("/api/v1/music/releases?libraryIds=", &empty_list),
        ("/api/v1/photos?albumId=", &empty_list),
        ("/api/v1/audit?userId=", &empty_list),
        ("/api/v1/index/run/logs?runId=", &empty_list),
        ("/api/v1/roles/assignments?userId=", &json!([])),
    ] {
        let reply = token.get(&format!("{target}{UNKNOWN}")).await;
        assert_eq!((reply.status, &reply.json()), (200, empty), "{target}");
        let reply = token.get(&format!("{target}no-id")).await;
        let name = target.split(['?', '=']).nth(1).unwrap();
        assert_eq!(
            (reply.status, paths(&reply)),
            (400, vec![name.to_owned()]),
            "{target}"
        );
    }
    for (target, status) in [
        ("/api/v1/jobs?type=nothing", 200),
        ("/api/v1/index/run/logs?runId=0000000000001&mediaKind=comics", 200),
        (
            "/api/v1/index/run/logs?runId=0000000000001&mediaKind=Not%20a%20kind",
            400,
        ),
    ] {
        assert_eq!(token.get(target).await.status, status, "{target}");
    }
}

/// The response to a second delete.
enum Again {
    /// The resource has its own id, so it is 404.
    NotFound,
    /// The body tells whether anything was deleted.
    False,
    /// The body lists what was deleted.
    Nothing(Value),
}

#[covers("A14")]
#[tokio::test]
async fn second_delete_is_404_or_false() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let token = server.sign_in("ada").await.client;
    server.link(ada, "ada-in-the-cloud").await;
    let bob = server.person("bob", "member").await;
    server.sign_in("bob").await;
    let folder = server.folder(MediaKind::music()).await;
    let track = server
        .track(folder, "a.mp3", "One", b"0123456789")
        .await
        .to_string();
    let make = async |method: &str, target: &str, body: Value, field: &str| {
        let reply = token.send(method, target, &body).await;
        assert!(
            reply.status < 300,
            "{method} {target}: {}",
            String::from_utf8_lossy(&reply.body)
        );
        reply.json()[field].as_str().unwrap_or_default().to_owned()
    };
    server.sign_in("ada").await;
    let sessions = token.get("/api/v1/users/current/sessions").await.json();
    let other = sessions
        .as_array()
        .unwrap()
        .iter()
        .find(|session| session["current"] == false);
    let session = other.unwrap()["sessionId"].as_str().unwrap().to_owned();
    let of_user = format!("/api/v1/users/{ada}/personal-access-tokens");
    let pat = make("POST", &of_user, json!({"label": "x"}), "personalAccessTokenId").await;
    make(
        "POST",
        "/api/v1/roles",
        json!({"name": "tester", "capabilities": []}),
        "name",
    )
    .await;
    let body = json!({"userIds": [bob.to_string()]});
    make("POST", "/api/v1/roles/music_user/assignments", body, "").await;
    let origin = make(
        "POST",
        "/api/v1/cors-origins",
        json!({"origin": "https://a.example"}),
        "id",
    )
    .await;
    let invitation = json!({"role": "member"});
    let invitation = make("POST", "/api/v1/invitations", invitation, "invitationId").await;
    let library = json!({"name": "L", "mediaKind": "music"});
    let library = make("POST", "/api/v1/libraries", library, "libraryId").await;
    let queue = json!({"type": "static", "items": [item(&track)]});
    let queue = make("POST", "/api/v1/playback-queues", queue, "playbackQueueId").await;
    let items = token
        .get(&format!("/api/v1/playback-queues/{queue}/items"))
        .await
        .json();
    let place = items[0][0]["playbackQueueItemId"].as_str().unwrap().to_owned();
    let album = make(
        "POST",
        "/api/v1/photo-albums",
        json!({"name": "A"}),
        "photoAlbumId",
    )
    .await;
    let report = json!({"mediaType": "music_track", "mediaId": track, "seconds": 1, "state": "completed"});
    make("PATCH", "/api/v1/history", report, "").await;
    let rating = json!({"mediaType": "music_track", "mediaId": track, "rating": 1});
    make("PUT", "/api/v1/ratings", rating, "").await;

    let photos = json!({"photoIds": [UNKNOWN]});
    let unknown_photo = json!([{"photoId": UNKNOWN, "ok": false, "code": "not_in_album"}]);
    let (nothing, no_sessions) = (json!(null), json!(0));
    let (ada_id, bob_id, of_bob) = (ada.to_string(), bob.to_string(), format!("?userIds={bob}"));
    install(&token, "notes", "1.0.0").await;
    let waits = plugin("notes", "2.0.0");
    let waits = token.post_bytes("/api/v1/plugins", "application/wasm", waits);
    assert_eq!(waits.await.status, 201);
    let deletions = [
        (
            "/users/current/sessions/{sessionId}",
            vec![session.as_str()],
            "",
            &nothing,
            Again::NotFound,
        ),
        (
            "/users/current/sessions",
            vec![],
            "",
            &nothing,
            Again::Nothing(no_sessions.clone()),
        ),
        (
            "/users/{id}/sessions",
            vec![bob_id.as_str()],
            "",
            &nothing,
            Again::Nothing(no_sessions),
        ),
        (
            "/users/{id}/personal-access-tokens/{personalAccessTokenId}",
            vec![ada_id.as_str(), &pat],
            "",
            &nothing,
            Again::False,
        ),
        (
            "/roles/{role}/assignments",
            vec!["music_user"],
            of_bob.as_str(),
            &nothing,
            Again::Nothing(json!([])),
        ),
        ("/roles/{role}", vec!["tester"], "", &nothing, Again::NotFound),
        ("/cors-origins/{id}", vec![&origin], "", &nothing, Again::False),
        ("/invitations/{id}", vec![&invitation], "", &nothing, Again::False),
        (
            "/libraries/{libraryId}",
            vec![&library],
            "",
            &nothing,
            Again::NotFound,
        ),
        (
            "/playback-queues/{playbackQueueId}/items/{playbackQueueItemId}",
            vec![&queue, &place],
            "",
            &nothing,
            Again::NotFound,
        ),
        (
            "/playback-queues/{playbackQueueId}",
            vec![&queue],
            "",
            &nothing,
            Again::NotFound,
        ),
        (
            "/photo-albums/{photoAlbumId}/photos",
            vec![&album],
            "",
            &photos,
            Again::Nothing(unknown_photo),
        ),
        (
            "/photo-albums/{photoAlbumId}",
            vec![&album],
            "",
            &nothing,
            Again::NotFound,
        ),
        (
            "/history/{mediaType}/{mediaId}",
            vec!["music_track", &track],
            "",
            &nothing,
            Again::False,
        ),
        (
            "/ratings/{mediaType}/{mediaId}",
            vec!["music_track", &track],
            "",
            &nothing,
            Again::False,
        ),
        (
            "/plugins/{pluginId}/candidate",
            vec!["notes"],
            "",
            &nothing,
            Again::NotFound,
        ),
        ("/users/current/cloud-link", vec![], "", &nothing, Again::NotFound),
        (
            "/plugins/{pluginId}",
            vec!["notes"],
            "",
            &nothing,
            Again::NotFound,
        ),
    ];
    for (path, values, query, body, again) in &deletions {
        let mut values = values.iter();
        let parts = path.split('/').map(|part| {
            if part.starts_with('{') {
                values.next().unwrap()
            } else {
                part
            }
        });
        let target = format!("/api/v1{}{query}", parts.collect::<Vec<_>>().join("/"));
        let first = token.send("DELETE", &target, body).await;
        assert_eq!(
            first.status,
            200,
            "{target}: {}",
            String::from_utf8_lossy(&first.body)
        );
        let second = token.send("DELETE", &target, body).await;
        match again {
            Again::NotFound => assert_eq!(second.status, 404, "{target}"),
            Again::False => {
                assert_eq!(first.json(), json!(true), "{target}");
                assert_eq!((second.status, second.json()), (200, json!(false)), "{target}");
            }
            Again::Nothing(expected) => {
                assert_eq!((second.status, &second.json()), (200, expected), "{target}");
            }
        }
    }
    for route in routes().iter().filter(|route| route.method == "DELETE") {
        let path = route.path.trim_start_matches("/api/v1");
        assert!(
            deletions.iter().any(|(deleted, ..)| *deleted == path),
            "{path} is deleted twice by no test"
        );
    }
    // A malformed id is treated as an unknown one.
    for target in [
        format!("{of_user}/junk"),
        "/api/v1/cors-origins/junk".to_owned(),
        "/api/v1/invitations/junk".to_owned(),
    ] {
        let reply = token.delete(&target).await;
        assert_eq!((reply.status, reply.json()), (200, json!(false)), "{target}");
    }
}
