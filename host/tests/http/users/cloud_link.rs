//! `POST` and `DELETE /users/current/cloud-link`.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::support::accounts::PASSWORD;
use crate::support::cloud::ScriptedCloud;
use crate::support::databases::on_each_database_with;
use crate::support::{Client, Reply, TestServer, TestServerOptions};
use svc_domain::audit::AuditEvent;
use svc_identity::cloud::CloudError;

const LINK: &str = "/api/v1/users/current/cloud-link";

fn options() -> TestServerOptions {
    let cloud = ScriptedCloud::default();
    cloud.says("of-c1", Ok("c1"));
    cloud.says("again-of-c1", Ok("c1"));
    cloud.says("of-c2", Ok("c2"));
    cloud.says("away", Err(CloudError::Unavailable));
    cloud.says("unsupported", Err(CloudError::Unsupported));
    cloud.says("refused", Err(CloudError::Refused("account_suspended".into())));
    cloud.says("nameless", Ok(""));
    cloud.says("endless", Ok(&"c".repeat(1025)));
    TestServerOptions {
        cloud: Arc::new(cloud),
        ..TestServerOptions::default()
    }
}

async fn link(client: &Client, token: &str) -> Reply {
    client
        .request("POST", LINK, &[("svc-cloud-token", token)], "")
        .await
}

async fn by_cloud(server: &TestServer, token: &str) -> Reply {
    server
        .login(&[("svc-app", "music")], &json!({"cloudToken": token}))
        .await
}

fn assert_refused(reply: &Reply, status: u16, code: Option<&str>, case: &str) {
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (status, code),
        "{case}: {reply:?}"
    );
}

#[covers(
    "POST /api/v1/users/current/cloud-link",
    "DELETE /api/v1/users/current/cloud-link",
    "code already_linked",
    "code cloud_account_taken",
    "T30"
)]
#[tokio::test]
async fn accounts_are_linked_one_to_one() {
    on_each_database_with(options, async |server| {
        server.person("ada", "owner").await;
        server.person("bob", "member").await;
        let (ada, bob) = (server.sign_in("ada").await, server.sign_in("bob").await);
        assert_eq!(by_cloud(&server, "of-c1").await.status, 401);
        let linked = link(&ada.client, "of-c1").await;
        assert_eq!(
            (linked.status, &linked.json()["cloudLinked"]),
            (201, &json!(true))
        );
        assert_eq!(linked.json()["username"], "ada");
        // A repeated request changes nothing, whichever token of the account it has.
        for token in ["of-c1", "again-of-c1"] {
            assert_eq!(link(&ada.client, token).await.status, 201);
        }
        assert_refused(
            &link(&ada.client, "of-c2").await,
            409,
            Some("already_linked"),
            "another cloud account",
        );
        assert_refused(
            &link(&bob.client, "again-of-c1").await,
            409,
            Some("cloud_account_taken"),
            "another local account",
        );
        assert_eq!(link(&bob.client, "of-c2").await.status, 201);
        let entries = server.audit(AuditEvent::CloudLinked).await;
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[1].details["cloudAccount"], "c1");
        assert_eq!(entries[1].actor.as_ref().unwrap().name.as_deref(), Some("ada"));

        // Two cloud sessions, one by password, and the one that unlinks.
        let cloud = [
            by_cloud(&server, "of-c1").await.signed_in(),
            by_cloud(&server, "again-of-c1").await.signed_in(),
        ];
        let other = server.sign_in("ada").await;
        let unlinked = ada.client.delete(LINK).await;
        assert_eq!(
            (unlinked.status, &unlinked.json()["cloudLinked"]),
            (200, &json!(false))
        );
        for session in &cloud {
            assert_eq!(session.client.status().await, 401);
            let reply = server
                .refresh_with(&session.cookie, &[("svc-cloud-token", "of-c1")])
                .await;
            assert!(reply.status == 401 && reply.clears_cookie(), "{reply:?}");
        }
        assert_eq!(by_cloud(&server, "of-c1").await.status, 401);
        assert_eq!(other.client.status().await, 200);
        // No longer linked: the cookie is enough.
        assert_eq!(server.refresh(&other.cookie).await.status, 201);
        assert_eq!(server.refresh(&ada.cookie).await.status, 201);
        let entry = &server.audit(AuditEvent::CloudUnlinked).await[0];
        assert_eq!(entry.details["sessions"], "2");
        assert_eq!(ada.client.delete(LINK).await.status, 404);
        // Both are free again.
        assert_eq!(link(&ada.client, "of-c1").await.status, 201);
    })
    .await;
}

