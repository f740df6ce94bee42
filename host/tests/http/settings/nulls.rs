//! `null` resets a setting.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::support::TestServer;
use crate::support::databases::on_each_database;

const SETTINGS: &str = "/api/v1/settings";

async fn set(server: &TestServer, token: &str, app: Value, settings: Value) -> Value {
    let body = json!({"app": app, "settings": settings});
    let reply = server.send_as(token, "PATCH", SETTINGS, &body).await;
    assert_eq!(reply.status, 200, "{:?}", reply.json());
    reply.json()["updated"].clone()
}

async fn shown(server: &TestServer, token: &str, app: &str, key: &str) -> Value {
    let reply = server.get_as(token, &format!("{SETTINGS}/{app}")).await;
    reply.json()["settings"][key].clone()
}

#[covers("A16")]
#[tokio::test]
async fn null_resets_settings_of_the_server_and_of_an_account() {
    on_each_database(async |server: TestServer| {
        let ada = server.owner().await;
        let bob = server.caller_without_roles().await;
        for token in [&ada, &bob] {
            set(&server, token, Value::Null, json!({"theme": "dark"})).await;
        }
        set(&server, &ada, Value::Null, json!({"server_name": "Home"})).await;
        let reset = json!({"server_name": null, "theme": null});
        let updated = set(&server, &ada, json!("music"), reset).await;
        assert_eq!(updated, json!({"server_name": "svc", "theme": "system"}));
        assert_eq!(server.get("/api/v1/instance").await.json()["serverName"], "svc");
        assert_eq!(shown(&server, &ada, "admin", "theme").await, "system");
        assert_eq!(shown(&server, &bob, "admin", "theme").await, "dark", "his own");
        assert_eq!(server.number("SELECT count(*) FROM server_settings").await, 0);
    })
    .await;
}

#[tokio::test]
async fn null_for_an_app_gives_way_to_what_holds_for_all() {
    on_each_database(async |server: TestServer| {
        let ada = server.owner().await;
        let timeout = |value: Value| json!({"session_timeout": value});
        let default = shown(&server, &ada, "music", "session_timeout").await;
        set(&server, &ada, Value::Null, timeout(json!("7d"))).await;
        set(&server, &ada, json!("music"), timeout(json!("memory"))).await;
        let updated = set(&server, &ada, json!("music"), timeout(Value::Null)).await;
        assert_eq!(updated, timeout(json!("7d")));
        set(&server, &ada, json!("photos"), timeout(json!("memory"))).await;
        let updated = set(&server, &ada, Value::Null, timeout(Value::Null)).await;
        assert_eq!(updated, timeout(default.clone()));
        assert_eq!(shown(&server, &ada, "photos", "session_timeout").await, default);
    })
    .await;
}
