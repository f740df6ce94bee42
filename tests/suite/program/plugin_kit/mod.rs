//! `svc plugin`: the verbs of an author, in every language, with the real program.

mod dev;
mod fixtures;
mod languages;
mod signatures;
mod standing_alone;
mod tutorial;
mod verdicts;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use svc_tests::program::program;
use svc_tests::workspace;
use tempfile::TempDir;

/// A folder of an author, with what the author has installed.
struct Author {
    dir: TempDir,
    path: String,
}

/// What a verb printed, and its exit code.
#[derive(Debug)]
struct Verdict {
    code: Option<i32>,
    json: Value,
    #[allow(dead_code, reason = "shown where a test fails")]
    log: String,
}

impl Author {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        // Crates that are not published yet: the SDK of this checkout stands in for the one on crates.io.
        let cargo = dir.path().join(".cargo");
        fs::create_dir(&cargo).unwrap();
        let sdk = workspace().join("plugin-api");
        let patch = format!("[patch.crates-io]\nsvc-plugin-api = {{ path = {sdk:?} }}\n");
        fs::write(cargo.join("config.toml"), patch).unwrap();
        Self {
            dir,
            path: std::env::var("PATH").unwrap(),
        }
    }

    /// The same with nothing on the path.
    fn without_tools() -> Self {
        Self {
            path: "/nonexistent".to_owned(),
            ..Self::new()
        }
    }

    fn at(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// The environment of the author's shell.
    fn prepare(&self, command: &mut Command) {
        let kept = ["HOME", "CARGO_HOME", "RUSTUP_HOME", "SSL_CERT_FILE"];
        let kept = kept
            .into_iter()
            .filter_map(|name| Some((name, std::env::var_os(name)?)));
        command
            .env_clear()
            .envs(kept)
            .env("PATH", &self.path)
            // Compiled plugins and the SDK are shared by all tests.
            .env("XDG_CACHE_HOME", workspace().join("target/test-plugin-cache/kit"))
            .env("CARGO_TARGET_DIR", workspace().join("target/test-plugin-kit"))
            .current_dir(self.dir.path())
            .stdin(Stdio::null());
    }

    /// Runs `svc plugin` with `--json`.
    #[track_caller]
    fn plugin(&self, arguments: &[&str]) -> Verdict {
        let mut command = Command::new(program());
        self.prepare(&mut command);
        let output = command
            .args(["plugin", "--json"])
            .args(arguments)
            .output()
            .unwrap();
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        let json = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| {
            panic!(
                "{arguments:?}: {error}: {:?}\n{log}",
                String::from_utf8_lossy(&output.stdout)
            )
        });
        Verdict {
            code: output.status.code(),
            json,
            log,
        }
    }

    /// As `plugin`; it must pass.
    #[track_caller]
    fn passes(&self, arguments: &[&str]) -> Value {
        let verdict = self.plugin(arguments);
        assert_eq!(verdict.code, Some(0), "{arguments:?}: {verdict:#?}");
        assert_eq!(verdict.json["passed"], true, "{arguments:?}: {verdict:#?}");
        verdict.json
    }

    /// As `plugin`; it must end with this exit code and this error, and say what to do next.
    #[track_caller]
    fn fails(&self, arguments: &[&str], code: i32, error: &str) -> String {
        let verdict = self.plugin(arguments);
        assert_eq!(verdict.code, Some(code), "{arguments:?}: {verdict:#?}");
        let found = &verdict.json["error"];
        assert_eq!(found["code"], error, "{arguments:?}: {verdict:#?}");
        let next = found["next"].as_str().unwrap();
        assert!(!next.is_empty(), "{arguments:?}: {verdict:#?}");
        format!("{} {next}", found["message"].as_str().unwrap())
    }

    /// Puts a tool that `cargo xtask plugin-tools` installed where the author of this folder would have it. The reason
    /// if it is not installed.
    fn install(&self, language: &str, folder: &str) -> Result<(), String> {
        let (tools, name) = match language {
            "js" => ("js/node_modules", "node_modules"),
            language => (
                if language == "c" {
                    "c/.venv"
                } else {
                    "python/.venv"
                },
                ".venv",
            ),
        };
        let tools = workspace().join("target/plugin-tools").join(tools);
        if !tools.is_dir() {
            return Err(format!(
                "the tools of {language} are missing: `cargo xtask plugin-tools` installs them"
            ));
        }
        symlink(tools, self.at(folder).join(name)).map_err(|error| error.to_string())
    }
}

/// Whether this machine compiles Rust for plugins: the reason if it does not.
fn rust_is_installed() -> Result<(), String> {
    let toolchains = [&[][..], &["+debian"]];
    let has_target = toolchains.into_iter().any(|selector| {
        let mut rustc = Command::new("rustc");
        rustc
            .args(selector)
            .args(["--print", "target-libdir", "--target", "wasm32-unknown-unknown"]);
        let output = rustc.output();
        let library = output.map(|output| PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()));
        let entries = library.and_then(fs::read_dir);
        entries.is_ok_and(|mut entries| {
            entries.any(|entry| {
                entry
                    .unwrap()
                    .file_name()
                    .to_string_lossy()
                    .starts_with("libcore-")
            })
        })
    });
    if has_target {
        Ok(())
    } else {
        Err(
            "Rust cannot compile for wasm32-unknown-unknown here: `cargo xtask plugins` installs the target"
                .to_owned(),
        )
    }
}
