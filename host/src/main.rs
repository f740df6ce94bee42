//! The `svc` program.

use std::process::ExitCode;

fn main() -> ExitCode {
    svc_host::cli::run()
}
