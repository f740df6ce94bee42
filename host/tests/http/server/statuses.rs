//! Statuses that the API description declares for many routes.

use serde_json::{Value, json};

use crate::filled;
use crate::support::TestServer;
use crate::support::accounts::PASSWORD;
use svc_domain::kind::MediaKind;
use svc_http_io::limits::SETTINGS_BODY_BYTES;

/// Method, path and description of every operation.
fn operations() -> Vec<(String, String, Value)> {
    let document = serde_json::to_value(svc_api::openapi::document(&svc_api::router::routes())).unwrap();
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            all.push((method.to_uppercase(), path.clone(), operation.clone()));
        }
    }
    all
}

#[tokio::test]
async fn oversized_or_non_json_body_is_refused_by_every_route() {
    let (owned, fresh) = (TestServer::start().await, TestServer::start().await);
    let bearer = format!("Bearer {}", owned.as_owner().await);
    let large = "x".repeat(SETTINGS_BODY_BYTES + 1);
    let mut taking = 0;
    for (method, path, operation) in operations() {
        // A plugin is larger than any JSON; `plugins/uploads.rs` tests its limit.
        if operation.get("requestBody").is_none() || (method == "POST" && path == "/api/v1/plugins") {
            continue;
        }
        taking += 1;
        let server = if path == "/api/v1/setup" { &fresh } else { &owned };
        for (content_type, body, status) in [
            ("application/json", large.as_str(), 413),
            ("text/plain", "{}", 415),
        ] {
            let mut headers = vec![("content-type", content_type), ("svc-app", "music")];
            if path != "/api/v1/setup" {
                headers.push(("authorization", &bearer));
            }
            let reply = server.send(&method, &filled(&path), &headers, body).await;
            assert_eq!(reply.status, status, "{method} {path}");
        }
    }
    assert!(taking >= 30, "{taking}");
}

#[tokio::test]
async fn malformed_id_is_404_on_every_route_that_declares_it() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let mut tried = 0;
    for (method, path, operation) in operations() {
        let is_asked = ["GET", "DELETE"].contains(&method.as_str()) && path.contains('{');
        // The query names who loses a role.
        let is_told_more = operation.get("requestBody").is_some() || path.ends_with("/assignments");
        if !is_asked || is_told_more || operation["responses"].get("404").is_none() {
            continue;
        }
        tried += 1;
        let target = filled(&path).replace("0000000000001", "~");
        let reply = token.send(&method, &target, &json!(null)).await;
        assert_eq!(reply.status, 404, "{method} {target}");
    }
    assert!(tried >= 40, "{tried}");
}

#[tokio::test]
async fn unchanged_list_is_304_on_every_route() {
    let server = TestServer::start().await;
    server.clock.stop();
    let bearer = format!("Bearer {}", server.as_owner().await);
    let folder = server.folder(MediaKind::music()).await;
    server.track(folder, "a.mp3", "One", b"0123456789").await;
    let mut unchanged = 0;
    for (method, path, operation) in operations() {
        if method != "GET" || path.contains('{') || operation["responses"].get("304").is_none() {
            continue;
        }
        let query = match path.as_str() {
            "/api/v1/search" => "?q=one",
            "/api/v1/index/run/logs" => "?runId=0000000000001",
            "/api/v1/ls" => "?rootDir=music",
            _ => "",
        };
        let target = format!("{path}{query}");
        let first = server
            .send("GET", &target, &[("authorization", &bearer)], "")
            .await;
        if first.status != 200 {
            continue;
        }
        unchanged += 1;
        let headers = [
            ("authorization", bearer.as_str()),
            ("if-none-match", first.header("etag")),
        ];
        let again = server.send("GET", &target, &headers, "").await;
        assert_eq!(again.status, 304, "{target}");
    }
    assert!(unchanged >= 35, "{unchanged}");
}

#[tokio::test]
async fn invalid_queries_are_400() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    for (target, status) in [
        ("changes", 200),
        ("changes?since=x", 400),
        ("plugins", 200),
        ("index/file", 400),
        ("music/genres?take=x", 400),
        ("photo-albums?take=x", 400),
        ("tv/episodes/0000000000001/stream?sourceId=x", 400),
        ("movies/0000000000001/stream?sourceId=x", 400),
    ] {
        let reply = token.get(&format!("/api/v1/{target}")).await;
        assert_eq!(reply.status, status, "{target}");
    }
}

#[tokio::test]
async fn conflicts_and_throttles_have_their_status() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    server.person("bob", "member").await;
    let token = server.client(ada);
    let taken = json!({"username": "bob"});
    let own = "/api/v1/users/current";
    assert_eq!(token.patch(own, &taken).await.status, 409);
    for name in ["cleo", "dora"] {
        let person = server.person(name, "member").await;
        let (by, target) = if name == "cleo" {
            (server.client(person), own.to_owned())
        } else {
            (token.clone(), format!("/api/v1/users/{person}"))
        };
        let guess = json!({"currentPassword": "a wrong guess", "password": PASSWORD});
        let mut last = 0;
        for _ in 0..30 {
            last = by.patch(&target, &guess).await.status;
            if last == 429 {
                break;
            }
        }
        assert_eq!(last, 429, "{target}");
    }
    let folder = server.folder(MediaKind::music()).await;
    for track in 0..11 {
        server
            .track(folder, &format!("{track}.mp3"), "Song", b"0123456789")
            .await;
    }
    let releases = token.get("/api/v1/music/releases").await.json();
    let release = json!({"mediaType": "music_release", "mediaId": releases[0][0]["musicReleaseId"]});
    let queue = json!({"type": "static", "items": vec![release; 1_000]});
    let full = token.post("/api/v1/playback-queues", &queue).await;
    assert_eq!(
        (full.status, full.code().as_deref()),
        (409, Some("playback_queue_full"))
    );
}
