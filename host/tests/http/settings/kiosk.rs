//! Settings that kiosk mode fixes.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::support::accounts::PASSWORD;
use crate::support::databases::{kiosk, on_each_database_with};
use crate::support::{Client, TestServer};

const SETTINGS: &str = "/api/v1/settings";

async fn set(token: &Client, app: Value, settings: Value) -> (u16, Value) {
    let body = json!({"app": app, "settings": settings});
    let reply = token.patch(SETTINGS, &body).await;
    (reply.status, reply.json())
}

#[covers("code setting_fixed", "A9")]
#[tokio::test]
async fn guest_access_in_kiosk_mode_reads_true_and_cannot_be_turned_off() {
    on_each_database_with(kiosk, async |server: TestServer| {
        let owner = server.as_owner().await;
        let shown = async || {
            let reply = owner.get(&format!("{SETTINGS}/music")).await;
            reply.json()["settings"]["guest_access"].clone()
        };
        assert_eq!(shown().await, json!(true));
        for value in [json!(false), Value::Null] {
            let settings = json!({"guest_access": value, "server_name": "Hall"});
            let (status, problem) = set(&owner, Value::Null, settings).await;
            assert_eq!((status, &problem["code"]), (409, &json!("setting_fixed")));
        }
        assert_eq!(server.get("/api/v1/instance").await.json()["serverName"], "svc");
        let on = set(&owner, Value::Null, json!({"guest_access": true})).await;
        let updated = json!({"app": null, "updated": {"guest_access": true}});
        assert_eq!((on, shown().await), ((200, updated), json!(true)));
    })
    .await;
}

#[tokio::test]
async fn kiosk_setup_with_guest_access_off_is_refused() {
    on_each_database_with(kiosk, async |server: TestServer| {
        let setup = |settings: Value| json!({"username": "ada", "password": PASSWORD, "settings": settings});
        let refused = server
            .post("/api/v1/setup", &setup(json!({"guest_access": false})))
            .await;
        assert_eq!(
            (refused.status, refused.code().as_deref()),
            (409, Some("setting_fixed"))
        );
        assert_eq!(server.get("/api/v1/health").await.json()["state"], "not_setup");
        let made = server
            .post("/api/v1/setup", &setup(json!({"guest_access": true})))
            .await;
        assert_eq!(made.status, 201);
    })
    .await;
}
