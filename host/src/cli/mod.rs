//! The command line: one file per subcommand.

mod arguments;
mod doctor;
#[cfg(test)]
mod documents;
mod index;
mod inspect;
mod openapi;
mod plugin;
mod plugin_compile;
mod report;
mod serve;
mod user;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::config::LogFormat;

/// A self-hosted media server
#[derive(Debug, Parser)]
#[command(name = "svc", version, about, propagate_version = true)]
struct Cli {
    /// How log lines look
    #[arg(
        long,
        global = true,
        env = "SVC_LOG_FORMAT",
        default_value = "text",
        value_name = "FORMAT"
    )]
    log_format: LogFormat,
    /// What is logged, such as `debug` or `svc::scan=trace`
    #[arg(long, global = true, env = "SVC_LOG", value_name = "FILTER")]
    log: Option<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Start the server
    Serve(Box<serve::Arguments>),
    /// Index the library without a server, and print the counts and failures
    Index(Box<index::Arguments>),
    /// Show what the plugins read from one file
    Inspect(inspect::Arguments),
    /// Make, check, test, measure and sign plugins, and list those of a server
    Plugin(Box<plugin::Arguments>),
    /// Say whether what is configured works
    Doctor(Box<doctor::Arguments>),
    /// List accounts, set a password, make an owner
    User(Box<user::Arguments>),
    /// Print the API's description (OpenAPI 3.1, JSON)
    Openapi,
    /// Compile a plugin: standard input to standard output. The server starts this with its limits
    #[command(hide = true)]
    PluginCompile,
}

/// Runs the program with the arguments of the process. Errors are printed as one sentence on standard error with exit
/// code 1; invalid arguments have exit code 2.
#[expect(
    clippy::print_stderr,
    reason = "the one place that tells a person why the program ends"
)]
pub fn run() -> ExitCode {
    svc_platform::malloc::tune_malloc();
    let cli = Cli::try_parse().unwrap_or_else(|error| arguments::with_tip(error).exit());
    let outcome = match cli.command {
        // Writes binary data to standard output under tight limits: no logging and no runtime are set up.
        Command::PluginCompile => plugin_compile::run(),
        Command::Openapi => openapi::run(),
        command => {
            crate::telemetry::init(cli.log_format, filter(&command, cli.log.as_deref())).and_then(|()| {
                match command {
                    Command::Serve(arguments) => serve::run(*arguments),
                    Command::Index(arguments) => index::run(*arguments),
                    Command::Inspect(arguments) => inspect::run(&arguments),
                    Command::Plugin(arguments) => plugin::run(*arguments),
                    Command::Doctor(arguments) => doctor::run(*arguments),
                    Command::User(arguments) => user::run(*arguments),
                    Command::Openapi | Command::PluginCompile => Ok(ExitCode::SUCCESS),
                }
            })
        }
    };
    outcome.unwrap_or_else(|error| {
        // Whoever read the output has seen enough, such as `head`.
        let is_closed = |error: &std::io::Error| error.kind() == std::io::ErrorKind::BrokenPipe;
        if error.downcast_ref::<std::io::Error>().is_some_and(is_closed) {
            return ExitCode::FAILURE;
        }
        eprintln!("svc: {error:#}");
        ExitCode::FAILURE
    })
}

/// The log filter of a command. One that prints what it finds logs problems only, and what takes long.
fn filter<'a>(command: &Command, given: Option<&'a str>) -> Option<&'a str> {
    given.or(match command {
        Command::Doctor(_) => Some("warn,svc_plugin_host::machine_code=info"),
        Command::Inspect(_) => Some("warn"),
        Command::Plugin(arguments) => Some(arguments.log_filter()),
        _ => None,
    })
}

/// The asynchronous runtime.
fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    Ok(tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("svc-async")
        .build()?)
}
