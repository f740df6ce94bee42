//! Runs the reference cloud in tests, as a process with a database of its own, and makes it fail.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

use crate::program::{Answer, PASSWORD, agent};

/// The instance id of servers that tests register by hand.
pub const INSTANCE: &str = "0f6b2c1e-6d0e-4a58-9d3c-1b2f4c5d6e7f";
/// The file of its log in its directory.
const LOG: &str = "cloud-log";
/// A day in milliseconds.
pub const DAY: i64 = 86_400_000;

/// The program that was built beside this test.
pub fn program() -> PathBuf {
    if let Some(path) = std::env::var_os("SVC_TEST_CLOUD_BINARY") {
        return path.into();
    }
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().find(|folder| folder.join("svc-cloud").is_file());
    folder
        .expect("`svc-cloud` is built before the tests: use `cargo xtask test`")
        .join("svc-cloud")
}

/// Milliseconds since 1970.
pub fn now() -> i64 {
    let since = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

/// A running cloud. Killed when dropped.
#[derive(Debug)]
pub struct Cloud {
    child: Child,
    /// Its URL, without a slash at the end.
    pub url: String,
    directory: tempfile::TempDir,
    agent: ureq::Agent,
}

impl Cloud {
    /// Starts a cloud on a free port, with failure switches.
    pub fn start() -> Self {
        Self::start_with(&["--allow-failures"])
    }

    /// Starts a cloud with options of `svc-cloud serve`.
    pub fn start_with(options: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (child, url) = spawn(directory.path(), "127.0.0.1:0", options);
        Self {
            child,
            url,
            directory,
            agent: agent(),
        }
    }

    /// Ends the process: connections to it are refused.
    pub fn stop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Starts it again after [`Cloud::stop`], on its port, with its database.
    pub fn restart(&mut self) {
        let address = self.url.trim_start_matches("http://").to_owned();
        (self.child, _) = spawn(self.directory.path(), &address, &["--allow-failures"]);
    }

    /// Its database file.
    pub fn database(&self) -> PathBuf {
        self.directory.path().join("cloud.db")
    }

    /// A path for a file of the test.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// What it has logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join(LOG)).unwrap()
    }

    /// Runs `svc-cloud` on its database; returns what it prints.
    pub fn command(&self, arguments: &[&str], input: &str) -> String {
        let output = self.run(arguments, input);
        assert!(output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// Runs `svc-cloud` with arguments that it refuses; returns the error.
    pub fn refused_command(&self, arguments: &[&str], input: &str) -> String {
        let output = self.run(arguments, input);
        assert!(!output.status.success(), "{arguments:?}: {output:?}");
        String::from_utf8(output.stderr).unwrap()
    }

    fn run(&self, arguments: &[&str], input: &str) -> Output {
        let mut command = Command::new(program());
        command.arg("--database").arg(self.database()).args(arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    /// Adds an account; returns its public id.
    pub fn add_account(&self, username: &str) -> String {
        let email = format!("{username}@example.org");
        self.command(&["account", "add", username, "--email", &email], PASSWORD)
    }

    /// Signs in; returns a token that every installation accepts.
    pub fn sign_in(&self, username: &str) -> String {
        let body = json!({ "username": username, "password": PASSWORD });
        let answer = self.call("POST", "/api/v1/session", &[], Some(&body));
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()["token"].as_str().unwrap().to_owned()
    }

    /// Registers a server; returns its credential.
    pub fn register(&self, token: &str) -> String {
        let body = json!({ "instanceId": INSTANCE, "name": "Living room" });
        let answer = self.call(
            "POST",
            "/api/v1/servers",
            &[("svc-cloud-token", token)],
            Some(&body),
        );
        assert_eq!(answer.status, 201, "{answer:?}");
        answer.json()["credential"].as_str().unwrap().to_owned()
    }

    /// Binds a shareable invitation as an account.
    pub fn bind(&self, token: &str, shortcode: &str) -> Answer {
        let body = json!({ "shortcode": shortcode });
        self.call(
            "POST",
            "/api/v1/bindings",
            &[("svc-cloud-token", token)],
            Some(&body),
        )
    }

    /// Lets an endpoint fail, `*` for all of them, so many times or until [`Cloud::reset`].
    pub fn fail(&self, endpoint: &str, failure: &Value, times: Option<u32>) {
        let body = json!({ "endpoint": endpoint, "failure": failure, "times": times });
        let answer = self.call("POST", "/control/failures", &[], Some(&body));
        assert_eq!(answer.status, 201, "{answer:?}");
    }

    /// Sets its clock ahead.
    pub fn set_clock(&self, milliseconds: i64) {
        let answer = self.call(
            "POST",
            "/control/clock",
            &[],
            Some(&json!({ "milliseconds": milliseconds })),
        );
        assert_eq!(answer.status, 201, "{answer:?}");
    }

    /// Ends all failures.
    pub fn reset(&self) {
        assert_eq!(self.call("DELETE", "/control/failures", &[], None).status, 200);
    }

    /// How often an endpoint was requested.
    pub fn requests(&self, endpoint: &str) -> u64 {
        let answer = self.call("GET", "/control/requests", &[], None);
        answer.json()["requests"][endpoint].as_u64().unwrap_or_default()
    }

    /// The e-mails that it sent.
    pub fn mails(&self) -> Vec<String> {
        let directory = fs::read_dir(self.database().with_extension("mail")).unwrap();
        directory
            .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
            .collect()
    }

    /// The code of the approval link in the newest e-mail to an address.
    pub fn approval_code(&self, address: &str) -> String {
        let to = format!("To: {address}\r\n");
        let mail = self
            .mails()
            .into_iter()
            .find(|mail| mail.starts_with(&to))
            .expect("an e-mail was sent");
        let (_, code) = mail.split_once("/approve/").expect("it contains a link");
        code.split_whitespace().next().unwrap().to_owned()
    }

    /// Sends a request; the path may be a URL of this cloud.
    pub fn call(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&Value>) -> Answer {
        let body = body.map(Value::to_string);
        self.try_call(method, path, headers, body.as_deref()).unwrap()
    }

    /// The same, with the error of the connection or of the body.
    pub fn try_call(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&str>,
    ) -> Result<Answer, ureq::Error> {
        let path = path.strip_prefix(&self.url).unwrap_or(path);
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let typed = headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let response = match body {
            Some(body) if typed => self.agent.run(request.body(body).unwrap())?,
            Some(body) => self.agent.run(
                request
                    .header("content-type", "application/json")
                    .body(body)
                    .unwrap(),
            )?,
            None => self.agent.run(request.body(()).unwrap())?,
        };
        Answer::read(response)
    }
}

impl Drop for Cloud {
    fn drop(&mut self) {
        // Both fail only when the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(directory: &Path, address: &str, options: &[&str]) -> (Child, String) {
    let mut command = Command::new(program());
    command.arg("--database").arg(directory.join("cloud.db"));
    command
        .args(["serve", "--listen", address])
        .args(options)
        .env_clear();
    let log = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(directory.join(LOG))
        .unwrap();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let url = line.trim().strip_prefix("listening on ").unwrap_or_else(|| {
        panic!(
            "said {line:?}: {}",
            fs::read_to_string(directory.join(LOG)).unwrap()
        )
    });
    (child, url.to_owned())
}
