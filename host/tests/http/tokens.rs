//! Personal access tokens: shown once, used, revoked, and where they are not permitted.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::people::PASSWORD;
use crate::{Reply, TestServer};
use svc_domain::audit::AuditEvent;
use svc_domain::id::UserId;
use svc_domain::time::{Clock as _, Timestamp};
use svc_identity::secret_token::PersonalAccessSecret;
use svc_platform::random::SystemRandom;

const UNKNOWN: &str = "0000000000001";

pub(super) fn path(user: impl std::fmt::Display) -> String {
    format!("/api/v1/users/{user}/personal-access-tokens")
}

pub(super) async fn create(server: &TestServer, by: &str, user: UserId, body: Value) -> Reply {
    server.send_as(by, "POST", &path(user), &body).await
}

/// Id and secret of a new token.
pub(super) async fn token(server: &TestServer, by: &str, user: UserId, body: Value) -> (String, String) {
    let reply = create(server, by, user, body).await;
    assert_eq!(reply.status, 201, "{}", String::from_utf8_lossy(&reply.body));
    let created = reply.json();
    let text = |field: &str| created[field].as_str().unwrap().to_owned();
    (text("personalAccessTokenId"), text("token"))
}

fn assert_invalid(reply: &Reply, case: &str) {
    assert_eq!(
        (reply.status, reply.code().as_deref()),
        (401, Some("pat_invalid")),
        "{case}"
    );
    assert!(reply.header("www-authenticate").starts_with("Bearer"));
    assert_eq!(reply.header("cache-control"), "no-store");
}

pub(super) async fn current(server: &TestServer, token: &str) -> Reply {
    server.get_as(token, "/api/v1/users/current").await
}

#[covers(
    "POST /api/v1/users/{id}/personal-access-tokens",
    "GET /api/v1/users/{id}/personal-access-tokens",
    "R3"
)]
#[tokio::test]
async fn token_is_shown_once_and_listed_without_its_secret() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let owner = server.token(ada);
    let reply = create(&server, &owner, ada, json!({"label": " Player ", "more": 1})).await;
    assert_eq!((reply.status, reply.header("cache-control")), (201, "no-store"));
    let created = reply.json();
    let secret = created["token"].as_str().unwrap();
    let random = secret.strip_prefix("svc_pat_").unwrap();
    assert_eq!(random.len(), 49);
    assert!(random.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    assert_eq!(
        (&created["label"], &created["expiresAt"]),
        (&json!("Player"), &Value::Null)
    );
    assert_eq!(
        current(&server, secret).await.json()["localUser"]["userId"],
        json!(ada.to_string())
    );
    // Whoever asks for active users has the last use written.
    assert_eq!(server.get_as(&owner, "/api/v1/users/active").await.status, 200);
    let (second, _) = token(&server, &owner, ada, json!({"label": "Second"})).await;
    let reply = server.get_as(&owner, &path(ada)).await;
    let text = String::from_utf8(reply.body.clone()).unwrap();
    assert!(!text.contains(&random[..8]) && !text.contains("svc_pat_") && !text.contains("hash"));
    let listed = reply.json();
    assert_eq!(listed.as_array().unwrap().len(), 2);
    assert_eq!(listed[0]["personalAccessTokenId"], json!(second));
    let first = &listed[1];
    assert_eq!(first["personalAccessTokenId"], created["personalAccessTokenId"]);
    assert_eq!(first["hint"], json!(&secret[secret.len() - 4..]));
    assert_eq!(
        (&first["createdBy"], &first["label"]),
        (&json!(ada.to_string()), &json!("Player"))
    );
    assert_eq!(first["createdAt"], created["createdAt"]);
    assert!(first["lastUsedAt"].is_string(), "{first}");
    assert_eq!(server.audit(AuditEvent::TokenCreated).await.len(), 2);
}

