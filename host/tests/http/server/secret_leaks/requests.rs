//! Requests with a secret wherever one can stand.

use serde_json::{Value, json};

use crate::server::secret_leaks::capture::{base64, escaped, form};
use crate::support::provider::SIGN_IN_COOKIE;
use crate::{INSTANCE, filled};
use svc_api::route::Route;

/// A request without its route's method.
pub(crate) struct Sent {
    pub(crate) target: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

/// The credential of a known caller.
fn known(jwt: &str) -> (&'static str, String) {
    ("authorization", format!("Bearer {jwt}"))
}

/// The requests for a route. The secrets rotate: each place holds one, and another in the next route.
pub(crate) fn requests(route: &Route, turn: usize, secrets: &[String], jwt: &str) -> Vec<Sent> {
    let mut turns = secrets.iter().cycle().skip(turn % secrets.len());
    let mut next = || turns.next().unwrap().as_str();
    let path = filled(route.path);
    let mut sent = Vec::new();
    let mut add = |target: String, headers, body: String| {
        sent.push(Sent {
            target,
            headers,
            body,
        });
    };
    for kind in 0..QUERIES {
        add(
            format!("{path}?{}", query(kind, next())),
            Vec::new(),
            String::new(),
        );
        add(
            format!("{path}?{}", query(kind, next())),
            vec![known(jwt)],
            String::new(),
        );
    }
    add(in_path(route.path, next()), vec![known(jwt)], String::new());
    add(in_path(route.path, next()), Vec::new(), String::new());
    add(format!("{path}/{}", percent(next())), Vec::new(), String::new());
    for kind in 0..headers("").len() {
        let header = headers(next()).swap_remove(kind);
        add(path.clone(), vec![header.clone()], String::new());
        add(path.clone(), vec![header.clone(), header.clone()], String::new());
        if header.0.eq_ignore_ascii_case("authorization") {
            continue;
        }
        add(path.clone(), vec![header, known(jwt)], String::new());
    }
    if route.path.ends_with("/oidc/logout") {
        let media_type = ("content-type", "application/x-www-form-urlencoded".to_owned());
        add(
            path.clone(),
            vec![media_type],
            format!("logout_token={}", percent(next())),
        );
    }
    if route.method != "GET" {
        let current = path.replace("0000000000001", "current");
        for kind in 0..bodies("").len() {
            for target in [&path, &current] {
                let body = bodies(next()).swap_remove(kind);
                // The name of an album is returned on purpose.
                if path == "/api/v1/photo-albums" && has_name(&body) {
                    continue;
                }
                let headers = vec![
                    ("content-type", "application/json".to_owned()),
                    ("svc-app", "music".to_owned()),
                    known(jwt),
                ];
                add(target.clone(), headers, body);
                if path == current {
                    break;
                }
            }
        }
    }
    sent
}

fn has_name(body: &str) -> bool {
    serde_json::from_str::<Value>(body).is_ok_and(|body| body["name"].is_string())
}

pub(crate) fn percent(secret: &str) -> String {
    form(secret).replace('+', "%20")
}

fn in_path(path: &str, secret: &str) -> String {
    let parts = path.split('/').map(|part| {
        if part.starts_with('{') {
            escaped(secret)
        } else {
            part.to_owned()
        }
    });
    parts.collect::<Vec<_>>().join("/")
}

const QUERIES: usize = 15;

fn query(kind: usize, secret: &str) -> String {
    let encoded = percent(secret);
    match kind {
        0 => format!("token={encoded}"),
        1 => format!("ToKeN={encoded}"),
        2 => format!("%74oken={}", escaped(secret)),
        3 => format!("authorization=Bearer%20{encoded}"),
        4 => format!("access_token={encoded}&take=x"),
        5 => format!("api_key={encoded}&take=-1"),
        6 => format!("password={encoded}&order={encoded}&sort={encoded}"),
        7 => format!("token={encoded}&token={encoded}"),
        8 => format!("userIds={encoded}&roles={encoded}&rootDir={encoded}"),
        9 => format!("runId={encoded}&event={encoded}"),
        10 => format!("{encoded}={encoded}"),
        11 => format!("code={encoded}&state={encoded}&iss={encoded}"),
        12 => format!("app=music&invitation={encoded}"),
        13 => format!("app=music&link={encoded}"),
        _ => format!("token=%{encoded}"),
    }
}

fn headers(secret: &str) -> Vec<(&'static str, String)> {
    vec![
        ("authorization", format!("Bearer {secret}")),
        ("authorization", format!("bEaReR   {secret}")),
        ("AUTHORIZATION", secret.to_owned()),
        ("authorization", format!("Token {secret}")),
        (
            "authorization",
            format!("Basic {}", base64(format!("ada:{secret}").as_bytes())),
        ),
        ("proxy-authorization", format!("Bearer {secret}")),
        ("svc-cloud-token", secret.to_owned()),
        (
            "cookie",
            format!("svc_refresh_token_{INSTANCE}={secret}; {SIGN_IN_COOKIE}={secret}; other={secret}"),
        ),
        ("svc-app", secret.to_owned()),
        ("origin", format!("https://{}", percent(secret))),
        ("x-api-key", secret.to_owned()),
        ("content-type", secret.to_owned()),
        ("range", format!("bytes={secret}")),
        ("if-none-match", secret.to_owned()),
        ("sec-fetch-site", secret.to_owned()),
        ("x-forwarded-for", secret.to_owned()),
        ("accept", secret.to_owned()),
    ]
}

/// Fields of request bodies.
const FIELDS: [&str; 24] = [
    "username",
    "displayName",
    "role",
    "name",
    "capabilities",
    "userIds",
    "app",
    "settings",
    "origin",
    "type",
    "validationPhrase",
    "label",
    "expiresAt",
    "action",
    "mediaKinds",
    "enabled",
    "password",
    "serverName",
    "paths",
    "userId",
    "userCode",
    "deviceCode",
    "shortcode",
    "targetPublicUserId",
];

/// Bodies with a secret in the right field and in others.
fn bodies(secret: &str) -> Vec<String> {
    let wrong = |value: Value| {
        Value::Object(
            FIELDS
                .map(|field| (field.to_owned(), value.clone()))
                .into_iter()
                .collect(),
        )
    };
    let mut bodies = vec![
        json!({"username": "nobody", "password": secret, "currentPassword": secret, "cloudToken": secret,
            "setupToken": secret}),
        json!({"username": "nobody", "ssoToken": secret, "token": secret, "jwt": secret}),
        json!({"username": secret, "password": "short"}),
        json!({"shortcode": secret, "username": "invited", "password": "long enough"}),
        json!({"role": "member", "targetPublicUserId": secret}),
        json!({"userId": secret, "password": secret}),
        json!({"currentPassword": secret, "password": secret, "username": "ada"}),
        json!({"app": null, "settings": {secret: 1}}),
        json!({"app": secret, "settings": {"theme": secret, "server_name": [secret]}}),
        json!({"name": "role", "capabilities": [secret]}),
        json!({"name": secret, "capabilities": []}),
        json!({"userIds": [secret]}),
        json!({"origin": format!("x://{secret}")}),
        json!({"type": secret, "validationPhrase": secret}),
        json!({"label": "tv", "expiresAt": secret}),
        json!({"label": "tv", "capabilities": [secret]}),
        json!(secret),
        json!([secret]),
        wrong(json!([secret])),
        wrong(json!({"value": secret})),
    ];
    // Each field alone, because the first error hides the others.
    bodies.extend(FIELDS.map(|field| json!({field: [secret]})));
    let mut bodies: Vec<_> = bodies.iter().map(Value::to_string).collect();
    bodies.push(format!("{{\"password\":\"{secret}"));
    bodies.push(format!("{{\"password\":{secret}}}"));
    bodies.push(secret.to_owned());
    bodies
}
