//! `POST /auth/logout`.

use std::time::Duration;

use svc_covers::covers;

use super::assert_ended;
use crate::auth::refresh_reuse::TOKENS;
use crate::support::TestServer;
use crate::support::accounts::COOKIE;
use crate::support::databases::on_each_database;
use svc_domain::audit::AuditEvent;

#[covers("POST /api/v1/auth/logout", "R26")]
#[tokio::test]
async fn logout_by_cookie_ends_the_session_and_its_access_tokens() {
    on_each_database(async |server: TestServer| {
        server.person("ada", "owner").await;
        let (session, other) = (server.sign_in("ada").await, server.sign_in("ada").await);
        let cookie = format!("{COOKIE}={}", session.cookie);
        let reply = server
            .send("POST", "/api/v1/auth/logout", &[("cookie", &cookie)], "")
            .await;
        assert_eq!((reply.status, reply.body.len()), (201, 0));
        assert!(reply.clears_cookie());
        assert_eq!(session.client.status().await, 401);
        assert_ended(&server.refresh(&session.cookie).await);
        assert_eq!(other.client.status().await, 200);
        assert_eq!(server.audit(AuditEvent::LoggedOut).await.len(), 1);
    })
    .await;
}

#[covers("R26")]
#[tokio::test]
async fn logout_by_access_token_ends_its_session() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let session = server.sign_in("ada").await;
    let bearer = format!("Bearer {}", session.client);
    let reply = server
        .send("POST", "/api/v1/auth/logout", &[("authorization", &bearer)], "")
        .await;
    assert_eq!(reply.status, 201);
    assert!(reply.clears_cookie());
    assert_eq!(session.client.status().await, 401);
    assert_ended(&server.refresh(&session.cookie).await);
}

#[covers("R3", "R26", "T12")]
#[tokio::test]
async fn logout_is_always_201_and_ignored_across_sites() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let session = server.sign_in("ada").await;
    let (cookie, bearer) = (
        format!("{COOKIE}={}", session.cookie),
        format!("Bearer {}", session.client),
    );
    for (name, value) in [("authorization", "Bearer junk"), ("cookie", "junk"), ("x", "y")] {
        let reply = server
            .send("POST", "/api/v1/auth/logout", &[(name, value)], "")
            .await;
        assert_eq!((reply.status, reply.body.len()), (201, 0), "{name}");
        assert!(reply.clears_cookie());
    }
    for foreign in [
        ("sec-fetch-site", "cross-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ] {
        let headers = [foreign, ("cookie", &cookie), ("authorization", &bearer)];
        let reply = server.send("POST", "/api/v1/auth/logout", &headers, "").await;
        assert_eq!((reply.status, reply.cookie()), (201, None), "{foreign:?}");
    }
    // A link does nothing either.
    for path in ["logout", "refresh", "login"] {
        let reply = server
            .send("GET", &format!("/api/v1/auth/{path}"), &[("cookie", &cookie)], "")
            .await;
        assert_eq!((reply.status, reply.header("allow")), (405, "OPTIONS, POST"));
    }
    assert_eq!(session.client.status().await, 200);
    assert_eq!(server.refresh(&session.cookie).await.status, 201);
}

#[tokio::test]
async fn logout_with_a_deleted_cookie_ends_the_session() {
    on_each_database(async |server: TestServer| {
        server.clock.stop();
        server.person("ada", "owner").await;
        let first = server.sign_in("ada").await;
        let mut newest = first.cookie.clone();
        for _ in 0..3 {
            server.clock.advance(Duration::from_secs(11));
            newest = server.refresh(&newest).await.signed_in().cookie;
        }
        assert_eq!(server.number(TOKENS).await, 2);
        let cookie = format!("{COOKIE}={}", first.cookie);
        let out = server
            .send("POST", "/api/v1/auth/logout", &[("cookie", &cookie)], "")
            .await;
        assert_eq!((out.status, first.client.status().await), (201, 401));
        assert_ended(&server.refresh(&newest).await);
    })
    .await;
}
