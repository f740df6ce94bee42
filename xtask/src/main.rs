//! `cargo xtask <command>`: every chore of the project as a command, one file per command.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a chore starts other programs, reads the environment and talks to a person; the bans are for the server"
)]

mod bench;
mod fixtures;
mod fuzz_api;
mod host;
mod lint;
mod openapi;
mod plugin_tools;
mod plugins;
mod postgres;
mod process;
mod run;
mod server_client;
mod server_process;
mod test;
mod tidy;
mod unseen;
mod wasm_target;
mod wasm_target_debian;
mod workspace;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Builds, runs, tests and measures svc")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Build the first-party plugins into target/plugins, fetching the wasm target when it is missing
    Plugins,
    /// Install the compilers of plugins in Python, JavaScript and C into target/plugin-tools, for the tests
    PluginTools {
        /// Where one cannot be fetched, warn and succeed
        #[arg(long)]
        skip_when_offline: bool,
    },
    /// Build plugins and host: target/release/svc, and its symbols in target/release/svc.debug
    Build,
    /// Build everything, start the server, set it up, index the library, and print example requests
    Run {
        /// Passed on to `svc serve`; without a media directory a sample library is generated
        #[arg(last = true)]
        arguments: Vec<String>,
    },
    /// Run every test, the plugins' included, on SQLite and PostgreSQL
    Test {
        /// Skip the tests that need a PostgreSQL server, and count them as skipped
        #[arg(long)]
        skip_postgres: bool,
        /// Passed on to the test runner, such as a part of a test's name
        #[arg(last = true)]
        filter: Vec<String>,
    },
    /// Formatting, clippy, licences, bans and advisories
    Lint,
    /// List files that are too long or do not start with a description
    Tidy,
    /// Write the API description of the built server to host/openapi.json
    Openapi,
    /// Write the sample library
    Fixtures {
        #[arg(default_value = "target/sample-library")]
        directory: PathBuf,
    },
    /// Send valid and invalid requests made from the API description, and check every response against it
    FuzzApi(fuzz_api::Options),
    /// Measure
    #[command(subcommand)]
    Bench(bench::Bench),
}

fn main() -> ExitCode {
    let outcome = match Arguments::parse().command {
        Command::Plugins => plugins::build(),
        Command::PluginTools { skip_when_offline } => plugin_tools::install(skip_when_offline),
        Command::Build => host::build_release().map(drop),
        Command::Run { arguments } => run::run(&arguments),
        Command::Test {
            skip_postgres,
            filter,
        } => test::run(skip_postgres, &filter),
        Command::Lint => lint::run(),
        Command::Tidy => tidy::run(),
        Command::Openapi => openapi::write(),
        Command::Fixtures { directory } => fixtures::write_sample_library(&directory),
        Command::FuzzApi(options) => fuzz_api::run(&options),
        Command::Bench(bench) => bench::run(bench),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
