//! A server that nobody owns yet lets nobody in, and a kiosk tells what holds.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::people::PASSWORD;
use crate::{TestServer, TestServerOptions};
use svc_test_support::databases::{Schema, postgres_url};

const SETTINGS: &str = "/api/v1/settings";

/// Runs a test on a kiosk over SQLite, and over PostgreSQL if there is one.
async fn on_each_database(test: impl AsyncFn(TestServer)) {
    let kiosk = |database_url| TestServerOptions {
        kiosk: true,
        database_url,
        ..TestServerOptions::default()
    };
    test(TestServer::start_with(kiosk(None)).await).await;
    if let Some(postgres) = postgres_url() {
        let schema = Schema::create(&postgres).await;
        let server = TestServer::start_with(kiosk(Some(schema.url.clone()))).await;
        let store = server.store.clone();
        test(server).await;
        store.database.close().await;
        schema.drop().await;
    }
}

async fn set(server: &TestServer, token: &str, app: Value, settings: Value) -> (u16, Value) {
    let body = json!({"app": app, "settings": settings});
    let reply = server.send_as(token, "PATCH", SETTINGS, &body).await;
    (reply.status, reply.json())
}

#[covers("A9")]
#[tokio::test]
async fn nobody_signs_in_while_the_server_is_not_set_up() {
    on_each_database(async |server: TestServer| {
        server.person("bob", "member").await;
        let guest = json!({"username": "guest"});
        let music = [("svc-app", "music")];
        let refused = json!({"message": "login refused"});
        for body in [json!({"username": "bob", "password": PASSWORD}), guest.clone()] {
            let reply = server.login(&music, &body).await;
            assert_eq!((reply.status, reply.json()), (403, refused.clone()), "{body}");
            assert_eq!(reply.cookie(), None);
        }
        assert_eq!(server.number("SELECT count(*) FROM sessions").await, 0);
        assert_eq!(server.get("/api/v1/health").await.json()["state"], "not_setup");

        server.owner().await;
        server.sign_in("bob").await;
        assert_eq!(server.login(&music, &guest).await.status, 201);
    })
    .await;
}

#[covers("code setting_fixed", "A9")]
#[tokio::test]
async fn guest_access_reads_as_it_is_in_force_and_cannot_be_changed_to_no_effect() {
    on_each_database(async |server: TestServer| {
        let owner = server.owner().await;
        let shown = async || {
            let reply = server.get_as(&owner, &format!("{SETTINGS}/music")).await;
            reply.json()["settings"]["guest_access"].clone()
        };
        assert_eq!(shown().await, json!(true));
        for value in [json!(false), Value::Null] {
            let settings = json!({"guest_access": value, "server_name": "Hall"});
            let (status, problem) = set(&server, &owner, Value::Null, settings).await;
            assert_eq!((status, &problem["code"]), (409, &json!("setting_fixed")));
        }
        assert_eq!(server.get("/api/v1/instance").await.json()["serverName"], "svc");
        let on = set(&server, &owner, Value::Null, json!({"guest_access": true})).await;
        let updated = json!({"app": null, "updated": {"guest_access": true}});
        assert_eq!((on, shown().await), ((200, updated), json!(true)));
    })
    .await;
}

#[tokio::test]
async fn kiosk_is_not_set_up_with_a_setting_that_cannot_take_effect() {
    on_each_database(async |server: TestServer| {
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
