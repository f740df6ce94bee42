//! Personal access tokens: making, listing, revoking, using.

use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::people::PASSWORD;
use super::{Bed, Reply};
use crate::auth::secret_token::PersonalAccessSecret;
use crate::domain::audit::AuditEvent;
use crate::domain::id::UserId;
use crate::random::SystemRandom;

const UNKNOWN: &str = "0000000000001";

fn path(user: impl std::fmt::Display) -> String {
    format!("/api/v1/users/{user}/personal-access-tokens")
}

async fn create(bed: &Bed, by: &str, user: UserId, body: Value) -> Reply {
    bed.send_as(by, "POST", &path(user), &body).await
}

/// Id and secret of a new token.
async fn token(bed: &Bed, by: &str, user: UserId, body: Value) -> (String, String) {
    let reply = create(bed, by, user, body).await;
    assert_eq!(reply.status, 201, "{}", String::from_utf8_lossy(&reply.body));
    let created = reply.json();
    let text = |field: &str| created[field].as_str().unwrap().to_owned();
    (text("personalAccessTokenId"), text("token"))
}

fn assert_invalid(reply: &Reply, case: &str) {
    assert_eq!((reply.status, reply.code().as_deref()), (401, Some("pat_invalid")), "{case}");
    assert!(reply.header("www-authenticate").starts_with("Bearer"));
    assert_eq!(reply.header("cache-control"), "no-store");
}

async fn current(bed: &Bed, token: &str) -> Reply {
    bed.get_as(token, "/api/v1/users/current").await
}

