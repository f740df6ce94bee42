//! Access tokens: which are accepted, and how soon a revocation takes effect.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};
use svc_covers::covers;

use crate::INSTANCE;
use crate::support::accounts::{COOKIE, PASSWORD};
use crate::support::{Client, TestServer};
use svc_domain::id::UserId;
use svc_domain::time::Clock as _;
use svc_identity::access_token::AccessTokens;
use svc_identity::app::App;
use svc_platform::random::SystemRandom;
use svc_platform::secret_key::SecretKey;

const CURRENT: &str = "/api/v1/users/current";

/// A token that another server issued, or this one with another key.
fn foreign(server: &TestServer, instance: &str, user: UserId) -> String {
    let tokens = AccessTokens::new(instance, &SecretKey::from_bytes([9; 32]));
    tokens
        .issue(user, App::Admin, None, server.clock.now(), &SystemRandom)
        .unwrap()
}

/// A token with valid claims and the signature of another key.
fn forged(server: &TestServer, user: UserId, algorithm: Algorithm, secret: &[u8]) -> String {
    let key_id = jsonwebtoken::decode_header(server.client(user).token())
        .unwrap()
        .kid;
    let now = server.clock.now().seconds();
    let claims = json!({
        "iss": format!("svc:{INSTANCE}"), "aud": "svc-api", "sub": user.to_string(), "sid": "none", "jti": "00",
        "app": "admin", "iat": now, "exp": now + 900,
    });
    let header = Header {
        kid: key_id,
        ..Header::new(algorithm)
    };
    jsonwebtoken::encode(&header, &claims, &EncodingKey::from_secret(secret)).unwrap()
}

/// A token with a changed signature.
fn broken(token: &str) -> String {
    let (rest, signature) = token.rsplit_once('.').unwrap();
    let first = if signature.starts_with('A') { 'B' } else { 'A' };
    format!("{rest}.{first}{}", &signature[1..])
}

#[covers("auth-failure 401 access token", "auth-failure 410", "R4", "T05")]
#[tokio::test]
async fn access_token_is_accepted_or_refused_as_the_decision_table_says() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let owner = server.client(ada);
    let (bob, eve) = (
        server.person("bob", "member").await,
        server.person("eve", "member").await,
    );
    server.enable(&owner, bob, false).await;
    let eves = server.sign_in("eve").await.client;
    server.delete(eve).await;
    let carl = server.person("carl", "member").await;
    let carls = server.sign_in("carl").await;
    let reply = carls.client.post("/api/v1/auth/logout", &json!(null)).await;
    assert_eq!(reply.status, 201);
    let of_nobody_session = server.client_of_session(carl, Some(server.id()));
    let others_session = {
        let session = server.sign_in("ada").await;
        let id = session.client.get("/api/v1/users/current/sessions").await.json();
        let id = id[0]["sessionId"].as_str().unwrap().parse().unwrap();
        server.client_of_session(carl, Some(id))
    };
    let none = forged(&server, ada, Algorithm::HS256, b"x");
    let none = none.rsplit_once('.').unwrap().0.to_owned() + ".";
    let cases = [
        ("good", owner.to_string(), 200),
        ("empty", String::new(), 401),
        ("no token", "nonsense".into(), 401),
        ("three parts of nothing", "a.b.c".into(), 401),
        ("no signature", none, 401),
        ("broken signature", broken(owner.token()), 401),
        ("trailing dot", format!("{owner}."), 401),
        ("oversize", format!("{owner}{}", "A".repeat(4096)), 401),
        (
            "other algorithm",
            forged(&server, ada, Algorithm::HS384, b"secret"),
            401,
        ),
        ("another server's", foreign(&server, &"f".repeat(32), ada), 410),
        (
            "another server's, unsigned",
            broken(&foreign(&server, &"f".repeat(32), ada)),
            410,
        ),
        ("of before a reset", foreign(&server, INSTANCE, ada), 410),
        ("signed out", carls.client.to_string(), 401),
        (
            "of a session that nobody knows",
            of_nobody_session.to_string(),
            401,
        ),
        ("of another's session", others_session.to_string(), 401),
        ("of a deleted user", eves.to_string(), 410),
        (
            "of a user that never was",
            server.client(server.id()).to_string(),
            410,
        ),
        ("of a disabled user", server.client(bob).to_string(), 410),
    ];
    for (case, token, status) in &cases {
        let reply = server.with_token(token).get(CURRENT).await;
        assert_eq!(reply.status, *status, "{case}");
        assert_eq!(reply.header("cache-control"), "no-store", "{case}");
        assert_eq!(
            reply.headers.contains_key("www-authenticate"),
            *status == 401,
            "{case}"
        );
        if *status != 200 {
            assert_eq!(reply.code(), None, "{case}");
        }
    }
    // Expiry is checked before deletion and disabling.
    server.clock.advance(Duration::from_secs(900));
    for (case, token, before) in &cases {
        let foreign = case.contains("server") || case.contains("reset");
        let status = if foreign { *before } else { 401 };
        assert_eq!(server.with_token(token).status().await, status, "{case}");
    }
}

