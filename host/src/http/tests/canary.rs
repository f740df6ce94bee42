//! Secrets sent in every way through every route, while everything is logged: none of them is found in a log line, an
//! answer, or a file.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use salvo::hyper::Request;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tracing_subscriber::EnvFilter;

use super::access_matrix::personal_access_token;
use super::{Bed, BedOptions, INSTANCE, Reply};
use crate::config::LogFormat;
use crate::http::limits::Limits;
use crate::http::router::{routes, service};
use crate::http::server;
use crate::telemetry;

const PASSWORD: &str = "pass-Zk3/V9+p canary~";
const SETUP_TOKEN: &str = "setup-Jk7Qw2Er5Ty8Ui1-canary";
const CLOUD_TOKEN: &str = "cloud-Zq8W0x7e5T3r1Y9u-canary";

/// Log lines, as the server would write them.
#[derive(Debug, Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for part in bytes.chunks(3) {
        let group = part.iter().fold(0_usize, |group, byte| group << 8 | usize::from(*byte)) << (8 * (3 - part.len()));
        for letter in 0..=part.len() {
            text.push(char::from(LETTERS[group >> (18 - 6 * letter) & 63]));
        }
    }
    text
}

/// Every byte as `%xx`.
fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

fn form(text: &str) -> String {
    url::form_urlencoded::byte_serialize(text.as_bytes()).collect()
}

/// What a secret looks like where it leaked.
fn forms(secret: &str) -> Vec<String> {
    let plain = secret.trim_start_matches("svc_pat_").rsplit('.').next().unwrap();
    let mut forms = vec![plain.to_owned(), escaped(plain), escaped(plain).to_uppercase(), form(plain), form(plain).replace('+', "%20")];
    // In base64 a text looks different by where it begins.
    for before in ["", "a", "ab"] {
        let text = base64(format!("{before}{plain}").as_bytes());
        let inner = text[4..text.len() - 4].to_owned();
        forms.push(inner.replace('+', "-").replace('/', "_"));
        forms.push(inner);
    }
    forms.push(plain.bytes().map(|byte| format!("{byte:02x}")).collect());
    forms
}