#[tokio::test]
async fn token_is_shown_once_and_listed_without_its_secret() {
    let bed = Bed::start().await;
    let ada = bed.person("ada", "owner").await;
    let owner = bed.token(ada);
    let reply = create(&bed, &owner, ada, json!({"label": " Player ", "more": 1})).await;
    assert_eq!((reply.status, reply.header("cache-control")), (201, "no-store"));
    let created = reply.json();
    let secret = created["token"].as_str().unwrap();
    let random = secret.strip_prefix("svc_pat_").unwrap();
    assert_eq!(random.len(), 49);
    assert!(random.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    assert_eq!((&created["label"], &created["expiresAt"]), (&json!("Player"), &Value::Null));
    assert_eq!(current(&bed, secret).await.json()["localUser"]["userId"], json!(ada.to_string()));
    // Whoever asks for active users has the last use written.
    assert_eq!(bed.get_as(&owner, "/api/v1/users/active").await.status, 200);
    let (second, _) = token(&bed, &owner, ada, json!({"label": "Second"})).await;
    let reply = bed.get_as(&owner, &path(ada)).await;
    let text = String::from_utf8(reply.body.clone()).unwrap();
    assert!(!text.contains(&random[..8]) && !text.contains("svc_pat_") && !text.contains("hash"));
    let listed = reply.json();
    assert_eq!(listed.as_array().unwrap().len(), 2);
    assert_eq!(listed[0]["personalAccessTokenId"], json!(second));
    let first = &listed[1];
    assert_eq!(first["personalAccessTokenId"], created["personalAccessTokenId"]);
    assert_eq!(first["hint"], json!(&secret[secret.len() - 4..]));
    assert_eq!((&first["createdBy"], &first["label"]), (&json!(ada.to_string()), &json!("Player")));
    assert_eq!(first["createdAt"], created["createdAt"]);
    assert!(first["lastUsedAt"].is_string(), "{first}");
    assert_eq!(bed.audit(AuditEvent::TokenCreated).await.len(), 2);
}

#[tokio::test]
async fn revoked_token_is_refused_from_the_next_request_on() {
    let bed = Bed::start().await;
    let owner = bed.owner().await;
    let (bob, eve) = (bed.user("bob", false, &["member"]).await, bed.user("eve", false, &["member"]).await);
    let (id, secret) = token(&bed, &owner, bob, json!({"label": "a"})).await;
    let (_, other) = token(&bed, &owner, bob, json!({"label": "b"})).await;
    let revoke = async |user: UserId, id: &str| {
        let reply = bed.send_as(&owner, "DELETE", &format!("{}/{id}", path(user)), &json!(null)).await;
        assert_eq!(reply.status, 200);
        reply.json()
    };
    for (user, id) in [(bob, UNKNOWN), (eve, id.as_str())] {
        assert_eq!(revoke(user, id).await, json!(false));
        assert_eq!(current(&bed, &secret).await.status, 200);
    }
    assert_eq!(revoke(bob, &id).await, json!(true));
    assert_invalid(&current(&bed, &secret).await, "revoked");
    assert_eq!(revoke(bob, &id).await, json!(false));
    assert_eq!(current(&bed, &other).await.status, 200);
    assert_eq!(bed.audit(AuditEvent::TokenRevoked).await.len(), 1);
}

#[tokio::test]
async fn token_is_not_permitted_where_tokens_are_managed_whatever_is_asked() {
    let bed = Bed::start().await;
    let ada = bed.person("ada", "owner").await;
    let owner = bed.token(ada);
    let bob = bed.user("bob", false, &["member"]).await;
    let (own, strong) = token(&bed, &owner, ada, json!({"label": "a"})).await;
    let (_, weak) = token(&bed, &owner, bob, json!({"label": "b"})).await;
    let (_, narrow) = token(&bed, &owner, ada, json!({"label": "c", "capabilities": []})).await;
    let users = [ada.to_string(), bob.to_string(), UNKNOWN.into(), "junk".into()];
    let bodies = [r#"{"label":"x"}"#, "{", "", r#"{"label":""}"#, r#"{"label":"x","expiresAt":"junk"}"#];
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
            let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
            let reply = bed.send(method, &path, &headers, body).await;
            assert_eq!((reply.status, reply.code().as_deref()), (status, Some(code)), "{method} {path} {body}");
        }
    }
    assert_eq!(bed.get_as(&owner, &path(ada)).await.json().as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn token_sets_no_password() {
    let bed = Bed::start().await;
    let ada = bed.person("ada", "owner").await;
    let bob = bed.person("bob", "member").await;
    let owner = bed.token(ada);
    let (_, secret) = token(&bed, &owner, ada, json!({"label": "a"})).await;
    let password = json!({"password": "another password", "currentPassword": PASSWORD});
    for path in ["/api/v1/users/current".to_owned(), format!("/api/v1/users/{bob}")] {
        let reply = bed.send_as(&secret, "PATCH", &path, &password).await;
        assert_eq!((reply.status, reply.code().as_deref()), (403, Some("pat_not_permitted")), "{path}");
        let name = json!({"displayName": "Somebody"});
        assert_eq!(bed.send_as(&secret, "PATCH", &path, &name).await.status, 200);
    }
    assert_eq!(bed.try_password("ada", PASSWORD).await.status, 201);
    assert_eq!(bed.try_password("bob", PASSWORD).await.status, 201);
}

#[tokio::test]
async fn tokens_that_are_not_ours_are_all_refused_alike() {
    let bed = Bed::start().await;
    let ada = bed.person("ada", "owner").await;
    let (_, secret) = token(&bed, &bed.token(ada), ada, json!({"label": "a"})).await;
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
        assert_invalid(&current(&bed, bad).await, bad);
    }
    // Not even a token by its prefix.
    let upper = current(&bed, &secret.replace("svc_pat_", "SVC_PAT_")).await;
    assert_eq!((upper.status, upper.code()), (401, None));
}

#[tokio::test]
async fn token_ends_at_its_moment_and_with_its_user() {
    let bed = Bed::start().await;
    let owner_id = bed.person("ada", "owner").await;
    let owner = bed.token(owner_id);
    let bob = bed.user("bob", false, &["member"]).await;
    bed.link(bob, "c1").await;
    let end = crate::domain::time::Timestamp::from_millis(
        crate::domain::time::Clock::now(bed.clock.as_ref()).millis() + 3_600_000,
    );
    let (_, short) = token(&bed, &owner, bob, json!({"label": "a", "expiresAt": end})).await;
    // No cloud is asked, though the account is linked.
    let (_, long) = token(&bed, &owner, bob, json!({"label": "b"})).await;
    bed.clock.advance(Duration::from_secs(3_590));
    assert_eq!(current(&bed, &short).await.status, 200);
    bed.clock.advance(Duration::from_secs(10));
    assert_invalid(&current(&bed, &short).await, "expired");
    assert_eq!(current(&bed, &long).await.status, 200);
    let owner = bed.token(owner_id);
    bed.enable(&owner, bob, false).await;
    assert_invalid(&current(&bed, &long).await, "disabled");
    bed.enable(&owner, bob, true).await;
    assert_eq!(current(&bed, &long).await.status, 200);
    bed.delete(bob).await;
    assert_invalid(&current(&bed, &long).await, "deleted");
    assert_eq!(bed.number("SELECT count(*) FROM personal_access_tokens").await, 0);
}

#[tokio::test]
async fn token_carries_its_users_roles_narrowed_by_its_own() {
    let bed = Bed::start().await;
    let owner = bed.owner().await;
    let bob = bed.user("bob", false, &["administrator"]).await;
    let narrowed = json!({"label": "a", "capabilities": ["CurrentUser.Read"]});
    let (_, narrow) = token(&bed, &owner, bob, narrowed).await;
    let (_, full) = token(&bed, &owner, bob, json!({"label": "b", "capabilities": null})).await;
    let (_, none) = token(&bed, &owner, bob, json!({"label": "c", "capabilities": []})).await;
    let statuses = async |secret: &str| {
        let users = bed.get_as(secret, "/api/v1/users").await.status;
        (current(&bed, secret).await.status, users)
    };
    assert_eq!(statuses(&narrow).await, (200, 403));
    assert_eq!(statuses(&full).await, (200, 200));
    assert_eq!(statuses(&none).await, (403, 403));
    assert_eq!(current(&bed, &narrow).await.json()["capabilities"], json!(["CurrentUser.Read"]));
    let listed = bed.get_as(&owner, &path(bob)).await.json();
    assert_eq!(listed[2]["capabilities"], json!(["CurrentUser.Read"]));
    for bad in [json!(["No.Such"]), json!(["MediaServer.FactoryReset"]), json!("CurrentUser.Read"), json!([1])] {
        let reply = create(&bed, &owner, bob, json!({"label": "d", "capabilities": bad})).await;
        assert_eq!(reply.status, 400, "{bad}");
    }
    // What the user loses, the token loses.
    let assignments = format!("/api/v1/roles/administrator/assignments?userIds={bob}");
    assert_eq!(bed.send_as(&owner, "DELETE", &assignments, &json!(null)).await.status, 200);
    assert_eq!(statuses(&full).await, (403, 403));
}

#[tokio::test]
async fn tokens_are_made_for_nobody_stronger_nor_for_the_guest() {
    let bed = Bed::start().await;
    let ada = bed.person("ada", "owner").await;
    let owner = bed.token(ada);
    let bob = bed.user("bob", false, &["administrator"]).await;
    let carl = bed.user("carl", false, &["member"]).await;
    let guest = bed.store.guest().await.unwrap().unwrap().id;
    let label = json!({"label": "a"});
    let (id, _) = token(&bed, &owner, ada, label.clone()).await;
    let (admin, member) = (bed.token(bob), bed.token(carl));
    for (by, user, status) in [
        (&owner, bob, 201),
        (&admin, bob, 201),
        (&admin, carl, 201),
        (&admin, ada, 403),
        (&owner, guest, 403),
        (&member, carl, 403),
        (&member, ada, 403),
        (&admin, UserId::from(1), 404),
        (&member, UserId::from(1), 403),
    ] {
        let reply = create(&bed, by, user, label.clone()).await;
        assert_eq!((reply.status, reply.json()["code"].as_str()), (status, None), "{user}");
    }
    assert_eq!(bed.get_as(&admin, &path(ada)).await.status, 403);
    let one = format!("{}/{id}", path(ada));
    assert_eq!(bed.send_as(&admin, "DELETE", &one, &json!(null)).await.status, 403);
    assert_eq!(bed.get_as(&owner, &path(ada)).await.json().as_array().unwrap().len(), 1);
    assert_eq!(bed.get_as(&admin, &path("junk")).await.status, 404);
}

#[tokio::test]
async fn label_and_expiry_are_checked() {
    let bed = Bed::start().await;
    let ada = bed.person("ada", "owner").await;
    let owner = bed.token(ada);
    for (given, expected) in [
        (json!("2999-01-01"), json!("2999-01-01T00:00:00.000Z")),
        (json!("2999-01-01T10:30:00Z"), json!("2999-01-01T10:30:00.000Z")),
        (json!("2999-01-01T10:30:00.5+02:00"), json!("2999-01-01T08:30:00.500Z")),
        (Value::Null, Value::Null),
    ] {
        let reply = create(&bed, &owner, ada, json!({"label": "a", "expiresAt": given})).await;
        assert_eq!((reply.status, &reply.json()["expiresAt"]), (201, &expected), "{given}");
    }
    let now = crate::domain::time::Clock::now(bed.clock.as_ref());
    let today = serde_json::to_value(now).unwrap().as_str().unwrap()[..10].to_owned();
    for bad in [
        "2020-01-01",
        &today,
        "2020-01-01T00:00:00Z",
        "tomorrow",
        "",
        "2999-13-01",
        "2999-02-29",
        "2999-01-01T10:30:00",
        "32503680000",
    ] {
        let reply = create(&bed, &owner, ada, json!({"label": "a", "expiresAt": bad})).await;
        assert_eq!(reply.status, 400, "{bad}");
        assert_eq!(reply.json()["errors"][0]["path"], "expiresAt", "{bad}");
    }
    for (label, status) in [
        (json!("é".repeat(100)), 201),
        (json!(format!("  {}  ", "x".repeat(100))), 201),
        (json!("x".repeat(101)), 400),
        (json!(""), 400),
        (json!("   "), 400),
        (json!("a\u{1b}b"), 400),
        (json!(1), 400),
        (Value::Null, 400),
    ] {
        let reply = create(&bed, &owner, ada, json!({"label": label})).await;
        assert_eq!(reply.status, status, "{label}");
    }
    let reply = create(&bed, &owner, ada, json!({"expiresAt": 5})).await;
    assert_eq!(reply.status, 400);
}

#[tokio::test]
async fn user_has_at_most_two_hundred_live_tokens() {
    let bed = Bed::start().await;
    let ada = bed.person("ada", "owner").await;
    let owner = bed.token(ada);
    let end = crate::domain::time::Clock::now(bed.clock.as_ref()).millis() + 60_000;
    let soon = json!({"label": "a", "expiresAt": crate::domain::time::Timestamp::from_millis(end)});
    token(&bed, &owner, ada, soon).await;
    for _ in 1..200 {
        token(&bed, &owner, ada, json!({"label": "a"})).await;
    }
    let reply = create(&bed, &owner, ada, json!({"label": "a"})).await;
    assert_eq!((reply.status, reply.code().as_deref()), (409, Some("too_many_tokens")));
    // One that has ended does not count.
    bed.clock.advance(Duration::from_secs(61));
    token(&bed, &owner, ada, json!({"label": "a"})).await;
    assert_eq!(create(&bed, &owner, ada, json!({"label": "a"})).await.status, 409);
}

#[tokio::test]
async fn token_in_the_query_counts_where_nothing_changes() {
    let bed = Bed::start().await;
    let ada = bed.person("ada", "owner").await;
    let (_, secret) = token(&bed, &bed.token(ada), ada, json!({"label": "a"})).await;
    let target = format!("/api/v1/users/current?token={secret}");
    for (method, status) in [("GET", 200), ("HEAD", 200), ("PATCH", 401)] {
        let json = [("content-type", "application/json")];
        assert_eq!(bed.send(method, &target, &json, "{}").await.status, status, "{method}");
    }
    let users = format!("/api/v1/users?token={secret}");
    assert_eq!(bed.post(&users, &json!({"username": "x", "password": PASSWORD})).await.status, 401);
    let upper = format!("/api/v1/users/current?TOKEN={secret}");
    assert_eq!(bed.get(&upper).await.status, 401);
    assert_invalid(&bed.get("/api/v1/users/current?token=svc_pat_junk").await, "query");
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

#[tokio::test]
async fn no_secret_is_stored_in_the_clear() {
    let bed = Bed::start().await;
    let ada = bed.person("ada", "owner").await;
    let session = bed.sign_in("ada").await;
    bed.try_password("ada", "a wrong password").await;
    bed.try_password("a name that is a password", "x").await;
    let next = bed.refresh(&session.cookie).await.signed_in();
    let (_, secret) = token(&bed, &next.jwt, ada, json!({"label": "the label"})).await;
    assert_eq!(current(&bed, &secret).await.status, 200);
    assert_eq!(bed.get_as(&next.jwt, "/api/v1/users/active").await.status, 200);
    let stored = contents(bed.directory.path());
    let holds = |text: &str| stored.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(holds("the label") && holds("$argon2id$"), "the search finds what is there");
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