#[tokio::test]
async fn errors_of_the_cloud_link_nothing() {
    on_each_database_with(options, async |server| {
        let ada = server.person("ada", "owner").await;
        let session = server.sign_in("ada").await;
        let missing = session.client.request("POST", LINK, &[], "").await;
        assert_eq!(missing.status, 400);
        assert_eq!(missing.json()["errors"][0]["path"], "Svc-Cloud-Token");
        for (token, status, code) in [
            ("unknown", 401, "cloud_token_required"),
            ("refused", 401, "cloud_token_required"),
            ("away", 503, "cloud_unavailable"),
            ("unsupported", 503, "cloud_unavailable"),
            ("nameless", 503, "cloud_unavailable"),
            ("endless", 503, "cloud_unavailable"),
        ] {
            let reply = link(&session.client, token).await;
            assert_refused(&reply, status, Some(code), token);
            assert!(!String::from_utf8_lossy(&reply.body).contains("suspended"));
        }
        let twice = [("svc-cloud-token", "of-c1"), ("svc-cloud-token", "of-c1")];
        let reply = session.client.request("POST", LINK, &twice, "").await;
        assert_eq!(reply.status, 400);
        let linked = "SELECT count(*) FROM users WHERE cloud_account_id IS NOT NULL";
        assert_eq!(server.number(linked).await, 0);
        assert_eq!(session.client.status().await, 200);
        assert_eq!(server.refresh(&session.cookie).await.status, 201);
        assert_eq!(server.user_id("ada").await, ada);
    })
    .await;
}

#[tokio::test]
async fn rejected_tokens_are_limited() {
    let server = TestServer::start_with(options()).await;
    server.person("ada", "owner").await;
    let session = server.sign_in("ada").await;
    let mut limited = None;
    for number in 0..120 {
        let reply = link(&session.client, &format!("guess-{number}")).await;
        if reply.status == 429 {
            limited = Some(number);
            break;
        }
        assert_eq!(reply.status, 401);
    }
    assert!(limited.is_some_and(|number| number >= 60), "{limited:?}");
}

#[covers("C4", "code reauthentication_required")]
#[tokio::test]
async fn session_must_have_signed_in_within_five_minutes() {
    on_each_database_with(options, async |server| {
        server.clock.stop();
        server.person("ada", "owner").await;
        let old = server.sign_in("ada").await;
        server.clock.advance(Duration::from_millis(299_999));
        // A refresh is no sign-in.
        let refreshed = server.refresh(&old.cookie).await.signed_in();
        assert_refused(
            &link(&refreshed.client, "away").await,
            503,
            Some("cloud_unavailable"),
            "in time",
        );
        server.clock.advance(Duration::from_millis(1));
        let late = Some("reauthentication_required");
        for client in [&old.client, &refreshed.client] {
            assert_refused(&link(client, "of-c1").await, 403, late, "late");
            // The input is checked before.
            assert_eq!(client.request("POST", LINK, &[], "").await.status, 400);
            assert_eq!(client.delete(LINK).await.status, 404);
        }
        let new = server.sign_in("ada").await;
        assert_eq!(link(&new.client, "of-c1").await.status, 201);
        assert_refused(&refreshed.client.delete(LINK).await, 403, late, "late");
        assert_eq!(new.client.delete(LINK).await.status, 200);
        // Sessions that nobody signed in to, or whose sign-in is unknown.
        let ada = server.user_id("ada").await;
        assert_refused(&link(&server.client(ada), "of-c1").await, 403, late, "no session");
        assert_eq!(link(&new.client, "of-c1").await.status, 201);
        let cross = [("sec-fetch-site", "cross-site"), ("svc-cloud-token", "of-c1")];
        let app = server.send("POST", "/api/v1/auth/refresh", &cross, "").await;
        assert_refused(&app.client().delete(LINK).await, 403, late, "by cloud token");
        // A clock that is set back a little does not lock out.
        let new = server.sign_in("ada").await;
        server.clock.step_back(Duration::from_secs(60));
        assert_eq!(new.client.delete(LINK).await.status, 200);
    })
    .await;
}

