//! `POST /auth/login`: who signs in to which app, and what a refusal shows.

use argon2::{Algorithm, Argon2, Params, Version};
use salvo::http::HeaderMap;
use serde_json::{Value, json};
use svc_covers::covers;

use super::ADMIN;
use crate::credentials;
use crate::support::accounts::PASSWORD;
use crate::support::{Reply, TestServer};
use argon2::password_hash::PasswordHasher;
use svc_domain::audit::AuditEvent;

pub(crate) const APPS: [&str; 4] = ["admin", "music", "photos", "cinema"];

#[covers("auth-failure 403")]
#[tokio::test]
async fn role_signs_in_to_its_apps_only() {
    let server = TestServer::start().await;
    for (role, allowed) in [
        ("owner", [true, true, true, true]),
        ("administrator", [true, true, true, true]),
        ("member", [false, true, true, true]),
        ("music_user", [false, true, false, false]),
        ("photos_user", [false, false, true, false]),
        ("cinema_user", [false, false, false, true]),
        ("newcomer", [false, true, true, true]),
    ] {
        server.person(role, role).await;
        let body = json!({"username": role, "password": PASSWORD});
        for (app, allowed) in APPS.iter().zip(allowed) {
            let reply = server.login(&[("svc-app", app)], &body).await;
            assert_eq!(reply.status, if allowed { 201 } else { 403 }, "{role} {app}");
            assert_eq!(reply.cookie().is_some(), allowed, "{role} {app}");
            if !allowed {
                assert_eq!(reply.json(), json!({"message": "login refused"}));
            }
        }
    }
}

/// A response without its request id.
fn seen(reply: &Reply) -> (u16, HeaderMap, Vec<u8>) {
    let mut headers = reply.headers.clone();
    headers.remove("x-request-id").unwrap();
    (reply.status, headers, reply.body.clone())
}

#[covers("R1", "T06", "T07")]
#[tokio::test]
async fn refused_logins_are_indistinguishable() {
    let server = TestServer::start().await;
    let owner = server.client(server.person("ada", "owner").await);
    let disabled = server.person("gone", "member").await;
    server.enable(&owner, disabled, false).await;
    let linked = server.user("linked", false, &["member"]).await;
    server.link(linked, "c1").await;
    server.person("listener", "music_user").await;
    let named = |name: &str| json!({"username": name, "password": PASSWORD});
    let good = credentials(PASSWORD);
    let mut first = None;
    for (app, body) in [
        ("admin", credentials("wrong password")),
        ("admin", credentials("")),
        ("admin", json!({"username": "ada"})),
        ("admin", json!({"username": "ada", "password": null})),
        ("admin", named("nobody")),
        ("admin", json!({"username": "nobody", "password": ""})),
        ("admin", json!({"username": "nobody", "password": " "})),
        ("admin", json!({"username": "nobody", "password": null})),
        ("admin", json!({"username": null, "password": null})),
        ("admin", named("%")),
        ("admin", named("_da")),
        ("admin", named("*")),
        ("admin", named("\\")),
        ("admin", named("ada.")),
        ("admin", named("")),
        ("admin", named("gone")),
        ("admin", named("linked")),
        ("admin", named("listener")),
        ("admin", json!({"username": "guest"})),
        ("admin", json!({"userId": "0000000000001", "password": PASSWORD})),
        ("admin", json!({"userId": "junk", "password": PASSWORD})),
        (
            "admin",
            json!({"userId": disabled.to_string(), "password": PASSWORD}),
        ),
        ("admin", json!({})),
        ("Admin", good.clone()),
        ("", good.clone()),
        ("admin,music", good.clone()),
        ("admin ada", good.clone()),
        ("root", json!("no object")),
    ] {
        let reply = server.login(&[("svc-app", app)], &body).await;
        let seen = seen(&reply);
        let first = first.get_or_insert_with(|| seen.clone());
        assert_eq!(*first, seen, "{app} {body}");
        assert_eq!(
            (reply.status, reply.json()),
            (403, json!({"message": "login refused"}))
        );
        assert_eq!(reply.header("cache-control"), "no-store");
    }
    let twice = server.login(&[ADMIN, ADMIN], &good).await;
    assert_eq!(first, Some(seen(&twice)));
    assert_eq!(server.login(&[], &good).await.status, 403);
    assert_eq!(server.login(&[ADMIN], &good).await.status, 201);
    assert!(server.audit(AuditEvent::LoginSucceeded).await.len() == 1);
}

