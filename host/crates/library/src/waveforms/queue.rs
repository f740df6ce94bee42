//! Measurements that wait and run: one for each file, whoever asks; few at a time, on threads of their own that everything
//! else goes before; and an end to all of them when the server ends.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::setpriority_process;
use tokio::sync::watch;

use crate::waveforms::{MAX_BINS, WaveformAnalyzer, WaveformLimits, record};
use svc_domain::extraction::ExtractFailure;
use svc_domain::id::{MusicTrackId, UserId};
use svc_domain::waveform::AudioSummary;
use svc_events::{Events, waveform as messages};
use svc_identity::error::{Result, ServiceError, TryLater};
use svc_platform::disk_cache::{CacheKey, DiskCache};
use svc_plugin_host::SourceFile;

/// How much the threads stand back: scans and answers go before.
const NICENESS: i32 = 10;
/// How long the end of the server waits for the threads; a disk that does not answer holds them.
const CLOSE_WITHIN: Duration = Duration::from_secs(5);
/// When a client that was turned away should come again.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// Why there is no waveform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// Because of the file, or of what the plugin makes of it: it will be the same the next time.
    Undecodable,
    /// The storage failed.
    Storage,
    /// The plugin failed too often of late.
    Later(Duration),
    /// The server ends.
    Stopped,
    /// A fault of the server.
    Fault,
}

/// How a measurement ended.
pub(super) type Outcome = std::result::Result<Arc<AudioSummary>, Failure>;

/// What is to be measured.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) track: MusicTrackId,
    pub(super) source: SourceFile,
}

/// Somebody's place at a measurement.
#[derive(Debug)]
pub(super) struct InFlightHandle {
    key: CacheKey,
    done: watch::Receiver<Option<Outcome>>,
}

impl InFlightHandle {
    /// Waits for the end.
    pub(super) async fn outcome(&mut self) -> Outcome {
        let outcome = self.done.wait_for(Option::is_some).await;
        outcome
            .ok()
            .and_then(|outcome| outcome.clone())
            .unwrap_or(Err(Failure::Fault))
    }
}

/// The measurements of the server. Cheap to clone: the clones are one.
#[derive(Debug, Clone)]
pub(super) struct Queue(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    analyzer: Arc<dyn WaveformAnalyzer>,
    cache: DiskCache,
    events: Events,
    limits: WaveformLimits,
    state: Mutex<State>,
    /// A thread has ended.
    ended: Condvar,
    stopped: Arc<AtomicBool>,
}

#[derive(Debug, Default)]
struct State {
    jobs: HashMap<CacheKey, Job>,
    /// Those that no thread has taken yet, the oldest first.
    waiting: VecDeque<(CacheKey, Work)>,
    threads: usize,
}

#[derive(Debug)]
struct Job {
    track: MusicTrackId,
    done: watch::Sender<Option<Outcome>>,
    /// Who is told by an event, and in how many bins.
    subscribers: HashMap<UserId, u32>,
}

impl Queue {
    pub(super) fn new(
        analyzer: Arc<dyn WaveformAnalyzer>,
        cache: DiskCache,
        events: Events,
        limits: WaveformLimits,
    ) -> Self {
        Self(Arc::new(Shared {
            analyzer,
            cache,
            events,
            limits,
            state: Mutex::default(),
            ended: Condvar::new(),
            stopped: Arc::default(),
        }))
    }

    /// A place at the measurement of this key, which is begun if it is not under way.
    pub(super) fn join(&self, key: CacheKey, work: Work) -> Result<InFlightHandle> {
        let shared = &self.0;
        let mut state = shared.state();
        if let Some(job) = state.jobs.get(&key) {
            let done = job.done.subscribe();
            return Ok(InFlightHandle { key, done });
        }
        if shared.stopped.load(Ordering::Relaxed) {
            return Err(super::refusal(Failure::Stopped));
        }
        if state.waiting.len() >= shared.limits.waiting {
            return Err(TryLater::busy("too many waveforms are queued; try again later", RETRY_AFTER).into());
        }
        if state.threads < shared.limits.parallel {
            let shared = Arc::clone(shared);
            let thread = std::thread::Builder::new().name("waveform".to_owned());
            thread
                .spawn(move || shared.run())
                .map_err(ServiceError::internal)?;
            state.threads += 1;
        }
        let (sender, done) = watch::channel(None);
        let job = Job {
            track: work.track,
            done: sender,
            subscribers: HashMap::new(),
        };
        state.jobs.insert(key.clone(), job);
        state.waiting.push_back((key.clone(), work));
        Ok(InFlightHandle { key, done })
    }

