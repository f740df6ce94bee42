//! `svc openapi`: prints the API description.

use std::process::ExitCode;

/// Prints the description that `/api/docs-json` serves.
#[expect(clippy::print_stdout, reason = "the output of the command")]
pub(super) fn run() -> anyhow::Result<ExitCode> {
    println!("{}", svc_api::openapi::document_text(&svc_api::router::routes()));
    Ok(ExitCode::SUCCESS)
}
