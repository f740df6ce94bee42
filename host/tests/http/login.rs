//! Signing in: who gets in where, what refusals look like, and the cookie.

use std::collections::BTreeSet;
use std::sync::Arc;

use argon2::password_hash::PasswordHasher;
use argon2::{Algorithm, Argon2, Params, Version};
use salvo::http::HeaderMap;
use serde_json::{Value, json};
use svc_covers::covers;

use crate::people::{COOKIE, PASSWORD, ScriptedCloud};
use crate::{Reply, TestServer, TestServerOptions, credentials};
use svc_domain::audit::AuditEvent;
use svc_http_io::proxy::ProxyConfig;
use svc_identity::cloud::CloudError;

const APPS: [&str; 4] = ["admin", "music", "photos", "cinema"];
const ADMIN: (&str, &str) = ("svc-app", "admin");
const MUSIC: (&str, &str) = ("svc-app", "music");

#[covers("auth-failure 403")]
#[tokio::test]
async fn each_role_signs_in_to_its_apps_and_to_no_other() {
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

/// All of an answer but its number.
fn seen(reply: &Reply) -> (u16, HeaderMap, Vec<u8>) {
    let mut headers = reply.headers.clone();
    headers.remove("x-request-id").unwrap();
    (reply.status, headers, reply.body.clone())
}

#[covers("R1", "T06", "T07")]
#[tokio::test]
async fn every_refused_login_looks_the_same() {
    let server = TestServer::start().await;
    let owner = server.token(server.person("ada", "owner").await);
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
async fn missing_or_unknown_app_is_refused_before_the_body_is_judged() {
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
async fn names_are_folded_and_ids_do_as_well() {
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
    assert_eq!(server.status_as(&reply.jwt()).await, 200);
}

#[covers("R28")]
#[tokio::test]
async fn guest_signs_in_without_credentials_only_while_guests_are_let_in() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let id = server.store.users.guest().await.unwrap().unwrap().id;
    let ways = [
        json!({"username": "guest"}),
        json!({"username": "GUEST"}),
        json!({"userId": id.to_string()}),
    ];
    for on in [false, true, false] {
        server.set(&owner, "guest_access", json!(on)).await;
        for body in &ways {
            let reply = server.login(&[MUSIC], body).await;
            assert_eq!(reply.status, if on { 201 } else { 403 }, "{body}");
            if on {
                let guest = reply.signed_in();
                // Their browser keeps nothing, however long others' sessions last.
                assert_eq!(reply.json()["scope"], "session");
                assert!(!reply.header("set-cookie").contains("Max-Age"));
                assert_eq!(reply.json()["user"]["userId"], json!(id.to_string()));
                let changed = json!({"displayName": "me"});
                let reply = server
                    .send_as(&guest.jwt, "PATCH", "/api/v1/users/current", &changed)
                    .await;
                assert_eq!(reply.status, 403);
            }
        }
        let statuses = [APPS[0], APPS[2], APPS[3]].map(|app| (app, app != "admin" && on));
        for (app, allowed) in statuses {
            let reply = server.login(&[("svc-app", app)], &ways[0]).await;
            assert_eq!(reply.status == 201, allowed, "{app}");
        }
    }
}

#[covers("R28")]
#[tokio::test]
async fn kiosk_lets_guests_in_whatever_its_settings_say() {
    let options = TestServerOptions {
        kiosk: true,
        ..TestServerOptions::default()
    };
    let server = TestServer::start_with(options).await;
    server.owner().await;
    assert_eq!(
        server.login(&[MUSIC], &json!({"username": "guest"})).await.status,
        201
    );
}

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
    // A password needs no cloud.
    let both = json!({"username": "ada", "password": PASSWORD, "cloudToken": "t"});
    assert_eq!(server.login(&[MUSIC], &both).await.status, 201);
    // Without an app nobody is asked.
    assert_eq!(server.login(&[], &json!({"cloudToken": "t"})).await.status, 403);
}

#[covers("R1")]
#[tokio::test]
async fn cloud_login_is_for_linked_accounts_that_the_cloud_vouches_for() {
    let cloud = Arc::new(ScriptedCloud::default());
    let options = TestServerOptions {
        cloud: cloud.clone(),
        ..TestServerOptions::default()
    };
    let server = TestServer::start_with(options).await;
    let owner = server.token(server.person("ada", "owner").await);
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

#[covers("T12")]
#[tokio::test]
async fn login_from_another_site_gets_no_cookie_and_ends_no_session() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let old = server.sign_in("ada").await;
    let cookie = format!("{COOKIE}={}", old.cookie);
    for (header, gets_cookie) in [
        (("sec-fetch-site", "cross-site"), false),
        (("origin", "https://app.example"), false),
        (("origin", "https://localhost"), false),
        (("origin", "null"), false),
        (("sec-fetch-site", "same-origin"), true),
        (("sec-fetch-site", "same-site"), true),
        (("sec-fetch-site", "none"), true),
        (("origin", "http://localhost:3000"), true),
    ] {
        let sent = if gets_cookie { "a=b" } else { cookie.as_str() };
        let reply = server
            .login(&[MUSIC, header, ("cookie", sent)], &credentials(PASSWORD))
            .await;
        assert_eq!(reply.status, 201);
        assert_eq!(reply.cookie().is_some(), gets_cookie, "{header:?}");
        assert_eq!(server.status_as(&reply.jwt()).await, 200);
    }
    assert_eq!(server.status_as(&old.jwt).await, 200);
}

#[covers("R24")]
#[tokio::test]
async fn cookie_has_exactly_the_attributes_of_the_timeout_and_the_scheme() {
    let options = TestServerOptions {
        proxy_config: ProxyConfig {
            trusted_proxies: vec!["192.0.2.1/32".parse().unwrap()],
            base_url: None,
        },
        ..TestServerOptions::default()
    };
    let mut server = TestServer::start_with(options).await;
    let owner = server.token(server.person("ada", "owner").await);
    let https = ("x-forwarded-proto", "https");
    let parts = |text: &str| -> BTreeSet<String> { text.split("; ").map(str::to_owned).collect() };
    let fixed = ["HttpOnly", "SameSite=Strict", "Path=/api/v1/auth"];
    for (word, scope, max_age) in [
        ("memory", "memory", None),
        ("session", "session", None),
        ("1d", "local", Some("Max-Age=86400")),
        ("7d", "local", Some("Max-Age=604800")),
        ("30d", "local", Some("Max-Age=2592000")),
        ("90d", "local", Some("Max-Age=7776000")),
    ] {
        server.set(&owner, "session_timeout", json!(word)).await;
        for secure in [None, Some("Secure")] {
            let more = if secure.is_some() { https } else { ("x", "y") };
            let login = server.login(&[MUSIC, more], &credentials(PASSWORD)).await;
            let refresh = server.refresh_with(login.cookie().unwrap(), &[more]).await;
            for reply in [&login, &refresh] {
                assert_eq!(reply.json()["scope"], scope);
                let pair = format!("{COOKIE}={}", reply.cookie().unwrap());
                let expected = fixed
                    .into_iter()
                    .chain([pair.as_str()])
                    .chain(max_age)
                    .chain(secure);
                let expected: BTreeSet<String> = expected.map(str::to_owned).collect();
                assert_eq!(parts(reply.header("set-cookie")), expected, "{word}");
                assert_eq!(reply.headers.get_all("set-cookie").iter().count(), 1);
                assert_eq!(reply.cookie().unwrap().len(), 86);
            }
        }
    }
    // Only a proxy that the operator trusts can say so.
    server.peer = [203, 0, 113, 9].into();
    let reply = server.login(&[MUSIC, https], &credentials(PASSWORD)).await;
    assert!(!reply.header("set-cookie").contains("Secure"));
}

#[covers("R33a")]
#[tokio::test]
async fn new_login_ends_the_session_of_the_old_cookie_and_a_failed_one_leaves_it() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let old = server.sign_in("ada").await;
    let other = server.sign_in("ada").await;
    let cookie = format!("{COOKIE}={}", old.cookie);
    let headers = [MUSIC, ("cookie", cookie.as_str())];
    for (body, expected) in [
        (credentials("wrong password"), 403),
        (json!({"cloudToken": "t"}), 503),
    ] {
        let reply = server.login(&headers, &body).await;
        assert_eq!(reply.status, expected);
        assert_eq!(reply.cookie(), None);
    }
    assert_eq!(server.status_as(&old.jwt).await, 200);
    let new = server.login(&headers, &credentials(PASSWORD)).await.signed_in();
    assert_eq!(server.status_as(&old.jwt).await, 401);
    assert!(server.refresh(&old.cookie).await.clears_cookie());
    for session in [new, other] {
        assert_eq!(server.status_as(&session.jwt).await, 200);
        assert_eq!(server.refresh(&session.cookie).await.status, 201);
    }
}

#[tokio::test]
async fn weak_hash_is_made_anew_by_a_login() {
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
    // A password that was set meanwhile stays.
    let mut change = server.store.identity.change_identity().await.unwrap();
    change.replace_password_hash(id, &weak, "$other").await.unwrap();
    change.commit().await.unwrap();
    assert_eq!(stored().await, strong);
}

#[covers("POST /api/v1/auth/login")]
#[tokio::test]
async fn login_answer_has_the_documented_fields() {
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
