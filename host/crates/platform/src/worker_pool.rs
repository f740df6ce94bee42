//! Worker pool: a fixed number of threads that run blocking jobs from a bounded queue, first in, first out.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

type Job = Box<dyn FnOnce() + Send>;

/// The size and priority of a pool.
#[derive(Debug, Clone, Copy)]
pub struct WorkerPoolConfig {
    /// Prefix of the thread names, and the name in the log.
    pub name: &'static str,
    /// Jobs that run at the same time.
    pub threads: usize,
    /// Jobs that wait for a thread.
    pub queue: usize,
    /// Nice value of the threads; 0 leaves them at the priority of the process.
    pub niceness: i32,
}

/// Why a pool did not accept a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RejectedJob {
    /// The queue is full.
    #[error("the job queue is full")]
    QueueFull,
    /// The pool was stopped.
    #[error("the worker pool was stopped")]
    Stopped,
}

/// The threads and their queue. Dropping the pool runs the queued jobs and then ends the threads.
#[derive(Debug)]
pub struct WorkerPool(Arc<Shared>);

struct Shared {
    config: WorkerPoolConfig,
    state: Mutex<State>,
    /// Signals a queued job or the end of the pool to the threads.
    wake: Condvar,
    /// Signals the end of a thread to [`WorkerPool::close`].
    ended: Condvar,
}

struct State {
    queue: VecDeque<Job>,
    threads: usize,
    open: bool,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerPool")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl WorkerPool {
    /// Starts the threads.
    ///
    /// # Errors
    /// The operating system cannot start a thread.
    pub fn start(config: WorkerPoolConfig) -> io::Result<Self> {
        let pool = Self(Arc::new(Shared {
            config,
            state: Mutex::new(State {
                queue: VecDeque::new(),
                threads: 0,
                open: true,
            }),
            wake: Condvar::new(),
            ended: Condvar::new(),
        }));
        for number in 0..config.threads {
            let shared = Arc::clone(&pool.0);
            thread::Builder::new()
                .name(format!("{}-{number}", config.name))
                .spawn(move || shared.run())?;
            pool.0.state().threads += 1;
        }
        Ok(pool)
    }

    /// Queues a job. It runs even if the caller is cancelled; a panic in it is logged and ends the job only.
    ///
    /// # Errors
    /// The queue is full, or the pool was stopped. The job is dropped then.
    pub fn spawn(&self, job: impl FnOnce() + Send + 'static) -> Result<(), RejectedJob> {
        let mut state = self.0.state();
        if !state.open {
            return Err(RejectedJob::Stopped);
        }
        if state.queue.len() >= self.0.config.queue {
            return Err(RejectedJob::QueueFull);
        }
        state.queue.push_back(Box::new(job));
        drop(state);
        self.0.wake.notify_one();
        Ok(())
    }

    /// Drops the queued jobs and rejects every later one. Running jobs continue.
    pub fn stop(&self) {
        let queued = {
            let mut state = self.0.state();
            state.open = false;
            std::mem::take(&mut state.queue)
        };
        self.0.wake.notify_all();
        // Dropped without the lock: what a job holds may use the pool when it is dropped.
        drop(queued);
    }

    /// Stops the pool and waits for the running jobs. False if some still run after `timeout`.
    pub fn close(&self, timeout: Duration) -> bool {
        self.stop();
        let state = self.0.state();
        let (state, _) = self
            .0
            .ended
            .wait_timeout_while(state, timeout, |state| state.threads > 0)
            .unwrap_or_else(PoisonError::into_inner);
        state.threads == 0
    }
}

impl Drop for WorkerPool {
    fn drop(&mut self) {
        self.0.state().open = false;
        self.0.wake.notify_all();
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        if self.config.niceness != 0 {
            // On Linux each thread has a nice value of its own. Where lowering is not permitted, the thread keeps its priority.
            let thread = Some(rustix::thread::gettid());
            let _ = rustix::process::setpriority_process(thread, self.config.niceness);
        }
        while let Some(job) = self.next() {
            if catch_unwind(AssertUnwindSafe(job)).is_err() {
                tracing::error!(pool = self.config.name, "job of a worker pool panicked");
            }
        }
        self.state().threads -= 1;
        self.ended.notify_all();
    }

    /// Waits for a job; `None` when the pool has ended and its queue is empty.
    fn next(&self) -> Option<Job> {
        let mut state = self
            .wake
            .wait_while(self.state(), |state| state.open && state.queue.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        state.queue.pop_front()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    fn pool(threads: usize, queue: usize) -> WorkerPool {
        WorkerPool::start(WorkerPoolConfig {
            name: "test",
            threads,
            queue,
            niceness: 10,
        })
        .unwrap()
    }

    /// Occupies one thread until the returned sender is dropped.
    fn occupy(pool: &WorkerPool) -> SyncSender<()> {
        let (release, released) = sync_channel::<()>(0);
        let (started, has_started) = sync_channel(1);
        let job = move || {
            started.send(()).unwrap();
            let _ = released.recv();
        };
        pool.spawn(job).unwrap();
        has_started.recv_timeout(PATIENCE).unwrap();
        release
    }

    fn numbers() -> (SyncSender<u32>, Receiver<u32>) {
        sync_channel(16)
    }

    #[test]
    fn jobs_run_in_order_and_a_full_queue_rejects() {
        let pool = pool(1, 2);
        let release = occupy(&pool);
        let (sender, receiver) = numbers();
        for (number, accepted) in [(1, Ok(())), (2, Ok(())), (3, Err(RejectedJob::QueueFull))] {
            let sender = sender.clone();
            assert_eq!(pool.spawn(move || sender.send(number).unwrap()), accepted);
        }
        drop((release, sender));
        assert_eq!(receiver.iter().collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn panic_ends_the_job_and_not_the_thread() {
        let pool = pool(1, 4);
        pool.spawn(|| panic!("a job fails")).unwrap();
        let (sender, receiver) = numbers();
        pool.spawn(move || sender.send(7).unwrap()).unwrap();
        assert_eq!(receiver.recv_timeout(PATIENCE), Ok(7));
    }

    #[test]
    fn dropped_pool_still_runs_its_queue() {
        let pool = pool(1, 4);
        let release = occupy(&pool);
        let (sender, receiver) = numbers();
        pool.spawn(move || sender.send(7).unwrap()).unwrap();
        drop(pool);
        drop(release);
        assert_eq!(receiver.recv_timeout(PATIENCE), Ok(7));
    }

    #[test]
    fn stopped_pool_drops_its_queue_and_close_waits_for_running_jobs() {
        let pool = pool(2, 4);
        let (first, second) = (occupy(&pool), occupy(&pool));
        let (sender, receiver) = numbers();
        pool.spawn(move || sender.send(7).unwrap()).unwrap();
        assert!(!pool.close(Duration::from_millis(10)), "two jobs still run");
        assert!(
            receiver.recv_timeout(PATIENCE).is_err(),
            "the queued job was dropped"
        );
        assert_eq!(pool.spawn(|| ()), Err(RejectedJob::Stopped));
        drop((first, second));
        assert!(pool.close(PATIENCE));
    }

    #[test]
    fn threads_have_the_configured_niceness() {
        let pool = pool(1, 1);
        let (sender, receiver) = sync_channel(1);
        let job = move || {
            let thread = Some(rustix::thread::gettid());
            sender.send(rustix::process::getpriority_process(thread)).unwrap();
        };
        pool.spawn(job).unwrap();
        let niceness = receiver.recv_timeout(PATIENCE).unwrap();
        // A process that starts with a higher value may not lower it.
        assert!(niceness.unwrap() >= 10);
    }
}
