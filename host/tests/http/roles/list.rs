//! `GET /roles`.

use serde_json::json;
use svc_covers::covers;

use super::ROLES;
use crate::support::TestServer;
use svc_identity::capability::Capability;
use svc_identity::role::Role;

#[covers("GET /api/v1/roles")]
#[tokio::test]
async fn roles_are_listed_with_their_capabilities() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let made = token
        .post(
            ROLES,
            &json!({"name": "curator", "capabilities": ["Photos.Update", "Photos.Read", "Photos.Read"]}),
        )
        .await;
    let expected = json!({"role": "curator", "builtIn": false, "assignable": true, "capabilities": ["Photos.Read", "Photos.Update"]});
    assert_eq!((made.status, made.json()), (201, expected.clone()));
    let roles = token.get(ROLES).await.json();
    let names: Vec<_> = roles
        .as_array()
        .unwrap()
        .iter()
        .map(|role| role["role"].as_str().unwrap())
        .collect();
    let built_in: Vec<_> = Role::ALL.iter().map(|role| role.as_str()).collect();
    assert_eq!(names, [&built_in[..], &["curator"]].concat());
    assert_eq!(roles[8], expected);
    assert_eq!(
        (&roles[0]["assignable"], &roles[6]["assignable"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(
        roles[0]["capabilities"].as_array().unwrap().len(),
        Capability::ALL.len()
    );
}
