//! The clock that interrupts guests: a thread that increments the engine's epoch every 10 ms while there is a worker.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;

use wasmtime::Engine;

use crate::limits;

/// The clock's thread; stopped when dropped.
pub(super) struct Ticker {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Without workers the clock sleeps.
    workers: usize,
    stopped: bool,
}

/// Keeps the clock running until dropped. Required while guests are called.
pub(super) struct TickerGuard(Arc<Shared>);

impl Ticker {
    /// Starts the thread.
    pub(super) fn start(engine: &Engine) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let thread = std::thread::Builder::new()
            .name("plugin-clock".to_owned())
            .spawn({
                let shared = Arc::clone(&shared);
                let engine = engine.clone();
                move || run(&shared, &engine)
            })?;
        Ok(Self {
            shared,
            thread: Some(thread),
        })
    }

    /// Keeps the clock running until the result is dropped.
    pub(super) fn hold(&self) -> TickerGuard {
        self.shared.change(|state| state.workers += 1);
        TickerGuard(Arc::clone(&self.shared))
    }
}

fn run(shared: &Shared, engine: &Engine) {
    let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
    while !state.stopped {
        if state.workers == 0 {
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        } else {
            let woken = shared.changed.wait_timeout(state, limits::TICK);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
            engine.increment_epoch();
        }
    }
}

impl Shared {
    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }
}

impl Drop for TickerGuard {
    fn drop(&mut self) {
        // The clock is not woken: it notices at its next tick.
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.workers = state.workers.saturating_sub(1);
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        self.shared.change(|state| state.stopped = true);
        if let Some(thread) = self.thread.take() {
            // An error would mean that the thread panicked; the panic hook has logged it.
            drop(thread.join());
        }
    }
}
