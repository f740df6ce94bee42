//! Sessions that a cloud token continues: apps on another site.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::support::accounts::SignedIn;
use crate::support::cloud::ScriptedCloud;
use crate::support::databases::on_each_database_with;
use crate::support::{Client, Reply, TestServer, TestServerOptions};
use svc_domain::audit::AuditEvent;
use svc_domain::time::{Clock as _, Timestamp};

const CROSS: (&str, &str) = ("sec-fetch-site", "cross-site");
const QUARTER: Duration = Duration::from_secs(15 * 60);

async fn refresh(server: &TestServer, token: &str) -> Reply {
    let headers = [CROSS, ("svc-cloud-token", token), ("svc-app", "music")];
    server.send("POST", "/api/v1/auth/refresh", &headers, "").await
}

async fn sessions(client: &Client) -> Vec<Value> {
    let list = client.get("/api/v1/users/current/sessions").await.json();
    list.as_array().unwrap().clone()
}

/// A server whose clock stands, with a linked account, and the cloud that confirms it for this long.
async fn with_cloud(lasts: Duration, test: impl AsyncFn(&TestServer, &ScriptedCloud)) {
    let cloud = Arc::new(ScriptedCloud::default());
    let options = || TestServerOptions {
        cloud: cloud.clone(),
        ..TestServerOptions::default()
    };
    on_each_database_with(options, async |server| {
        server.clock.stop();
        let ada = server.person("ada", "owner").await;
        server.link(ada, "c1").await;
        let end = server.clock.now().millis() + i64::try_from(lasts.as_millis()).unwrap();
        cloud.vouches_until("good", "c1", Timestamp::from_millis(end));
        test(&server, cloud.as_ref()).await;
    })
    .await;
}

#[covers("R22")]
#[tokio::test]
async fn cross_site_session_lasts_as_long_as_that_of_the_cloud() {
    with_cloud(
        QUARTER * 6,
        async |server: &TestServer, _cloud: &ScriptedCloud| {
            // The timeout of local sessions does not apply.
            let first = refresh(server, "good").await;
            assert_eq!(first.status, 201);
            assert!(!first.headers.contains_key("set-cookie"));
            let id = sessions(&first.client()).await[0]["sessionId"].clone();
            for _ in 0..5 {
                server.clock.advance(QUARTER);
                assert_eq!(first.client().status().await, 401, "its access token has expired");
                let next = refresh(server, "good").await;
                assert_eq!(next.status, 201);
                let open = sessions(&next.client()).await;
                assert_eq!(open.len(), 1, "{open:?}");
                assert_eq!((&open[0]["sessionId"], &open[0]["kind"]), (&id, &json!("cloud")));
            }
            // One sign-in, whatever the number of refreshes.
            let entries = server.audit(AuditEvent::LoginSucceeded).await;
            assert_eq!((entries.len(), entries[0].details["by"].as_str()), (1, "cloud"));
            server.clock.advance(QUARTER);
            let over = refresh(server, "good").await;
            assert_eq!(
                (over.status, over.code().as_deref()),
                (401, Some("cloud_token_required"))
            );
        },
    )
    .await;
}

#[tokio::test]
async fn access_token_ends_with_the_session_of_the_cloud() {
    with_cloud(
        Duration::from_secs(120),
        async |server: &TestServer, _cloud: &ScriptedCloud| {
            let app = refresh(server, "good").await.client();
            server.clock.advance(Duration::from_millis(119_999));
            assert_eq!(app.status().await, 200);
            server.clock.advance(Duration::from_millis(1));
            assert_eq!(app.status().await, 401);
        },
    )
    .await;
}

#[tokio::test]
async fn session_that_the_cloud_shortens_ends_earlier() {
    with_cloud(QUARTER * 4, async |server: &TestServer, cloud: &ScriptedCloud| {
        let app = refresh(server, "good").await.client();
        assert_eq!(app.status().await, 200);
        let soon = Timestamp::from_millis(server.clock.now().millis() + 60_000);
        cloud.vouches_until("good", "c1", soon);
        let next = refresh(server, "good").await.client();
        server.clock.advance(Duration::from_secs(60));
        for client in [app, next] {
            assert_eq!(client.status().await, 401);
        }
    })
    .await;
}