#[covers(
    "DELETE /api/v1/users/{id}/personal-access-tokens/{personalAccessTokenId}",
    "auth-failure pat_invalid"
)]
#[tokio::test]
async fn revoked_token_is_refused_from_the_next_request_on() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let (bob, eve) = (
        server.user("bob", false, &["member"]).await,
        server.user("eve", false, &["member"]).await,
    );
    let (id, secret) = token(&server, &owner, bob, json!({"label": "a"})).await;
    let (_, other) = token(&server, &owner, bob, json!({"label": "b"})).await;
    let revoke = async |user: UserId, id: &str| {
        let reply = server
            .send_as(&owner, "DELETE", &format!("{}/{id}", path(user)), &json!(null))
            .await;
        assert_eq!(reply.status, 200);
        reply.json()
    };
    for (user, id) in [(bob, UNKNOWN), (eve, id.as_str())] {
        assert_eq!(revoke(user, id).await, json!(false));
        assert_eq!(current(&server, &secret).await.status, 200);
    }
    assert_eq!(revoke(bob, &id).await, json!(true));
    assert_invalid(&current(&server, &secret).await, "revoked");
    assert_eq!(revoke(bob, &id).await, json!(false));
    assert_eq!(current(&server, &other).await.status, 200);
    assert_eq!(server.audit(AuditEvent::TokenRevoked).await.len(), 1);
}

#[covers("code pat_not_permitted", "auth-failure pat_not_permitted", "R5", "T14")]
#[tokio::test]
async fn token_is_not_permitted_where_tokens_are_managed_whatever_is_asked() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let owner = server.token(ada);
    let bob = server.user("bob", false, &["member"]).await;
    let (own, strong) = token(&server, &owner, ada, json!({"label": "a"})).await;
    let (_, weak) = token(&server, &owner, bob, json!({"label": "b"})).await;
    let (_, narrow) = token(&server, &owner, ada, json!({"label": "c", "capabilities": []})).await;
    let users = [ada.to_string(), bob.to_string(), UNKNOWN.into(), "junk".into()];
    let bodies = [
        r#"{"label":"x"}"#,
        "{",
        "",
        r#"{"label":""}"#,
        r#"{"label":"x","expiresAt":"junk"}"#,
    ];
    let asks = users.iter().flat_map(|user| {
        let one = [&own, UNKNOWN, "junk"].map(|id| ("DELETE", format!("{}/{id}", path(user)), ""));
        let many = bodies.map(|body| ("POST", path(user), body));
        one.into_iter().chain(many).chain([("GET", path(user), "")])
    });
    for (method, path, body) in asks {
        for (secret, status, code) in [
            (strong.as_str(), 403, "pat_not_permitted"),
            (&weak, 403, "pat_not_permitted"),
            (&narrow, 403, "pat_not_permitted"),
            ("svc_pat_junk", 401, "pat_invalid"),
        ] {
            let bearer = format!("Bearer {secret}");
            let headers = [
                ("authorization", bearer.as_str()),
                ("content-type", "application/json"),
            ];
            let reply = server.send(method, &path, &headers, body).await;
            assert_eq!(
                (reply.status, reply.code().as_deref()),
                (status, Some(code)),
                "{method} {path} {body}"
            );
        }
    }
    assert_eq!(
        server
            .get_as(&owner, &path(ada))
            .await
            .json()
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[covers("T14", "S4")]
#[tokio::test]
async fn token_sets_no_password() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let bob = server.person("bob", "member").await;
    let owner = server.token(ada);
    let (_, secret) = token(&server, &owner, ada, json!({"label": "a"})).await;
    let password = json!({"password": "another password", "currentPassword": PASSWORD});
    for path in ["/api/v1/users/current".to_owned(), format!("/api/v1/users/{bob}")] {
        let reply = server.send_as(&secret, "PATCH", &path, &password).await;
        assert_eq!(
            (reply.status, reply.code().as_deref()),
            (403, Some("pat_not_permitted")),
            "{path}"
        );
        let name = json!({"displayName": "Somebody"});
        assert_eq!(server.send_as(&secret, "PATCH", &path, &name).await.status, 200);
    }
    assert_eq!(server.try_password("ada", PASSWORD).await.status, 201);
    assert_eq!(server.try_password("bob", PASSWORD).await.status, 201);
}

