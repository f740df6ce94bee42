//! `/health`, `/instance`, `/versions`, `/updates` and the list of routes.

use std::sync::Arc;

use serde_json::json;
use svc_covers::covers;

use crate::support::{TestServer, TestServerOptions};
use svc_api::router::routes;
use svc_domain::time::Timestamp;
use svc_identity::cloud::{Cloud, CloudFeatures, CloudFuture, Release};

#[covers("GET /api")]
#[tokio::test]
async fn home_lists_versions_and_every_route() {
    let server = TestServer::start().await;
    let home = server.get("/api").await.json();
    assert_eq!(home["versions"], json!({"v1": "/api/v1"}));
    assert_eq!(home["endpoints"].as_array().unwrap().len(), routes().len());
    assert!(
        home["endpoints"]
            .as_array()
            .unwrap()
            .contains(&json!("GET /api/v1/health"))
    );
}

#[covers("GET /api/v1/health", "GET /api/v1/health/ready", "R56")]
#[tokio::test]
async fn health_responds_without_a_database() {
    let server = TestServer::start().await;
    server.store.database.close().await;
    let reply = server.get("/api/v1/health").await;
    assert_eq!((reply.status, reply.json()), (200, json!({"state": "not_setup"})));
    let reply = server.get("/api/v1/health/ready").await;
    assert_eq!(
        (reply.status, reply.json()["code"].as_str()),
        (503, Some("database_unavailable"))
    );
}

#[covers("GET /api/v1/instance", "T55")]
#[tokio::test]
async fn instance_has_three_fields() {
    let server = TestServer::start().await;
    let expected = json!({"instanceId": crate::INSTANCE, "serverName": "svc", "kioskMode": false});
    assert_eq!(server.get("/api/v1/instance").await.json(), expected);
}

#[covers("GET /api/v1/versions", "R61", "A5")]
#[tokio::test]
async fn versions_keep_the_keys_of_the_contract() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let versions = token.get("/api/v1/versions").await.json();
    for key in [
        "nodejs",
        "openssl",
        "database",
        "databaseEngine",
        "svc_media_server",
        "svc_media_server_web_app",
        "svc_music_web_app",
        "svc_photos_web_app",
        "svc_cinema_web_app",
        "build_tag",
        "runtime",
        "crypto",
        "wasmtime",
    ] {
        assert!(
            versions[key].as_str().is_some_and(|version| !version.is_empty()),
            "{key}"
        );
    }
    assert!(versions["database"].as_str().unwrap().starts_with("3."));
    assert_eq!(versions["databaseEngine"], "SQLite");
    assert_eq!(versions["svc_media_server"], "1.2.3");
    for app in ["media_server", "music", "photos", "cinema"] {
        assert_eq!(
            versions[format!("svc_{app}_web_app")],
            "0.0.0",
            "no app is embedded"
        );
    }
    assert_eq!(versions["plugins"], json!({}));
}

#[covers("GET /api/v1/release-channels", "GET /api/v1/updates", "R57")]
#[tokio::test]
async fn release_channels_and_updates_are_public() {
    let server = TestServer::start().await;
    let channels = server.get("/api/v1/release-channels").await;
    assert_eq!(
        (channels.status, &channels.json()["current"]),
        (200, &json!("stable"))
    );
    let available = channels.json()["available"].as_array().unwrap().clone();
    assert!(
        available
            .iter()
            .any(|channel| channel["name"] == "stable" && channel["description"].is_string())
    );
    let updates = server.get("/api/v1/updates").await;
    assert_eq!((updates.status, updates.json().get("code")), (503, None));
}

/// A cloud with a newer release.
#[derive(Debug)]
struct Releases;

impl Cloud for Releases {
    fn features(&self) -> CloudFeatures {
        CloudFeatures {
            releases: true,
            ..CloudFeatures::default()
        }
    }

    fn latest_release<'a>(&'a self, _channel: &'a str) -> CloudFuture<'a, Release> {
        let release = Release {
            version: "99.0.0".to_owned(),
            // Three days after the commit of the server under test.
            released_at: Timestamp::from_millis(1_793_750_400_000),
        };
        Box::pin(async { Ok(release) })
    }
}

#[tokio::test]
async fn newer_release_is_reported() {
    let options = TestServerOptions {
        cloud: Arc::new(Releases),
        ..TestServerOptions::default()
    };
    let reply = TestServer::start_with(options).await.get("/api/v1/updates").await;
    assert_eq!(
        (reply.status, &reply.json()["updateIsAvailable"]),
        (200, &json!(true))
    );
    assert_eq!(reply.json()["latestVersion"], "99.0.0");
    assert_eq!(reply.json()["daysBehindLatestVersion"], 3);
    assert_eq!(
        reply.json()["latestVersionReleasedAt"],
        "2026-11-04T00:00:00.000Z"
    );
}
