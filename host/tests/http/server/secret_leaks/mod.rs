//! Secrets are sent through every route while everything is logged: no log line, response or file contains one.

mod capture;
mod requests;

use std::process::Command;
use std::sync::Arc;

use salvo::http::HeaderMap;
use salvo::hyper::Request;
use serde_json::json;
use svc_covers::covers;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tracing::instrument::WithSubscriber as _;
use tracing::subscriber::NoSubscriber;
use tracing_subscriber::EnvFilter;

use self::capture::{Answers, Lines, Search, Secret, escaped, forms};
use self::requests::percent;
use crate::INSTANCE;
use crate::support::provider::{SIGN_IN_COOKIE, ScriptedProvider, with_provider};
use crate::support::{Reply, TestServer, TestServerOptions};
use svc_api::router::{routes, service, service_of};
use svc_host::config::LogFormat;
use svc_host::telemetry;
use svc_http_io::limits::Limits;
use svc_http_io::proxy::ProxyConfig;
use svc_http_io::server;
use svc_identity::oidc::OidcPolicy;

const PASSWORD: &str = "pass-Zk3/V9+p marker~";

const SETUP_TOKEN: &str = "setup-Jk7Qw2Er5Ty8Ui1-marker";

const CLOUD_TOKEN: &str = "cloud-Zq8W0x7e5T3r1Y9u-marker";

/// A code that the provider does not know.
const REFUSED_CODE: &str = "code-Lp4Wn6Xc2Vb9-marker";

/// Sends requests to every route; returns their number.
async fn through_every_route(
    server: &TestServer,
    secrets: &[Secret],
    search: &Search,
    answers: &mut Answers,
) -> usize {
    let jwt = &secrets[0].1;
    let texts: Vec<_> = secrets.iter().map(|(_, secret)| secret.clone()).collect();
    let mut routes = routes();
    // The reset comes last, because it deletes the caller.
    routes.sort_by_key(|route| route.path.ends_with("/reset"));
    let mut count = 0;
    for (turn, route) in routes.iter().enumerate() {
        if route.path.ends_with("/reset") {
            let caller = server.with_token(jwt).get("/api/v1/users/current").await;
            assert_eq!(caller.status, 200, "the caller must be known to all routes");
            let files = search.assert_none_below(server.directory.path());
            assert!(files >= 3, "{files}");
        }
        let method = route.method.as_str();
        for sent in requests::requests(route, turn, &texts, jwt) {
            let headers: Vec<_> = sent
                .headers
                .iter()
                .map(|(name, value)| (*name, value.as_str()))
                .collect();
            let reply = server.send(method, &sent.target, &headers, &sent.body).await;
            count += 1;
            // These routes return a token on purpose.
            let tells = sent.target.contains("/auth/") || sent.target.contains("personal-access-tokens");
            if !(reply.status == 201 && tells) {
                answers.add(
                    &reply,
                    format!("{method} {} {headers:?} {}", sent.target, sent.body),
                );
            }
        }
    }
    count
}

/// Sends secrets to a handler that panics.
async fn through_a_panic(server: &mut TestServer, secrets: &[Secret], answers: &mut Answers) {
    server.service = Arc::new(service_of(
        &crate::support::limit_routes::routes(),
        Arc::clone(&server.state),
        Limits::default(),
    ));
    let hook = std::panic::take_hook();
    telemetry::log_panics();
    for (_, secret) in secrets {
        let bearer = format!("Bearer {secret}");
        let target = format!("/fail?token={}", percent(secret));
        let headers = [("authorization", bearer.as_str()), ("svc-cloud-token", secret)];
        let reply = server.send("GET", &target, &headers, "").await;
        assert_eq!(reply.status, 500);
        answers.add(&reply, target);
    }
    std::panic::set_hook(hook);
}

