//! Background tasks: the only module that spawns them, so that each has a name in the log and shutdown waits for all.

use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tracing::Instrument as _;

/// How long shutdown waits for tasks: the rest of the 10 s after which container runtimes kill a process, minus the
/// time for connections.
pub const END_WITHIN: Duration = Duration::from_secs(3);

/// The background tasks of a server. A task continues when its handle is dropped; shutdown waits for it. Clones share
/// one set.
#[derive(Debug, Clone, Default)]
pub struct Tasks(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Number of running tasks per name.
    open: watch::Sender<BTreeMap<&'static str, usize>>,
    ending: watch::Sender<bool>,
}

/// Counts a running task; dropped when the task completes, panics or is aborted.
struct TaskGuard {
    name: &'static str,
    tasks: Tasks,
}

impl TaskGuard {
    fn new(name: &'static str, tasks: &Tasks) -> Self {
        tasks
            .0
            .open
            .send_modify(|open| *open.entry(name).or_default() += 1);
        let tasks = tasks.clone();
        Self { name, tasks }
    }
}

impl Drop for TaskGuard {
    fn drop(&mut self) {
        self.tasks.0.open.send_modify(|open| {
            if let Some(number) = open.get_mut(self.name) {
                *number -= 1;
                if *number == 0 {
                    open.remove(self.name);
                }
            }
        });
    }
}

impl Tasks {
    /// Runs `task` to completion in the background. A panic ends only the task; `telemetry` logs it.
    #[expect(clippy::disallowed_methods, reason = "the one place that spawns")]
    pub fn spawn<T: Send + 'static>(
        &self,
        name: &'static str,
        task: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        let counted = TaskGuard::new(name, self);
        let task = async move {
            let _counted = counted;
            task.await
        };
        tokio::spawn(task.instrument(tracing::info_span!("task", name)))
    }

    /// Runs `task` in the background and drops it at its next await point when the server shuts down. For periodic
    /// tasks without work that has to be completed.
    pub fn spawn_until_end(&self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        let mut ending = self.0.ending.subscribe();
        self.spawn(name, async move {
            tokio::select! {
                () = task => {}
                // An error means that the sender was dropped.
                _ = ending.wait_for(|ending| *ending) => {}
            }
        });
    }

    /// Cancels the tasks of [`Self::spawn_until_end`] and waits for all others, at most for `within`. False if some
    /// still run; their names are logged.
    pub async fn end(&self, within: Duration) -> bool {
        self.0.ending.send_replace(true);
        let mut open = self.0.open.subscribe();
        let ended = tokio::time::timeout(within, open.wait_for(BTreeMap::is_empty));
        if ended.await.is_ok() {
            return true;
        }
        let left = self.0.open.borrow().clone();
        tracing::warn!(?left, "background tasks did not finish before shutdown");
        false
    }
}

/// Runs `task` on a thread of its own and returns the receiver of its result, which fails if the task panics. For
/// tasks that other threads wake constantly: on the runtime, each wake-up would compete with requests.
///
/// The thread has normal priority: threads started from it, such as those of database connections and blocking calls,
/// inherit its nice value and cannot raise their priority again.
///
/// # Errors
/// The operating system cannot start a thread.
pub fn spawn_dedicated_thread<T: Send + 'static>(
    name: &'static str,
    task: impl Future<Output = T> + Send + 'static,
) -> io::Result<oneshot::Receiver<T>> {
    let runtime = Handle::current();
    let (answer, answered) = oneshot::channel();
    let task = task.instrument(tracing::info_span!("task", name));
    thread::Builder::new()
        .name(format!("svc-{name}"))
        .spawn(move || {
            // The receiver may have been dropped.
            let _ = answer.send(runtime.block_on(task));
        })?;
    Ok(answered)
}

/// For tests, which await the handle.
pub fn spawn<T: Send + 'static>(
    name: &'static str,
    task: impl Future<Output = T> + Send + 'static,
) -> JoinHandle<T> {
    Tasks::default().spawn(name, task)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use tokio::sync::Notify;

    use super::*;

    const SOON: Duration = Duration::from_millis(20);
    const PATIENCE: Duration = Duration::from_secs(30);

    #[tokio::test]
    async fn shutdown_waits_for_a_task_whose_handle_was_dropped() {
        let (tasks, go_on, done) = (
            Tasks::default(),
            Arc::new(Notify::new()),
            Arc::new(AtomicBool::new(false)),
        );
        let (waits, sets) = (Arc::clone(&go_on), Arc::clone(&done));
        drop(tasks.spawn("change", async move {
            waits.notified().await;
            sets.store(true, Ordering::SeqCst);
        }));
        assert!(!tasks.end(SOON).await, "limited while the task runs");
        assert!(!done.load(Ordering::SeqCst));
        let (ended, ()) = tokio::join!(tasks.end(PATIENCE), async { go_on.notify_one() });
        assert!(ended && done.load(Ordering::SeqCst));
    }

    #[tokio::test]
    async fn endless_task_is_cancelled_at_shutdown() {
        let tasks = Tasks::default();
        tasks.spawn_until_end("watch", std::future::pending());
        assert!(tasks.end(PATIENCE).await);
        // A task that is spawned after shutdown.
        tasks.spawn_until_end("watch", std::future::pending());
        assert!(tasks.end(PATIENCE).await);
    }

    #[tokio::test]
    async fn shutdown_does_not_wait_for_panicked_or_aborted_tasks() {
        let tasks = Tasks::default();
        let panics = tasks.spawn("panics", async { panic!("a fault") });
        let given_up = tasks.spawn("given up", std::future::pending::<()>());
        given_up.abort();
        assert!(tasks.end(PATIENCE).await);
        assert!(panics.await.unwrap_err().is_panic());
    }
}
