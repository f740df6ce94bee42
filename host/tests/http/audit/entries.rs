//! Each change writes one entry, without secrets.

use serde_json::{Value, json};

use super::AUDIT;
use crate::support::{Client, TestServer};
use svc_domain::audit::AuditEvent;

const PASSWORD: &str = "correct horse marker";

async fn last(token: &Client) -> Value {
    token.get(&format!("{AUDIT}?take=1")).await.json()[0][0].clone()
}

#[tokio::test]
async fn change_writes_one_audit_entry_without_secrets() {
    let server = TestServer::start().await;
    let body = json!({"username": "ada", "password": PASSWORD});
    assert_eq!(server.post("/api/v1/setup", &body).await.status, 201);
    let ada = server.store.users.owner().await.unwrap().unwrap().user.id;
    let token = server.client(ada);
    assert_eq!(last(&token).await["event"], "setup_completed");
    let send = async |method: &str, target: &str, body: Value| {
        let reply = token.send(method, &format!("/api/v1/{target}"), &body).await;
        let done = if method == "POST" { 201 } else { 200 };
        assert_eq!(
            reply.status,
            done,
            "{target} {:?}",
            String::from_utf8_lossy(&reply.body)
        );
        reply.json()
    };
    let bob = send("POST", "users", json!({"username": "bob", "password": PASSWORD})).await["userId"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut secrets = vec![PASSWORD.to_owned(), "another marker".into(), "argon2".into()];
    let mut lines = vec![(
        "user_created",
        json!({"role": "newcomer"}),
        Some("bob"),
        last(&token).await,
    )];
    let line = async || last(&token).await;

    send(
        "PATCH",
        &format!("users/{bob}"),
        json!({"displayName": "Bobby", "enabled": true}),
    )
    .await;
    lines.push((
        "user_updated",
        json!({"changed": "displayName"}),
        Some("bob"),
        line().await,
    ));
    send(
        "PATCH",
        &format!("users/{bob}"),
        json!({"password": "another marker"}),
    )
    .await;
    lines.push(("password_changed", json!({}), Some("bob"), line().await));
    send("POST", "roles/member/assignments", json!({"userIds": [bob]})).await;
    lines.push((
        "role_assigned",
        json!({"role": "member"}),
        Some("bob"),
        line().await,
    ));
    send(
        "DELETE",
        &format!("roles/member/assignments?userIds={bob}"),
        json!({}),
    )
    .await;
    lines.push((
        "role_unassigned",
        json!({"role": "member"}),
        Some("bob"),
        line().await,
    ));
    send(
        "POST",
        "roles",
        json!({"name": "curator", "capabilities": ["Photos.Read"]}),
    )
    .await;
    lines.push((
        "role_created",
        json!({"role": "curator", "capabilities": "Photos.Read"}),
        None,
        line().await,
    ));
    send("PATCH", "roles/curator", json!({"capabilities": []})).await;
    lines.push((
        "role_updated",
        json!({"role": "curator", "capabilities": ""}),
        None,
        line().await,
    ));
    send("DELETE", "roles/curator", json!({})).await;
    lines.push((
        "role_deleted",
        json!({"role": "curator", "capabilities": ""}),
        None,
        line().await,
    ));
    send(
        "PATCH",
        "settings",
        json!({"app": "music", "settings": {"session_timeout": "1d", "theme": "dark"}}),
    )
    .await;
    lines.push((
        "settings_changed",
        json!({"app": "music", "keys": "session_timeout"}),
        None,
        line().await,
    ));
    let origin = send("POST", "cors-origins", json!({"origin": "https://a.example"})).await["id"]
        .as_str()
        .unwrap()
        .to_owned();
    lines.push((
        "origin_added",
        json!({"origin": "https://a.example"}),
        None,
        line().await,
    ));
    send("DELETE", &format!("cors-origins/{origin}"), json!({})).await;
    lines.push((
        "origin_removed",
        json!({"origin": "https://a.example"}),
        None,
        line().await,
    ));
    let made = send(
        "POST",
        &format!("users/{bob}/personal-access-tokens"),
        json!({"label": "tv"}),
    )
    .await;
    secrets.push(made["token"].as_str().unwrap().to_owned());
    let made = made["personalAccessTokenId"].clone();
    lines.push((
        "token_created",
        json!({"label": "tv", "tokenId": made}),
        Some("bob"),
        line().await,
    ));
    send(
        "DELETE",
        &format!("users/{bob}/personal-access-tokens/{}", made.as_str().unwrap()),
        json!({}),
    )
    .await;
    lines.push((
        "token_revoked",
        json!({"tokenId": made}),
        Some("bob"),
        line().await,
    ));
    send(
        "POST",
        "reset",
        json!({"type": "deindex", "validationPhrase": "Deindex media"}),
    )
    .await;
    lines.push(("deindexed", json!({}), None, line().await));

    for (event, details, target, line) in &lines {
        assert_eq!((&line["event"], &line["details"]), (&json!(event), details));
        assert_eq!(
            (&line["userId"], &line["username"]),
            (&json!(ada), &json!("ada")),
            "{event}"
        );
        assert_eq!(
            line.get("targetUsername").and_then(Value::as_str),
            *target,
            "{event}"
        );
        assert_eq!(line["ip"], "192.0.2.1", "{event}");
        assert!(
            line["auditId"].is_string() && line["at"].as_str().unwrap().ends_with('Z'),
            "{event}"
        );
    }
    // Changes without an effect and account settings write no entry.
    let count = async || token.get(AUDIT).await.json()[1].clone();
    let before = count().await;
    send("PATCH", &format!("users/{bob}"), json!({"displayName": "Bobby"})).await;
    send("DELETE", &format!("cors-origins/{origin}"), json!({})).await;
    send(
        "PATCH",
        "settings",
        json!({"app": null, "settings": {"theme": "light"}}),
    )
    .await;
    send(
        "DELETE",
        &format!("roles/member/assignments?userIds={bob}"),
        json!({}),
    )
    .await;
    assert_eq!(count().await, before);

    let all = String::from_utf8(token.get(&format!("{AUDIT}?take=1000")).await.body).unwrap();
    for secret in secrets {
        assert!(!all.contains(&secret), "{secret}");
    }
    for event in AuditEvent::ALL {
        let reply = token
            .get(&format!("{AUDIT}?event={}", event.as_str()))
            .await
            .json();
        assert!(
            reply[0]
                .as_array()
                .unwrap()
                .iter()
                .all(|line| line["event"] == event.as_str())
        );
        assert_eq!(
            reply[1].as_u64().unwrap() as usize,
            reply[0].as_array().unwrap().len()
        );
    }
    let of_bob = token.get(&format!("{AUDIT}?userId={bob}&order=ASC")).await.json();
    assert_eq!(
        (&of_bob[0][0]["event"], &of_bob[1]),
        (&json!("user_created"), &json!(7))
    );
}
