//! Sign-in with a real provider of OpenID Connect: npm `oidc-provider`, behind a proxy that may change its tokens.
//!
//! `cargo xtask plugin-tools` installs the provider; without it these tests are skipped.

mod browser;
mod connections;
mod link;
mod mutations;
mod proxy;
mod secrets;
mod session_mutations;
mod sessions;
mod sign_in;

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use browser::{Browser, Page};
use proxy::Proxy;
use serde_json::{Value, json};
use svc_tests::connections::traced;
use svc_tests::program::{PASSWORD, Server, wait_for};
use svc_tests::{skipped, workspace};

const SECRET: &str = "a secret with : and %";

/// A port that was free a moment ago.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// How the provider is configured.
#[derive(Clone, Copy)]
struct ProviderOptions {
    id_token_alg: &'static str,
    userinfo_alg: Option<&'static str>,
}

impl Default for ProviderOptions {
    fn default() -> Self {
        Self {
            id_token_alg: "RS256",
            userinfo_alg: None,
        }
    }
}

/// Server, proxy and provider. All end when it is dropped.
struct Bed {
    server: Server,
    proxy: Proxy,
    provider: Child,
    provider_options: ProviderOptions,
    provider_port: u16,
    base: String,
    directory: tempfile::TempDir,
}

impl Drop for Bed {
    fn drop(&mut self) {
        // Both fail only when the process has ended already.
        let _ = self.provider.kill();
        let _ = self.provider.wait();
    }
}

/// Where `cargo xtask plugin-tools` installs the provider.
fn modules() -> Option<PathBuf> {
    let modules = workspace().join("target/plugin-tools/oidc/node_modules");
    modules.join("oidc-provider").is_dir().then_some(modules)
}

impl Bed {
    /// Starts all three; `None`, reported as skipped, without the provider.
    fn start(provider_options: ProviderOptions, arguments: &[&str]) -> Option<Self> {
        Self::start_logging(provider_options, arguments, "info")
    }

    /// As [`Bed::start`]; the server logs what this filter lets pass.
    fn start_logging(provider_options: ProviderOptions, arguments: &[&str], filter: &str) -> Option<Self> {
        Self::launch(provider_options, arguments, filter, None)
    }

    /// As [`Bed::start`]; the connections of the server are traced to a file. `None` also where nothing can be traced.
    fn start_traced(provider_options: ProviderOptions, arguments: &[&str], trace: &Path) -> Option<Self> {
        Self::launch(provider_options, arguments, "info", Some(trace))
    }

    fn launch(
        provider_options: ProviderOptions,
        arguments: &[&str],
        filter: &str,
        trace: Option<&Path>,
    ) -> Option<Self> {
        let Some(modules) = modules() else {
            skipped("npm oidc-provider is not installed: cargo xtask plugin-tools");
            return None;
        };
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        symlink(modules, at("node_modules")).unwrap();
        fs::copy(
            workspace().join("tests/oidc-provider/provider.mjs"),
            at("provider.mjs"),
        )
        .unwrap();
        fs::write(at("package.json"), "{\"type\": \"module\"}").unwrap();
        fs::write(at("secret"), format!("{SECRET}\n")).unwrap();
        let (provider_port, port) = (free_port(), free_port());
        let proxy = Proxy::start(provider_port);
        let base = format!("http://127.0.0.1:{port}");
        proxy.relay_to(&format!("{base}/api/v1/auth/oidc/logout"));
        let (data, secret) = (at("data"), at("secret"));
        let listen = format!("127.0.0.1:{port}");
        let mut all = vec!["serve", "--listen", &listen, "--data-dir", data.to_str().unwrap()];
        all.extend(["--oidc-issuer", &proxy.issuer, "--oidc-client-id", "svc"]);
        all.extend(["--oidc-client-secret-file", secret.to_str().unwrap()]);
        all.extend(["--oidc-groups-claim", "groups"]);
        all.extend(arguments);
        let mut command = svc_tests::program::svc(&all);
        command.env("SVC_LOG", filter);
        if let Some(trace) = trace {
            command = traced(&command, trace)?;
        }
        command.stderr(fs::File::create(at("log")).unwrap());
        let provider = start_provider(
            &directory,
            &proxy.issuer,
            &base,
            provider_port,
            provider_options,
            "a",
        );
        let server = Server::spawn_as_owner(&mut command);
        Some(Self {
            server,
            proxy,
            provider,
            provider_options,
            provider_port,
            base,
            directory,
        })
    }

    /// Ends the provider, which forgets its sessions, and starts it with new keys.
    fn restart_provider(&mut self, generation: &str) {
        self.provider.kill().unwrap();
        self.provider.wait().unwrap();
        self.provider = start_provider(
            &self.directory,
            &self.proxy.issuer,
            &self.base,
            self.provider_port,
            self.provider_options,
            generation,
        );
    }

    fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join("log")).unwrap()
    }

    /// Starts a sign-in; returns the provider's address.
    fn begin(&self, browser: &mut Browser, query: &str) -> Page {
        browser.get(&format!(
            "{}/api/v1/auth/oidc/start?app=music&redirect=/app{query}",
            self.base
        ))
    }

    /// Goes to the provider and back; returns the address of the callback, which was not requested.
    fn to_callback(&self, browser: &mut Browser, user: &str) -> String {
        let started = self.begin(browser, "");
        assert_eq!(started.status, 303, "{}", started.body);
        let callback = format!("{}/api/v1/auth/oidc/callback", self.base);
        browser.through_provider(started.location(), user, &callback)
    }

    /// Opens an address of the server that starts a sign-in, and finishes it; returns the last response.
    fn follow(&self, browser: &mut Browser, start: &str, user: &str) -> Page {
        let started = browser.get(&format!("{}{start}", self.base));
        if !started.location().starts_with(&self.proxy.issuer) {
            return started;
        }
        let callback = format!("{}/api/v1/auth/oidc/callback", self.base);
        let callback = browser.through_provider(started.location(), user, &callback);
        browser.get(&callback)
    }

    /// Signs in with a password; returns the access token.
    fn login(&self, browser: &mut Browser, username: &str, app: &str) -> String {
        let body = json!({ "username": username, "password": PASSWORD });
        let url = format!("{}/api/v1/auth/login", self.base);
        let page = browser.post_json(&url, ("svc-app", app), &body);
        assert_eq!(page.status, 201, "{}", page.body);
        let body: Value = serde_json::from_str(&page.body).unwrap();
        body["JWT"].as_str().unwrap().to_owned()
    }

    /// Asks for a link to the provider; returns the path that starts it.
    fn link_path(&self, browser: &mut Browser, token: &str) -> String {
        let url = format!("{}/api/v1/users/current/cloud-link", self.base);
        let bearer = format!("Bearer {token}");
        let page = browser.post_json(&url, ("authorization", &bearer), &json!({}));
        assert_eq!(page.status, 201, "{}", page.body);
        let body: Value = serde_json::from_str(&page.body).unwrap();
        format!("{}&redirect=/app", body["startPath"].as_str().unwrap())
    }

    /// The whole sign-in; returns the response to the callback.
    fn sign_in(&self, browser: &mut Browser, user: &str) -> Page {
        let callback = self.to_callback(browser, user);
        browser.get(&callback)
    }

    /// Refreshes the browser's session.
    fn refresh(&self, browser: &mut Browser) -> Page {
        browser.post(&format!("{}/api/v1/auth/refresh", self.base), &[])
    }

    /// The access token of a browser that has signed in.
    fn access_token(&self, browser: &mut Browser) -> String {
        let page = self.refresh(browser);
        assert_eq!(page.status, 201, "{}", page.body);
        let body: Value = serde_json::from_str(&page.body).unwrap();
        body["JWT"].as_str().unwrap().to_owned()
    }

    /// The account of an access token.
    fn current(&self, token: &str) -> Value {
        let bearer = format!("Bearer {token}");
        let answer = self.server.request(
            "GET",
            "/api/v1/users/current",
            &[("authorization", &bearer)],
            None,
        );
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    /// Asserts that a callback was refused: one code for the page, and this line in the log since `before` bytes.
    fn assert_refused(&self, page: &Page, before: usize, line: &str) {
        assert_eq!(
            (page.status, page.location()),
            (303, "/app?error=sign_in_failed"),
            "{line}"
        );
        assert!(page.cookies("svc_refresh_token_").is_empty(), "{line}");
        wait_for(line, || self.log()[before..].contains(line));
    }
}

fn start_provider(
    directory: &tempfile::TempDir,
    issuer: &str,
    base: &str,
    port: u16,
    options: ProviderOptions,
    generation: &str,
) -> Child {
    let arguments = json!({
        "port": port,
        "issuer": issuer,
        "redirectUri": format!("{base}/api/v1/auth/oidc/callback"),
        "logoutUri": format!("{issuer}/relay"),
        "idTokenAlg": options.id_token_alg,
        "userinfoAlg": options.userinfo_alg,
        "keys": directory.path().join(format!("keys-{generation}.json")),
        "generation": generation,
    });
    let errors = fs::File::create(directory.path().join("provider-log")).unwrap();
    let mut provider = Command::new("node")
        .arg("provider.mjs")
        .arg(arguments.to_string())
        .current_dir(directory.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(errors)
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(provider.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, format!("listening on {issuer}\n"));
    provider
}
