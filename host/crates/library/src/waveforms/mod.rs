//! Waveforms of tracks: computed once by the plugin that decodes them, cached on disk, and published to waiting
//! clients.
//!
//! | File | Content |
//! |---|---|
//! | `queue` | waiting and running analyses: one per file, few at a time, on dedicated threads |
//! | `record` | the format of a waveform on disk |

mod queue;
mod record;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::media;
use crate::media::OpenedMedia;
use svc_domain::extraction::ExtractFailure;
use svc_domain::id::{FileId, MusicTrackId};
use svc_domain::kind::MediaKind;
use svc_domain::library::MediaScope;
use svc_domain::time::Clock;
use svc_domain::waveform::AudioSummary;
use svc_events::Events;
use svc_identity::actor::Actor;
use svc_identity::error::{ErrorCode, Result, RetryReason, ServiceError, TryLater};
use svc_platform::disk_cache::{CacheKey, DiskCache};
use svc_plugin_host::{Plugins, SourceFile};
use svc_store::Store;

use queue::{Queue, Work};

/// Number of bins of an analysis, more than a screen has columns; requests with fewer bins merge them.
pub const MAX_BINS: u32 = 4096;
/// Increment when the record format or the analysis changes.
const RECORD_VERSION: &str = "1";
/// Disk quota of the cache in bytes: 60,000 tracks at three blocks each.
const CACHE_BYTES: u64 = 768 * 1024 * 1024;

const UNDECODABLE: ServiceError = ServiceError::Unprocessable {
    code: ErrorCode::WaveformUnavailable,
    message: "the audio of this file cannot be decoded",
};

/// Concurrency and queue limits.
#[derive(Debug, Clone, Copy)]
pub struct WaveformLimits {
    /// Concurrent analyses; one core stays free.
    pub parallel: usize,
    /// Waiting analyses, each with an open file. A page of tracks in a client has some dozens.
    pub waiting: usize,
    /// Users who receive the event of one analysis.
    pub subscribers: usize,
    /// How long a response waits for the result; most songs take less.
    pub answer_within: Duration,
}

impl Default for WaveformLimits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            parallel: (cores - 1).max(1),
            waiting: 256,
            subscribers: 16,
            answer_within: Duration::from_secs(1),
        }
    }
}

/// Computes waveforms: the plugins, or a test double.
pub trait WaveformAnalyzer: Send + Sync + std::fmt::Debug {
    /// The version of the analyzer for this file extension, which changes with its results; `None` if there is none.
    fn version(&self, extension: &str) -> Option<String>;

    /// Computes a waveform.
    ///
    /// # Errors
    /// Of the plugin or the host.
    fn analyze(
        &self,
        source: &Arc<SourceFile>,
        bins: u32,
    ) -> std::result::Result<AudioSummary, ExtractFailure>;
}

impl WaveformAnalyzer for Plugins {
    fn version(&self, extension: &str) -> Option<String> {
        self.waveform_analyzer_for(extension)
            .map(|plugin| plugin.digest().to_owned())
    }

    fn analyze(
        &self,
        source: &Arc<SourceFile>,
        bins: u32,
    ) -> std::result::Result<AudioSummary, ExtractFailure> {
        let plugin = self.waveform_analyzer_for(extension(source.name()));
        let plugin = plugin.ok_or_else(|| ExtractFailure::Io("the plugin is gone".to_owned()))?;
        self.worker().measure(&plugin, source, bins)
    }
}

/// The result of a request.
#[derive(Debug)]
pub enum Waveform {
    /// Computed.
    Ready(AudioSummary),
    /// In progress; an event follows.
    Pending,
}

/// The waveforms service. Clones share their state.
#[derive(Debug, Clone)]
pub struct Waveforms {
    store: Store,
    analyzer: Arc<dyn WaveformAnalyzer>,
    cache: DiskCache,
    queue: Queue,
    limits: WaveformLimits,
}

impl Waveforms {
    /// Creates the service with a cache in `directory`.
    pub fn new(
        store: Store,
        plugins: Plugins,
        directory: PathBuf,
        clock: Arc<dyn Clock>,
        events: Events,
    ) -> Self {
        let cache = DiskCache::new(directory, CACHE_BYTES, clock);
        Self::with(store, Arc::new(plugins), cache, events, WaveformLimits::default())
    }

    /// Creates the service with injected parts, for tests.
    pub fn with(
        store: Store,
        analyzer: Arc<dyn WaveformAnalyzer>,
        cache: DiskCache,
        events: Events,
        limits: WaveformLimits,
    ) -> Self {
        Self {
            queue: Queue::new(Arc::clone(&analyzer), cache.clone(), events, limits),
            store,
            analyzer,
            cache,
            limits,
        }
    }

