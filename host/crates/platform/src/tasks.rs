//! Background tasks: the one place that spawns them, so that each has a name in the log and the end of the server waits
//! for all of them.

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

/// How long the end of the server waits for what is under way: what is left of the 10 s after which container runtimes kill,
/// when the last connections have had theirs.
pub const END_WITHIN: Duration = Duration::from_secs(3);

/// The tasks of a server. Whoever drops a handle leaves its task to this: it goes on, and is waited for at the end.
/// Cheap to clone: the clones are one.
#[derive(Debug, Clone, Default)]
pub struct Tasks(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// How many of each name are under way.
    open: watch::Sender<BTreeMap<&'static str, usize>>,
    ending: watch::Sender<bool>,
}

/// A task's place in the count, which goes with the task however it ends: by itself, by a panic, given up.
struct Counted {
    name: &'static str,
    tasks: Tasks,
}

impl Counted {
    fn new(name: &'static str, tasks: &Tasks) -> Self {
        tasks
            .0
            .open
            .send_modify(|open| *open.entry(name).or_default() += 1);
        let tasks = tasks.clone();
        Self { name, tasks }
    }
}

impl Drop for Counted {
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
    /// Runs `task` in the background, to its end: what has begun to change something. A panic ends the task only;
    /// `telemetry` logs it.
    #[expect(clippy::disallowed_methods, reason = "the one place that spawns")]
    pub fn spawn<T: Send + 'static>(
        &self,
        name: &'static str,
        task: impl Future<Output = T> + Send + 'static,
    ) -> JoinHandle<T> {
        let counted = Counted::new(name, self);
        let task = async move {
            let _counted = counted;
            task.await
        };
        tokio::spawn(task.instrument(tracing::info_span!("task", name)))
    }

    /// Runs `task` in the background until the server ends, and leaves it there at its next wait: what looks after
    /// something, and has nothing to finish.
    pub fn spawn_until_end(&self, name: &'static str, task: impl Future<Output = ()> + Send + 'static) {
        let mut ending = self.0.ending.subscribe();
        self.spawn(name, async move {
            tokio::select! {
                () = task => {}
                // An error means that nobody is left who could tell.
                _ = ending.wait_for(|ending| *ending) => {}
            }
        });
    }

    /// Ends those that go on until the end, and waits for all others, but for no longer than this. False if some were
    /// left alone; the log has their names.
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

/// Runs `task` on a thread of its own. For one that other threads answer all the time: each answer would wake the threads
/// that serve requests, and take its turn among those. What comes of it is received; nothing, if it panics.
///
/// The thread is as fast as others: those that are started from it, a reader of the database or one that may block, would
/// inherit that it steps back, and keep it.
///
/// # Errors
/// The system gives no thread.
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
            // Whoever asked may have gone.
            let _ = answer.send(runtime.block_on(task));
        })?;
    Ok(answered)
}

/// For tests, which wait for what they spawn.
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
    async fn end_waits_for_a_task_whose_handle_was_dropped() {
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
        assert!(!tasks.end(SOON).await, "bounded, while it is under way");
        assert!(!done.load(Ordering::SeqCst));
        let (ended, ()) = tokio::join!(tasks.end(PATIENCE), async { go_on.notify_one() });
        assert!(ended && done.load(Ordering::SeqCst));
    }

    #[tokio::test]
    async fn task_that_has_no_end_is_left_at_the_end_of_the_server() {
        let tasks = Tasks::default();
        tasks.spawn_until_end("watch", std::future::pending());
        assert!(tasks.end(PATIENCE).await);
        // One that begins when the server has ended.
        tasks.spawn_until_end("watch", std::future::pending());
        assert!(tasks.end(PATIENCE).await);
    }

    #[tokio::test]
    async fn task_that_panics_or_is_given_up_is_waited_for_no_longer() {
        let tasks = Tasks::default();
        let panics = tasks.spawn("panics", async { panic!("a fault") });
        let given_up = tasks.spawn("given up", std::future::pending::<()>());
        given_up.abort();
        assert!(tasks.end(PATIENCE).await);
        assert!(panics.await.unwrap_err().is_panic());
    }
}
