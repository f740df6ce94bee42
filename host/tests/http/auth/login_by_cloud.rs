//! Login with a token of the cloud.

use std::sync::Arc;

use serde_json::json;
use svc_covers::covers;

use super::MUSIC;
use crate::support::accounts::PASSWORD;
use crate::support::cloud::ScriptedCloud;
use crate::support::{TestServer, TestServerOptions};
use svc_identity::cloud::CloudError;

#[covers("code cloud_unavailable", "auth-failure cloud_unavailable", "R1")]
#[tokio::test]
async fn cloud_token_without_a_cloud_is_503() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    for body in [
        json!({"cloudToken": "t"}),
        json!({"ssoToken": "t", "username": "ada"}),
    ] {
        let reply = server.login(&[MUSIC], &body).await;
        assert_eq!(
            (reply.status, reply.code().as_deref()),
            (503, Some("cloud_unavailable"))
        );
        assert_eq!(reply.cookie(), None);
    }
    // A login with a password does not need the cloud.
    let both = json!({"username": "ada", "password": PASSWORD, "cloudToken": "t"});
    assert_eq!(server.login(&[MUSIC], &both).await.status, 201);
    // Without an app the cloud is not asked.
    assert_eq!(server.login(&[], &json!({"cloudToken": "t"})).await.status, 403);
}

#[covers("R1")]
#[tokio::test]
async fn cloud_login_requires_a_linked_account_that_the_cloud_confirms() {
    let cloud = Arc::new(ScriptedCloud::default());
    let options = TestServerOptions {
        cloud: cloud.clone(),
        ..TestServerOptions::default()
    };
    let server = TestServer::start_with(options).await;
    let owner = server.client(server.person("ada", "owner").await);
    let listener = server.user("listener", false, &["music_user"]).await;
    server.link(listener, "c1").await;
    cloud.says("good", Ok("c1"));
    cloud.says("stranger", Ok("c2"));
    cloud.says("away", Err(CloudError::Unavailable));
    for (token, app, status, code) in [
        ("good", "music", 201, None),
        ("good", "photos", 403, None),
        ("stranger", "music", 401, None),
        ("unknown", "music", 401, None),
        ("", "music", 401, None),
        ("away", "music", 503, Some("cloud_unavailable")),
    ] {
        for field in ["cloudToken", "ssoToken"] {
            let reply = server.login(&[("svc-app", app)], &json!({field: token})).await;
            assert_eq!(reply.status, status, "{field} {token} {app}");
            assert_eq!(reply.code().as_deref(), code, "{field} {token} {app}");
            assert_eq!(reply.cookie().is_some(), status == 201, "{field} {token} {app}");
        }
    }
    server.enable(&owner, listener, false).await;
    assert_eq!(
        server
            .login(&[MUSIC], &json!({"cloudToken": "good"}))
            .await
            .status,
        401
    );
}
