//! `null` resets a setting.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::support::databases::on_each_database;
use crate::support::{Client, TestServer};

const SETTINGS: &str = "/api/v1/settings";

async fn set(token: &Client, app: Value, settings: Value) -> Value {
    let body = json!({"app": app, "settings": settings});
    let reply = token.patch(SETTINGS, &body).await;
    assert_eq!(reply.status, 200, "{:?}", reply.json());
    reply.json()["updated"].clone()
}

async fn shown(token: &Client, app: &str, key: &str) -> Value {
    let reply = token.get(&format!("{SETTINGS}/{app}")).await;
    reply.json()["settings"][key].clone()
}

#[covers("A16")]
#[tokio::test]
async fn null_resets_settings_of_the_server_and_of_an_account() {
    on_each_database(async |server: TestServer| {
        let ada = server.as_owner().await;
        let bob = server.as_nobody().await;
        for token in [&ada, &bob] {
            set(token, Value::Null, json!({"theme": "dark"})).await;
        }
        set(&ada, Value::Null, json!({"server_name": "Home"})).await;
        let reset = json!({"server_name": null, "theme": null});
        let updated = set(&ada, json!("music"), reset).await;
        assert_eq!(updated, json!({"server_name": "svc", "theme": "system"}));
        assert_eq!(server.get("/api/v1/instance").await.json()["serverName"], "svc");
        assert_eq!(shown(&ada, "admin", "theme").await, "system");
        assert_eq!(shown(&bob, "admin", "theme").await, "dark", "bob's own setting");
        assert_eq!(server.number("SELECT count(*) FROM server_settings").await, 0);
    })
    .await;
}

#[tokio::test]
async fn null_for_an_app_restores_the_value_of_all_apps() {
    on_each_database(async |server: TestServer| {
        let ada = server.as_owner().await;
        let timeout = |value: Value| json!({"session_timeout": value});
        let default = shown(&ada, "music", "session_timeout").await;
        set(&ada, Value::Null, timeout(json!("7d"))).await;
        set(&ada, json!("music"), timeout(json!("memory"))).await;
        let updated = set(&ada, json!("music"), timeout(Value::Null)).await;
        assert_eq!(updated, timeout(json!("7d")));
        set(&ada, json!("photos"), timeout(json!("memory"))).await;
        let updated = set(&ada, Value::Null, timeout(Value::Null)).await;
        assert_eq!(updated, timeout(default.clone()));
        assert_eq!(shown(&ada, "photos", "session_timeout").await, default);
    })
    .await;
}
