//! Refresh of linked accounts, and of apps on another site.

use std::sync::Arc;

use svc_covers::covers;

use crate::support::cloud::ScriptedCloud;
use crate::support::{Reply, TestServer, TestServerOptions};
use svc_domain::audit::AuditEvent;
use svc_identity::cloud::CloudError;
use svc_identity::recovery::Recovery;

const CROSS: (&str, &str) = ("sec-fetch-site", "cross-site");

async fn server_with_cloud() -> (TestServer, Arc<ScriptedCloud>) {
    let cloud = Arc::new(ScriptedCloud::default());
    cloud.says("good", Ok("c1"));
    cloud.says("stranger", Ok("c2"));
    cloud.says("away", Err(CloudError::Unavailable));
    cloud.says("unsupported", Err(CloudError::Unsupported));
    cloud.says("refused", Err(CloudError::Refused("account_suspended".into())));
    let options = TestServerOptions {
        cloud: cloud.clone(),
        ..TestServerOptions::default()
    };
    (TestServer::start_with(options).await, cloud)
}

async fn refresh(server: &TestServer, headers: &[(&str, &str)]) -> Reply {
    server.send("POST", "/api/v1/auth/refresh", headers, "").await
}

/// A checksum of the stored sessions and refresh tokens.
async fn sessions(server: &TestServer) -> i64 {
    let sum = "SELECT CAST(coalesce(sum(generation * 1000 + idle_expires_at % 1000003), 0) \
               + count(*) + count(ended_at) + (SELECT count(*) FROM refresh_tokens) \
               + (SELECT count(rotated_at) FROM refresh_tokens) AS BIGINT) FROM sessions";
    server.number(sum).await
}

fn assert_refused(reply: &Reply, status: u16, code: Option<&str>, case: &str) {
    assert_eq!((reply.status, reply.code().as_deref()), (status, code), "{case}");
    // The session and the cookie are unchanged.
    assert!(!reply.headers.contains_key("set-cookie"), "{case}");
    assert_eq!(reply.header("cache-control"), "no-store");
}

#[covers("auth-failure 401 not linked", "R12", "R22", "A3")]
#[tokio::test]
async fn cross_site_app_refreshes_by_cloud_token_and_gets_no_cookie() {
    let (server, _cloud) = server_with_cloud().await;
    let ada = server.person("ada", "owner").await;
    server.link(ada, "c1").await;
    for site in [CROSS, ("origin", "https://app.example"), ("origin", "null")] {
        let none = refresh(&server, &[site]).await;
        assert_refused(&none, 401, Some("cloud_token_required"), "no token");
        // No account is known yet, so the message must not mention one.
        let message = "a cross-site caller needs a cloud token";
        assert_eq!(none.json()["message"], message);
        for (token, status, code) in [
            ("unknown", 401, Some("cloud_token_required")),
            ("", 401, Some("cloud_token_required")),
            ("stranger", 401, None),
            ("refused", 401, Some("cloud_token_required")),
            ("away", 503, Some("cloud_unavailable")),
            ("unsupported", 503, Some("cloud_unavailable")),
        ] {
            let reply = refresh(&server, &[site, ("svc-cloud-token", token)]).await;
            assert_refused(&reply, status, code, token);
        }
        let reply = refresh(
            &server,
            &[site, ("svc-cloud-token", "good"), ("svc-app", "photos")],
        )
        .await;
        assert_eq!(
            (reply.status, reply.json()["scope"].as_str()),
            (201, Some("local"))
        );
        assert!(!reply.headers.contains_key("set-cookie"));
        let current = reply.client().get("/api/v1/users/current").await.json();
        assert_eq!(current["localUser"]["userId"], ada.to_string());
    }
    let two = [CROSS, ("svc-cloud-token", "good"), ("svc-cloud-token", "good")];
    assert_eq!(refresh(&server, &two).await.status, 401);
}

#[covers("R22", "T12")]
#[tokio::test]
async fn cross_site_cookie_is_ignored() {
    let (server, _cloud) = server_with_cloud().await;
    server.person("ada", "owner").await;
    let session = server.sign_in("ada").await;
    let before = sessions(&server).await;
    for site in [
        CROSS,
        ("origin", "https://localhost.evil.example"),
        ("origin", "null"),
    ] {
        let reply = server.refresh_with(&session.cookie, &[site]).await;
        assert_refused(&reply, 401, Some("cloud_token_required"), site.1);
        // The cloud token decides, not the cookie; its account does not exist.
        let reply = server
            .refresh_with(&session.cookie, &[site, ("svc-cloud-token", "good")])
            .await;
        assert_refused(&reply, 401, None, site.1);
    }
    assert_eq!(sessions(&server).await, before);
    assert_eq!(server.refresh(&session.cookie).await.status, 201);
}

#[covers("R23")]
#[tokio::test]
async fn same_site_app_refreshes_by_cloud_token_and_gets_no_cookie() {
    let (server, _cloud) = server_with_cloud().await;
    let ada = server.person("ada", "owner").await;
    server.link(ada, "c1").await;
    let reply = refresh(&server, &[("svc-cloud-token", "good")]).await;
    assert_eq!(reply.status, 201);
    assert!(!reply.headers.contains_key("set-cookie"));
    assert_eq!(reply.client().status().await, 200);
    let reply = refresh(&server, &[("svc-cloud-token", "stranger")]).await;
    assert_refused(&reply, 401, None, "stranger");
}

