//! Revoking a personal access token revokes what was obtained with it.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use svc_covers::covers;

use crate::filled;
use crate::support::accounts::PASSWORD;
use crate::support::databases::on_each_database_with;
use crate::support::write_requests::WriteFixture;
use crate::support::{Client, Reply, TestServer};
use svc_api::route::Access;
use svc_api::router::routes;

/// Every text of a JSON value.
fn texts(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            found.insert(text.clone());
        }
        Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
        Value::Object(fields) => fields.values().for_each(|field| texts(field, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// What the token's requests returned.
#[derive(Default)]
struct CollectedSecrets {
    texts: BTreeSet<String>,
    /// Signed URLs.
    links: BTreeSet<String>,
    cookies: BTreeSet<String>,
    /// Names and passwords that were sent, accepted or not.
    passwords: BTreeSet<(String, String)>,
}

impl CollectedSecrets {
    fn note(&mut self, body: &Value, reply: &Reply) {
        if let (Some(name), Some(password)) = (body["username"].as_str(), body["password"].as_str()) {
            self.passwords.insert((name.to_owned(), password.to_owned()));
        }
        self.cookies.extend(
            reply
                .cookie()
                .map(str::to_owned)
                .filter(|cookie| !cookie.is_empty()),
        );
        if let Ok(body) = serde_json::from_slice(&reply.body) {
            texts(&body, &mut self.texts);
        }
        let links = self.texts.iter().filter(|text| text.contains("token="));
        self.links.extend(links.cloned());
    }
}

/// Encodes a query value.
fn encoded(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// The capabilities of an account, and the statuses of two reads.
async fn powers(jwt: &Client) -> Value {
    let current = jwt.get("/api/v1/users/current").await.json();
    let libraries = jwt.get("/api/v1/libraries").await;
    let tracks = jwt.get("/api/v1/music/tracks").await;
    json!([
        current["roles"],
        current["capabilities"],
        libraries.status,
        tracks.status
    ])
}

async fn nothing_outlives_the_token(server: TestServer) {
    let mut world = WriteFixture::new(server).await;
    let server = &world.server;
    let vic = server.sign_in("vic").await.client;
    let before = powers(&vic).await;
    let token = server.as_token(world.eve, None).await;
    // Requests that a thief would try in addition.
    let vic_id = server.user_id("vic").await;
    let user = format!("/api/v1/users/{vic_id}");
    let mut tried: Vec<(&str, String, Value)> = vec![
        ("PATCH", user.clone(), json!({"password": "set by a thief"})),
        ("PATCH", user.clone(), json!({"enabled": true})),
        (
            "PATCH",
            user,
            json!({"displayName": "x", "currentPassword": PASSWORD}),
        ),
        (
            "PATCH",
            "/api/v1/users/current".into(),
            json!({"currentPassword": PASSWORD}),
        ),
        (
            "PATCH",
            "/api/v1/settings".into(),
            json!({"app": null, "settings": {"guest_access": true}}),
        ),
        (
            "POST",
            "/api/v1/reset".into(),
            json!({"type": "factory", "validationPhrase": "Factory reset"}),
        ),
        (
            "POST",
            "/api/v1/roles/everything/assignments".into(),
            json!({"userIds": [vic_id.to_string()]}),
        ),
    ];
    for (method, target, body) in &tried {
        let reply = token.send(method, target, body).await;
        assert_eq!(
            (reply.status, reply.code().as_deref()),
            (403, Some("pat_not_permitted")),
            "{method} {target} {body}"
        );
    }
    let mut gained = CollectedSecrets::default();
    for request in std::mem::take(&mut world.requests) {
        tried.push((request.method, request.target, request.body));
    }
    let reads = routes().into_iter().filter(|route| route.method == "GET");
    let reads = reads.filter(|route| route.access != Access::Public);
    tried.extend(reads.map(|route| ("GET", filled(route.path), Value::Null)));
    for (method, target, body) in &tried {
        let sent = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let json = [("content-type", "application/json")];
        let reply = token.request(method, target, &json, &sent).await;
        gained.note(body, &reply);
    }
    assert!(!gained.links.is_empty() && !gained.passwords.is_empty());

    let id = world
        .server
        .store
        .tokens
        .personal_access_tokens(world.eve)
        .await
        .unwrap()[0]
        .id;
    let path = format!("/api/v1/users/{}/personal-access-tokens/{id}", world.eve);
    let revoked = world.owner.delete(&path).await;
    assert_eq!(revoked.status, 200);

    let server = &world.server;
    for text in &gained.texts {
        let reply = server.with_token(text).get("/api/v1/users/current").await;
        assert_eq!(reply.status, 401, "{text}");
        let reply = server
            .get(&format!("/api/v1/users/current?token={}", encoded(text)))
            .await;
        assert_eq!(reply.status, 401, "{text}");
    }
    for link in &gained.links {
        let target = link.find("/api/").map_or(link.as_str(), |at| &link[at..]);
        assert_eq!(server.get(target).await.status, 401, "{link}");
    }
    for cookie in &gained.cookies {
        assert_eq!(server.refresh(cookie).await.status, 401, "{cookie}");
    }
    for (name, password) in &gained.passwords {
        assert_eq!(server.try_password(name, password).await.status, 403, "{name}");
    }
    let guest = server
        .login(&[("svc-app", "music")], &json!({"username": "guest"}))
        .await;
    assert_eq!(guest.status, 403);
    let setup = json!({"username": "thief", "password": "set up by a thief"});
    assert_eq!(server.post("/api/v1/setup", &setup).await.status, 403);
    // The other account has not gained anything either.
    assert_eq!(powers(&vic).await, before);
}

#[covers("T14", "S4")]
#[tokio::test]
async fn revoked_token_leaves_no_access_behind() {
    on_each_database_with(WriteFixture::options, nothing_outlives_the_token).await;
}
