//! The connections that a server makes, as the kernel sees them: none without a cloud, and only to the configured one with
//! it, whatever the cloud answers and the plugin wants.

use std::collections::BTreeSet;
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;
use svc_covers::covers;
use svc_test_support::guests;
use svc_tests::cloud::Cloud;
use svc_tests::program::{PASSWORD, Server, serve, wait_for};
use svc_tests::skipped;

/// The command under `strace`, which writes calls that name an address to a file. `None` where it cannot trace.
fn traced(command: &Command, output: &Path) -> Option<Command> {
    let mut trial = Command::new("strace");
    trial
        .args(["-f", "-q", "-o"])
        .arg(output)
        .arg("true")
        .stderr(Stdio::null());
    if !trial.status().is_ok_and(|status| status.success()) {
        skipped("strace is missing, or may not trace");
        return None;
    }
    let mut traced = Command::new("strace");
    // `-D`: the tracer is a child, so that the process is the server.
    traced.args([
        "-D",
        "-f",
        "-q",
        "-e",
        "trace=connect,sendto,sendmsg,sendmmsg",
        "-o",
    ]);
    traced
        .arg(output)
        .arg(command.get_program())
        .args(command.get_args());
    traced.env_clear().stdin(Stdio::null());
    for (name, value) in command.get_envs() {
        traced.env(name, value.unwrap_or_default());
    }
    Some(traced)
}

/// Ends the server; returns `ADDRESS:PORT` of all its calls that named an address of the internet protocols.
fn addresses(server: Server, trace: &Path) -> BTreeSet<String> {
    drop(server);
    let read = || fs::read_to_string(trace).unwrap();
    wait_for("the end of the trace", || {
        read().contains("+++ killed by SIGKILL")
    });
    let text = read();
    let addresses = text.lines().filter_map(|line| {
        let port = line.split("htons(").nth(1)?.split(')').next()?;
        let host = match line.split("inet_addr(\"").nth(1) {
            Some(rest) => rest,
            None => line.split("inet_pton(AF_INET6, \"").nth(1)?,
        };
        Some(format!("{}:{port}", host.split('"').next()?))
    });
    assert!(
        !text
            .lines()
            .any(|line| line.contains("AF_INET") && !line.contains("htons(")),
        "a call is in a form that this test does not know"
    );
    addresses.collect()
}

/// Sign-ins that a stranger may try, with a password and with the cloud.
fn sign_in(server: &Server, cloud_tokens: &[String]) -> Vec<u16> {
    let headers = [("svc-app", "admin")];
    let login = |body| {
        server
            .request("POST", "/api/v1/auth/login", &headers, Some(&body))
            .status
    };
    assert_eq!(login(json!({ "username": "owner", "password": PASSWORD })), 201);
    cloud_tokens
        .iter()
        .map(|token| login(json!({ "cloudToken": token })))
        .collect()
}

/// A listener that must not be reached.
struct Trap(TcpListener);

impl Trap {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        Self(listener)
    }

    fn url(&self) -> String {
        format!("http://{}", self.0.local_addr().unwrap())
    }

    fn assert_untouched(&self) {
        assert!(self.0.accept().is_err(), "the trap was reached");
    }
}

#[covers("C1", "T44")]
#[test]
fn server_without_a_cloud_connects_to_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let trace = dir.path().join("trace");
    let Some(mut command) = traced(&serve(&dir.path().join("data"), &[]), &trace) else {
        return;
    };
    let server = Server::spawn_as_owner(&mut command);
    assert_eq!(sign_in(&server, &["token".to_owned()]), [503]);
    for path in [
        "/api/v1/updates",
        "/api/v1/release-channels",
        "/api/v1/instance",
        "/api/v1/health",
    ] {
        server.open(path);
    }
    assert_eq!(addresses(server, &trace), BTreeSet::new());
}

#[covers("T44")]
#[test]
fn server_with_a_cloud_connects_to_it_alone() {
    let (cloud, trap) = (Cloud::start(), Trap::new());
    cloud.add_account("ada");
    let token = cloud.sign_in("ada");
    let dir = tempfile::tempdir().unwrap();
    let trace = dir.path().join("trace");
    let command = serve(&dir.path().join("data"), &["--cloud-url", &cloud.url]);
    let Some(mut command) = traced(&command, &trace) else {
        return;
    };
    // Proxies of the environment are not for the server.
    for name in [
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
    ] {
        command.env(name, trap.url());
    }
    let server = Server::spawn_as_owner(&mut command);
    assert_eq!(sign_in(&server, &[token.clone(), "wrong".to_owned()]), [401, 401]);
    for location in [
        trap.url(),
        "http://169.254.169.254/".to_owned(),
        "https://127.0.0.1/".to_owned(),
    ] {
        cloud.fail(
            "account",
            &json!({ "kind": "redirect", "location": location }),
            Some(1),
        );
        assert_eq!(
            sign_in(&server, std::slice::from_ref(&token)),
            [503],
            "{location}"
        );
    }
    server.open("/api/v1/updates");
    let expected = cloud.url.trim_start_matches("http://").to_owned();
    assert_eq!(addresses(server, &trace), BTreeSet::from([expected]));
    trap.assert_untouched();
}

#[covers("T44")]
#[test]
fn hostile_plugin_reaches_the_configured_origin_alone() {
    let (cloud, trap) = (Cloud::start(), Trap::new());
    let dir = tempfile::tempdir().unwrap();
    let (trace, plugin) = (dir.path().join("trace"), dir.path().join("hostile.wasm"));
    fs::write(&plugin, guests::cloud_plugin("cloud_hostile", "hostile")).unwrap();
    let arguments = [
        "--cloud-url",
        &cloud.url,
        "--cloud-plugin",
        plugin.to_str().unwrap(),
    ];
    let command = serve(&dir.path().join("data"), &arguments);
    let Some(mut command) = traced(&command, &trace) else {
        return;
    };
    let server = Server::spawn_as_owner(&mut command);
    let port = trap.0.local_addr().unwrap().port();
    let requests = [
        trap.url(),
        format!("http://localhost:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("{}@127.0.0.1:{port}/", cloud.url),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://[::1]/".to_owned(),
        "https://192.168.0.1/".to_owned(),
        "https://example.com/".to_owned(),
    ];
    // Requests to other places, requests to the cloud, and faults, which end in quarantine. The plugin vouches for nobody.
    let mut tokens: Vec<String> = requests.iter().map(|url| format!("u{url}")).collect();
    tokens.extend(
        ["i", "v", "h", "b", "u"].map(|letter| format!("{letter}{}/.well-known/svc-cloud", cloud.url)),
    );
    tokens.extend(["m", "s", "f", "g", "r", "l"].map(str::to_owned));
    // Its refusals are 401; its faults are 503: a body beyond its budget, memory, log lines, recursion, a loop.
    let faults = ["b", "m", "g", "r", "l"];
    let expected: Vec<u16> = tokens
        .iter()
        .map(|token| if faults.contains(&&token[..1]) { 503 } else { 401 })
        .collect();
    assert_eq!(sign_in(&server, &tokens), expected);
    assert_eq!(server.open("/api/v1/health").status, 200);
    let expected = cloud.url.trim_start_matches("http://").to_owned();
    assert_eq!(addresses(server, &trace), BTreeSet::from([expected]));
    trap.assert_untouched();
}
