//! Pause, resume and stop of a run, as seen by its working threads.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What the run is asked to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Wanted {
    /// Go on.
    Run = 0,
    /// Wait before the next file.
    Pause = 1,
    /// End before the next file.
    Stop = 2,
}

/// Whether to go on with the next file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Next {
    /// Go on.
    Continue,
    /// The run is to end.
    Stop,
}

/// The wish of the user, and the place where threads wait while it is "pause".
#[derive(Debug, Default)]
pub struct ScanControl {
    wanted: AtomicU8,
    pauses: Mutex<Pauses>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Pauses {
    since: Option<Instant>,
    before: Duration,
}

impl ScanControl {
    /// What is wanted now.
    pub fn wanted(&self) -> Wanted {
        match self.wanted.load(Ordering::Relaxed) {
            0 => Wanted::Run,
            1 => Wanted::Pause,
            _ => Wanted::Stop,
        }
    }

    /// Changes the wish. A stop stands.
    pub fn set(&self, wanted: Wanted) {
        let mut pauses = self.pauses();
        if self.wanted() != Wanted::Stop {
            if let Some(since) = pauses.since.take() {
                pauses.before += since.elapsed();
            }
            pauses.since = (wanted == Wanted::Pause).then(Instant::now);
            self.wanted.store(wanted as u8, Ordering::Relaxed);
        }
        self.changed.notify_all();
    }

    /// How long the run has been held so far.
    pub fn paused_for(&self) -> Duration {
        let pauses = self.pauses();
        pauses.before + pauses.since.map(|since| since.elapsed()).unwrap_or_default()
    }

    fn pauses(&self) -> MutexGuard<'_, Pauses> {
        self.pauses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Called by a thread before each file: returns at once while running, waits while paused.
    pub fn checkpoint(&self) -> Next {
        loop {
            match self.wanted() {
                Wanted::Run => return Next::Continue,
                Wanted::Stop => return Next::Stop,
                Wanted::Pause => self.wait_for_change(),
            }
        }
    }

    fn wait_for_change(&self) {
        let waited = self
            .changed
            .wait_while(self.pauses(), |_| self.wanted() == Wanted::Pause);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn checkpoint_waits_while_paused_and_ends_at_stop() {
        let control = Arc::new(ScanControl::default());
        assert_eq!(control.checkpoint(), Next::Continue);
        control.set(Wanted::Pause);
        let waiting = std::thread::spawn({
            let control = Arc::clone(&control);
            move || control.checkpoint()
        });
        assert!(!waiting.is_finished());
        control.set(Wanted::Stop);
        assert_eq!(waiting.join().unwrap(), Next::Stop);
        control.set(Wanted::Run);
        assert_eq!(control.wanted(), Wanted::Stop, "a stop stands");
    }
}
