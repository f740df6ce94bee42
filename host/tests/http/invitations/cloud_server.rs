//! A server with a cloud that keeps its invitations.

use std::sync::Arc;

use serde_json::{Value, json};

use super::INVITATIONS;
use crate::support::databases::on_each_database_with;
use crate::support::invitation_cloud::InvitationCloud;
use crate::support::{Client, Reply, TestServer, TestServerOptions};

pub(super) const ACCOUNTS: [&str; 4] = ["ada-at-cloud", "bob-at-cloud", "eve-at-cloud", "guest"];

pub(super) fn options(cloud: &Arc<InvitationCloud>) -> TestServerOptions {
    TestServerOptions {
        cloud: cloud.clone(),
        ..TestServerOptions::default()
    }
}

/// Runs a test on each database, with a cloud of its own.
pub(super) async fn with_cloud(test: impl AsyncFn(&TestServer, &InvitationCloud, &Client)) {
    let cloud = std::sync::Mutex::new(Arc::new(InvitationCloud::default()));
    let new = || {
        let made = Arc::new(InvitationCloud::with(&ACCOUNTS));
        *cloud.lock().unwrap() = Arc::clone(&made);
        options(&made)
    };
    on_each_database_with(new, async |server| {
        let cloud = Arc::clone(&cloud.lock().unwrap());
        let owner = server.as_owner().await;
        test(&server, &cloud, &owner).await;
    })
    .await;
}

pub(super) async fn invite_with(client: &Client, token: Option<&str>, body: &Value) -> Reply {
    let mut headers = vec![("content-type", "application/json")];
    headers.extend(token.map(|token| ("svc-cloud-token", token)));
    client
        .request("POST", INVITATIONS, &headers, &body.to_string())
        .await
}

pub(super) async fn invite(client: &Client) -> Reply {
    invite_with(client, Some("token-ada-at-cloud"), &json!({"role": "member"})).await
}

pub(super) async fn sign_in(server: &TestServer, account: &str) -> Reply {
    let token = format!("token-{account}");
    let body = json!({ "cloudToken": token });
    server.login(&[("svc-app", "music")], &body).await
}