#[covers("R19")]
#[tokio::test]
async fn access_token_is_valid_for_fifteen_minutes() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let jwt = server.sign_in("ada").await.client;
    let payload = jsonwebtoken::dangerous::insecure_decode_claims::<Value>(jwt.token()).unwrap();
    assert_eq!(
        payload["exp"].as_i64().unwrap() - payload["iat"].as_i64().unwrap(),
        900
    );
    let mut names: Vec<_> = payload.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        ["app", "aud", "exp", "iat", "iss", "jti", "sid", "sub"],
        "no roles"
    );
    server.clock.advance(Duration::from_secs(898));
    assert_eq!(jwt.status().await, 200);
    server.clock.advance(Duration::from_secs(2));
    assert_eq!(jwt.status().await, 401);
}

#[covers("T03")]
#[tokio::test]
async fn tokens_signed_with_weak_keys_are_refused() {
    let server = TestServer::start().await;
    let ada = server.user("ada", true, &["owner"]).await;
    let words = [
        "",
        "secret",
        "svc",
        "changeme",
        "password",
        "jwt_secret",
        "your-256-bit-secret",
        INSTANCE,
    ];
    let words = words.map(|word| word.as_bytes().to_vec());
    let blocks = (0..=255).map(|byte| vec![byte; 32]);
    for secret in words.into_iter().chain(blocks) {
        let token = forged(&server, ada, Algorithm::HS256, &secret);
        assert_eq!(server.with_token(&token).status().await, 401, "{secret:?}");
    }
}

#[covers("R17")]
#[tokio::test]
async fn header_precedes_the_query_and_two_tokens_are_refused() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let (good, second) = (server.client(ada).to_string(), server.client(ada).to_string());
    let bearer = |token: &str| format!("Bearer {token}");
    for (authorization, query, status) in [
        (None, "", 401),
        (Some(bearer(&good)), "", 200),
        (Some(format!("bEARER   {good}")), "", 200),
        (Some(good.clone()), "", 401),
        (None, good.as_str(), 200),
        (Some(bearer(&good)), &good, 200),
        (Some(bearer(&good)), &second, 401),
        (Some(bearer("junk")), &good, 401),
        (Some(bearer("svc_pat_junk")), &good, 401),
        (Some("Basic YWRhOnh4".to_owned()), &good, 200),
        (Some("Basic YWRhOnh4".to_owned()), "", 401),
        (None, "junk", 401),
        (None, &format!("{good}&token={good}"), 401),
        (None, &format!("&authorization={good}"), 401),
    ] {
        let target = if query.is_empty() {
            CURRENT.to_owned()
        } else {
            format!("{CURRENT}?token={query}")
        };
        let headers: Vec<_> = authorization
            .iter()
            .map(|value| ("authorization", value.as_str()))
            .collect();
        let reply = server.send("GET", &target, &headers, "").await;
        assert_eq!(reply.status, status, "{authorization:?} {query}");
    }
    let target = format!("/api/v1/users?token={good}");
    let body = json!({"username": "bob", "password": PASSWORD});
    assert_eq!(
        server.post(&target, &body).await.status,
        401,
        "a token in the query is ignored for writes"
    );
    // An access token in a cookie is ignored.
    let cookie = format!("{COOKIE}={good}");
    assert_eq!(
        server
            .send("GET", CURRENT, &[("cookie", &cookie)], "")
            .await
            .status,
        401
    );
}

