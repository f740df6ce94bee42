//! Background tasks: the one place that spawns them, so that each has a name in the log.

use std::future::Future;
use std::io;
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::oneshot;
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

/// Runs `task` on a thread of its own. For one that other threads answer all the time: each answer would wake the threads
/// that serve requests, and take its turn among those. What comes of it is received; nothing, if it panics.
///
/// The thread is as fast as others: those that are started from it, a reader of the database or one that may block, would
/// inherit that it steps back, and keep it.
///
/// # Errors
/// The system gives no thread.
pub fn spawn_apart<T: Send + 'static>(
    name: &'static str,
    task: impl Future<Output = T> + Send + 'static,
) -> io::Result<oneshot::Receiver<T>> {
    let runtime = Handle::current();
    let (answer, answered) = oneshot::channel();
    let task = task.instrument(tracing::info_span!("task", name));
    thread::Builder::new()
        .name(format!("svc-{name}"))
        .spawn(move || {
            // Whoever asked may have gone.
            let _ = answer.send(runtime.block_on(task));
        })?;
    Ok(answered)
}
