//! `POST /auth/oidc/logout`.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use svc_covers::covers;

use super::{policy, server_with};
use crate::support::databases::on_each_database_with;
use crate::support::provider::{ScriptedProvider, with_provider};
use crate::support::{Reply, TestServer};

pub(super) async fn report(server: &TestServer, token: &str) -> Reply {
    let body = format!("logout_token={}", token.replace(' ', "+").replace('|', "%7C"));
    let form = [("content-type", "application/x-www-form-urlencoded")];
    server
        .send("POST", "/api/v1/auth/oidc/logout", &form, &body)
        .await
}

#[covers("C8", "POST /api/v1/auth/oidc/logout")]
#[tokio::test]
async fn report_ends_the_sessions_that_it_names_and_is_accepted_once() {
    let provider = Arc::new(ScriptedProvider::default());
    on_each_database_with(
        || with_provider(&provider, policy()),
        async |server| {
            server.person("owner", "owner").await;
            provider.knows("ada", &[]);
            provider.knows("eve", &[]);
            let mut sessions = Vec::new();
            for user in ["ada", "ada", "eve"] {
                let cookie = server.sign_in_with_provider(user, "").await.provider_session();
                sessions.push(server.refresh(&cookie).await.signed_in());
            }
            let local = server.sign_in("owner").await;
            let statuses = async || {
                let mut statuses = Vec::new();
                for session in sessions.iter().chain([&local]) {
                    statuses.push(session.client.status().await);
                }
                statuses
            };
            // A session of the provider that nobody has here, and the user of another issuer.
            for token in ["j0 - s999", "j1 https://evil.example|ada -"] {
                assert_eq!(report(&server, token).await.status, 200, "{token}");
            }
            assert_eq!(statuses().await, [200; 4]);
            let session = provider.sessions.lock().unwrap().last().cloned().unwrap();
            let token = format!("j2 - {session}");
            let reply = report(&server, &token).await;
            assert_eq!((reply.status, reply.header("cache-control")), (200, "no-store"));
            // That was eve's.
            assert_eq!(statuses().await, [200, 200, 401, 200]);
            let again = report(&server, &token).await;
            assert_eq!((again.status, again.header("cache-control")), (400, "no-store"));
            // All sessions of the user.
            assert_eq!(report(&server, "j3 https://id.example|ada -").await.status, 200);
            assert_eq!(statuses().await, [401, 401, 401, 200]);
            // Its id is forgotten when it would be refused for its age anyway.
            server.clock.advance(Duration::from_secs(15 * 60));
            assert_eq!(report(&server, &token).await.status, 200);
        },
    )
    .await;
}

#[covers("POST /api/v1/auth/oidc/logout")]
#[tokio::test]
async fn other_bodies_are_refused() {
    let (server, provider) = server_with(policy()).await;
    for token in ["", "junk", "j0 - -"] {
        let reply = report(&server, token).await;
        assert_eq!(
            (reply.status, reply.header("cache-control")),
            (400, "no-store"),
            "{token}"
        );
    }
    let form = [("content-type", "application/x-www-form-urlencoded")];
    for body in ["", "logout_token=a+b+c&logout_token=a+b+c", "token=x"] {
        let reply = server.send("POST", "/api/v1/auth/oidc/logout", &form, body).await;
        assert_eq!(reply.status, 400, "{body}");
    }
    let json = [("content-type", "application/json")];
    let reply = server.send("POST", "/api/v1/auth/oidc/logout", &json, "{}").await;
    assert_eq!(reply.status, 415);
    provider.is_away.store(true, Ordering::SeqCst);
    let reply = report(&server, "j9 - s1").await;
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (503, Some("cloud_unavailable"))
    );
}

#[covers("POST /api/v1/auth/oidc/logout")]
#[tokio::test]
async fn reports_of_one_network_are_limited() {
    let (server, _) = server_with(policy()).await;
    for _ in 0..500 {
        assert_eq!(report(&server, "junk").await.status, 400);
    }
    let mut reply = report(&server, "junk").await;
    // One is added each second.
    while reply.status == 400 {
        reply = report(&server, "junk").await;
    }
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (429, Some("too_many_attempts"))
    );
}
