//! Settings over HTTP: what is shown, what may be changed by whom, and that a change is all or nothing.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::roles::allowed_to;
use crate::{Reply, TestServer, TestServerOptions};
use svc_identity::app::App;
use svc_identity::capability::Capability;
use svc_identity::settings::registry::SETTINGS;

const TARGET: &str = "/api/v1/settings";

async fn patch(server: &TestServer, token: &str, body: &Value) -> Reply {
    server.send_as(token, "PATCH", TARGET, body).await
}

async fn shown(server: &TestServer, token: &str, app: &str) -> Value {
    let reply = server.get_as(token, &format!("{TARGET}/{app}")).await;
    assert_eq!(reply.status, 200);
    reply.json()["settings"].clone()
}

#[covers("GET /api/v1/settings/{app}")]
#[tokio::test]
async fn each_app_is_shown_its_settings_with_their_defaults() {
    let server = TestServer::start().await;
    // Whoever is known may look, also at the server's.
    let token = server.caller_without_roles().await;
    for app in App::ALL {
        let reply = server
            .get_as(&token, &format!("{TARGET}/{}", app.as_str()))
            .await
            .json();
        assert_eq!(reply["app"], app.as_str());
        assert_eq!(reply.as_object().unwrap().len(), 2);
        let settings = reply["settings"].as_object().unwrap().clone();
        for setting in SETTINGS {
            let expected = setting.is_for(app).then(|| setting.default());
            assert_eq!(
                settings.get(setting.key),
                expected.as_ref(),
                "{app:?} {}",
                setting.key
            );
        }
    }
    for key in [
        "server_name",
        "session_timeout",
        "guest_access",
        "public_user_list",
        "max_concurrent_streams",
        "scan_schedule",
        "watch_directories",
        "auto_check_for_updates",
        "language",
        "theme",
        "start_page",
        "audio_playback_timeout",
        "show_waveform",
        "photo_grid_size",
        "autoplay_next_episode",
    ] {
        assert!(SETTINGS.iter().any(|setting| setting.key == key), "{key}");
    }
}

#[covers("R16")]
#[tokio::test]
async fn unknown_app_is_bad_input() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    for app in ["Admin", "tv", "null", "%00", "admin,music", "..%2fadmin"] {
        let reply = server.get_as(&token, &format!("{TARGET}/{app}")).await;
        assert_eq!(reply.status, 400, "{app}");
        assert_eq!(reply.json()["errors"][0]["path"], "app", "{app}");
    }
}

#[covers("R35")]
#[tokio::test]
async fn missing_app_is_refused_where_null_means_all() {
    let server = TestServer::start().await;
    let token = server.owner().await;
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
        assert_eq!(patch(&server, &token, &body).await.status, status, "{body}");
    }
    let reply = patch(&server, &token, &json!({"app": "music", "settings": good}))
        .await
        .json();
    assert_eq!(reply, json!({"app": "music", "updated": {"theme": "dark"}}));
    let reply = patch(&server, &token, &json!({"app": null, "settings": good}))
        .await
        .json();
    assert_eq!(reply, json!({"app": null, "updated": {"theme": "dark"}}));
}

#[covers("R36")]
#[tokio::test]
async fn unknown_keys_and_bad_values_are_all_named_and_nothing_is_saved() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let body = json!({"app": null, "settings": {
        "theme": "dark", "Theme": "dark", "theem": "dark", "guest_access": "true", "max_concurrent_streams": 1001,
    }});
    let reply = patch(&server, &token, &body).await;
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
    assert_eq!(shown(&server, &token, "music").await["theme"], "system");
    let reply = server.get_as(&token, "/api/v1/audit").await.json();
    assert_eq!(reply[1], 0, "nothing happened");
}