#[covers(
    "code cloud_token_required",
    "auth-failure cloud_token_required",
    "auth-failure cloud_unavailable",
    "R15",
    "R20",
    "R21",
    "R33c"
)]
#[tokio::test]
async fn linked_account_refreshes_only_while_the_cloud_confirms_it() {
    let (server, cloud) = server_with_cloud().await;
    let ada = server.person("ada", "owner").await;
    let session = server.sign_in("ada").await;
    server.link(ada, "c1").await;
    let before = sessions(&server).await;
    let none = server.refresh(&session.cookie).await;
    assert_refused(&none, 401, Some("cloud_token_required"), "no token");
    let message = none.json()["message"].to_string();
    assert!(message.contains("this account is linked"), "{message}");
    for (token, status, code) in [
        ("unknown", 401, "cloud_token_required"),
        ("stranger", 401, "cloud_token_required"),
        ("refused", 401, "cloud_token_required"),
        ("away", 503, "cloud_unavailable"),
        ("unsupported", 503, "cloud_unavailable"),
    ] {
        let reply = server
            .refresh_with(&session.cookie, &[("svc-cloud-token", token)])
            .await;
        assert_refused(&reply, status, Some(code), token);
    }
    assert_eq!(sessions(&server).await, before);
    // The access token stays valid without the cloud.
    assert_eq!(session.client.status().await, 200);
    let next = server
        .refresh_with(&session.cookie, &[("svc-cloud-token", "good")])
        .await;
    let session = next.signed_in();
    // The cloud is asked on every refresh.
    cloud.says("good", Err(CloudError::Rejected));
    let reply = server
        .refresh_with(&session.cookie, &[("svc-cloud-token", "good")])
        .await;
    assert_refused(&reply, 401, Some("cloud_token_required"), "taken back");
    cloud.says("good", Ok("c1"));
    let reply = server
        .refresh_with(&session.cookie, &[("svc-cloud-token", "good")])
        .await;
    assert_eq!(reply.status, 201);
}

#[tokio::test]
async fn ended_session_is_cleared_without_a_request_to_the_cloud() {
    let (server, _cloud) = server_with_cloud().await;
    let ada = server.person("ada", "owner").await;
    let session = server.sign_in("ada").await;
    server.link(ada, "c1").await;
    let bearer = [("authorization", format!("Bearer {}", session.client))];
    let headers = bearer.each_ref().map(|(name, value)| (*name, value.as_str()));
    assert_eq!(
        server
            .send("POST", "/api/v1/auth/logout", &headers, "")
            .await
            .status,
        201
    );
    let reply = server
        .refresh_with(&session.cookie, &[("svc-cloud-token", "away")])
        .await;
    assert_eq!((reply.status, reply.code()), (401, None));
    assert!(reply.clears_cookie());
}

#[tokio::test]
async fn disabled_account_does_not_refresh_by_cloud_token() {
    let (server, _cloud) = server_with_cloud().await;
    let owner = server.as_owner().await;
    let bob = server.user("bob", false, &["member"]).await;
    server.link(bob, "c1").await;
    assert_eq!(
        refresh(&server, &[CROSS, ("svc-cloud-token", "good")])
            .await
            .status,
        201
    );
    server.enable(&owner, bob, false).await;
    let reply = refresh(&server, &[CROSS, ("svc-cloud-token", "good")]).await;
    assert_refused(&reply, 401, None, "disabled");
}

#[tokio::test]
async fn cross_site_refreshes_evict_no_session() {
    let (server, _cloud) = server_with_cloud().await;
    let ada = server.person("ada", "owner").await;
    let session = server.sign_in("ada").await;
    server.link(ada, "c1").await;
    for _ in 0..60 {
        assert_eq!(
            refresh(&server, &[CROSS, ("svc-cloud-token", "good")])
                .await
                .status,
            201
        );
    }
    let reply = server
        .refresh_with(&session.cookie, &[("svc-cloud-token", "good")])
        .await;
    assert_eq!(reply.status, 201);
}

#[covers("code cloud_unavailable")]
#[tokio::test]
async fn linked_account_waits_on_a_server_without_a_cloud_until_it_is_unlinked() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let session = server.sign_in("ada").await;
    server.link(ada, "https://before.example|c1").await;
    for headers in [&[("svc-cloud-token", "good")][..], &[]] {
        let reply = server.refresh_with(&session.cookie, headers).await;
        assert_refused(&reply, 503, Some("cloud_unavailable"), "no cloud");
    }
    let recovery = Recovery::new(server.app.context.clone(), server.store.users.clone());
    let unlinked = recovery.unlink("ADA").await.unwrap();
    assert_eq!((unlinked.user.id, unlinked.has_password), (ada, true));
    assert_eq!(server.refresh(&session.cookie).await.status, 201);
    let entry = &server.audit(AuditEvent::CloudUnlinked).await[0];
    assert_eq!(entry.details["by"], "command line");
    assert_eq!(entry.details["cloudAccount"], "https://before.example|c1");
}
