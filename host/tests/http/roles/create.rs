//! `POST /roles`: names and capabilities.

use serde_json::json;
use svc_covers::covers;

use super::ROLES;
use crate::support::TestServer;

#[covers("POST /api/v1/roles", "code role_exists")]
#[tokio::test]
async fn role_names_and_capabilities_are_validated() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let long = "x".repeat(65);
    for (name, status) in [
        ("owner", 409),
        ("newcomer", 409),
        ("Curator", 400),
        ("", 400),
        ("a b", 400),
        ("a/b", 400),
        ("assignments", 400),
        ("ä", 400),
        ("2nd", 400),
        (&long, 400),
        ("curator", 201),
        ("curator", 409),
    ] {
        let body = json!({"name": name, "capabilities": []});
        let reply = token.post(ROLES, &body).await;
        let code = (status == 409).then_some("role_exists");
        assert_eq!(
            (reply.status, reply.json()["code"].as_str()),
            (status, code),
            "{name:?}"
        );
    }
    for capabilities in [
        json!(["Users.read"]),
        json!(["*"]),
        json!(["Users.Read", ""]),
        json!([1]),
        json!("Users.Read"),
        json!(null),
        json!([["Users.Read"]]),
    ] {
        let body = json!({"name": "other", "capabilities": capabilities});
        assert_eq!(token.post(ROLES, &body).await.status, 400, "{body}");
        let target = format!("{ROLES}/curator");
        assert_eq!(token.patch(&target, &body).await.status, 400, "{body}");
    }
    for (role, status) in [
        ("owner", 403),
        ("administrator", 403),
        ("guest", 403),
        ("nothing", 404),
        ("Curator", 404),
    ] {
        let target = format!("{ROLES}/{role}");
        assert_eq!(
            token.patch(&target, &json!({"capabilities": []})).await.status,
            status,
            "{role}"
        );
        assert_eq!(token.delete(&target).await.status, status, "{role}");
    }
}
