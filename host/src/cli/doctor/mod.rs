//! `svc doctor`: whether what is configured works.

mod cloud;
mod memory_state;

use std::process::ExitCode;

use clap::{Args, Subcommand};

/// Options of `svc doctor`.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    subject: Subject,
}

#[derive(Debug, Subcommand)]
enum Subject {
    /// Say which cloud is configured, what of it can be reached, and what is refused
    Cloud(Box<cloud::Arguments>),
}

/// Examines the subject. The exit code is 1 if something does not work.
pub(super) fn run(arguments: Arguments) -> anyhow::Result<ExitCode> {
    match arguments.subject {
        Subject::Cloud(arguments) => cloud::run(*arguments),
    }
}