    /// Tells this user by an event when it is done; gives the outcome if it is done already.
    pub(super) fn subscribe(&self, handle: &InFlightHandle, user: UserId, bins: u32) -> Option<Outcome> {
        let mut state = self.0.state();
        let Some(job) = state.jobs.get_mut(&handle.key) else {
            return Some(handle.done.borrow().clone().unwrap_or(Err(Failure::Fault)));
        };
        if job.subscribers.len() < self.0.limits.subscribers || job.subscribers.contains_key(&user) {
            job.subscribers.insert(user, bins);
        }
        None
    }

    /// Ends all measurements soon, and every later one at once.
    pub(super) fn stop(&self) {
        self.0.stopped.store(true, Ordering::Relaxed);
        let mut state = self.0.state();
        for (key, _) in std::mem::take(&mut state.waiting) {
            if let Some(job) = state.jobs.remove(&key) {
                job.done.send_replace(Some(Err(Failure::Stopped)));
            }
        }
    }

    /// Ends all measurements and waits for the threads.
    pub(super) fn close(&self) {
        self.stop();
        let state = self.0.state();
        let waited = self
            .0
            .ended
            .wait_timeout_while(state, CLOSE_WITHIN, |state| state.threads > 0);
        if waited.is_ok_and(|(_, waited)| waited.timed_out()) {
            tracing::warn!("storage does not respond; its waveform analysis was abandoned");
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A thread's life: until nothing waits.
    fn run(&self) {
        // Where it is not allowed, the threads are like the others.
        let _ = setpriority_process(Some(rustix::thread::gettid()), NICENESS);
        loop {
            let next = {
                let mut state = self.state();
                let next = state.waiting.pop_front();
                if next.is_none() {
                    state.threads -= 1;
                    self.ended.notify_all();
                }
                next
            };
            let Some((key, work)) = next else { break };
            let track = work.track;
            let outcome = catch_unwind(AssertUnwindSafe(|| self.analyze(&key, work)));
            let outcome = outcome.unwrap_or_else(|_| {
                tracing::error!(%track, "waveform analysis panicked");
                Err(Failure::Fault)
            });
            self.finish(&key, &outcome);
        }
    }

    fn analyze(&self, key: &CacheKey, work: Work) -> Outcome {
        let name = work.source.name().to_owned();
        let source = work.source.cancelled_by(Arc::clone(&self.stopped));
        let measured = self.analyzer.analyze(&Arc::new(source), MAX_BINS);
        if self.stopped.load(Ordering::Relaxed) {
            return Err(Failure::Stopped);
        }
        let kept = match measured {
            Ok(summary) => Ok(summary),
            Err(ExtractFailure::Later { retry_after }) => return Err(Failure::Later(retry_after)),
            Err(ExtractFailure::Io(reason)) => {
                tracing::warn!(
                    file = name,
                    reason,
                    "waveform analysis failed: the file could not be read"
                );
                return Err(Failure::Storage);
            }
            Err(failure) => {
                tracing::info!(file = name, %failure, "file cannot be analyzed");
                Err(Failure::Undecodable)
            }
        };
        // A waveform that is not kept is an answer all the same.
        if let Err(error) = self.cache.put(key, &record::encode(kept.as_ref().ok())) {
            tracing::warn!(%error, "waveform could not be cached");
        }
        kept.map(Arc::new)
    }

    /// Lets everybody know.
    fn finish(&self, key: &CacheKey, outcome: &Outcome) {
        let Some(job) = self.state().jobs.remove(key) else {
            return;
        };
        job.done.send_replace(Some(outcome.clone()));
        if let Ok(summary) = outcome {
            for (user, bins) in job.subscribers {
                self.events
                    .publish(|| messages::ready(user, job.track, &summary.in_bins(bins)));
            }
        }
    }
}