    /// The waveform of a track with at most `bins` bins. If it takes longer than a second, the actor receives an event
    /// later.
    ///
    /// # Errors
    /// Not found; absent `file_missing`; try later; unprocessable `waveform_unavailable`; database errors.
    pub async fn waveform(&self, actor: &Actor, id: MusicTrackId, bins: u32) -> Result<Waveform> {
        let found = self.find(&actor.scope, id).await?;
        let mut handle = match found {
            Lookup::Cached(summary) => return Ok(Waveform::Ready(summary.in_bins(bins))),
            Lookup::Missing(key, work) => self.queue.join(key, *work)?,
        };
        let waited = tokio::time::timeout(self.limits.answer_within, handle.outcome()).await;
        let outcome = match waited {
            Ok(outcome) => outcome,
            Err(_) => match self.queue.subscribe(&handle, actor.user.id, bins) {
                None => return Ok(Waveform::Pending),
                Some(outcome) => outcome,
            },
        };
        Ok(Waveform::Ready(outcome.map_err(refusal)?.in_bins(bins)))
    }

    /// Computes a waveform if it is not cached, and waits for it; true if it was computed now. For background work
    /// without access filter.
    ///
    /// # Errors
    /// As [`Self::waveform`].
    pub async fn pregenerate(&self, id: MusicTrackId) -> Result<bool> {
        match self.find(&MediaScope::All, id).await? {
            Lookup::Cached(_) => Ok(false),
            Lookup::Missing(key, work) => {
                let outcome = self.queue.join(key, *work)?.outcome().await;
                outcome.map(|_| true).map_err(refusal)
            }
        }
    }

    /// Clears the cache.
    ///
    /// # Errors
    /// If files cannot be removed.
    pub async fn clear(&self) -> Result<()> {
        let cache = self.cache.clone();
        media::blocking(move || cache.clear().map_err(ServiceError::internal)).await
    }

    /// Aborts all analyses without waiting.
    pub fn ask_to_stop(&self) {
        self.queue.stop();
    }

    /// Aborts all analyses and waits for their end.
    pub async fn close(&self) {
        let queue = self.queue.clone();
        let ended = tokio::task::spawn_blocking(move || queue.close()).await;
        if let Err(error) = ended {
            tracing::warn!(%error, "waveform analysis was not awaited at shutdown");
        }
    }

    /// The cached waveform of a track, or the work to compute it.
    async fn find(&self, scope: &MediaScope, id: MusicTrackId) -> Result<Lookup> {
        let file = self.store.media_file(scope, FileId::from(id)).await?;
        let file = file.filter(|file| file.kind == MediaKind::music());
        let file = file.ok_or(ServiceError::NotFound)?;
        let (analyzer, cache) = (Arc::clone(&self.analyzer), self.cache.clone());
        media::blocking(move || {
            // Opened first: a missing file has no waveform, even if one is cached.
            let opened = media::open_file(&file)?;
            let version = analyzer.version(extension(&opened.name)).ok_or(UNDECODABLE)?;
            let key = key(&opened, &version);
            let kept = cache.get(&key).and_then(|kept| kept.read().ok());
            match kept.as_deref().and_then(record::decode) {
                Some(Some(summary)) => Ok(Lookup::Cached(Box::new(summary))),
                Some(None) => Err(UNDECODABLE),
                None => {
                    let source = SourceFile::new(opened.file, opened.name, opened.length);
                    Ok(Lookup::Missing(key, Box::new(Work { track: id, source })))
                }
            }
        })
        .await
    }
}

enum Lookup {
    Cached(Box<AudioSummary>),
    Missing(CacheKey, Box<Work>),
}

/// Identifies the content, the analyzer and its version.
fn key(opened: &OpenedMedia, version: &str) -> CacheKey {
    let file = format!("{} {} {}", opened.id, opened.length, opened.mtime_ns);
    CacheKey::of(&["waveform", RECORD_VERSION, version, &file])
}

fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

fn refusal(failure: queue::Failure) -> ServiceError {
    match failure {
        queue::Failure::Undecodable => UNDECODABLE,
        queue::Failure::Storage => media::STORAGE_UNAVAILABLE,
        queue::Failure::Later(retry_after) => {
            TryLater::busy("decoding audio failed too often; try again later", retry_after).into()
        }
        queue::Failure::Stopped => {
            TryLater::unavailable(RetryReason::ShuttingDown, "the server is shutting down").into()
        }
        queue::Failure::Fault => ServiceError::internal("waveform analysis failed"),
    }
}