struct Hunt {
    bed: Bed,
    secrets: Vec<(&'static str, String)>,
    needles: Vec<(&'static str, String)>,
    lines: Lines,
    requests: usize,
}

impl Hunt {
    fn new(bed: Bed, secrets: Vec<(&'static str, String)>, lines: Lines) -> Self {
        let needles = secrets.iter().flat_map(|(name, secret)| forms(secret).into_iter().map(|form| (*name, form)));
        Self { needles: needles.collect(), bed, secrets, lines, requests: 0 }
    }

    fn search(&self, text: &[u8], place: &str) {
        let text = String::from_utf8_lossy(text);
        for (name, needle) in &self.needles {
            if let Some(at) = text.find(needle) {
                let start = text.floor_char_boundary(at.saturating_sub(300));
                panic!("the {name} is in {place}: {}", &text[start..at + needle.len()]);
            }
        }
    }

    fn search_reply(&self, reply: &Reply, place: &str) {
        self.search(&reply.body, place);
        for value in reply.headers.values() {
            self.search(value.as_bytes(), place);
        }
    }

    fn search_lines(&self) -> usize {
        let lines = std::mem::take(&mut *self.lines.0.lock().unwrap());
        self.search(&lines, "the log");
        lines.iter().filter(|byte| **byte == b'\n').count()
    }

    async fn send(&mut self, method: &str, target: &str, headers: &[(&str, &str)], body: &str) {
        let reply = self.bed.send(method, target, headers, body).await;
        // These exist to tell a token.
        let tells = reply.status == 201 && (target.contains("/auth/") || target.contains("personal-access-tokens"));
        if !tells {
            self.search_reply(&reply, &format!("the answer to {method} {target}"));
        }
        self.requests += 1;
    }
}

fn in_path(path: &str, secret: &str) -> String {
    let parts = path.split('/').map(|part| if part.starts_with('{') { escaped(secret) } else { part.to_owned() });
    parts.collect::<Vec<_>>().join("/")
}

/// Bodies with a secret where one belongs, and where none does.
fn bodies(secret: &str) -> Vec<String> {
    let wrong = |value: Value| {
        let fields = ["username", "displayName", "role", "name", "capabilities", "userIds", "app", "settings", "origin", "type",
            "validationPhrase", "label", "expiresAt", "action", "mediaKinds", "enabled", "password", "serverName", "paths", "userId"];
        let fields = fields.map(|field| (field.to_owned(), value.clone()));
        Value::Object(fields.into_iter().collect())
    };
    let mut bodies = vec![
        json!({"username": "nobody", "password": secret, "currentPassword": secret, "cloudToken": secret, "setupToken": secret}),
        json!({"username": "nobody", "ssoToken": secret, "token": secret, "jwt": secret}),
        json!({"username": secret, "password": "short"}),
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
    // Each field alone: the first fault hides the others.
    if let Value::Object(fields) = wrong(json!([secret])) {
        bodies.extend(fields.into_iter().map(|(field, value)| json!({field: value})));
    }
    let mut bodies: Vec<_> = bodies.iter().map(Value::to_string).collect();
    bodies.push(format!("{{\"password\":\"{secret}"));
    bodies.push(format!("{{\"password\":{secret}}}"));
    bodies.push(secret.to_owned());
    bodies
}

async fn through_every_route(hunt: &mut Hunt) {
    let jwt = hunt.secrets[0].1.clone();
    let known = format!("Bearer {jwt}");
    let cookie_name = format!("svc_refresh_token_{INSTANCE}");
    for route in routes() {
        let method = route.method.as_str();
        for (_, secret) in hunt.secrets.clone() {
            let encoded = form(&secret).replace('+', "%20");
            let path = super::filled(route.path);
            for query in [
                format!("token={encoded}"), format!("ToKeN={encoded}"), format!("%74oken={}", escaped(&secret)),
                format!("authorization=Bearer%20{encoded}"), format!("access_token={encoded}&take=x"),
                format!("api_key={encoded}&take=-1"), format!("password={encoded}&order={encoded}&sort={encoded}"),
                format!("token={encoded}&token={encoded}"), format!("userIds={encoded}&roles={encoded}&rootDir={encoded}"),
                format!("runId={encoded}&event={encoded}"), format!("{encoded}={encoded}"), format!("token=%{encoded}"),
            ] {
                let target = format!("{path}?{query}");
                hunt.send(method, &target, &[], "").await;
                hunt.send(method, &target, &[("authorization", &known)], "").await;
            }
            let target = in_path(route.path, &secret);
            hunt.send(method, &target, &[("authorization", &known)], "").await;
            hunt.send(method, &format!("{path}/{encoded}"), &[], "").await;
            let basic = format!("Basic {}", base64(format!("ada:{secret}").as_bytes()));
            let cookie = format!("{cookie_name}={secret}; other={secret}");
            for (name, value) in [
                ("authorization", format!("Bearer {secret}")), ("authorization", format!("bEaReR   {secret}")),
                ("AUTHORIZATION", secret.clone()), ("authorization", format!("Token {secret}")), ("authorization", basic),
                ("proxy-authorization", format!("Bearer {secret}")), ("svc-cloud-token", secret.clone()), ("cookie", cookie),
                ("svc-app", secret.clone()), ("origin", format!("https://{encoded}")), ("x-api-key", secret.clone()),
                ("content-type", secret.clone()), ("range", format!("bytes={secret}")), ("if-none-match", secret.clone()),
                ("sec-fetch-site", secret.clone()), ("x-forwarded-for", secret.clone()), ("accept", secret.clone()),
            ] {
                hunt.send(method, &path, &[(name, &value)], "").await;
                hunt.send(method, &path, &[(name, &value), (name, &value)], "").await;
            }
            if method != "GET" {
                for body in bodies(&secret) {
                    let headers = [("content-type", "application/json"), ("svc-app", "music"), ("authorization", known.as_str())];
                    hunt.send(method, &path, &headers, &body).await;
                    if route.path.contains("{role}") || route.path.contains("{id}") {
                        let target = path.replace("0000000000001", "current");
                        hunt.send(method, &target, &headers, &body).await;
                    }
                }
            }
        }
        hunt.search_lines();
    }
}

/// The same over sockets, where hyper and h2 log.
async fn over_sockets(hunt: &mut Hunt) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = crate::tasks::spawn(
        "canary server",
        server::serve(listener, service(Arc::clone(&hunt.bed.state)), Limits::default(), std::future::pending()),
    );
    for (_, secret) in hunt.secrets.clone() {
        let encoded = form(&secret).replace('+', "%20");
        let targets = [
            format!("/api/v1/versions?token={encoded}"),
            format!("/api/v1/versions?ToKeN={encoded}"),
            format!("/api/v1/versions?%74oken={}", escaped(&secret)),
            format!("/api/v1/nothing/{encoded}"),
            format!("/api/v1/users/{}", escaped(&secret)),
            "/api/v1/auth/refresh".to_owned(),
        ];
        let headers = [
            ("authorization", format!("Bearer {secret}")),
            ("svc-cloud-token", secret.clone()),
            ("cookie", format!("svc_refresh_token_{INSTANCE}={secret}")),
        ];
        for target in &targets {
            let lines: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let mut stream = TcpStream::connect(address).await.unwrap();
            let head = format!("POST {target} HTTP/1.1\r\nhost: svc.test\r\nconnection: close\r\n{lines}\r\n");
            stream.write_all(head.as_bytes()).await.unwrap();
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await.unwrap();
            assert!(answer.starts_with(b"HTTP/1.1 "));
            hunt.search(&answer, &format!("the answer to {target}"));
            // A head that is none.
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream.write_all(format!("GET {target} {secret}\r\n{lines}\r\n\r\n").as_bytes()).await.unwrap();
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await.unwrap();
            hunt.search(&answer, "the answer to a broken head");
        }
        let stream = TcpStream::connect(address).await.unwrap();
        let (client, connection) = h2::client::handshake(stream).await.unwrap();
        // Its own lines are the client's, which knows its secrets: it logs nothing here.
        let silent = tracing::subscriber::NoSubscriber::new();
        let driver = crate::tasks::spawn("canary client", tracing::instrument::WithSubscriber::with_subscriber(async move {
            // Ends with an error when the test is over.
            let _ = connection.await;
        }, silent));
        let mut client = client.ready().await.unwrap();
        for target in &targets {
            let mut request = Request::builder().uri(format!("http://svc.test{target}"));
            for (name, value) in &headers {
                request = request.header(*name, value);
            }
            let answer = {
                let _silent = tracing::subscriber::set_default(tracing::subscriber::NoSubscriber::new());
                client.send_request(request.body(()).unwrap(), true).unwrap().0
            };
            let answer = answer.await.unwrap();
            assert!(answer.status().is_client_error() || answer.status().is_success());
        }
        driver.abort();
    }
    serving.abort();
}

fn search_files(hunt: &Hunt, at: &Path) -> usize {
    let entries = std::fs::read_dir(at).unwrap().map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            if path.is_dir() {
                return search_files(hunt, &path);
            }
            hunt.search(&std::fs::read(&path).unwrap(), &path.display().to_string());
            1
        })
        .sum()
}

#[tokio::test]
#[ignore = "run by the test below in a process of its own: it logs everything that the process does"]
async fn everything_is_logged_but_the_secrets() {
    let lines = Lines::default();
    let writer = lines.clone();
    let filter = EnvFilter::new("trace");
    let subscriber = telemetry::subscriber(LogFormat::Json, filter, false, move || writer.clone());
    tracing::subscriber::set_global_default(subscriber).unwrap();

    let bed = Bed::start_with(BedOptions { setup_token: Some(SETUP_TOKEN), ..BedOptions::default() }).await;
    let setup = json!({"username": "ada", "password": PASSWORD, "setupToken": SETUP_TOKEN});
    assert_eq!(bed.post("/api/v1/setup", &setup).await.status, 201);
    let headers = [("svc-app", "admin"), ("content-type", "application/json")];
    let body = json!({"username": "ada", "password": PASSWORD}).to_string();
    let login = bed.send("POST", "/api/v1/auth/login", &headers, &body).await;
    assert_eq!(login.status, 201);
    let cookie = |reply: &Reply| {
        let (pair, _) = reply.header("set-cookie").split_once(';').unwrap();
        pair.split_once('=').unwrap().1.to_owned()
    };
    let used = cookie(&login);
    let pair = format!("svc_refresh_token_{INSTANCE}={used}");
    let refreshed = bed.send("POST", "/api/v1/auth/refresh", &[("cookie", &pair)], "").await;
    assert_eq!(refreshed.status, 201);
    let owner = bed.store.owner().await.unwrap().unwrap().user.id;
    let jwt = bed.token(owner);
    let target = format!("/api/v1/users/{owner}/personal-access-tokens");
    let made = bed.send_as(&jwt, "POST", &target, &json!({"label": "tv"})).await.json();
    let secrets = vec![
        ("access token", jwt),
        ("signed-in access token", login.json()["JWT"].as_str().unwrap().to_owned()),
        ("personal access token", made["token"].as_str().unwrap().to_owned()),
        ("other personal access token", personal_access_token(&bed, owner, None).await),
        ("used refresh token", used),
        ("refresh token", cookie(&refreshed)),
        ("cloud token", CLOUD_TOKEN.to_owned()),
        ("password", PASSWORD.to_owned()),
        ("setup token", SETUP_TOKEN.to_owned()),
    ];
    let mut hunt = Hunt::new(bed, secrets, lines);
    through_every_route(&mut hunt).await;
    over_sockets(&mut hunt).await;
    let logged = hunt.search_lines();
    assert!(logged > 100, "{logged} lines: nothing was logged over sockets");
    assert!(hunt.requests > 10_000, "{}", hunt.requests);
    let files = search_files(&hunt, hunt.bed.directory.path());
    assert!(files >= 4, "{files}");
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "only in a process of its own can a test log what all threads do"
)]
fn no_secret_is_found_in_logs_answers_or_files() {
    let this = std::env::current_exe().unwrap();
    let output = Command::new(this)
        .args(["--exact", "http::tests::canary::everything_is_logged_but_the_secrets", "--ignored", "--nocapture"])
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{errors}");
}
