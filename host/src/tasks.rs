//! Background tasks: the one place that spawns them, so that each has a name in the log.

use std::future::Future;

use tokio::task::JoinHandle;
use tracing::Instrument as _;

/// Runs `task` in the background. A panic ends the task only; `telemetry` logs it.
#[expect(clippy::disallowed_methods, reason = "the one place that spawns")]
pub fn spawn<T: Send + 'static>(
    name: &'static str,
    task: impl Future<Output = T> + Send + 'static,
) -> JoinHandle<T> {
    tokio::spawn(task.instrument(tracing::info_span!("task", name)))
}
