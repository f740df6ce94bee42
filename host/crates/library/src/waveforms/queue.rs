//! Waveform analyses: one per file however many callers wait for it, in a worker pool of low priority that ends with the
//! server.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::waveforms::{MAX_BINS, WaveformAnalyzer, WaveformLimits, record};
use svc_domain::extraction::ExtractFailure;
use svc_domain::id::{MusicTrackId, UserId};
use svc_domain::waveform::AudioSummary;
use svc_events::{Events, waveform as messages};
use svc_identity::error::{Result, TryLater};
use svc_platform::disk_cache::{CacheKey, DiskCache};
use svc_platform::single_flight::{self, Abandoned, SingleFlight};
use svc_platform::worker_pool::{RejectedJob, WorkerPool, WorkerPoolConfig};
use svc_plugin_host::SourceFile;

/// Nice value of the threads: scans and requests go first.
const NICENESS: i32 = 10;
/// How long shutdown waits for running analyses; storage that does not respond can block them.
const CLOSE_WITHIN: Duration = Duration::from_secs(5);
/// `Retry-After` of a rejected request.
const RETRY_AFTER: Duration = Duration::from_secs(10);

pub(super) const TOO_MANY: TryLater =
    TryLater::busy("too many waveforms are queued; try again later", RETRY_AFTER);

/// Why there is no waveform.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The plugin cannot decode the file; the failure is cached.
    Undecodable,
    /// The file could not be read.
    Storage,
    /// The plugin is quarantined for this long.
    Later(Duration),
    /// The analysis was dropped because the queue was full.
    QueueFull,
    /// The server is shutting down.
    Stopped,
    /// The analysis panicked.
    Fault,
}

pub(super) type Outcome = std::result::Result<Arc<AudioSummary>, Failure>;

/// A track to analyze.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) track: MusicTrackId,
    pub(super) source: SourceFile,
}

/// The users who receive an event when the analysis completes, with the number of bins that each requested.
type Subscribers = Mutex<HashMap<UserId, u32>>;

/// An analysis in flight.
pub(super) type InFlight = single_flight::InFlight<Outcome, Subscribers>;

/// The queue. Clones share their state.
#[derive(Debug, Clone)]
pub(super) struct Queue(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    analyzer: Arc<dyn WaveformAnalyzer>,
    cache: DiskCache,
    events: Events,
    limits: WaveformLimits,
    in_flight: SingleFlight<CacheKey, Outcome, Subscribers>,
    workers: WorkerPool,
    /// Cancels the reads of running analyses.
    stopped: Arc<AtomicBool>,
}

impl Queue {
    /// # Errors
    /// The operating system cannot start a thread.
    pub(super) fn start(
        analyzer: Arc<dyn WaveformAnalyzer>,
        cache: DiskCache,
        events: Events,
        limits: WaveformLimits,
    ) -> io::Result<Self> {
        let workers = WorkerPool::start(WorkerPoolConfig {
            name: "waveforms",
            threads: limits.parallel,
            queue: limits.waiting,
            niceness: NICENESS,
        })?;
        Ok(Self(Arc::new(Shared {
            analyzer,
            cache,
            events,
            limits,
            in_flight: SingleFlight::default(),
            workers,
            stopped: Arc::default(),
        })))
    }

    /// Joins the analysis of `key`, or queues one.
    ///
    /// # Errors
    /// The queue is full, or the server is shutting down.
    pub(super) fn join(&self, key: CacheKey, work: Work) -> Result<InFlight> {
        let shared = Arc::clone(&self.0);
        let file = key.clone();
        let in_flight = self.0.in_flight.join_or_start(key, |completion| {
            self.0.workers.spawn(move || {
                let track = work.track;
                // Names the track in the log if the analyzer panics.
                let _span = tracing::info_span!("waveform", %track).entered();
                let outcome = shared.analyze(&file, work);
                let subscribers = completion.complete(outcome.clone());
                shared.publish(track, &outcome, &subscribers);
            })
        });
        in_flight.map_err(|rejected| match rejected {
            RejectedJob::QueueFull => super::refusal(Failure::QueueFull),
            RejectedJob::Stopped => super::refusal(Failure::Stopped),
        })
    }

    /// Waits for an analysis.
    pub(super) async fn outcome(&self, in_flight: &InFlight) -> Outcome {
        self.flatten(in_flight.result().await)
    }

    /// Waits for an analysis; `None` if it still runs after `timeout`.
    pub(super) async fn outcome_within(&self, in_flight: &InFlight, timeout: Duration) -> Option<Outcome> {
        let result = in_flight.result_within(timeout).await?;
        Some(self.flatten(result))
    }

    /// Publishes an event to the user when the analysis completes. Returns the outcome if it has completed already.
    pub(super) fn subscribe(&self, in_flight: &InFlight, user: UserId, bins: u32) -> Option<Outcome> {
        // Completing reads the subscribers after it has set the result: a user is added before that or receives the result.
        let mut subscribers = lock(in_flight.context());
        if let Some(result) = in_flight.result_now() {
            return Some(self.flatten(result));
        }
        if subscribers.len() < self.0.limits.subscribers || subscribers.contains_key(&user) {
            subscribers.insert(user, bins);
        }
        None
    }

    /// Cancels all analyses and rejects every later one.
    pub(super) fn stop(&self) {
        self.0.stopped.store(true, Ordering::Relaxed);
        self.0.workers.stop();
    }

    /// Cancels all analyses and waits for the running ones.
    pub(super) fn close(&self) {
        self.stop();
        if !self.0.workers.close(CLOSE_WITHIN) {
            tracing::warn!("storage does not respond; its waveform analysis was abandoned");
        }
    }

    fn flatten(&self, result: std::result::Result<Outcome, Abandoned>) -> Outcome {
        result.unwrap_or_else(|abandoned| {
            Err(match abandoned {
                Abandoned::Panicked => Failure::Fault,
                Abandoned::NotRun if self.0.stopped.load(Ordering::Relaxed) => Failure::Stopped,
                Abandoned::NotRun => Failure::QueueFull,
            })
        })
    }
}

impl Shared {
    fn analyze(&self, key: &CacheKey, work: Work) -> Outcome {
        let name = work.source.name().to_owned();
        let source = work.source.cancelled_by(Arc::clone(&self.stopped));
        let analyzed = self.analyzer.analyze(&Arc::new(source), MAX_BINS);
        if self.stopped.load(Ordering::Relaxed) {
            return Err(Failure::Stopped);
        }
        let outcome = match analyzed {
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
        // The client receives the waveform even if it cannot be cached.
        if let Err(error) = self.cache.put(key, &record::encode(outcome.as_ref().ok())) {
            tracing::warn!(%error, "waveform could not be cached");
        }
        outcome.map(Arc::new)
    }

    fn publish(&self, track: MusicTrackId, outcome: &Outcome, subscribers: &Subscribers) {
        let subscribers = std::mem::take(&mut *lock(subscribers));
        let Ok(summary) = outcome else { return };
        for (user, bins) in subscribers {
            self.events
                .publish(|| messages::ready(user, track, &summary.in_bins(bins)));
        }
    }
}

fn lock(subscribers: &Subscribers) -> MutexGuard<'_, HashMap<UserId, u32>> {
    subscribers.lock().unwrap_or_else(PoisonError::into_inner)
}