#[covers("R2", "R13")]
#[tokio::test]
async fn missing_or_unknown_app_is_refused_before_the_body_is_validated() {
    let server = TestServer::start().await;
    let large = json!({"username": "x".repeat(9000)}).to_string();
    for (content_type, body, status) in [
        ("application/json", "{", 400),
        ("application/json", "[]", 400),
        ("application/json", "", 400),
        (
            "application/json",
            r#"{"username": 1, "password": "12345678"}"#,
            400,
        ),
        ("application/json", large.as_str(), 413),
        ("text/plain", "{}", 415),
    ] {
        for (app, status) in [("admin", status), ("Admin", 403), ("tv", 403), ("", 403)] {
            let headers = [("svc-app", app), ("content-type", content_type)];
            let reply = server.send("POST", "/api/v1/auth/login", &headers, body).await;
            assert_eq!(reply.status, status, "{app} {body:.20}");
        }
    }
}

#[covers("T07")]
#[tokio::test]
async fn login_accepts_any_case_and_the_user_id() {
    let server = TestServer::start().await;
    let id = server.person("ada", "owner").await;
    for name in ["ADA", "Ada", "ａｄａ", "ádà"] {
        assert_eq!(server.try_password(name, PASSWORD).await.status, 201, "{name}");
    }
    let by_id = json!({"userId": id.to_string(), "password": PASSWORD});
    let reply = server.login(&[ADMIN], &by_id).await;
    assert_eq!(reply.json()["user"]["userId"], json!(id.to_string()));
    assert_eq!(reply.json()["user"]["username"], "ada");
    assert_eq!(reply.header("cache-control"), "no-store");
    assert!(!reply.body.windows(6).any(|part| part == b"argon2"));
    assert_eq!(reply.client().status().await, 200);
}

#[tokio::test]
async fn login_replaces_a_weak_hash() {
    let server = TestServer::start().await;
    let id = server.person("ada", "owner").await;
    let weak = Argon2::new(
        Algorithm::Argon2id,
        Version::V0x13,
        Params::new(1024, 1, 1, None).unwrap(),
    );
    let weak = weak
        .hash_password_with_salt(PASSWORD.as_bytes(), b"some salt of 16b")
        .unwrap()
        .to_string();
    let mut change = server.store.identity.change_identity().await.unwrap();
    change.set_password_hash(id, &weak).await.unwrap();
    change.commit().await.unwrap();
    let stored = async || {
        server
            .store
            .users
            .user_for_login("ada")
            .await
            .unwrap()
            .unwrap()
            .1
            .unwrap()
    };
    assert_eq!(server.try_password("ada", "wrong password").await.status, 403);
    assert_eq!(stored().await, weak);
    assert_eq!(server.try_password("ada", PASSWORD).await.status, 201);
    let strong = stored().await;
    assert!(strong.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{strong}");
    assert_eq!(server.try_password("ada", PASSWORD).await.status, 201);
    assert_eq!(stored().await, strong);
    // The hash is not replaced if it has changed meanwhile.
    let mut change = server.store.identity.change_identity().await.unwrap();
    change.replace_password_hash(id, &weak, "$other").await.unwrap();
    change.commit().await.unwrap();
    assert_eq!(stored().await, strong);
}

#[covers("POST /api/v1/auth/login")]
#[tokio::test]
async fn login_response_has_the_documented_fields() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let login = server.login(&[ADMIN], &credentials(PASSWORD)).await;
    let answer = login.json();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&answer), ["JWT", "scope", "user"]);
    assert_eq!(answer["user"]["roles"], json!(["owner"]));
    let refreshed = server.refresh(login.cookie().unwrap()).await;
    assert_eq!(keys(&refreshed.json()), ["JWT", "scope"]);
}

#[covers("A2")]
#[tokio::test]
async fn login_with_an_array_body_is_refused() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let by_position = json!(["ada", null, PASSWORD]);
    assert_eq!(
        server.login(&[("svc-app", "music")], &by_position).await.status,
        400
    );
    assert_eq!(server.try_password("ada", PASSWORD).await.status, 201);
}
