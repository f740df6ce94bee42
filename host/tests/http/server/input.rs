//! Validation of request bodies and parameters, on every route.

use serde_json::{Value, json};
use svc_covers::covers;

use crate::filled;
use crate::support::{Client, Reply, TestServer};

/// An operation of the API's description.
struct Described {
    method: String,
    path: String,
    operation: Value,
}

impl Described {
    /// The properties of its body, if it takes one.
    fn properties(&self, document: &Value) -> Option<Vec<String>> {
        let schema = &self.operation["requestBody"]["content"]["application/json"]["schema"];
        let pointer = schema["$ref"].as_str()?.trim_start_matches('#');
        let properties = document.pointer(pointer)?["properties"].as_object()?;
        Some(properties.keys().cloned().collect())
    }

    /// An invalid query: a parameter that does not accept a word such as `~`.
    fn wrong_query(&self) -> Option<String> {
        let parameters = self.operation["parameters"].as_array()?;
        let takes_no_word = |parameter: &&Value| {
            let schema = &parameter["schema"];
            parameter["in"] == "query"
                && (schema["enum"].is_array() || schema["type"] == "integer" || schema["type"] == "boolean")
        };
        let wrong = parameters.iter().find(takes_no_word)?;
        Some(format!("{}=~", wrong["name"].as_str().unwrap()))
    }
}

fn described() -> (Value, Vec<Described>) {
    let document = serde_json::to_value(svc_api::openapi::document(&svc_api::router::routes())).unwrap();
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            all.push(Described {
                method: method.to_uppercase(),
                path: path.clone(),
                operation: operation.clone(),
            });
        }
    }
    (document, all)
}

/// Sends a body as JSON, which it need not be.
async fn send(client: &Client, method: &str, target: &str, body: &str) -> Reply {
    let headers = [("content-type", "application/json"), ("svc-app", "music")];
    client.request(method, target, &headers, body).await
}

/// Path and message of all errors.
fn errors(reply: &Reply) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let json = reply.json();
    let errors = json["errors"].as_array().unwrap_or_else(|| panic!("{json}"));
    errors
        .iter()
        .map(|error| (text(&error["path"]), text(&error["message"])))
        .collect()
}

/// A server with an owner, and one without for `POST /setup`.
async fn owned_and_fresh() -> [(TestServer, Client); 2] {
    let (set_up, fresh) = (TestServer::start().await, TestServer::start().await);
    let token = set_up.as_owner().await;
    let nobody = fresh.anonymous();
    [(set_up, token), (fresh, nobody)]
}

#[covers("A2")]
#[tokio::test]
async fn array_or_missing_body_is_refused_by_every_route() {
    let [owned, fresh] = owned_and_fresh().await;
    let (document, all) = described();
    let mut taking = 0;
    for route in &all {
        if route.properties(&document).is_none() {
            continue;
        }
        taking += 1;
        let (_, token) = if route.path == "/api/v1/setup" {
            &fresh
        } else {
            &owned
        };
        let target = filled(&route.path);
        for body in [
            "[]",
            "[null, null, null]",
            "[\"ada\", \"correct horse\", 1, true, {}, []]",
            "\"x\"",
            "7",
            "null",
        ] {
            let reply = send(token, &route.method, &target, body).await;
            let what = format!("{} {} {body}", route.method, route.path);
            assert_eq!(reply.status, 400, "{what}");
            let expected = (String::new(), "the body must be a JSON object".to_owned());
            assert_eq!(errors(&reply), [expected], "{what}");
        }
        let reply = send(token, &route.method, &target, "").await;
        assert_eq!(reply.status, 400, "{} {}", route.method, route.path);
        let expected = "the body is missing; it must be a JSON object".to_owned();
        assert_eq!(errors(&reply), [(String::new(), expected)]);
    }
    assert!(taking >= 30, "{taking} routes take a body");
}

#[covers("A2")]
#[tokio::test]
async fn nested_array_in_place_of_an_object_is_refused() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    for (method, target, body, path) in [
        (
            "POST",
            "/api/v1/playback-queues",
            json!({"type": "static", "items": [["music_track", "0000000000001"]]}),
            "items[0]",
        ),
        (
            "POST",
            "/api/v1/index/run",
            json!({"type": "quick", "paths": [{"rootDir": "music"}, ["music", ""]]}),
            "paths[1]",
        ),
        (
            "POST",
            "/api/v1/libraries",
            json!({"name": "x", "mediaKind": "music", "grants": [[null, "member"]]}),
            "grants[0]",
        ),
        (
            "PATCH",
            "/api/v1/settings",
            json!({"app": null, "settings": [["theme", "dark"]]}),
            "settings",
        ),
        (
            "POST",
            "/api/v1/jobs",
            json!({"type": "backup", "parameters": [7]}),
            "parameters",
        ),
    ] {
        let reply = token.send(method, target, &body).await;
        let expected = (path.to_owned(), "must be an object".to_owned());
        assert_eq!((reply.status, errors(&reply)), (400, vec![expected]), "{body}");
    }
}

/// Words of messages that are meant for programmers.
const NOT_FOR_PEOPLE: [&str; 22] = [
    "struct",
    "enum ",
    "tuple",
    "variant",
    "sequence",
    " map",
    "Option",
    "Input",
    "::",
    "`",
    "u32",
    "u64",
    "i64",
    "f64",
    "usize",
    "invalid type",
    "invalid value",
    "expected",
    "at line",
    "serde",
    "unit",
    "visitor",
];

