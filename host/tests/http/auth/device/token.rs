//! `POST /auth/device/token`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use svc_covers::covers;

use super::{Codes, DEVICE, assert_grant_error};
use crate::support::accounts::{COOKIE, PASSWORD};
use crate::support::cloud::ScriptedCloud;
use crate::support::databases::on_each_database;
use crate::support::{Client, TestServer, TestServerOptions};
use svc_domain::audit::AuditEvent;

const POLL: Duration = Duration::from_secs(5);

#[covers(
    "C9",
    "POST /api/v1/auth/device/token",
    "code authorization_pending",
    "code slow_down",
    "code expired_token"
)]
#[tokio::test]
async fn device_polls_until_it_is_approved_and_gets_one_session() {
    on_each_database(async |server| {
        server.clock.stop();
        server.person("ada", "owner").await;
        let bob = server.person("bob", "member").await;
        let phone = server.sign_in("bob").await;
        let codes = Codes::start(&server, "cinema").await;
        assert_grant_error(&codes.poll(&server).await, "authorization_pending");
        server.clock.advance(POLL);
        assert_grant_error(&codes.poll(&server).await, "authorization_pending");
        // Too early, three times: 20 s from now on.
        assert_grant_error(&codes.poll(&server).await, "slow_down");
        server.clock.advance(POLL);
        assert_grant_error(&codes.poll(&server).await, "slow_down");
        server.clock.advance(POLL * 2);
        assert_grant_error(&codes.poll(&server).await, "slow_down");
        server.clock.advance(POLL * 4);
        assert_grant_error(&codes.poll(&server).await, "authorization_pending");
        assert_eq!(codes.approve(&phone.client).await.status, 201);
        // Approved: the interval does not delay the session.
        let reply = codes.poll_with(&server, &[("user-agent", "Example TV")]).await;
        let tv = reply.signed_in();
        let login = reply.json();
        assert_eq!(login["user"]["userId"], bob.to_string());
        assert_eq!(login["scope"], "local");
        let current = tv.client.get("/api/v1/users/current").await.json();
        assert_eq!(current["localUser"]["username"], "bob");
        for _ in 0..3 {
            assert_grant_error(&codes.poll(&server).await, "expired_token");
        }
        assert_eq!(codes.look(&phone.client).await.status, 404);
        // It is refreshed like that of a login.
        let tv = server.refresh(&tv.cookie).await.signed_in();
        let sessions = tv.client.get("/api/v1/users/current/sessions").await.json();
        let own = sessions
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["current"] == true);
        let own = own.unwrap();
        assert_eq!(
            (&own["app"], &own["userAgent"], &own["kind"]),
            (&json!("cinema"), &json!("Example TV"), &json!("local"))
        );
        // It ends with the others, and without the one that approved it.
        let path = "/api/v1/users/current/sessions";
        assert_eq!(phone.client.delete(path).await.json(), json!(1));
        assert_eq!(tv.client.status().await, 401);
        assert_eq!(server.refresh(&tv.cookie).await.status, 401);
        let entry = &server.audit(AuditEvent::LoginSucceeded).await[0];
        assert_eq!(entry.details["by"], "device");
        assert_eq!(entry.details["app"], "cinema");
    })
    .await;
}

#[covers("C9", "code access_denied")]
#[tokio::test]
async fn denied_and_expired_codes_are_final() {
    on_each_database(async |server| {
        let ada = server.client(server.person("ada", "owner").await);
        let denied = Codes::start(&server, "music").await;
        let approved = Codes::start(&server, "music").await;
        let ignored = Codes::start(&server, "music").await;
        assert_eq!(denied.deny(&ada).await.status, 201);
        assert_eq!(approved.approve(&ada).await.status, 201);
        for _ in 0..2 {
            assert_grant_error(&denied.poll(&server).await, "access_denied");
        }
        server.clock.advance(Duration::from_secs(600));
        for codes in [&denied, &approved, &ignored] {
            assert_grant_error(&codes.poll(&server).await, "expired_token");
            assert_eq!(codes.approve(&ada).await.status, 404);
        }
        // The next start removes them.
        Codes::start(&server, "music").await;
        let count = "SELECT count(*) FROM device_sign_ins";
        assert_eq!(server.number(count).await, 1);
        // An unknown code cannot be told from an expired one.
        for code in ["", "svc_device_", "junk", &"svc_device_".repeat(100)] {
            let reply = server
                .post(&format!("{DEVICE}/token"), &json!({"deviceCode": code}))
                .await;
            assert_grant_error(&reply, "expired_token");
        }
        for body in [json!({}), json!({"deviceCode": null}), json!({"deviceCode": 1})] {
            let reply = server.post(&format!("{DEVICE}/token"), &body).await;
            assert_eq!((reply.status, reply.code()), (400, None));
        }
    })
    .await;
}

