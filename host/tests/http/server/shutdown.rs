//! Shutdown completes changes that have begun.

use std::time::Duration;

use salvo::http::ReqBody;
use serde_json::json;
use svc_covers::covers;

use crate::support::TestServer;
use crate::support::listening::{PATIENCE, wait_for};

const ROLES: &str = "/api/v1/roles";

#[covers("T11")]
#[tokio::test]
async fn change_of_a_disconnected_client_completes_before_shutdown() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    // Other writes wait while this transaction is open.
    let held = server.store.identity.change_identity().await.unwrap();
    let bearer = format!("Bearer {owner}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
    ];
    let body = json!({"name": "made", "capabilities": ["Movies.Read"]});
    let body = ReqBody::Once(body.to_string().into());
    let client = svc_platform::tasks::spawn("client", server.begin("POST", ROLES, &headers, body));
    wait_for(|| server.store.identity.waiting_changes() == 1).await;
    client.abort();
    assert!(client.await.unwrap_err().is_cancelled());

    let tasks = server.state.authentication.tasks().clone();
    assert!(
        !tasks.end(Duration::from_millis(20)).await,
        "the change is in progress"
    );
    let (ended, ()) = tokio::join!(tasks.end(PATIENCE), async { drop(held) });
    assert!(ended);
    let roles = owner.get(ROLES).await.json();
    assert!(
        roles
            .as_array()
            .unwrap()
            .iter()
            .any(|role| role["role"] == "made"),
        "{roles}"
    );
}
