//! Pause, resume and stop of a run: what is wanted, and what has taken effect.
//!
//! A wish takes effect once no thread is at work on a file any more. Whoever asks is answered by the table of the API;
//! whoever listens hears of each effect once, in order, while nobody can ask for the next.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::watch;

/// Where a run stands between wish and effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Files are read.
    Running,
    /// To be held after the files at hand.
    Pausing,
    /// Held.
    Paused,
    /// To end after the files at hand.
    Stopping,
    /// Nothing can be asked of it any more.
    Ended,
}

/// A wish that has taken effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// No file is being read.
    Paused,
    /// Files are read again.
    Resumed,
}

/// The wish does not fit the phase, which is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused(pub Phase);

/// Told each effect.
type EffectListener = Box<dyn Fn(Effect) + Send + Sync>;

/// The wishes of users for one run, and the place where its threads wait while it is held.
pub struct ScanControl {
    state: Mutex<State>,
    changed: Condvar,
    phase: watch::Sender<Phase>,
    listener: EffectListener,
}

#[derive(Debug)]
struct State {
    phase: Phase,
    /// Threads at work on a file.
    in_flight: usize,
    held_since: Option<Instant>,
    held_before: Duration,
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

/// Something is at hand until this is dropped: a directory that is listed, files that are read or wait to be stored.
#[derive(Debug)]
#[must_use]
pub struct InFlightGuard(Arc<ScanControl>);

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.in_flight = state.in_flight.saturating_sub(1);
        if state.in_flight == 0 {
            self.0.hold_if_idle(&mut state);
            // For whoever waits for the end.
            self.0.phase.send_modify(|_| {});
        }
    }
}