#[covers("R33")]
#[tokio::test]
async fn changed_roles_apply_to_the_next_request_with_the_same_token() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let bob = server.person("bob", "newcomer").await;
    let jwt = server.sign_in("bob").await.client;
    let users = async || jwt.get("/api/v1/users").await.status;
    let body = json!({"userIds": [bob.to_string()]});
    let revoke = format!("/api/v1/roles/administrator/assignments?userIds={bob}");
    for _ in 0..5 {
        assert_eq!(users().await, 403);
        let reply = owner.post("/api/v1/roles/administrator/assignments", &body).await;
        assert_eq!(reply.status, 201);
        assert_eq!(users().await, 200);
        assert_eq!(owner.delete(&revoke).await.status, 200);
    }
    assert_eq!(jwt.status().await, 200);
}

/// Sends requests with a token while `end` revokes it; returns how many succeeded that began after its response.
async fn successes_after(token: &Client, end: impl Future<Output = ()>) -> usize {
    const CALLERS: usize = 4;
    let ended = Arc::new(AtomicBool::new(false));
    let (succeeds, mut succeeded) = tokio::sync::mpsc::channel(CALLERS);
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..CALLERS {
        let (token, ended) = (token.clone(), Arc::clone(&ended));
        let succeeds = succeeds.clone();
        callers.spawn(async move {
            let (mut before, mut after, mut tries) = (0, 0, 0);
            while tries < 50 {
                let is_late = ended.load(Ordering::SeqCst);
                let status = token.status().await;
                let counted = if is_late { &mut after } else { &mut before };
                *counted += usize::from(status == 200);
                if (before, after) == (1, 0) {
                    // The receiver is gone after the revocation.
                    let _ = succeeds.try_send(());
                }
                tries += usize::from(is_late);
                // Let the other tasks run.
                tokio::task::yield_now().await;
            }
            (before, after)
        });
    }
    for _ in 0..CALLERS {
        succeeded.recv().await.unwrap();
    }
    end.await;
    ended.store(true, Ordering::SeqCst);
    let counts = callers.join_all().await;
    assert!(counts.iter().all(|(before, _)| *before > 0), "{counts:?}");
    counts.iter().map(|(_, after)| after).sum()
}

#[covers("T15")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_succeeds_after_the_response_to_the_revocation() {
    let server = TestServer::start().await;
    let owner = server.as_owner().await;
    let bob = server.person("bob", "member").await;
    let jwt = server.sign_in("bob").await.client;
    let sessions = format!("/api/v1/users/{bob}/sessions");
    let revoked = successes_after(&jwt, async {
        let reply = owner.delete(&sessions).await;
        assert_eq!((reply.status, reply.json()), (200, json!(1)));
    });
    assert_eq!(revoked.await, 0);

    let tokens = format!("/api/v1/users/{bob}/personal-access-tokens");
    let made = owner.post(&tokens, &json!({"label": "a"})).await.json();
    let one = format!("{tokens}/{}", made["personalAccessTokenId"].as_str().unwrap());
    let token = server.with_token(made["token"].as_str().unwrap());
    let revoked = successes_after(&token, async {
        let reply = owner.delete(&one).await;
        assert_eq!((reply.status, reply.json()), (200, json!(true)));
    });
    assert_eq!(revoked.await, 0);

    let jwt = server.sign_in("bob").await.client;
    let disabled = successes_after(&jwt, server.enable(&owner, bob, false));
    assert_eq!(disabled.await, 0);
}
