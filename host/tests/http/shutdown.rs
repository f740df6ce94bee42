//! The end of the server: what was begun is made, whoever still waits for it.

use std::time::Duration;

use salvo::http::ReqBody;
use serde_json::json;

use crate::Bed;
use crate::events_bed::{PATIENCE, wait_for};

const ROLES: &str = "/api/v1/roles";

#[tokio::test]
async fn change_whose_client_went_away_is_made_before_the_server_ends() {
    let bed = Bed::start().await;
    let owner = bed.owner().await;
    // Nobody else's turn comes while this is held.
    let held = bed.store.change_identity().await.unwrap();
    let bearer = format!("Bearer {owner}");
    let headers = [
        ("authorization", bearer.as_str()),
        ("content-type", "application/json"),
    ];
    let body = json!({"name": "made", "capabilities": ["Movies.Read"]});
    let body = ReqBody::Once(body.to_string().into());
    let client = svc_platform::tasks::spawn("client", bed.begin("POST", ROLES, &headers, body));
    wait_for(|| bed.store.waiting_changes() == 1).await;
    client.abort();
    assert!(client.await.unwrap_err().is_cancelled());

    let tasks = bed.state.authentication.tasks().clone();
    assert!(
        !tasks.end(Duration::from_millis(20)).await,
        "the change is under way"
    );
    let (ended, ()) = tokio::join!(tasks.end(PATIENCE), async { drop(held) });
    assert!(ended);
    let roles = bed.get_as(&owner, ROLES).await.json();
    assert!(
        roles
            .as_array()
            .unwrap()
            .iter()
            .any(|role| role["role"] == "made"),
        "{roles}"
    );
}