/// What happens to an approver between the approval and the next poll.
async fn lose(server: &TestServer, owner: &Client, what: &str, bob: &str, client: &Client) {
    let user = format!("/api/v1/users/{bob}");
    let reply = match what {
        "disabled" => owner.patch(&user, &json!({"enabled": false})).await,
        "demoted" => {
            owner
                .delete(&format!("/api/v1/roles/member/assignments?userIds={bob}"))
                .await
        }
        "without the app" => {
            let music = json!({"userIds": [bob]});
            owner.post("/api/v1/roles/music_user/assignments", &music).await;
            owner
                .delete(&format!("/api/v1/roles/member/assignments?userIds={bob}"))
                .await
        }
        "signed out" => client.post("/api/v1/auth/logout", &Value::Null).await,
        "sessions ended" => owner.delete(&format!("{user}/sessions")).await,
        "password set" => owner.patch(&user, &json!({"password": "another one"})).await,
        other => panic!("{other} of {:?}", server.root),
    };
    assert!(reply.status / 100 == 2, "{what}: {reply:?}");
}

#[tokio::test]
async fn approval_stands_only_while_its_approver_may_sign_in() {
    on_each_database(async |server| {
        let owner = server.client(server.person("ada", "owner").await);
        for (number, what) in [
            "disabled",
            "demoted",
            "without the app",
            "signed out",
            "sessions ended",
            "password set",
        ]
        .into_iter()
        .enumerate()
        {
            let name = format!("bob{number}");
            let bob = server.person(&name, "member").await.to_string();
            let phone = server.sign_in(&name).await;
            let codes = Codes::start(&server, "cinema").await;
            assert_eq!(codes.approve(&phone.client).await.status, 201, "{what}");
            lose(&server, &owner, what, &bob, &phone.client).await;
            assert_grant_error(&codes.poll(&server).await, "access_denied");
            // It does not come back.
            let back = json!({"enabled": true});
            owner.patch(&format!("/api/v1/users/{bob}"), &back).await;
            let member = json!({"userIds": [bob]});
            owner.post("/api/v1/roles/member/assignments", &member).await;
            assert_grant_error(&codes.poll(&server).await, "access_denied");
        }
        let sessions = "SELECT count(*) FROM sessions WHERE app = 'cinema'";
        assert_eq!(server.number(sessions).await, 0);
    })
    .await;
}

#[covers("T12")]
#[tokio::test]
async fn page_of_another_site_gets_no_cookie_and_replaces_no_session() {
    let server = TestServer::start().await;
    let ada = server.client(server.person("ada", "owner").await);
    let other = server.sign_in("ada").await;
    let cookie = format!("{COOKIE}={}", other.cookie);
    let codes = Codes::start(&server, "music").await;
    assert_eq!(codes.approve(&ada).await.status, 201);
    let headers = [("sec-fetch-site", "cross-site"), ("cookie", cookie.as_str())];
    let reply = codes.poll_with(&server, &headers).await;
    assert_eq!(reply.status, 201);
    assert!(!reply.headers.contains_key("set-cookie"));
    assert_eq!(reply.client().status().await, 200);
    assert_eq!(other.client.status().await, 200);
    // On its own site the new session replaces the one of the cookie, as by a login.
    let codes = Codes::start(&server, "music").await;
    assert_eq!(codes.approve(&ada).await.status, 201);
    let tv = codes.poll_with(&server, &headers[1..]).await.signed_in();
    assert_eq!(other.client.status().await, 401);
    assert_eq!(server.refresh(&tv.cookie).await.status, 201);
}

#[tokio::test]
async fn device_of_a_linked_account_refreshes_with_its_cloud_token_only() {
    let server = TestServer::start_with(TestServerOptions {
        cloud: Arc::new(ScriptedCloud::default()),
        ..TestServerOptions::default()
    })
    .await;
    let ada = server.person("ada", "owner").await;
    let phone = server.sign_in("ada").await;
    server.link(ada, "c1").await;
    let codes = Codes::start(&server, "music").await;
    assert_eq!(codes.approve(&phone.client).await.status, 201);
    let tv = codes.poll(&server).await.signed_in();
    assert_eq!(tv.client.status().await, 200);
    let reply = server.refresh(&tv.cookie).await;
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (401, Some("cloud_token_required"))
    );
    assert!(!reply.headers.contains_key("set-cookie"));
}

#[tokio::test]
async fn device_gains_no_recent_sign_in_and_no_known_address() {
    let mut server = TestServer::start().await;
    server.person("ada", "owner").await;
    let phone = server.sign_in("ada").await;
    server.clock.advance(Duration::from_secs(240));
    server.peer = [203, 0, 113, 9].into();
    let codes = Codes::start(&server, "music").await;
    assert_eq!(codes.approve(&phone.client).await.status, 201);
    let tv = codes.poll(&server).await.signed_in();
    let known = "SELECT count(*) FROM known_addresses WHERE address = '203.0.113.9'";
    assert_eq!(server.number(known).await, 0);
    // Four minutes old at its birth.
    let link = async |client: &Client| {
        let headers = [("svc-cloud-token", "x")];
        client
            .request("POST", "/api/v1/users/current/cloud-link", &headers, "")
            .await
    };
    assert_eq!(link(&tv.client).await.status, 503);
    server.clock.advance(Duration::from_secs(60));
    assert_eq!(
        link(&tv.client).await.code().as_deref(),
        Some("reauthentication_required")
    );
    assert_eq!(server.try_password("ada", PASSWORD).await.status, 201);
}
