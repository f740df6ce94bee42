//! The rounds of schemathesis with one server: its configuration and its command line.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, bail};

use crate::process;
use crate::server_client::{Client, Credentials};

/// `positive_data_acceptance` is left out, because the description cannot express everything that makes an id or a
/// filter valid.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_schema_conformance,response_headers_conformance,negative_data_rejection";

const HOOKS: &str = include_str!("../fuzz_api_hooks.py");

/// Excluded operations, with the reason: they would end the session of the test itself, or never complete.
pub(super) const EXCLUDED: [(&str, &str); 4] = [
    ("GET /api/v1/events/subscribe", "its answer has no end"),
    (
        "POST /api/v1/auth/logout",
        "ends the session that the rest is tested with",
    ),
    (
        r"DELETE /api/v1/users/(current|\{id\})/sessions.*",
        "ends the session that the rest is tested with",
    ),
    (
        r"POST /api/v1/.*factory-reset.*",
        "empties the server that the rest is tested on",
    ),
];

/// A role and its credentials.
pub(super) type Account = (&'static str, Option<Credentials>);

/// Values of parameters that random ones would never hit.
#[derive(Default)]
pub(super) struct KnownValues {
    dictionaries: String,
    parameters: String,
}

impl KnownValues {
    /// Adds values of a parameter, such as `path.id` or `body.role`.
    pub(super) fn add(&mut self, parameter: &str, values: &[String]) {
        let name = parameter.replace('.', "_");
        // Writing to a string does not fail. The values are letters, digits, `_` and `-`, so Rust's quotes are TOML's.
        let _ = writeln!(self.dictionaries, "[dictionaries.{name}]\nvalues = {values:?}");
        let _ = writeln!(
            self.parameters,
            "\"{parameter}\" = {{ dictionary = \"{name}\", probability = 0.6 }}"
        );
    }
}

/// What is fuzzed.
pub(super) struct Target<'a> {
    /// What distinguishes the server from the others.
    pub(super) title: &'static str,
    /// Its address.
    pub(super) base: &'a str,
    /// Regular expressions of method and path; all operations if empty.
    pub(super) operations: &'static [&'static str],
    pub(super) known: KnownValues,
    /// The token of a cloud account that every request has.
    pub(super) cloud_token: Option<String>,
    /// Whether operations may answer 503.
    pub(super) expects_503: bool,
}

/// schemathesis, and what all its rounds have in common.
pub(super) struct Fuzzer {
    pub(super) tool: PathBuf,
    pub(super) directory: PathBuf,
    pub(super) max_examples: String,
    pub(super) seed: String,
}

impl Fuzzer {
    /// Fuzzes a server as each of these callers; returns the rounds with findings.
    pub(super) fn rounds(
        &self,
        client: &Client,
        accounts: &[Account],
        target: &Target<'_>,
    ) -> Result<Vec<String>> {
        let mut failed = Vec::new();
        for (role, credentials) in accounts {
            if process::interrupted() {
                bail!("interrupted");
            }
            let title = format!("{role} {}", target.title);
            println!("\n== as {title}");
            // A new sign-in for each round, because an access token lives for 15 minutes.
            let session = credentials
                .clone()
                .map(|known| client.log_in(known))
                .transpose()?;
            if let Err(error) = self.round(target, session.as_ref().map(|session| session.token())) {
                eprintln!("xtask: {error:#}");
                failed.push(title);
            }
        }
        Ok(failed)
    }

    fn round(&self, target: &Target<'_>, token: Option<&str>) -> Result<()> {
        std::fs::write(self.directory.join("svc_hooks.py"), HOOKS)?;
        let path = self.directory.join("schemathesis.toml");
        std::fs::write(&path, configuration(target, token.is_some()))?;
        let mut command = Command::new(&self.tool);
        command
            .current_dir(&self.directory)
            .env("PYTHONPATH", &self.directory)
            .arg("--config-file")
            .arg(&path)
            .args(["run", &format!("{}/api/docs-json", target.base)])
            .args(["--checks", CHECKS])
            // Not `stateful`: the description names no links between operations.
            .args(["--phases", "examples,coverage,fuzzing"])
            .args(["--max-examples", &self.max_examples, "--seed", &self.seed])
            .args(["--generation-database", "none", "--continue-on-failure"])
            // Warnings are about schemathesis's own coverage, such as a role that gets 403 everywhere, which is
            // intended.
            .args(["--warnings", "off", "--request-timeout", "30"]);
        if !target.operations.is_empty() {
            let included = format!("^({})$", target.operations.join("|"));
            command.args(["--include-name-regex", &included]);
        }
        for (operations, _) in EXCLUDED {
            command.args(["--exclude-name-regex", &format!("^{operations}$")]);
        }
        // The caller's tokens go through the environment: neither a file nor a list of processes shows them, and the
        // report's curl lines have them taken out.
        if let Some(token) = token {
            command.env("SVC_FUZZ_TOKEN", token);
        }
        if let Some(token) = &target.cloud_token {
            command.env("SVC_FUZZ_CLOUD_TOKEN", token);
        }
        process::run_supervised(&mut command)
    }
}

fn configuration(target: &Target<'_>, has_token: bool) -> String {
    let mut headers = Vec::new();
    if has_token {
        headers.push("Authorization = \"Bearer ${SVC_FUZZ_TOKEN}\"");
    }
    if target.cloud_token.is_some() {
        headers.push("Svc-Cloud-Token = \"${SVC_FUZZ_CLOUD_TOKEN}\"");
    }
    let headers = headers.join(", ");
    let unavailable = if target.expects_503 { ", \"503\"" } else { "" };
    let KnownValues {
        dictionaries,
        parameters,
    } = &target.known;
    format!(
        "hooks = \"svc_hooks\"\nheaders = {{ {headers} }}\n\
         [checks.not_a_server_error]\nexpected-statuses = [\"2xx\", \"3xx\", \"4xx\"{unavailable}]\n\
         {dictionaries}[parameters]\n{parameters}"
    )
}
