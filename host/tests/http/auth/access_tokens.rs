//! Access tokens: which are accepted, and how soon a revocation takes effect.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};
use svc_covers::covers;

use crate::INSTANCE;
use crate::support::TestServer;
use crate::support::accounts::{COOKIE, PASSWORD};
use svc_domain::id::UserId;
use svc_domain::time::Clock as _;
use svc_identity::access_token::AccessTokens;
use svc_identity::app::App;
use svc_platform::random::SystemRandom;
use svc_platform::secret_key::SecretKey;

const CURRENT: &str = "/api/v1/users/current";

/// A token of an account by another server, or by this one with another key.
fn foreign(server: &TestServer, instance: &str, user: UserId) -> String {
    let tokens = AccessTokens::new(instance, &SecretKey::from_bytes([9; 32]));
    tokens
        .issue(user, App::Admin, None, server.clock.now(), &SystemRandom)
        .unwrap()
}

/// A token that says what ours say, with a signature of another key.
fn forged(server: &TestServer, user: UserId, algorithm: Algorithm, secret: &[u8]) -> String {
    let key_id = jsonwebtoken::decode_header(server.token(user)).unwrap().kid;
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

/// A token with another last character of its signature.
fn broken(token: &str) -> String {
    let (rest, signature) = token.rsplit_once('.').unwrap();
    let first = if signature.starts_with('A') { 'B' } else { 'A' };
    format!("{rest}.{first}{}", &signature[1..])
}

#[covers("auth-failure 401 access token", "auth-failure 410", "R4", "T05")]
#[tokio::test]
async fn access_tokens_end_as_the_decision_table_says() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let owner = server.token(ada);
    let (bob, eve) = (
        server.person("bob", "member").await,
        server.person("eve", "member").await,
    );
    server.enable(&owner, bob, false).await;
    let eves = server.sign_in("eve").await.jwt;
    server.delete(eve).await;
    let carl = server.person("carl", "member").await;
    let carls = server.sign_in("carl").await;
    let reply = server
        .send_as(&carls.jwt, "POST", "/api/v1/auth/logout", &json!(null))
        .await;
    assert_eq!(reply.status, 201);
    let of_nobody_session = server.token_of(carl, Some(server.id()));
    let others_session = {
        let session = server.sign_in("ada").await;
        let id = server
            .get_as(&session.jwt, "/api/v1/users/current/sessions")
            .await
            .json();
        let id = id[0]["sessionId"].as_str().unwrap().parse().unwrap();
        server.token_of(carl, Some(id))
    };
    let none = forged(&server, ada, Algorithm::HS256, b"x");
    let none = none.rsplit_once('.').unwrap().0.to_owned() + ".";
    let cases = [
        ("good", owner.clone(), 200),
        ("empty", String::new(), 401),
        ("no token", "nonsense".into(), 401),
        ("three parts of nothing", "a.b.c".into(), 401),
        ("no signature", none, 401),
        ("broken signature", broken(&owner), 401),
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
        ("signed out", carls.jwt, 401),
        ("of a session that nobody knows", of_nobody_session, 401),
        ("of another's session", others_session, 401),
        ("of a deleted user", eves, 410),
        ("of a user that never was", server.token(server.id()), 410),
        ("of a disabled user", server.token(bob), 410),
    ];
    for (case, token, status) in &cases {
        let reply = server.get_as(token, CURRENT).await;
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
    // Expired goes before deleted and disabled: a refresh tells.
    server.clock.advance(Duration::from_secs(900));
    for (case, token, before) in &cases {
        let foreign = case.contains("server") || case.contains("reset");
        let status = if foreign { *before } else { 401 };
        assert_eq!(server.status_as(token).await, status, "{case}");
    }
}

#[covers("R19")]
#[tokio::test]
async fn token_is_good_for_fifteen_minutes_to_the_second() {
    let server = TestServer::start().await;
    server.person("ada", "owner").await;
    let jwt = server.sign_in("ada").await.jwt;
    let payload = jsonwebtoken::dangerous::insecure_decode_claims::<Value>(&jwt).unwrap();
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
    assert_eq!(server.status_as(&jwt).await, 200);
    server.clock.advance(Duration::from_secs(2));
    assert_eq!(server.status_as(&jwt).await, 401);
}

#[covers("T03")]
#[tokio::test]
async fn weak_keys_sign_nothing_that_counts() {
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
        assert_eq!(server.status_as(&token).await, 401, "{secret:?}");
    }
}