#[covers("A10")]
#[tokio::test]
async fn field_errors_have_a_path_and_a_readable_message() {
    let [owned, fresh] = owned_and_fresh().await;
    let (document, all) = described();
    let mut reported = 0;
    for route in &all {
        for field in route.properties(&document).unwrap_or_default() {
            let (_, token) = if route.path == "/api/v1/setup" {
                &fresh
            } else {
                &owned
            };
            for wrong in [
                json!({"a": [1]}),
                json!([[{"b": null}]]),
                json!(-1.5),
                json!("~"),
                json!(false),
            ] {
                let body = json!({ &field: wrong }).to_string();
                let reply = send(token, &route.method, &filled(&route.path), &body).await;
                // Well-formed codes of devices are 400 too (RFC 8628), and name no field.
                if reply.status != 400
                    || reply
                        .json()
                        .get("code")
                        .is_some_and(|code| code == "expired_token")
                {
                    continue;
                }
                let what = format!("{} {} {body}", route.method, route.path);
                for (path, message) in errors(&reply) {
                    reported += 1;
                    let starts = |text: &str| text.starts_with(|first: char| first.is_lowercase());
                    assert!(
                        starts(&message) && (path.is_empty() || starts(&path)),
                        "{what}: {path} {message}"
                    );
                    let jargon = NOT_FOR_PEOPLE.iter().find(|jargon| message.contains(**jargon));
                    assert_eq!(jargon, None, "{what}: {path}: {message}");
                }
            }
        }
    }
    assert!(reported > 300, "{reported} faults were told");
    let (_, token) = &owned;
    let queue = json!({"type": "static", "items": [
        {"mediaType": "music_track", "mediaId": "0000000000001"}, {"mediaType": "music_track", "mediaId": 7},
    ]});
    let reply = token.post("/api/v1/playback-queues", &queue).await;
    let expected = ("items[1].mediaId".to_owned(), "must be a string".to_owned());
    assert_eq!((reply.status, errors(&reply)), (400, vec![expected]));
    let run = json!({"type": "slow"});
    let reply = token.post("/api/v1/index/run", &run).await;
    let expected = ("type".to_owned(), "must be one of quick, full".to_owned());
    assert_eq!((reply.status, errors(&reply)), (400, vec![expected]));
}

/// Input that is invalid for every target of its route.
const WRONG: [(&str, &str, &str); 15] = [
    ("PATCH", "/api/v1/users/{id}", r#"{"username": " "}"#),
    ("PATCH", "/api/v1/users/{id}", r#"{"password": "short"}"#),
    (
        "POST",
        "/api/v1/users/{id}/personal-access-tokens",
        r#"{"label": ""}"#,
    ),
    (
        "POST",
        "/api/v1/users/{id}/personal-access-tokens",
        r#"{"label": "x", "expiresAt": "soon"}"#,
    ),
    (
        "POST",
        "/api/v1/users/{id}/personal-access-tokens",
        r#"{"label": "x", "capabilities": ["Fly"]}"#,
    ),
    ("PATCH", "/api/v1/photo-albums/{photoAlbumId}", r#"{"name": " "}"#),
    (
        "PATCH",
        "/api/v1/photo-albums/{photoAlbumId}",
        r#"{"visibility": "some"}"#,
    ),
    (
        "PATCH",
        "/api/v1/photo-albums/{photoAlbumId}",
        r#"{"sharedWith": ["x"]}"#,
    ),
    ("PATCH", "/api/v1/libraries/{libraryId}", r#"{"name": " "}"#),
    ("PATCH", "/api/v1/libraries/{libraryId}", r#"{"grants": [{}]}"#),
    ("PATCH", "/api/v1/roles/{role}", r#"{"capabilities": ["Fly"]}"#),
    ("PATCH", "/api/v1/photos/{photoId}", r#"{"takenAt": "soon"}"#),
    (
        "PUT",
        "/api/v1/playback-queues/{playbackQueueId}/cursor",
        r#"{"playbackQueueItemId": "x", "seconds": -1}"#,
    ),
    (
        "POST",
        "/api/v1/playback-queues/{playbackQueueId}/items",
        r#"{"items": [{"mediaType": "photo", "mediaId": "x"}], "insert": "end"}"#,
    ),
    (
        "PATCH",
        "/api/v1/playback-queues/{playbackQueueId}/items/{playbackQueueItemId}",
        r#"{"after": "x"}"#,
    ),
];

#[covers("A11")]
#[tokio::test]
async fn input_is_validated_before_the_path_is_resolved() {
    let server = TestServer::start().await;
    let token = server.as_owner().await;
    let (document, all) = described();
    let mut tried = 0;
    for route in all.iter().filter(|route| route.path.contains('{')) {
        // An unknown id, and a malformed one.
        for id in ["0000000000001", "~"] {
            let target: String = filled(&route.path).replace("0000000000001", id);
            let (target, body) = match (route.properties(&document), route.wrong_query()) {
                (Some(_), _) => (target, "{\"\": "),
                (None, Some(query)) => (format!("{target}?{query}"), ""),
                (None, None) => continue,
            };
            tried += 1;
            let reply = send(&token, &route.method, &target, body).await;
            assert_eq!(reply.status, 400, "{} {target}", route.method);
        }
    }
    assert!(tried >= 50, "{tried}");
    for (method, path, body) in WRONG {
        assert!(
            all.iter()
                .any(|route| route.method == method && route.path == path),
            "{path}"
        );
        let reply = send(&token, method, &filled(path), body).await;
        assert_eq!(reply.status, 400, "{method} {path} {body}");
    }
}