impl ScanControl {
    /// For a run whose effects are told to `listener`, which must not wait.
    pub fn new(listener: impl Fn(Effect) + Send + Sync + 'static) -> Self {
        let state = State {
            phase: Phase::Running,
            in_flight: 0,
            held_since: None,
            held_before: Duration::ZERO,
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
        if let Some(since) = state.held_since.take() {
            state.held_before += since.elapsed();
        }
        state.held_since = (phase == Phase::Paused).then(Instant::now);
        state.phase = phase;
        self.phase.send_replace(phase);
        self.changed.notify_all();
    }

    fn hold_if_idle(&self, state: &mut State) {
        if state.phase == Phase::Pausing && state.in_flight == 0 {
            self.enter(state, Phase::Paused);
            (self.listener)(Effect::Paused);
        }
    }

    /// Where the run stands.
    pub fn phase(&self) -> Phase {
        self.state().phase
    }

    /// Asks for a pause: comes after the files at hand. Asked a second time before that, it is no fault.
    ///
    /// # Errors
    /// While held, and once the run is to end.
    pub fn pause(&self) -> Result<(), Refused> {
        let mut state = self.state();
        match state.phase {
            Phase::Running => {
                self.enter(&mut state, Phase::Pausing);
                self.hold_if_idle(&mut state);
                Ok(())
            }
            Phase::Pausing => Ok(()),
            phase => Err(Refused(phase)),
        }
    }

    /// Goes on. A pause that has not come yet is called off, and nobody hears of either.
    pub fn resume(&self) {
        let mut state = self.state();
        match state.phase {
            Phase::Pausing => self.enter(&mut state, Phase::Running),
            Phase::Paused => {
                self.enter(&mut state, Phase::Running);
                (self.listener)(Effect::Resumed);
            }
            Phase::Running | Phase::Stopping | Phase::Ended => {}
        }
    }

    /// Asks for the end: comes after the files at hand, and before any pause.
    pub fn stop(&self) {
        let mut state = self.state();
        if matches!(state.phase, Phase::Running | Phase::Pausing | Phase::Paused) {
            self.enter(&mut state, Phase::Stopping);
        }
    }

    /// Closes the run to wishes, once it is not held and nothing is at hand. Tells whether it was to stop.
    pub async fn finish(&self) -> bool {
        let mut phases = self.phase.subscribe();
        loop {
            if let Some(stopped) = self.close() {
                return stopped;
            }
            // An error is a control that is gone, which cannot be while it is borrowed.
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

    /// As [`Self::checkpoint`], for a task.
    pub async fn checkpoint_async(self: &Arc<Self>) -> Option<InFlightGuard> {
        let mut phases = self.phase.subscribe();
        loop {
            let may_go_on = |phase: &Phase| !matches!(phase, Phase::Pausing | Phase::Paused);
            // An error is a control that is gone, which cannot be while it is borrowed.
            let _ = phases.wait_for(may_go_on).await;
            let state = self.state();
            if may_go_on(&state.phase) {
                return self.begin_work(state);
            }
        }
    }

    /// Whether nobody wants the run to be held or to end.
    pub fn is_running(&self) -> bool {
        self.phase() == Phase::Running
    }

    /// Whether the run is to end.
    pub fn is_stopping(&self) -> bool {
        self.phase() == Phase::Stopping
    }

    /// Every change of the phase.
    pub fn phases(&self) -> watch::Receiver<Phase> {
        self.phase.subscribe()
    }

    /// How long the run has been held so far.
    pub fn paused_for(&self) -> Duration {
        let state = self.state();
        state.held_before + state.held_since.map(|since| since.elapsed()).unwrap_or_default()
    }

    /// Called by a thread before each file: returns at once while running, waits while held. `None` when the run is
    /// to end.
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
mod tests {
    use super::*;

    fn told() -> (Arc<ScanControl>, Arc<Mutex<Vec<Effect>>>) {
        let effects = Arc::new(Mutex::new(Vec::new()));
        let control = ScanControl::new({
            let effects = Arc::clone(&effects);
            move |effect| effects.lock().unwrap().push(effect)
        });
        (Arc::new(control), effects)
    }

    #[test]
    fn pause_waits_for_the_files_at_hand_and_is_told_once() {
        let (control, effects) = told();
        let (first, second) = (control.checkpoint().unwrap(), control.checkpoint().unwrap());
        control.pause().unwrap();
        drop(first);
        assert_eq!(control.phase(), Phase::Pausing);
        control.pause().unwrap();
        drop(second);
        assert_eq!(control.phase(), Phase::Paused);
        assert_eq!(control.pause(), Err(Refused(Phase::Paused)));
        control.resume();
        control.resume();
        assert_eq!(*effects.lock().unwrap(), [Effect::Paused, Effect::Resumed]);
    }

    #[test]
    fn resume_calls_off_a_pause_that_has_not_come_and_nobody_hears() {
        let (control, effects) = told();
        let in_flight = control.checkpoint().unwrap();
        control.pause().unwrap();
        control.resume();
        assert_eq!(control.phase(), Phase::Running);
        drop(in_flight);
        assert!(control.checkpoint().is_some());
        assert!(effects.lock().unwrap().is_empty());
    }

    #[test]
    fn stop_beats_a_pause_and_nothing_follows_it() {
        let (control, effects) = told();
        let in_flight = control.checkpoint().unwrap();
        control.pause().unwrap();
        control.stop();
        assert_eq!(control.pause(), Err(Refused(Phase::Stopping)));
        control.resume();
        drop(in_flight);
        assert!(control.checkpoint().is_none());
        assert!(control.is_stopping());
        assert!(effects.lock().unwrap().is_empty());
    }

    #[test]
    fn checkpoint_waits_while_paused_and_ends_at_stop() {
        let control = Arc::new(ScanControl::default());
        control.pause().unwrap();
        let waiting = std::thread::spawn({
            let control = Arc::clone(&control);
            move || control.checkpoint().is_none()
        });
        assert!(!waiting.is_finished());
        control.stop();
        assert!(waiting.join().unwrap());
    }

    #[tokio::test]
    async fn part_of_a_run_begins_once_it_is_not_held_and_is_at_hand_then() {
        let (control, effects) = told();
        control.pause().unwrap();
        let waiting = svc_platform::tasks::spawn("part", {
            let control = Arc::clone(&control);
            async move { control.checkpoint_async().await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        control.resume();
        let in_flight = waiting.await.unwrap().unwrap();
        control.pause().unwrap();
        assert_eq!(control.phase(), Phase::Pausing);
        drop(in_flight);
        assert_eq!(control.phase(), Phase::Paused);
        control.stop();
        assert!(control.checkpoint_async().await.is_none());
        assert_eq!(effects.lock().unwrap().len(), 3);
    }

    #[tokio::test]
    async fn run_that_is_held_does_not_end_by_itself() {
        let control = Arc::new(ScanControl::default());
        control.pause().unwrap();
        let waiting = svc_platform::tasks::spawn("finish", {
            let control = Arc::clone(&control);
            async move { control.finish().await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        control.resume();
        assert!(!waiting.await.unwrap());
        assert_eq!(control.pause(), Err(Refused(Phase::Ended)));
    }
}
