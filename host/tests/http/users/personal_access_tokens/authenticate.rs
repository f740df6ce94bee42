//! Requests with a personal access token: what they may do, and until when.

use std::path::Path;
use std::time::Duration;

use serde_json::json;
use svc_covers::covers;

use super::{assert_invalid, current, path, token};
use crate::UNKNOWN;
use crate::support::TestServer;
use crate::support::accounts::PASSWORD;
use svc_domain::time::{Clock as _, Timestamp};
use svc_identity::secret_token::PersonalAccessSecret;
use svc_platform::random::SystemRandom;

#[covers("code pat_not_permitted", "auth-failure pat_not_permitted", "R5", "T14")]
#[tokio::test]
async fn token_cannot_manage_tokens() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let owner = server.client(ada);
    let bob = server.user("bob", false, &["member"]).await;
    let (own, strong) = token(&owner, ada, json!({"label": "a"})).await;
    let (_, weak) = token(&owner, bob, json!({"label": "b"})).await;
    let (_, narrow) = token(&owner, ada, json!({"label": "c", "capabilities": []})).await;
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
            (strong.token(), 403, "pat_not_permitted"),
            (weak.token(), 403, "pat_not_permitted"),
            (narrow.token(), 403, "pat_not_permitted"),
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
    assert_eq!(owner.get(&path(ada)).await.json().as_array().unwrap().len(), 2);
}

#[covers("T14", "S4")]
#[tokio::test]
async fn token_sets_no_password() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let bob = server.person("bob", "member").await;
    let owner = server.client(ada);
    let (_, secret) = token(&owner, ada, json!({"label": "a"})).await;
    let password = json!({"password": "another password", "currentPassword": PASSWORD});
    for path in ["/api/v1/users/current".to_owned(), format!("/api/v1/users/{bob}")] {
        let reply = secret.patch(&path, &password).await;
        assert_eq!(
            (reply.status, reply.code().as_deref()),
            (403, Some("pat_not_permitted")),
            "{path}"
        );
        let name = json!({"displayName": "Somebody"});
        assert_eq!(secret.patch(&path, &name).await.status, 200);
    }
    assert_eq!(server.try_password("ada", PASSWORD).await.status, 201);
    assert_eq!(server.try_password("bob", PASSWORD).await.status, 201);
}

#[covers("code pat_invalid", "auth-failure pat_invalid")]
#[tokio::test]
async fn foreign_tokens_are_refused() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let (_, secret) = token(&server.client(ada), ada, json!({"label": "a"})).await;
    let unknown = PersonalAccessSecret::generate(&SystemRandom).unwrap();
    let secret = secret.token();
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
        assert_invalid(&current(&server.with_token(bad)).await, bad);
    }
    // The prefix is case-sensitive.
    let upper = current(&server.with_token(&secret.replace("svc_pat_", "SVC_PAT_"))).await;
    assert_eq!((upper.status, upper.code()), (401, None));
}

#[covers("auth-failure pat_invalid", "R27", "R31", "T15")]
#[tokio::test]
async fn token_ends_at_its_expiry_and_with_its_account() {
    let server = TestServer::start().await;
    let owner_id = server.person("ada", "owner").await;
    let owner = server.client(owner_id);
    let bob = server.user("bob", false, &["member"]).await;
    server.link(bob, "c1").await;
    let end = Timestamp::from_millis(server.clock.now().millis() + 3_600_000);
    let (_, short) = token(&owner, bob, json!({"label": "a", "expiresAt": end})).await;
    // A linked account needs no cloud token here.
    let (_, long) = token(&owner, bob, json!({"label": "b"})).await;
    server.clock.advance(Duration::from_secs(3_590));
    assert_eq!(current(&short).await.status, 200);
    server.clock.advance(Duration::from_secs(10));
    assert_invalid(&current(&short).await, "expired");
    assert_eq!(current(&long).await.status, 200);
    let owner = server.client(owner_id);
    server.enable(&owner, bob, false).await;
    assert_invalid(&current(&long).await, "disabled");
    server.enable(&owner, bob, true).await;
    assert_eq!(current(&long).await.status, 200);
    server.delete(bob).await;
    assert_invalid(&current(&long).await, "deleted");
    assert_eq!(
        server.number("SELECT count(*) FROM personal_access_tokens").await,
        0
    );
}

#[covers("R18")]
#[tokio::test]
async fn token_in_the_query_is_accepted_for_get_and_head() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let (_, secret) = token(&server.client(ada), ada, json!({"label": "a"})).await;
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

/// The contents of all files below a directory.
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
    let (_, secret) = token(&next.client, ada, json!({"label": "the label"})).await;
    assert_eq!(current(&secret).await.status, 200);
    assert_eq!(next.client.get("/api/v1/users/active").await.status, 200);
    let stored = contents(server.directory.path());
    let holds = |text: &str| stored.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(holds("the label") && holds("$argon2id$"), "the search works");
    for text in [
        secret.token(),
        &secret.token()[8..51],
        &session.cookie,
        &next.cookie,
        session.client.token(),
        next.client.token(),
        PASSWORD,
        "a wrong password",
        "a name that is a password",
    ] {
        assert!(!holds(text), "{text}");
    }
}
