//! Threads of low priority: first come, first served.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use crate::thumbnails::limits;

type Work = Box<dyn FnOnce() + Send>;

/// The threads, which end when this is dropped and nothing waits any more.
#[derive(Debug)]
pub(super) struct Threads(SyncSender<Work>);

impl Threads {
    /// Starts as many as there are cores, up to a limit.
    ///
    /// # Errors
    /// When the system gives none.
    pub(super) fn start() -> io::Result<Self> {
        let (sender, queue) = mpsc::sync_channel::<Work>(limits::WAITING);
        let queue = Arc::new(Mutex::new(queue));
        let cores = thread::available_parallelism().map_or(1, usize::from);
        for number in 0..cores.min(limits::THREADS) {
            let queue = Arc::clone(&queue);
            thread::Builder::new()
                .name(format!("pictures-{number}"))
                .spawn(move || run(&queue))?;
        }
        Ok(Self(sender))
    }

    /// Does this when its turn comes. False when too much waits already.
    pub(super) fn spawn(&self, work: impl FnOnce() + Send + 'static) -> bool {
        match self.0.try_send(Box::new(work)) {
            Ok(()) => true,
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => false,
        }
    }
}

fn run(queue: &Mutex<Receiver<Work>>) {
    // On Linux the niceness of the process is that of the calling thread. Without it drawing is as fast as the rest.
    let _ = rustix::process::nice(limits::NICE);
    loop {
        let work = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(work) = work else { return };
        // What it holds tells those who wait that nothing came of it.
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            tracing::error!("thumbnail renderer panicked");
        }
    }
}
