//! Logging of the process.

mod redact;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::IsTerminal as _;

use tracing::Subscriber;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::config::LogFormat;
use redact::Redacted;

/// Default filter: lines of the server, and warnings and errors of its dependencies.
const DEFAULT_FILTER: &str = "info,sqlx=warn,salvo=warn,salvo_core=error,hyper=warn";

/// Starts logging to standard error. `filter` is a `tracing` filter such as `debug` or `svc::scan=trace`.
///
/// # Errors
/// The filter is invalid.
pub fn init(format: LogFormat, filter: Option<&str>) -> anyhow::Result<()> {
    let filter = EnvFilter::try_new(filter.unwrap_or(DEFAULT_FILTER))?;
    let colours = matches!(format, LogFormat::Text) && std::io::stderr().is_terminal();
    tracing::subscriber::set_global_default(subscriber(format, filter, colours, std::io::stderr))?;
    log_panics();
    Ok(())
}

/// Logs panics from now on, with a backtrace if the environment variable `RUST_BACKTRACE` is set.
pub fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let backtrace = Backtrace::capture();
        let captured = backtrace.status() == BacktraceStatus::Captured;
        // The payload is left out: it may contain user data.
        tracing::error!(
            place,
            backtrace = captured.then(|| tracing::field::display(&backtrace)),
            "panic"
        );
    }));
}

/// A subscriber that writes lines of this format and redacts secrets.
pub fn subscriber<W>(
    format: LogFormat,
    filter: EnvFilter,
    colours: bool,
    writer: W,
) -> Box<dyn Subscriber + Send + Sync>
where
    W: for<'a> MakeWriter<'a> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(Redacted::new(writer, colours));
    match format {
        LogFormat::Text => Box::new(lines.with_ansi(colours).finish()),
        LogFormat::Json => Box::new(lines.json().flatten_event(true).finish()),
    }
}