#[tokio::test]
async fn refresh_continues_the_session_of_a_cross_site_login() {
    with_cloud(
        QUARTER * 4,
        async |server: &TestServer, _cloud: &ScriptedCloud| {
            let headers = [CROSS, ("svc-app", "music")];
            let login = server.login(&headers, &json!({"cloudToken": "good"})).await;
            assert_eq!(login.status, 201);
            assert!(!login.headers.contains_key("set-cookie"));
            let id = sessions(&login.client()).await[0]["sessionId"].clone();
            server.clock.advance(QUARTER);
            let next = refresh(server, "good").await.client();
            assert_eq!(sessions(&next).await[0]["sessionId"], id);
            // Ended by the user: the next refresh is another session.
            let path = format!("/api/v1/users/current/sessions/{}", id.as_str().unwrap());
            assert_eq!(next.delete(&path).await.status, 200);
            assert_eq!(next.status().await, 401);
            let other = refresh(server, "good").await.client();
            assert_ne!(sessions(&other).await[0]["sessionId"], id);
        },
    )
    .await;
}

#[covers("T31")]
#[tokio::test]
async fn refused_refresh_leaves_the_session_byte_for_byte() {
    with_cloud(QUARTER, async |server: &TestServer, cloud: &ScriptedCloud| {
        let SignedIn { cookie, client } = server
            .login(&[("svc-app", "music")], &json!({"cloudToken": "good"}))
            .await
            .signed_in();
        cloud.says("away", Err(svc_identity::cloud::CloudError::Unavailable));
        cloud.says("stranger", Ok("c2"));
        let rows = async || {
            let mut rows = svc_test_support::databases::rows(&server.database_url).await;
            rows.retain(|table, _| {
                ["sessions", "refresh_tokens", "audit", "server"].contains(&table.as_str())
            });
            rows
        };
        let before = rows().await;
        for (token, status) in [
            (None, 401),
            (Some("stranger"), 401),
            (Some("unknown"), 401),
            (Some("away"), 503),
        ] {
            let header = token.map(|token| ("svc-cloud-token", token));
            let headers: Vec<_> = header.into_iter().collect();
            let reply = server.refresh_with(&cookie, &headers).await;
            assert_eq!(reply.status, status, "{token:?}");
            assert!(!reply.headers.contains_key("set-cookie"), "{token:?}");
            assert_eq!(rows().await, before, "{token:?}");
        }
        assert_eq!(client.status().await, 200);
        // A local account does not notice.
        server.person("bob", "member").await;
        let bob = server.sign_in("bob").await;
        assert_eq!(server.refresh(&bob.cookie).await.status, 201);
        let reply = server.refresh_with(&cookie, &[("svc-cloud-token", "good")]).await;
        assert_eq!(reply.status, 201);
    })
    .await;
}

#[tokio::test]
async fn account_that_is_linked_while_it_refreshes_needs_the_cloud() {
    with_cloud(QUARTER, async |server: &TestServer, _cloud: &ScriptedCloud| {
        let bob = server.person("bob", "member").await;
        let session = server.sign_in("bob").await;
        let mut held = server.store.identity.change_identity().await.unwrap();
        let anonymous = server.anonymous();
        let cookie = format!("{}={}", crate::support::accounts::COOKIE, session.cookie);
        let refreshing = svc_platform::tasks::spawn("refresh", async move {
            let headers = [("cookie", cookie.as_str())];
            anonymous
                .request("POST", "/api/v1/auth/refresh", &headers, "")
                .await
        });
        while server.store.identity.waiting_changes() == 0 {
            tokio::task::yield_now().await;
        }
        held.set_cloud_account(bob, Some("c9")).await.unwrap();
        held.commit().await.unwrap();
        let reply = refreshing.await.unwrap();
        assert_eq!(
            (reply.status, reply.code().as_deref()),
            (401, Some("cloud_token_required"))
        );
        assert!(!reply.headers.contains_key("set-cookie"));
    })
    .await;
}