#[covers("PATCH /api/v1/settings", "R34", "T27")]
#[tokio::test]
async fn server_wide_keys_take_the_capability_each_and_a_mixed_change_saves_nothing() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let nobody = server.caller_without_roles().await;
    let reader = allowed_to(&server, "reader", &[Capability::ServerSettingsRead]).await;
    let writer = allowed_to(&server, "writer", &[Capability::ServerSettingsUpdate]).await;
    for setting in SETTINGS.iter().filter(|setting| setting.scope.is_server_wide()) {
        // Even with the value that it has.
        let value = setting.default();
        let alone = json!({"app": null, "settings": {setting.key: value}});
        let mixed = json!({"app": "music", "settings": {"theme": "dark", setting.key: value}});
        let with_junk = json!({"app": null, "settings": {"junk": 1, setting.key: "junk"}});
        for body in [&alone, &mixed, &with_junk] {
            for token in [&nobody, &server.token(reader)] {
                let reply = patch(&server, token, body).await;
                assert_eq!(reply.status, 403, "{body}");
                assert!(reply.json().get("errors").is_none(), "{body}");
            }
        }
        let reply = patch(&server, &server.token(writer), &alone).await;
        assert_eq!(
            (reply.status, &reply.json()["updated"][setting.key]),
            (200, &value)
        );
    }
    assert_eq!(shown(&server, &nobody, "music").await["theme"], "system");
    let name = json!({"app": null, "settings": {"server_name": " Home "}});
    assert_eq!(
        patch(&server, &owner, &name).await.json()["updated"]["server_name"],
        "Home"
    );
    assert_eq!(server.get("/api/v1/instance").await.json()["serverName"], "Home");
    assert_eq!(shown(&server, &nobody, "cinema").await["server_name"], "Home");
}

#[covers("T24")]
#[tokio::test]
async fn account_settings_are_the_callers_own_whatever_the_app() {
    let server = TestServer::start().await;
    let ada = server.owner().await;
    let bob = server.caller_without_roles().await;
    let body = json!({"app": "photos", "settings": {"theme": "dark", "audio_playback_timeout": 60},
        "userId": "0000000000001"});
    assert_eq!(patch(&server, &bob, &body).await.status, 200);
    for app in App::ALL {
        let of_bob = shown(&server, &bob, app.as_str()).await;
        assert_eq!(of_bob["theme"], "dark");
        let timeout = (app == App::Music).then(|| json!(60));
        assert_eq!(of_bob.get("audio_playback_timeout"), timeout.as_ref());
        assert_eq!(shown(&server, &ada, app.as_str()).await["theme"], "system");
    }
}

#[tokio::test]
async fn session_timeout_differs_by_app_until_it_is_set_for_all() {
    let server = TestServer::start().await;
    let token = server.owner().await;
    let set = |app: Value, value: &str| json!({"app": app, "settings": {"session_timeout": value}});
    assert_eq!(patch(&server, &token, &set(Value::Null, "7d")).await.status, 200);
    assert_eq!(
        patch(&server, &token, &set(json!("music"), "memory"))
            .await
            .status,
        200
    );
    for (app, expected) in [
        ("admin", "7d"),
        ("music", "memory"),
        ("photos", "7d"),
        ("cinema", "7d"),
    ] {
        assert_eq!(
            shown(&server, &token, app).await["session_timeout"],
            expected,
            "{app}"
        );
    }
    assert_eq!(
        patch(&server, &token, &set(Value::Null, "session")).await.status,
        200
    );
    for app in App::ALL {
        assert_eq!(
            shown(&server, &token, app.as_str()).await["session_timeout"],
            "session"
        );
    }
}

#[tokio::test]
async fn guest_reads_settings_and_changes_none() {
    let server = TestServer::start_with(TestServerOptions {
        kiosk: true,
        ..TestServerOptions::default()
    })
    .await;
    let guest = server.token(server.store.users.guest().await.unwrap().unwrap().id);
    assert_eq!(shown(&server, &guest, "music").await["theme"], "system");
    let body = json!({"app": null, "settings": {"theme": "dark"}});
    assert_eq!(patch(&server, &guest, &body).await.status, 403);
    assert_eq!(shown(&server, &guest, "music").await["theme"], "system");
}

#[tokio::test]
async fn parallel_changes_are_all_in_effect_at_once() {
    let server = std::sync::Arc::new(TestServer::start().await);
    let token = server.owner().await;
    let mut calls = tokio::task::JoinSet::new();
    for setting in SETTINGS.iter().filter(|setting| setting.scope.is_server_wide()) {
        let (server, token) = (std::sync::Arc::clone(&server), token.clone());
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
            assert_eq!(patch(&server, &token, &body).await.status, 200);
            (setting.key, value)
        });
    }
    let expected = calls.join_all().await;
    let settings = shown(&server, &token, "admin").await;
    for (key, value) in expected {
        assert_eq!(settings[key], value, "{key}");
    }
}