/// Sends secrets over sockets, where hyper and h2 log.
async fn over_sockets(server: &TestServer, secrets: &[Secret], answers: &mut Answers) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = svc_platform::tasks::spawn(
        "server of the secret-leak test",
        server::serve(
            listener,
            service(Arc::clone(&server.state)),
            Limits::default(),
            ProxyConfig::default(),
            std::future::pending(),
        ),
    );
    for (_, secret) in secrets {
        let encoded = percent(secret);
        let targets = [
            format!("/api/v1/versions?token={encoded}"),
            format!("/api/v1/versions?ToKeN={encoded}"),
            format!("/api/v1/versions?%74oken={}", escaped(secret)),
            format!("/api/v1/nothing/{encoded}"),
            format!("/api/v1/users/{}", escaped(secret)),
            "/api/v1/auth/refresh".to_owned(),
            format!("/api/v1/auth/oidc/callback?code={encoded}&state={encoded}"),
            format!("/api/v1/auth/oidc/start?app=music&invitation={encoded}"),
        ];
        let headers = [
            ("authorization", format!("Bearer {secret}")),
            ("svc-cloud-token", secret.clone()),
            (
                "cookie",
                format!("svc_refresh_token_{INSTANCE}={secret}; {SIGN_IN_COOKIE}={secret}"),
            ),
        ];
        for target in &targets {
            let lines: String = headers
                .iter()
                .map(|(name, value)| format!("{name}: {value}\r\n"))
                .collect();
            let mut stream = TcpStream::connect(address).await.unwrap();
            let head =
                format!("POST {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{lines}\r\n");
            stream.write_all(head.as_bytes()).await.unwrap();
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await.unwrap();
            assert!(answer.starts_with(b"HTTP/1.1 "));
            answers.add_bytes(&answer, target.clone());
            // A malformed head.
            let mut stream = TcpStream::connect(address).await.unwrap();
            stream
                .write_all(format!("GET {target} {secret}\r\n{lines}\r\n\r\n").as_bytes())
                .await
                .unwrap();
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await.unwrap();
            answers.add_bytes(&answer, "a broken head".to_owned());
        }
        let stream = TcpStream::connect(address).await.unwrap();
        let (client, connection) = h2::client::handshake(stream).await.unwrap();
        // The client's own log lines contain its secrets: they are not captured.
        let driver = svc_platform::tasks::spawn(
            "client of the secret-leak test",
            async move {
                // Ends with an error when the test is over.
                let _ = connection.await;
            }
            .with_subscriber(NoSubscriber::new()),
        );
        let mut client = client.ready().await.unwrap();
        for target in &targets {
            let mut request = Request::builder().uri(format!("http://localhost{target}"));
            for (name, value) in &headers {
                request = request.header(*name, value);
            }
            let answer = {
                let _silent = tracing::subscriber::set_default(NoSubscriber::new());
                client.send_request(request.body(()).unwrap(), true).unwrap().0
            };
            let answer = answer.await.unwrap();
            assert!(!answer.status().is_server_error(), "{target} {}", answer.status());
        }
        driver.abort();
    }
    serving.abort();
}

/// A server, and the secrets that it issued or received.
async fn server_with_secrets() -> (TestServer, Vec<Secret>) {
    let provider = Arc::new(ScriptedProvider::default());
    let server = TestServer::start_with(TestServerOptions {
        setup_token: Some(SETUP_TOKEN),
        ..with_provider(&provider, OidcPolicy::default())
    })
    .await;
    let setup = json!({"username": "ada", "password": PASSWORD, "setupToken": SETUP_TOKEN});
    assert_eq!(server.post("/api/v1/setup", &setup).await.status, 201);
    let headers = [("svc-app", "admin"), ("content-type", "application/json")];
    let body = json!({"username": "ada", "password": PASSWORD}).to_string();
    let login = server.send("POST", "/api/v1/auth/login", &headers, &body).await;
    assert_eq!(login.status, 201);
    let cookie = |reply: &Reply| {
        let (pair, _) = reply.header("set-cookie").split_once(';').unwrap();
        pair.split_once('=').unwrap().1.to_owned()
    };
    let used = cookie(&login);
    let pair = format!("svc_refresh_token_{INSTANCE}={used}");
    let refreshed = server
        .send("POST", "/api/v1/auth/refresh", &[("cookie", &pair)], "")
        .await;
    assert_eq!(refreshed.status, 201);
    let owner = server.store.users.owner().await.unwrap().unwrap().user.id;
    let jwt = server.client(owner);
    let target = format!("/api/v1/users/{owner}/personal-access-tokens");
    let made = jwt.post(&target, &json!({"label": "tv"})).await.json();
    let device = server.post("/api/v1/auth/device", &json!({"app": "music"})).await;
    assert_eq!(device.status, 201);
    let code = |name: &str| device.json()[name].as_str().unwrap().to_owned();
    let invited = login
        .client()
        .post("/api/v1/invitations", &json!({"role": "member"}))
        .await;
    assert_eq!(invited.status, 201);
    let link = login
        .client()
        .post("/api/v1/users/current/cloud-link", &json!({}))
        .await;
    assert_eq!(link.status, 201);
    let link = link.json()["startPath"].as_str().unwrap().to_owned();
    // One that waits for its callback, and one whose code the provider refuses.
    let sign_in = server.begin_sign_in("", &[]).await.started();
    let failed = server.begin_sign_in("", &[]).await.started();
    assert_eq!(server.finish_sign_in(&failed, REFUSED_CODE).await.status, 303);
    let secrets = vec![
        ("access token", jwt.to_string()),
        (
            "signed-in access token",
            login.json()["JWT"].as_str().unwrap().to_owned(),
        ),
        (
            "personal access token",
            made["token"].as_str().unwrap().to_owned(),
        ),
        (
            "other personal access token",
            server.as_token(owner, None).await.to_string(),
        ),
        ("used refresh token", used),
        ("refresh token", cookie(&refreshed)),
        ("cloud token", CLOUD_TOKEN.to_owned()),
        ("password", PASSWORD.to_owned()),
        ("setup token", SETUP_TOKEN.to_owned()),
        ("device code", code("deviceCode")),
        ("user code", code("userCode")),
        ("link ticket", link.split_once("link=").unwrap().1.to_owned()),
        ("sign-in cookie", sign_in.cookie.clone()),
        ("state", sign_in.query["state"].clone()),
        ("nonce", sign_in.query["nonce"].clone()),
        ("used sign-in cookie", failed.cookie.clone()),
        ("used state", failed.query["state"].clone()),
        ("refused code", REFUSED_CODE.to_owned()),
        (
            "shortcode",
            invited.json()["shortcode"].as_str().unwrap().to_owned(),
        ),
    ];
    (server, secrets)
}

