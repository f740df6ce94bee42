//! `PATCH /settings`.

use serde_json::json;
use svc_covers::covers;

use super::{patch, shown};
use crate::support::TestServer;
use crate::support::accounts::allowed_to;
use svc_identity::capability::Capability;
use svc_identity::settings::registry::SETTINGS;

#[covers("R35")]
#[tokio::test]
async fn missing_app_is_400_and_null_means_all() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let good = json!({"theme": "dark"});
    for (body, status) in [
        (json!({"settings": good}), 400),
        (json!({"app": null, "settings": good}), 200),
        (json!({"app": "music", "settings": good}), 200),
        (json!({"app": "tv", "settings": good}), 400),
        (json!({"app": "", "settings": good}), 400),
        (json!({"app": 1, "settings": good}), 400),
        (json!({"app": ["music"], "settings": good}), 400),
        (json!({"app": null}), 400),
        (json!({"app": null, "settings": null}), 400),
        (json!({"app": null, "settings": []}), 400),
        (json!({"app": null, "settings": {}}), 200),
        (
            json!({"app": null, "settings": {"theme": "dark"}, "more": 1}),
            200,
        ),
        (json!({}), 400),
        (json!([]), 400),
    ] {
        assert_eq!(patch(&token, &body).await.status, status, "{body}");
    }
    let reply = patch(&token, &json!({"app": "music", "settings": good}))
        .await
        .json();
    assert_eq!(reply, json!({"app": "music", "updated": {"theme": "dark"}}));
    let reply = patch(&token, &json!({"app": null, "settings": good}))
        .await
        .json();
    assert_eq!(reply, json!({"app": null, "updated": {"theme": "dark"}}));
}

#[covers("R36")]
#[tokio::test]
async fn unknown_keys_and_bad_values_are_all_named_and_nothing_is_saved() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let body = json!({"app": null, "settings": {
        "theme": "dark", "Theme": "dark", "theem": "dark", "guest_access": "true", "max_concurrent_streams": 1001,
    }});
    let reply = patch(&token, &body).await;
    assert_eq!(reply.status, 400);
    let errors = reply.json()["errors"].as_array().unwrap().clone();
    let mut paths: Vec<_> = errors
        .iter()
        .map(|error| error["path"].as_str().unwrap())
        .collect();
    paths.sort_unstable();
    assert_eq!(
        paths,
        [
            "settings",
            "settings.guest_access",
            "settings.max_concurrent_streams",
            "settings.theem"
        ]
    );
    assert_eq!(shown(&token, "music").await["theme"], "system");
    let reply = token.get("/api/v1/audit").await.json();
    assert_eq!(reply[1], 0, "nothing was saved");
}

#[covers("PATCH /api/v1/settings", "R34", "T27")]
#[tokio::test]
async fn server_wide_key_without_its_capability_is_403_and_nothing_is_saved() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let nobody = server.as_nobody().await;
    let reader = allowed_to(&server, "reader", &[Capability::ServerSettingsRead]).await;
    let writer = allowed_to(&server, "writer", &[Capability::ServerSettingsUpdate]).await;
    for setting in SETTINGS.iter().filter(|setting| setting.scope.is_server_wide()) {
        // Even with its current value.
        let value = setting.default();
        let alone = json!({"app": null, "settings": {setting.key: value}});
        let mixed = json!({"app": "music", "settings": {"theme": "dark", setting.key: value}});
        let with_junk = json!({"app": null, "settings": {"junk": 1, setting.key: "junk"}});
        for body in [&alone, &mixed, &with_junk] {
            for token in [&nobody, &server.client(reader)] {
                let reply = patch(token, body).await;
                assert_eq!(reply.status, 403, "{body}");
                assert!(reply.json().get("errors").is_none(), "{body}");
            }
        }
        let reply = patch(&server.client(writer), &alone).await;
        assert_eq!(
            (reply.status, &reply.json()["updated"][setting.key]),
            (200, &value)
        );
    }
    assert_eq!(shown(&nobody, "music").await["theme"], "system");
    let name = json!({"app": null, "settings": {"server_name": " Home "}});
    assert_eq!(
        patch(&owner, &name).await.json()["updated"]["server_name"],
        "Home"
    );
    assert_eq!(server.get("/api/v1/instance").await.json()["serverName"], "Home");
    assert_eq!(shown(&nobody, "cinema").await["server_name"], "Home");
}

#[tokio::test]
async fn parallel_changes_all_take_effect() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let mut calls = tokio::task::JoinSet::new();
    for setting in SETTINGS.iter().filter(|setting| setting.scope.is_server_wide()) {
        let token = token.clone();
        let value = match setting.key {
            "server_name" => json!("Home"),
            "session_timeout" => json!("1d"),
            "max_concurrent_streams" => json!(3),
            "scan_schedule" => json!("off"),
            "purge_missing_days" => json!(7),
            _ => json!(!setting.default().as_bool().unwrap()),
        };
        calls.spawn(async move {
            let body = json!({"app": null, "settings": {setting.key: value}});
            assert_eq!(patch(&token, &body).await.status, 200);
            (setting.key, value)
        });
    }
    let expected = calls.join_all().await;
    let settings = shown(&token, "admin").await;
    for (key, value) in expected {
        assert_eq!(settings[key], value, "{key}");
    }
}
