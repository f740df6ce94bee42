//! `/users/{id}/sessions`.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::support::{Client, Reply, TestServer};
use crate::users::personal_access_tokens::token;

const OWN: &str = "/api/v1/users/current/sessions";

async fn list(jwt: &Client, target: &str) -> Vec<Value> {
    let reply = jwt.get(target).await;
    assert_eq!(reply.status, 200);
    reply.json().as_array().unwrap().clone()
}

async fn delete(jwt: &Client, target: &str) -> (u16, Value) {
    let reply = jwt.delete(target).await;
    (reply.status, reply.json())
}

async fn status(jwt: &Client) -> u16 {
    jwt.get("/api/v1/versions").await.status
}

#[covers("GET /api/v1/users/current/sessions")]
#[tokio::test]
async fn own_sessions_are_listed_newest_first_and_the_current_one_is_marked() {
    let server = TestServer::start().await;
    server.as_owner().await;
    server.person("bob", "member").await;
    let (first, second) = (server.sign_in("bob").await, server.sign_in("bob").await);
    server.person("eve", "member").await;
    server.sign_in("eve").await;
    let sessions = list(&first.client, OWN).await;
    assert_eq!(sessions.len(), 2, "{sessions:?}");
    assert_eq!(
        (&sessions[0]["current"], &sessions[1]["current"]),
        (&json!(false), &json!(true))
    );
    let newest = sessions[0].as_object().unwrap();
    assert_eq!(
        (&newest["app"], &newest["kind"]),
        (&json!("music"), &json!("local"))
    );
    assert_eq!(newest["ip"], "192.0.2.1");
    for time in ["createdAt", "lastActiveAt", "expiresAt"] {
        assert!(newest[time].as_str().unwrap().ends_with('Z'), "{time}");
    }
    let text = Value::from(sessions.clone()).to_string();
    assert!(!text.contains(&second.cookie) && !text.contains(second.client.token()));
}

#[covers("DELETE /api/v1/users/current/sessions/{sessionId}")]
#[tokio::test]
async fn session_is_ended_with_its_access_token_and_its_cookie() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    server.person("bob", "member").await;
    let (mine, other) = (server.sign_in("bob").await, server.sign_in("bob").await);
    let sessions = list(&mine.client, OWN).await;
    let other_id = sessions[0]["sessionId"].as_str().unwrap();
    let target = format!("{OWN}/{other_id}");
    // Not even the owner ends it here.
    assert_eq!(delete(&owner, &target).await.0, 404);
    assert_eq!(status(&other.client).await, 200);
    assert_eq!(delete(&mine.client, &target).await, (200, json!(true)));
    assert_eq!(status(&other.client).await, 401);
    assert_eq!(server.refresh(&other.cookie).await.status, 401);
    assert_eq!(delete(&mine.client, &target).await.0, 404);
    assert_eq!(delete(&mine.client, &format!("{OWN}/junk")).await.0, 404);
    assert_eq!(status(&mine.client).await, 200);
    assert_eq!(list(&mine.client, OWN).await.len(), 1);
}

#[covers("DELETE /api/v1/users/current/sessions")]
#[tokio::test]
async fn all_sessions_but_the_current_one_are_ended() {
    let server = TestServer::start().await;
    server.as_owner().await;
    server.person("bob", "member").await;
    let mine = server.sign_in("bob").await;
    let others = [server.sign_in("bob").await, server.sign_in("bob").await];
    assert_eq!(delete(&mine.client, OWN).await, (200, json!(2)));
    for other in &others {
        assert_eq!(status(&other.client).await, 401);
    }
    assert_eq!(server.refresh(&mine.cookie).await.status, 201);
}

#[covers("GET /api/v1/users/{id}/sessions", "DELETE /api/v1/users/{id}/sessions")]
#[tokio::test]
async fn administrator_ends_sessions_of_accounts_without_more_capabilities() {
    let server = TestServer::start().await;
    let owner_id = server.person("ada", "owner").await;
    let bob_id = server.person("bob", "member").await;
    server.person("amy", "administrator").await;
    let (owner, bob, amy) = (
        server.sign_in("ada").await,
        server.sign_in("bob").await,
        server.sign_in("amy").await,
    );
    let of = |id| format!("/api/v1/users/{id}/sessions");
    assert_eq!(list(&amy.client, &of(bob_id)).await.len(), 1);
    assert_eq!(bob.client.get(&of(bob_id)).await.status, 403);
    assert_eq!(delete(&bob.client, &of(owner_id)).await.0, 403);
    assert_eq!(delete(&amy.client, &of(owner_id)).await.0, 403);
    assert_eq!(status(&owner.client).await, 200);
    assert_eq!(delete(&amy.client, &of(bob_id)).await, (200, json!(1)));
    assert_eq!(status(&bob.client).await, 401);
    assert_eq!(
        amy.client.get(&of(server.id())).await.status,
        404,
        "an unknown account"
    );
}

#[covers("A13")]
#[tokio::test]
async fn guest_sees_the_current_session_only() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    server.set(&owner, "guest_access", json!(true)).await;
    let guest = json!({"username": "guest"});
    let sign_in = async || server.login(&[("svc-app", "music")], &guest).await.signed_in();
    let guests = [sign_in().await, sign_in().await, sign_in().await];
    for guest in &guests {
        let sessions = list(&guest.client, OWN).await;
        assert_eq!(sessions.len(), 1, "{sessions:?}");
        assert_eq!(sessions[0]["current"], true);
    }
    let id = server.store.users.guest().await.unwrap().unwrap().id;
    let of_guest = list(&owner, &format!("/api/v1/users/{id}/sessions")).await;
    assert_eq!(of_guest.len(), 3, "administrators see them all");
}

#[covers("A13")]
#[tokio::test]
async fn personal_access_token_ends_no_session() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let (mine, other) = (server.sign_in("ada").await, server.sign_in("ada").await);
    let (_, pat) = token(&mine.client, ada, json!({"label": "x"})).await;
    let sessions = list(&pat, OWN).await;
    let id = sessions[0]["sessionId"].as_str().unwrap();
    for target in [
        OWN.to_owned(),
        format!("{OWN}/{id}"),
        format!("/api/v1/users/{ada}/sessions"),
    ] {
        let reply = pat.delete(&target).await;
        let code = reply.code();
        assert_eq!(
            (reply.status, code.as_deref()),
            (403, Some("pat_not_permitted")),
            "{target}"
        );
    }
    let signed_out = pat.post("/api/v1/auth/logout", &json!(null)).await;
    assert_eq!(signed_out.status, 201);
    for session in [&mine, &other] {
        assert_eq!(status(&session.client).await, 200);
        assert_eq!(server.refresh(&session.cookie).await.status, 201);
    }
}

#[covers("A13")]
#[tokio::test]
async fn challenge_names_an_error_only_if_a_token_was_sent() {
    let server = TestServer::start().await;
    let challenge = async |headers: &[(&str, &str)]| {
        let reply: Reply = server.send("GET", OWN, headers, "").await;
        assert_eq!(reply.status, 401);
        reply.header("www-authenticate").to_owned()
    };
    assert_eq!(challenge(&[]).await, "Bearer");
    for token in ["nonsense", "svc_pat_nonsense"] {
        let shown = format!("Bearer {token}");
        let expected = "Bearer error=\"invalid_token\"";
        assert_eq!(challenge(&[("authorization", &shown)]).await, expected, "{token}");
    }
    let reply = server
        .send("POST", "/api/v1/auth/refresh", &[("svc-app", "music")], "")
        .await;
    assert_eq!((reply.status, reply.header("www-authenticate")), (401, "Bearer"));
}
