//! `svc plugin`: the tools of a plugin's author, and the plugins of a server. Parses and prints; `svc-plugin-kit`
//! works.
//!
//! Exit codes: 0 passed, 1 an error, 2 invalid arguments, 3 a tool is missing, 4 the plugin did not pass, or the
//! server refused.

mod author;
mod manage;
mod server;
mod signing;

use std::fmt::Display;
use std::io::Write as _;
use std::process::ExitCode;

use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::json;
use svc_plugin_kit::KitError;

/// A tool that the verb needs is not installed.
const TOOL_MISSING: u8 = 3;
/// The plugin did not pass: a check, a test, a budget or a signature.
const NOT_PASSED: u8 = 4;

/// Options of `svc plugin`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    verb: Verb,
    /// Print one JSON object, also for an error
    #[arg(long, global = true)]
    json: bool,
}

impl Arguments {
    /// What is logged unless the person says otherwise: all lines of the plugin where it reads files that somebody
    /// chose, none where it reads hundreds that are damaged on purpose.
    pub(super) fn log_filter(&self) -> &'static str {
        match self.verb {
            Verb::Run(_) => "warn,svc_plugin_host::machine_code=info,svc::plugin=debug",
            // What is compiled meanwhile is no part of a report.
            Verb::Check(_) => "error,svc::plugin=off",
            Verb::List(_) | Verb::Doctor(_) => "off,svc_plugin_host::machine_code=info",
            _ => "error,svc_plugin_host::machine_code=info,svc::plugin=off",
        }
    }
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Make a folder with a plugin that works
    New(author::New),
    /// Compile a plugin into one file
    Build(author::Build),
    /// Find everything that keeps a plugin from being loaded
    Check(author::Check),
    /// Compare the records of fixtures, and run the conformance tests
    Test(author::Test),
    /// Measure time, memory and reads
    Bench(author::Bench),
    /// Show what a plugin returns for media files
    Run(author::Run),
    /// Show what a plugin is, without running it
    Inspect(author::Plugin),
    /// Build a plugin twice in different places, and compare the files
    Repro(author::Repro),
    /// Make a private key for signatures
    Keygen(signing::Keygen),
    /// Sign a plugin
    Sign(signing::Sign),
    /// Verify the signature of a plugin
    Verify(signing::Verify),
    /// Rebuild a plugin when its files change, and swap it into a running server
    Dev(manage::Dev),
    /// Upload a plugin, or a new version of one, to a running server
    Install(manage::Install),
    /// Grant permissions to a plugin, which puts a version that waits into use
    #[command(
        override_usage = "svc plugin grant [OPTIONS] <ID> <PERMISSIONS>...\n       svc plugin grant [OPTIONS] <ID> --all"
    )]
    Grant(manage::Grant),
    /// Take permissions from a plugin, which stops it
    #[command(
        override_usage = "svc plugin revoke [OPTIONS] <ID> <PERMISSIONS>...\n       svc plugin revoke [OPTIONS] <ID> --all"
    )]
    Revoke(manage::Grants),
    /// Let a plugin run
    Enable(manage::One),
    /// Keep a plugin from running
    Disable(manage::One),
    /// Change settings of a plugin
    Set(manage::Set),
    /// Show what a version that waits would change
    Preview(manage::Preview),
    /// Discard a version that waits
    Discard(manage::One),
    /// Put the version before the one in use back
    Rollback(manage::One),
    /// Release a plugin from quarantine
    Release(manage::One),
    /// Remove a plugin that was uploaded
    Remove(manage::One),
    /// Delete all items of a kind whose plugin is gone, with their ratings and history
    Purge(manage::Purge),
    /// List the plugins of a server
    List(server::List),
    /// Find what keeps the plugins of a server from being used
    Doctor(server::Server),
}

/// Runs the verb.
pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    let output = Output { json: arguments.json };
    let outcome = match arguments.verb {
        Verb::New(new) => new.run(output),
        Verb::Build(build) => build.run(output),
        Verb::Check(check) => check.run(output),
        Verb::Test(test) => test.run(output),
        Verb::Bench(bench) => bench.run(output),
        Verb::Run(run) => run.run(output),
        Verb::Inspect(plugin) => plugin.inspect(output),
        Verb::Repro(repro) => repro.run(output),
        Verb::Keygen(keygen) => keygen.run(output),
        Verb::Sign(sign) => sign.run(output),
        Verb::Verify(verify) => verify.run(output),
        Verb::Dev(dev) => dev.run(output),
        Verb::Install(install) => install.run(output),
        Verb::Grant(grant) => grant.run(output),
        Verb::Revoke(grants) => grants.revoke(output),
        Verb::Enable(plugin) => plugin.enable(output, true),
        Verb::Disable(plugin) => plugin.enable(output, false),
        Verb::Set(set) => set.run(output),
        Verb::Preview(preview) => preview.run(output),
        Verb::Discard(plugin) => plugin.discard(output),
        Verb::Rollback(plugin) => plugin.roll_back(output),
        Verb::Release(plugin) => plugin.release(output),
        Verb::Remove(plugin) => plugin.remove(output),
        Verb::Purge(purge) => purge.run(output),
        Verb::List(list) => list.run(output),
        Verb::Doctor(server) => server.doctor(output),
    };
    match outcome {
        Ok(code) => Ok(code),
        Err(error) => match error.downcast::<KitError>() {
            Ok(error) => output.error(&error),
            Err(error) => Err(error),
        },
    }
}

/// How results are printed.
#[derive(Debug, Clone, Copy)]
struct Output {
    json: bool,
}

impl Output {
    /// Prints a report; the exit code says whether the plugin passed.
    fn report(self, report: &(impl Serialize + Display), passed: bool) -> anyhow::Result<ExitCode> {
        let mut out = std::io::stdout().lock();
        if self.json {
            let mut value = serde_json::to_value(report)?;
            if let Some(object) = value.as_object_mut() {
                object.insert("passed".to_owned(), json!(passed));
            }
            writeln!(out, "{value}")?;
        } else {
            writeln!(out, "{report}")?;
        }
        Ok(if passed {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(NOT_PASSED)
        })
    }

    /// Prints a line, as JSON or as text.
    fn line(self, json: &serde_json::Value, text: &str) -> anyhow::Result<ExitCode> {
        let mut out = std::io::stdout().lock();
        if self.json {
            writeln!(out, "{json}")?;
        } else {
            writeln!(out, "{text}")?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// Prints an error with its next step.
    #[expect(clippy::print_stderr, reason = "tells a person why the verb ended")]
    fn error(self, error: &KitError) -> anyhow::Result<ExitCode> {
        if self.json {
            let error = json!({ "code": error.code(), "message": error.to_string(), "next": error.next() });
            writeln!(
                std::io::stdout().lock(),
                "{}",
                json!({ "passed": false, "error": error })
            )?;
        } else {
            eprintln!("svc: {error}\nnext: {}", error.next());
        }
        Ok(match error {
            KitError::ToolMissing { .. } => ExitCode::from(TOOL_MISSING),
            KitError::Refused(_) => ExitCode::from(NOT_PASSED),
            _ => ExitCode::FAILURE,
        })
    }
}
