//! `GET /settings/{app}`.

use serde_json::{Value, json};
use svc_covers::covers;

use super::{TARGET, patch, shown};
use crate::support::{TestServer, TestServerOptions};
use svc_identity::app::App;
use svc_identity::settings::registry::SETTINGS;

#[covers("GET /api/v1/settings/{app}")]
#[tokio::test]
async fn settings_of_each_app_have_their_defaults() {
    let server = TestServer::start().await;
    // Every signed-in caller may read all settings.
    let token = server.as_nobody().await;
    for app in App::ALL {
        let reply = token.get(&format!("{TARGET}/{}", app.as_str())).await.json();
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
async fn unknown_app_is_400() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    for app in ["Admin", "tv", "null", "%00", "admin,music", "..%2fadmin"] {
        let reply = token.get(&format!("{TARGET}/{app}")).await;
        assert_eq!(reply.status, 400, "{app}");
        assert_eq!(reply.json()["errors"][0]["path"], "app", "{app}");
    }
}

#[covers("T24")]
#[tokio::test]
async fn account_settings_are_per_caller() {
    let server = TestServer::start().await;
    let ada = server.as_owner().await;
    let bob = server.as_nobody().await;
    let body = json!({"app": "photos", "settings": {"theme": "dark", "audio_playback_timeout": 60},
        "userId": "0000000000001"});
    assert_eq!(patch(&bob, &body).await.status, 200);
    for app in App::ALL {
        let of_bob = shown(&bob, app.as_str()).await;
        assert_eq!(of_bob["theme"], "dark");
        let timeout = (app == App::Music).then(|| json!(60));
        assert_eq!(of_bob.get("audio_playback_timeout"), timeout.as_ref());
        assert_eq!(shown(&ada, app.as_str()).await["theme"], "system");
    }
}

#[tokio::test]
async fn session_timeout_differs_by_app_until_it_is_set_for_all() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let set = |app: Value, value: &str| json!({"app": app, "settings": {"session_timeout": value}});
    assert_eq!(patch(&token, &set(Value::Null, "7d")).await.status, 200);
    assert_eq!(patch(&token, &set(json!("music"), "memory")).await.status, 200);
    for (app, expected) in [
        ("admin", "7d"),
        ("music", "memory"),
        ("photos", "7d"),
        ("cinema", "7d"),
    ] {
        assert_eq!(shown(&token, app).await["session_timeout"], expected, "{app}");
    }
    assert_eq!(patch(&token, &set(Value::Null, "session")).await.status, 200);
    for app in App::ALL {
        assert_eq!(shown(&token, app.as_str()).await["session_timeout"], "session");
    }
}

#[tokio::test]
async fn guest_reads_settings_and_changes_none() {
    let server = TestServer::start_with(TestServerOptions {
        kiosk: true,
        ..TestServerOptions::default()
    })
    .await;
    let guest = server.client(server.store.users.guest().await.unwrap().unwrap().id);
    assert_eq!(shown(&guest, "music").await["theme"], "system");
    let body = json!({"app": null, "settings": {"theme": "dark"}});
    assert_eq!(patch(&guest, &body).await.status, 403);
    assert_eq!(shown(&guest, "music").await["theme"], "system");
}