#[tokio::test]
#[ignore = "run by the test below in a process of its own: it logs everything that the process does"]
async fn everything_is_logged_but_the_secrets() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = telemetry::subscriber(LogFormat::Json, EnvFilter::new("trace"), false, move || {
        writer.clone()
    });
    tracing::subscriber::set_global_default(subscriber).unwrap();

    let (mut server, secrets) = server_with_secrets().await;
    let search = Search::new(&secrets);
    let mut answers = Answers::default();
    let requests = through_every_route(&server, &secrets, &search, &mut answers).await;
    assert!(requests > 4_000, "{requests}");
    let logged = lines.take();
    search.assert_none(&logged, "the log");
    over_sockets(&server, &secrets, &mut answers).await;
    through_a_panic(&mut server, &secrets, &mut answers).await;
    let logged = lines.take();
    let count = logged.iter().filter(|byte| **byte == b'\n').count();
    assert!(count > 100, "{count} lines: nothing was logged over sockets");
    search.assert_none(&logged, "the log of sockets and panics");
    answers.assert_no_secret(&search);
    let files = search.assert_none_below(server.directory.path());
    assert!(files >= 3, "{files}");

    // The search itself works: it finds a secret that is logged on purpose,
    for (name, secret) in &secrets {
        for form in forms(secret) {
            let found = search.found(format!("a{form}b").as_bytes());
            assert_eq!(found.len(), 1, "{name} as {form}");
        }
    }
    tracing::trace!(PASSWORD, "on purpose");
    let found = search.found(&lines.take());
    assert!(matches!(found.as_slice(), [("password", _)]), "{found:?}");
    // and in a library's lines only if they are not redacted.
    log_as_a_library(&secrets);
    let logged = lines.take();
    assert!(!logged.is_empty());
    search.assert_none(&logged, "cleaned lines");
    let writer = lines.clone();
    let raw = tracing_subscriber::fmt()
        .json()
        .with_env_filter("trace")
        .with_writer(move || writer.clone());
    let _raw = tracing::subscriber::set_default(raw.finish());
    log_as_a_library(&secrets);
    let found = search.found(&lines.take());
    assert_eq!(found.len(), secrets.len(), "{found:?}");
}

/// Logs each secret in a URL and in a header.
fn log_as_a_library(secrets: &[Secret]) {
    for (_, secret) in secrets {
        let mut headers = HeaderMap::new();
        headers.insert("authorization", format!("Bearer {secret}").parse().unwrap());
        tracing::trace!(target: "hyper", ?headers, "GET /a?token={}&take=1", percent(secret));
    }
}

#[covers("T08")]
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "only in a process of its own can a test log what all threads do"
)]
fn no_secret_is_found_in_logs_responses_or_files() {
    let this = std::env::current_exe().unwrap();
    let output = Command::new(this)
        .args([
            "--exact",
            "server::secret_leaks::everything_is_logged_but_the_secrets",
            "--ignored",
            "--nocapture",
        ])
        .env("RUST_BACKTRACE", "0")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}{errors}"
    );
}
