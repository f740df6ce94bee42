//! Pause, resume and stop of a run: requested state and actual state.
//!
//! A request takes effect when no file is in flight. Callers get the result that the API's state table defines. The
//! listener receives each effect once and in order, before the next request is accepted.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

/// State of a run between request and effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Files are being read.
    Running,
    /// Will pause after the in-flight files.
    Pausing,
    /// No file is in flight.
    Paused,
    /// Will stop after the in-flight files.
    Stopping,
    /// No request is accepted.
    Ended,
}

/// A request that took effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunTransition {
    /// No file is being read.
    Paused,
    /// Files are being read again.
    Resumed,
}

/// The phase does not allow the request; contains the phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidTransition(pub Phase);

/// Receives each effect.
type TransitionListener = Box<dyn Fn(RunTransition) + Send + Sync>;

/// The requested state of one run. Its threads wait here while the run is paused.
pub struct ScanControl {
    state: Mutex<State>,
    changed: Condvar,
    phase: watch::Sender<Phase>,
    listener: TransitionListener,
}

#[derive(Debug)]
struct State {
    phase: Phase,
    /// Number of in-flight work items.
    in_flight: usize,
    paused_since: Option<Instant>,
    paused_before: Duration,
}

impl std::fmt::Debug for ScanControl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ScanControl")
            .field("state", &self.state)
            .finish_non_exhaustive()
    }
}

impl Default for ScanControl {
    fn default() -> Self {
        Self::new(|_| {})
    }
}

/// Keeps a work item in flight until it is dropped: a directory being listed, or files being read or waiting to be
/// stored.
#[derive(Debug)]
#[must_use]
pub struct InFlightGuard(Arc<ScanControl>);

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.in_flight = state.in_flight.saturating_sub(1);
        if state.in_flight == 0 {
            self.0.pause_if_idle(&mut state);
            // Wakes `finish`.
            self.0.phase.send_modify(|_| {});
        }
    }
}

impl ScanControl {
    /// Creates a control that calls `listener` with each effect. The listener must not block.
    pub fn new(listener: impl Fn(RunTransition) + Send + Sync + 'static) -> Self {
        let state = State {
            phase: Phase::Running,
            in_flight: 0,
            paused_since: None,
            paused_before: Duration::ZERO,
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            phase: watch::Sender::new(Phase::Running),
            listener: Box::new(listener),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(&self, state: &mut State, phase: Phase) {
        if let Some(since) = state.paused_since.take() {
            state.paused_before += since.elapsed();
        }
        state.paused_since = (phase == Phase::Paused).then(Instant::now);
        state.phase = phase;
        self.phase.send_replace(phase);
        self.changed.notify_all();
    }

    fn pause_if_idle(&self, state: &mut State) {
        if state.phase == Phase::Pausing && state.in_flight == 0 {
            self.enter(state, Phase::Paused);
            (self.listener)(RunTransition::Paused);
        }
    }

    /// The current phase.
    pub fn phase(&self) -> Phase {
        self.state().phase
    }

    /// Requests a pause, which follows the in-flight files. A repeated request is accepted.
    ///
    /// # Errors
    /// If the run is paused, stopping or ended.
    pub fn pause(&self) -> Result<(), InvalidTransition> {
        let mut state = self.state();
        match state.phase {
            Phase::Running => {
                self.enter(&mut state, Phase::Pausing);
                self.pause_if_idle(&mut state);
                Ok(())
            }
            Phase::Pausing => Ok(()),
            phase => Err(InvalidTransition(phase)),
        }
    }

    /// Resumes the run. Cancels a pause that has not taken effect, without publishing either.
    pub fn resume(&self) {
        let mut state = self.state();
        match state.phase {
            Phase::Pausing => self.enter(&mut state, Phase::Running),
            Phase::Paused => {
                self.enter(&mut state, Phase::Running);
                (self.listener)(RunTransition::Resumed);
            }
            Phase::Running | Phase::Stopping | Phase::Ended => {}
        }
    }

    /// Requests a stop, which follows the in-flight files and precedes a pause.
    pub fn stop(&self) {
        let mut state = self.state();
        if matches!(state.phase, Phase::Running | Phase::Pausing | Phase::Paused) {
            self.enter(&mut state, Phase::Stopping);
        }
    }

    /// Waits until the run is not paused and nothing is in flight, then rejects further requests. Returns whether a
    /// stop was requested.
    pub async fn finish(&self) -> bool {
        let mut phases = self.phase.subscribe();
        loop {
            if let Some(stopped) = self.close() {
                return stopped;
            }
            // Cannot fail, because `self` owns the sender.
            let _ = phases.changed().await;
        }
    }

    fn close(&self) -> Option<bool> {
        let mut state = self.state();
        let may_end = state.phase != Phase::Paused && state.in_flight == 0;
        may_end.then(|| {
            let stopped = state.phase == Phase::Stopping;
            self.enter(&mut state, Phase::Ended);
            stopped
        })
    }

    /// As [`Self::checkpoint`], for async tasks.
    pub async fn checkpoint_async(self: &Arc<Self>) -> Option<InFlightGuard> {
        let mut phases = self.phase.subscribe();
        loop {
            let may_go_on = |phase: &Phase| !matches!(phase, Phase::Pausing | Phase::Paused);
            // Cannot fail, because `self` owns the sender.
            let _ = phases.wait_for(may_go_on).await;
            let state = self.state();
            if may_go_on(&state.phase) {
                return self.begin_work(state);
            }
        }
    }

    /// Whether neither pause nor stop is requested.
    pub fn is_running(&self) -> bool {
        self.phase() == Phase::Running
    }

    /// Whether a stop is requested.
    pub fn is_stopping(&self) -> bool {
        self.phase() == Phase::Stopping
    }

    /// Subscribes to phase changes.
    pub fn phases(&self) -> watch::Receiver<Phase> {
        self.phase.subscribe()
    }

    /// Total paused time so far.
    pub fn paused_for(&self) -> Duration {
        let state = self.state();
        state.paused_before
            + state
                .paused_since
                .map(|since| since.elapsed())
                .unwrap_or_default()
    }

    /// Called before each file: returns at once while running, blocks while paused. `None` if the run is stopping.
    pub fn checkpoint(self: &Arc<Self>) -> Option<InFlightGuard> {
        let waiting = self.changed.wait_while(self.state(), |state| {
            matches!(state.phase, Phase::Pausing | Phase::Paused)
        });
        self.begin_work(waiting.unwrap_or_else(PoisonError::into_inner))
    }

    fn begin_work(self: &Arc<Self>, mut state: MutexGuard<'_, State>) -> Option<InFlightGuard> {
        (state.phase == Phase::Running).then(|| {
            state.in_flight += 1;
            InFlightGuard(Arc::clone(self))
        })
    }
}

#[cfg(test)]
#[path = "control_tests.rs"]
mod tests;
