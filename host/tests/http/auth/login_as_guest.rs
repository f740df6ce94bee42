//! Guests sign in while guest access is on, and nobody does before the setup.

use serde_json::json;
use svc_covers::covers;

use super::MUSIC;
use crate::auth::login::APPS;
use crate::support::accounts::PASSWORD;
use crate::support::databases::{kiosk, on_each_database_with};
use crate::support::{TestServer, TestServerOptions};

#[covers("R28")]
#[tokio::test]
async fn guest_signs_in_without_credentials_only_while_guest_access_is_on() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let id = server.store.users.guest().await.unwrap().unwrap().id;
    let ways = [
        json!({"username": "guest"}),
        json!({"username": "GUEST"}),
        json!({"userId": id.to_string()}),
    ];
    for on in [false, true, false] {
        server.set(&owner, "guest_access", json!(on)).await;
        for body in &ways {
            let reply = server.login(&[MUSIC], body).await;
            assert_eq!(reply.status, if on { 201 } else { 403 }, "{body}");
            if on {
                let guest = reply.signed_in();
                // The guest's cookie is always a session cookie.
                assert_eq!(reply.json()["scope"], "session");
                assert!(!reply.header("set-cookie").contains("Max-Age"));
                assert_eq!(reply.json()["user"]["userId"], json!(id.to_string()));
                let changed = json!({"displayName": "me"});
                let reply = guest.client.patch("/api/v1/users/current", &changed).await;
                assert_eq!(reply.status, 403);
            }
        }
        let statuses = [APPS[0], APPS[2], APPS[3]].map(|app| (app, app != "admin" && on));
        for (app, allowed) in statuses {
            let reply = server.login(&[("svc-app", app)], &ways[0]).await;
            assert_eq!(reply.status == 201, allowed, "{app}");
        }
    }
}

#[covers("R28")]
#[tokio::test]
async fn kiosk_mode_lets_guests_in_regardless_of_settings() {
    let options = TestServerOptions {
        kiosk: true,
        ..TestServerOptions::default()
    };
    let server = TestServer::start_with(options).await;
    server.as_owner().await;
    assert_eq!(
        server.login(&[MUSIC], &json!({"username": "guest"})).await.status,
        201
    );
}

#[covers("A9")]
#[tokio::test]
async fn login_before_the_setup_is_refused() {
    on_each_database_with(kiosk, async |server: TestServer| {
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

        server.as_owner().await;
        server.sign_in("bob").await;
        assert_eq!(server.login(&music, &guest).await.status, 201);
    })
    .await;
}
