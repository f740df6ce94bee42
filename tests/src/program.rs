//! Runs the real program in tests: a command to its end, or a server with the calls that tests need.

use std::fs::{self, DirBuilder};
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{LazyLock, OnceLock};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use svc_contract::Contract;

/// The password of every account that the tests make.
pub const PASSWORD: &str = "correct horse battery";

/// The program that was built beside this test.
pub fn program() -> PathBuf {
    if let Some(path) = std::env::var_os("SVC_TEST_BINARY") {
        return path.into();
    }
    let test = std::env::current_exe().unwrap();
    let folder = test.ancestors().find(|folder| folder.join("svc").is_file());
    folder
        .expect("`svc` is built before the tests: use `cargo xtask test`")
        .join("svc")
}

/// A data directory with nothing but compiled plugins. Compiling them takes some twenty seconds: once for all tests.
fn compiled() -> &'static Path {
    static COMPILED: OnceLock<PathBuf> = OnceLock::new();
    COMPILED.get_or_init(|| {
        let directory = crate::workspace().join("target/test-data");
        if directory.exists() {
            fs::remove_dir_all(&directory).unwrap();
        }
        let (data, empty) = (directory.join("data"), directory.join("empty"));
        fs::create_dir_all(&empty).unwrap();
        let mut index = command(&["index", "--data-dir"]);
        index.arg(&data).arg("--music-dir").arg(empty);
        assert!(index.output().unwrap().status.success());
        data
    })
}

/// Copies compiled plugins, and the key that authenticates them, into a new data directory.
fn put_compiled_plugins(data_dir: &Path) {
    let place = |name: &str| {
        let place = data_dir.join(name);
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&place)
            .unwrap();
        place
    };
    let compiled = compiled();
    let key = "plugin-cache.key";
    fs::copy(compiled.join("keys").join(key), place("keys").join(key)).unwrap();
    let cache = place("plugin-cache");
    for plugin in fs::read_dir(compiled.join("plugin-cache")).unwrap() {
        let plugin = plugin.unwrap();
        fs::copy(plugin.path(), cache.join(plugin.file_name())).unwrap();
    }
}

/// The program with arguments and a clean environment.
pub fn svc(arguments: &[&str]) -> Command {
    let data_dir = arguments.windows(2).find_map(|pair| match pair {
        ["--data-dir", data_dir] => Some(Path::new(*data_dir)),
        _ => None,
    });
    if let (Some("serve" | "index"), Some(data_dir)) = (arguments.first().copied(), data_dir)
        && fs::read_dir(data_dir).map_or(!data_dir.exists(), |mut entries| entries.next().is_none())
    {
        put_compiled_plugins(data_dir);
    }
    command(arguments)
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(program());
    command
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("SVC_LOG", "info");
    command.stdin(Stdio::null());
    command
}

/// The command of a server on a free port.
pub fn serve(data_dir: &Path, arguments: &[&str]) -> Command {
    let data_dir = data_dir.to_str().unwrap();
    let mut command = svc(&["serve", "--listen", "127.0.0.1:0", "--data-dir", data_dir]);
    command.args(arguments);
    command
}

/// Memory of a process in bytes, by its name in `/proc`.
pub fn memory_of(pid: u32, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line
        .trim_start_matches(':')
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .ok()?;
    Some(kibibytes * 1024)
}

/// Runs the program to its end.
pub fn run(arguments: &[&str]) -> Output {
    svc(arguments).output().unwrap()
}

/// Waits until `condition` holds, for at most 30 seconds.
pub fn wait_for(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < deadline, "waited 30 s for {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A client that returns every response as it is: errors and redirects, too.
pub(crate) fn agent() -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .build()
        .into()
}

/// A response.
#[derive(Debug)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// Headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body's bytes.
    pub bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn read(mut response: ureq::http::Response<ureq::Body>) -> Result<Self, ureq::Error> {
        let headers = response.headers().iter();
        Ok(Self {
            status: response.status().as_u16(),
            headers: headers
                .map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned()))
                .collect(),
            bytes: response.body_mut().with_config().limit(16 << 20).read_to_vec()?,
        })
    }

    /// The body as JSON; null if it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap_or(Value::Null)
    }

    /// Compares it with the API description.
    ///
    /// # Panics
    /// If the API description does not declare it.
    fn check(&self, method: &str, target: &str) {
        static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
            let document = serde_json::to_value(svc_api::openapi::document(&svc_api::router::routes()));
            Contract::new(&document.unwrap())
        });
        let outcome = CONTRACT.check(svc_contract::Answer {
            method,
            target,
            status: self.status,
            content_type: self.header("content-type"),
            body: Some(&self.bytes),
        });
        outcome.unwrap_or_else(|message| panic!("{message}"));
    }

    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }
}