#[covers("R17")]
#[tokio::test]
async fn header_goes_before_the_query_and_two_tokens_are_none() {
    let server = TestServer::start().await;
    let ada = server.person("ada", "owner").await;
    let (good, second) = (server.token(ada), server.token(ada));
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
        "the query counts where nothing changes"
    );
    // A cookie is no access token.
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
async fn change_of_roles_counts_at_the_next_request_with_the_same_token() {
    let server = TestServer::start().await;
    let owner = server.owner().await;
    let bob = server.person("bob", "newcomer").await;
    let jwt = server.sign_in("bob").await.jwt;
    let users = async || server.get_as(&jwt, "/api/v1/users").await.status;
    let body = json!({"userIds": [bob.to_string()]});
    let revoke = format!("/api/v1/roles/administrator/assignments?userIds={bob}");
    for _ in 0..5 {
        assert_eq!(users().await, 403);
        let reply = server
            .send_as(&owner, "POST", "/api/v1/roles/administrator/assignments", &body)
            .await;
        assert_eq!(reply.status, 201);
        assert_eq!(users().await, 200);
        assert_eq!(
            server
                .send_as(&owner, "DELETE", &revoke, &json!(null))
                .await
                .status,
            200
        );
    }
    assert_eq!(server.status_as(&jwt).await, 200);
}

/// Sends requests with a token all the time while `end` takes it away; gives how many of those that began after the
/// answer succeeded.
async fn successes_after(server: &Arc<TestServer>, token: &str, end: impl Future<Output = ()>) -> usize {
    const CALLERS: usize = 4;
    let ended = Arc::new(AtomicBool::new(false));
    let (succeeds, mut succeeded) = tokio::sync::mpsc::channel(CALLERS);
    let mut callers = tokio::task::JoinSet::new();
    for _ in 0..CALLERS {
        let (server, token, ended) = (Arc::clone(server), token.to_owned(), Arc::clone(&ended));
        let succeeds = succeeds.clone();
        callers.spawn(async move {
            let (mut before, mut after, mut tries) = (0, 0, 0);
            while tries < 50 {
                let is_late = ended.load(Ordering::SeqCst);
                let status = server.status_as(&token).await;
                let counted = if is_late { &mut after } else { &mut before };
                *counted += usize::from(status == 200);
                if (before, after) == (1, 0) {
                    // Nobody listens any more once it is taken away.
                    let _ = succeeds.try_send(());
                }
                tries += usize::from(is_late);
                // A known caller is answered without a pause; the others want to run too.
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
async fn nothing_succeeds_after_the_answer_that_took_it_away() {
    let server = Arc::new(TestServer::start().await);
    let owner = server.owner().await;
    let bob = server.person("bob", "member").await;
    let jwt = server.sign_in("bob").await.jwt;
    let sessions = format!("/api/v1/users/{bob}/sessions");
    let revoked = successes_after(&server, &jwt, async {
        let reply = server.send_as(&owner, "DELETE", &sessions, &json!(null)).await;
        assert_eq!((reply.status, reply.json()), (200, json!(1)));
    });
    assert_eq!(revoked.await, 0);

    let tokens = format!("/api/v1/users/{bob}/personal-access-tokens");
    let made = server
        .send_as(&owner, "POST", &tokens, &json!({"label": "a"}))
        .await
        .json();
    let one = format!("{tokens}/{}", made["personalAccessTokenId"].as_str().unwrap());
    let revoked = successes_after(&server, made["token"].as_str().unwrap(), async {
        let reply = server.send_as(&owner, "DELETE", &one, &json!(null)).await;
        assert_eq!((reply.status, reply.json()), (200, json!(true)));
    });
    assert_eq!(revoked.await, 0);

    let jwt = server.sign_in("bob").await.jwt;
    let disabled = successes_after(&server, &jwt, server.enable(&owner, bob, false));
    assert_eq!(disabled.await, 0);
}