#[covers("code pat_invalid", "auth-failure pat_invalid")]
#[tokio::test]
async fn tokens_that_are_not_ours_are_all_refused_alike() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let (_, secret) = token(&server, &server.token(ada), ada, json!({"label": "a"})).await;
    let unknown = PersonalAccessSecret::generate(&SystemRandom).unwrap();
    let last = if secret.ends_with('x') { "y" } else { "x" };
    let bad_checksum = format!("{}{last}", &secret[..secret.len() - 1]);
    let middle = if &secret[20..21] == "x" { "y" } else { "x" };
    let changed = format!("{}{middle}{}", &secret[..20], &secret[21..]);
    for bad in [
        unknown.secret(),
        &bad_checksum,
        &changed,
        &secret[..secret.len() - 1],
        &format!("{secret}0"),
        &format!("{secret}.a.b"),
        "svc_pat_",
        "svc_pat_%",
    ] {
        assert_invalid(&current(&server, bad).await, bad);
    }
    // Not even a token by its prefix.
    let upper = current(&server, &secret.replace("svc_pat_", "SVC_PAT_")).await;
    assert_eq!((upper.status, upper.code()), (401, None));
}

#[covers("auth-failure pat_invalid", "R27", "R31", "T15")]
#[tokio::test]
async fn token_ends_at_its_moment_and_with_its_user() {
    let server = TestServer::start().await;
    let owner_id = server.person("ada", "owner").await;
    let owner = server.token(owner_id);
    let bob = server.user("bob", false, &["member"]).await;
    server.link(bob, "c1").await;
    let end = Timestamp::from_millis(server.clock.now().millis() + 3_600_000);
    let (_, short) = token(&server, &owner, bob, json!({"label": "a", "expiresAt": end})).await;
    // No cloud is asked, though the account is linked.
    let (_, long) = token(&server, &owner, bob, json!({"label": "b"})).await;
    server.clock.advance(Duration::from_secs(3_590));
    assert_eq!(current(&server, &short).await.status, 200);
    server.clock.advance(Duration::from_secs(10));
    assert_invalid(&current(&server, &short).await, "expired");
    assert_eq!(current(&server, &long).await.status, 200);
    let owner = server.token(owner_id);
    server.enable(&owner, bob, false).await;
    assert_invalid(&current(&server, &long).await, "disabled");
    server.enable(&owner, bob, true).await;
    assert_eq!(current(&server, &long).await.status, 200);
    server.delete(bob).await;
    assert_invalid(&current(&server, &long).await, "deleted");
    assert_eq!(
        server.number("SELECT count(*) FROM personal_access_tokens").await,
        0
    );
}

#[covers("R18")]
#[tokio::test]
async fn token_in_the_query_counts_where_nothing_changes() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let (_, secret) = token(&server, &server.token(ada), ada, json!({"label": "a"})).await;
    let target = format!("/api/v1/users/current?token={secret}");
    for (method, status) in [("GET", 200), ("HEAD", 200), ("PATCH", 401)] {
        let json = [("content-type", "application/json")];
        assert_eq!(
            server.send(method, &target, &json, "{}").await.status,
            status,
            "{method}"
        );
    }
    let users = format!("/api/v1/users?token={secret}");
    assert_eq!(
        server
            .post(&users, &json!({"username": "x", "password": PASSWORD}))
            .await
            .status,
        401
    );
    let upper = format!("/api/v1/users/current?TOKEN={secret}");
    assert_eq!(server.get(&upper).await.status, 401);
    assert_invalid(
        &server.get("/api/v1/users/current?token=svc_pat_junk").await,
        "query",
    );
}

/// All that the files below a directory hold.
fn contents(directory: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in std::fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            bytes.extend(contents(&path));
        } else {
            bytes.extend(std::fs::read(path).unwrap());
        }
    }
    bytes
}

#[covers("T04")]
#[tokio::test]
async fn no_secret_is_stored_in_the_clear() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let session = server.sign_in("ada").await;
    server.try_password("ada", "a wrong password").await;
    server.try_password("a name that is a password", "x").await;
    let next = server.refresh(&session.cookie).await.signed_in();
    let (_, secret) = token(&server, &next.jwt, ada, json!({"label": "the label"})).await;
    assert_eq!(current(&server, &secret).await.status, 200);
    assert_eq!(server.get_as(&next.jwt, "/api/v1/users/active").await.status, 200);
    let stored = contents(server.directory.path());
    let holds = |text: &str| stored.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(
        holds("the label") && holds("$argon2id$"),
        "the search finds what is there"
    );
    for text in [
        secret.as_str(),
        &secret[8..51],
        &session.cookie,
        &next.cookie,
        &session.jwt,
        &next.jwt,
        PASSWORD,
        "a wrong password",
        "a name that is a password",
    ] {
        assert!(!holds(text), "{text}");
    }
}