#[covers("T30")]
#[tokio::test]
async fn link_to_a_service_that_is_no_longer_configured_is_replaced() {
    on_each_database_with(options, async |server| {
        let ada = server.person("ada", "owner").await;
        let session = server.sign_in("ada").await;
        server.link(ada, "https://before.example|c1").await;
        let stale = by_cloud(&server, "of-c1").await;
        assert_eq!(stale.status, 401, "another service vouches for nobody");
        assert_eq!(link(&session.client, "of-c1").await.status, 201);
        assert_eq!(by_cloud(&server, "of-c1").await.status, 201);
        let ended = &server.audit(AuditEvent::CloudUnlinked).await[0];
        assert_eq!(ended.details["cloudAccount"], "https://before.example|c1");
        // One of the service that is configured is not.
        let other = link(&session.client, "of-c2").await;
        assert_refused(&other, 409, Some("already_linked"), "the same service");
    })
    .await;
}

#[covers("C4", "code password_missing")]
#[tokio::test]
async fn account_without_a_password_stays_linked() {
    on_each_database_with(options, async |server| {
        server.person("ada", "owner").await;
        let bob = server.user("bob", false, &["member"]).await;
        server.link(bob, "c1").await;
        let session = by_cloud(&server, "of-c1").await.signed_in();
        assert_refused(
            &session.client.delete(LINK).await,
            409,
            Some("password_missing"),
            "no password",
        );
        assert_eq!(session.client.status().await, 200);
        let password = json!({"password": PASSWORD});
        let set = session.client.patch("/api/v1/users/current", &password).await;
        assert_eq!(set.status, 200);
        assert_eq!(session.client.delete(LINK).await.status, 200);
        // Its own session came from the cloud account.
        assert_eq!(session.client.status().await, 401);
        assert_eq!(server.try_password("bob", PASSWORD).await.status, 201);
    })
    .await;
}

#[tokio::test]
async fn guests_and_tokens_link_nothing() {
    let server = TestServer::start_with(options()).await;
    let ada = server.person("ada", "owner").await;
    server.set(&server.client(ada), "guest_access", json!(true)).await;
    let guest = server
        .login(&[("svc-app", "music")], &json!({"username": "guest"}))
        .await
        .client();
    let token = server.as_token(ada, None).await;
    for (who, status, code) in [
        (&guest, 403, None),
        (&token, 403, Some("pat_not_permitted")),
        (&server.anonymous(), 401, None),
    ] {
        assert_refused(&link(who, "of-c1").await, status, code, "link");
        assert_refused(&who.delete(LINK).await, status, code, "unlink");
    }
}

#[tokio::test]
async fn names_and_addresses_link_nothing() {
    let server = TestServer::start_with(options()).await;
    server.person("ada", "owner").await;
    // An account that is called as the cloud account.
    server.person("c1", "member").await;
    assert_eq!(by_cloud(&server, "of-c1").await.status, 401);
    let session = server.sign_in("ada").await;
    let body = json!({"cloudAccountId": "c9", "userId": "x", "email": "c1@example.org"});
    let headers = [("svc-cloud-token", "of-c1"), ("content-type", "application/json")];
    let reply = session
        .client
        .request("POST", LINK, &headers, &body.to_string())
        .await;
    assert_eq!(reply.status, 201);
    let user: Value = by_cloud(&server, "of-c1").await.json()["user"].clone();
    assert_eq!(user["username"], "ada");
    let columns = "SELECT count(*) FROM users WHERE cloud_account_id = 'c1'";
    assert_eq!(server.number(columns).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn parallel_links_of_one_cloud_account_have_one_winner() {
    on_each_database_with(options, async |server| {
        server.person("ada", "owner").await;
        let mut tasks = Vec::new();
        for number in 0..12 {
            let name = format!("user{number}");
            server.person(&name, "member").await;
            let client = server.sign_in(&name).await.client;
            let linking = async move { link(&client, "of-c1").await };
            tasks.push(svc_platform::tasks::spawn("link", linking));
        }
        let mut statuses = Vec::new();
        for task in tasks {
            statuses.push(task.await.unwrap().status);
        }
        statuses.sort_unstable();
        assert_eq!(statuses[0], 201);
        assert!(statuses[1..].iter().all(|status| *status == 409), "{statuses:?}");
    })
    .await;
}
