//! `GET /users/public`.

use serde_json::json;
use svc_covers::covers;

use super::{USERS, names, update};
use crate::support::{TestServer, TestServerOptions};

#[covers("GET /api/v1/users/public", "R49")]
#[tokio::test]
async fn public_list_has_enabled_users_and_the_guest_while_access_is_on() {
    for kiosk in [false, true] {
        let server = TestServer::start_with(TestServerOptions {
            kiosk,
            ..TestServerOptions::default()
        })
        .await;
        let token = server.as_owner().await;
        let bob = server.user("bob", false, &["member"]).await;
        let eve = server.user("eve", false, &[]).await;
        assert_eq!(
            update(&token, eve, &json!({"enabled": false, })).await.status,
            200
        );
        assert_eq!(
            update(&token, bob, &json!({"displayName": "Bobby"})).await.status,
            200
        );
        let public = async || server.get(&format!("{USERS}/public")).await.json();
        let guest: &[&str] = if kiosk { &["guest"] } else { &[] };
        assert_eq!(names(&public().await), [&["ada", "bob"], guest].concat());
        let expected = json!({"userId": bob, "username": "bob", "displayName": "Bobby", "isGuest": false});
        assert_eq!(public().await[1], expected);
        let set = async |key: &str, value: bool| {
            let body = json!({"app": null, "settings": {key: value}});
            assert_eq!(token.patch("/api/v1/settings", &body).await.status, 200);
        };
        set("guest_access", true).await;
        assert_eq!(names(&public().await), ["ada", "bob", "guest"]);
        set("public_user_list", false).await;
        assert_eq!(public().await, json!([]));
    }
}
