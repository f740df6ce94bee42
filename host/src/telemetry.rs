//! Log lines of the process.

use std::io::IsTerminal as _;

use tracing_subscriber::EnvFilter;

use crate::config::LogFormat;

/// What is logged unless `SVC_LOG` says otherwise: the server's own lines and what goes wrong elsewhere.
const DEFAULT_FILTER: &str = "info,sqlx=warn,salvo=warn,salvo_core=error,hyper=warn";

/// Starts logging to standard error. `filter` is a `tracing` filter such as `debug` or `svc::scan=trace`.
///
/// # Errors
/// A filter that cannot be read.
pub fn init(format: LogFormat, filter: Option<&str>) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(filter.unwrap_or(DEFAULT_FILTER))?;
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Text => lines.with_ansi(std::io::stderr().is_terminal()).init(),
        LogFormat::Json => lines.json().flatten_event(true).init(),
    }
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        // Not the payload: it may quote user data.
        tracing::error!(place, "panic");
    }));
    Ok(())
}