/// A running server. Killed when dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    base: String,
    token: Option<String>,
    agent: ureq::Agent,
}

impl Server {
    /// Starts a server on a free port and waits until it is ready.
    pub fn start(data_dir: &Path, arguments: &[&str]) -> Self {
        Self::spawn(&mut serve(data_dir, arguments))
    }

    /// Starts a command of [`serve`], or one that executes it, and waits until it is ready.
    pub fn spawn(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let base = line
            .trim()
            .strip_prefix("listening on ")
            .unwrap_or_else(|| panic!("said {line:?}"))
            .to_owned();
        Self {
            child,
            base,
            token: None,
            agent: agent(),
        }
    }

    /// Starts a server, sets up its owner and signs in.
    pub fn start_as_owner(data_dir: &Path, arguments: &[&str]) -> Self {
        Self::spawn_as_owner(&mut serve(data_dir, arguments))
    }

    /// The same with a command.
    pub fn spawn_as_owner(command: &mut Command) -> Self {
        let mut server = Self::spawn(command);
        if server.get("/api/v1/health").json()["state"] == "not_setup" {
            let setup = json!({
                "username": "owner",
                "password": PASSWORD,
                // Tests enable watching themselves.
                "settings": { "watch_directories": false, "scan_schedule": "off" },
            });
            assert_eq!(server.post("/api/v1/setup", &setup).status, 201);
        }
        server.token = Some(server.sign_in("owner", "admin"));
        server.watch(false);
        server
    }

    /// Signs in to an app; returns the access token.
    pub fn sign_in(&self, username: &str, app: &str) -> String {
        let credentials = json!({ "username": username, "password": PASSWORD });
        let login = self.request(
            "POST",
            "/api/v1/auth/login",
            &[("svc-app", app)],
            Some(&credentials),
        );
        assert_eq!(login.status, 201, "{login:?}");
        login.json()["JWT"].as_str().unwrap().to_owned()
    }

    /// Turns watching of directories on or off.
    pub fn watch(&self, watch: bool) {
        let settings = json!({ "app": null, "settings": { "watch_directories": watch } });
        assert_eq!(
            self.request("PATCH", "/api/v1/settings", &[], Some(&settings))
                .status,
            200
        );
    }

    /// The token of the signed-in owner.
    pub fn token(&self) -> &str {
        self.token.as_deref().unwrap()
    }

    /// Host and port.
    pub fn address(&self) -> &str {
        self.base.trim_start_matches("http://")
    }

    /// The process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// GET with the owner's token, if there is one.
    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[], None)
    }

    /// POST of JSON.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.request("POST", path, &[], Some(body))
    }

    /// GET without a credential.
    pub fn open(&self, path: &str) -> Answer {
        self.send(None, "GET", path, &[], None)
    }

    /// Any request, with the owner's token unless there is another.
    pub fn request(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Answer {
        self.send(self.token.as_deref(), method, path, headers, body)
    }

    /// Any request without the owner's token.
    pub fn anonymous(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Answer {
        self.send(None, method, path, headers, body)
    }

    fn send(
        &self,
        token: Option<&str>,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<&Value>,
    ) -> Answer {
        let mut request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.base));
        if let Some(token) = token
            && !headers
                .iter()
                .any(|(name, _)| name.eq_ignore_ascii_case("authorization"))
        {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = match body {
            Some(body) => self.agent.run(
                request
                    .header("content-type", "application/json")
                    .body(body.to_string())
                    .unwrap(),
            ),
            None => self.agent.run(request.body(()).unwrap()),
        };
        let answer = Answer::read(response.unwrap()).unwrap();
        answer.check(method, path);
        answer
    }

    /// Starts a run and waits for its end; returns the run.
    pub fn index(&self, run_type: &str) -> Value {
        let body = json!({ "type": run_type });
        let mut started = self.post("/api/v1/index/run", &body);
        // A watch may be running.
        while started.status == 409 {
            std::thread::sleep(Duration::from_millis(50));
            started = self.post("/api/v1/index/run", &body);
        }
        assert_eq!(started.status, 201, "{started:?}");
        let path = format!("/api/v1/index/runs/{}", started.json()["runId"].as_str().unwrap());
        wait_for("the end of the run", || {
            self.get("/api/v1/index/state").json()["state"] == "idle"
        });
        self.get(&path).json()
    }

    /// Kills the process without warning.
    pub fn kill(mut self) {
        self.end();
    }

    /// The same for a server that another replaces.
    pub fn end(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks the process to end and waits for it.
    pub fn stop(mut self) -> std::process::ExitStatus {
        Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .status()
            .unwrap();
        self.child.wait().unwrap()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only when the process has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
