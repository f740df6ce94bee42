//! Waveforms of tracks: analyzed once by the plugin that decodes them, cached on disk, and announced to those who
//! requested them.
//!
//! | File | Content |
//! |---|---|
//! | `queue` | queued and running analyses: one per file, in a worker pool of low priority |
//! | `record` | the cached form of a waveform |

mod queue;
mod record;

use std::io;
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
use svc_store::FileRepository;

use queue::{Queue, Work};

/// Bins of the cached waveform, from which fewer are computed on request. More than a screen has columns.
pub const MAX_BINS: u32 = 4096;
/// Increase it when the record format or the analysis changes: cached waveforms are computed again.
const RECORD_VERSION: &str = "1";
/// Quota of the disk cache in bytes: 60,000 tracks of three 4 KiB blocks each.
const CACHE_BYTES: u64 = 768 * 1024 * 1024;

const UNDECODABLE: ServiceError = ServiceError::Unprocessable {
    code: ErrorCode::WaveformUnavailable,
    message: "the audio of this file cannot be decoded",
};

/// Limits of waveform analysis.
#[derive(Debug, Clone, Copy)]
pub struct WaveformLimits {
    /// Analyses at the same time. By default one core is left to everything else.
    pub parallel: usize,
    /// Analyses that wait for a thread. Each holds its file open; a page of tracks in a client requests some dozens.
    pub waiting: usize,
    /// Users who receive the event of one analysis.
    pub subscribers: usize,
    /// How long a request waits for its waveform; most songs are analyzed within the default.
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

/// Computes waveforms: the plugins, or a test's substitute.
pub trait WaveformAnalyzer: Send + Sync + std::fmt::Debug {
    /// Version of the analyzer for files of this extension, part of the cache key; `None` if there is no analyzer.
    fn version(&self, extension: &str) -> Option<String>;

    /// Computes the waveform of a file.
    ///
    /// # Errors
    /// Those of the plugin, or of reading the file.
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

/// The state of a requested waveform.
#[derive(Debug)]
pub enum Waveform {
    /// Computed.
    Ready(AudioSummary),
    /// Being computed; `music.waveform_ready` is published when it completes.
    Pending,
}

/// The service for waveforms of tracks. Clones share one queue and cache.
#[derive(Debug, Clone)]
pub struct Waveforms {
    files: FileRepository,
    analyzer: Arc<dyn WaveformAnalyzer>,
    cache: DiskCache,
    queue: Queue,
    limits: WaveformLimits,
}

impl Waveforms {
    /// The service for the tracks of `store`, with its cache in `directory`.
    ///
    /// # Errors
    /// The operating system cannot start a thread.
    pub fn start(
        files: FileRepository,
        plugins: Plugins,
        directory: PathBuf,
        clock: Arc<dyn Clock>,
        events: Events,
    ) -> io::Result<Self> {
        let cache = DiskCache::new(directory, CACHE_BYTES, clock);
        Self::with(files, Arc::new(plugins), cache, events, WaveformLimits::default())
    }

    /// As [`Self::start`], with the analyzer, cache and limits of a test.
    ///
    /// # Errors
    /// The operating system cannot start a thread.
    pub fn with(
        files: FileRepository,
        analyzer: Arc<dyn WaveformAnalyzer>,
        cache: DiskCache,
        events: Events,
        limits: WaveformLimits,
    ) -> io::Result<Self> {
        Ok(Self {
            queue: Queue::start(Arc::clone(&analyzer), cache.clone(), events, limits)?,
            files,
            analyzer,
            cache,
            limits,
        })
    }

    /// The waveform of a track, in this number of bins at most. If the analysis takes longer than a second, the actor
    /// gets an event.
    ///
    /// # Errors
    /// Not found; absent `file_missing`; try later; unprocessable `waveform_unavailable`; database errors.
    pub async fn waveform(&self, actor: &Actor, id: MusicTrackId, bins: u32) -> Result<Waveform> {
        let found = self.find(&actor.scope, id).await?;
        let in_flight = match found {
            Lookup::Cached(summary) => return Ok(Waveform::Ready(summary.in_bins(bins))),
            Lookup::Missing(key, work) => self.queue.join(key, *work)?,
        };
        let outcome = match self
            .queue
            .outcome_within(&in_flight, self.limits.answer_within)
            .await
        {
            Some(outcome) => Some(outcome),
            None => self.queue.subscribe(&in_flight, actor.user.id, bins),
        };
        let Some(outcome) = outcome else {
            return Ok(Waveform::Pending);
        };
        Ok(Waveform::Ready(outcome.map_err(refusal)?.in_bins(bins)))
    }

    /// Computes the waveform of a track unless it is cached, and waits for it. True if it was computed now. For background
    /// jobs, which may access every library.
    ///
    /// # Errors
    /// As [`Self::waveform`].
    pub async fn pregenerate(&self, id: MusicTrackId) -> Result<bool> {
        match self.find(&MediaScope::All, id).await? {
            Lookup::Cached(_) => Ok(false),
            Lookup::Missing(key, work) => {
                let in_flight = self.queue.join(key, *work)?;
                let outcome = self.queue.outcome(&in_flight).await;
                outcome.map(|_| true).map_err(refusal)
            }
        }
    }

    /// Removes all cached waveforms.
    ///
    /// # Errors
    /// Files cannot be removed.
    pub async fn clear(&self) -> Result<()> {
        let cache = self.cache.clone();
        media::blocking(move || cache.clear().map_err(ServiceError::internal)).await
    }

    /// Cancels all analyses without waiting for the running ones.
    pub fn ask_to_stop(&self) {
        self.queue.stop();
    }

    /// Cancels all analyses and waits for the running ones.
    pub async fn close(&self) {
        let queue = self.queue.clone();
        let ended = tokio::task::spawn_blocking(move || queue.close()).await;
        if let Err(error) = ended {
            tracing::warn!(%error, "waveform analysis was not awaited at shutdown");
        }
    }

    /// Looks up the cached waveform of a track; opens the file for the analysis if there is none.
    async fn find(&self, scope: &MediaScope, id: MusicTrackId) -> Result<Lookup> {
        let file = self.files.media_file(scope, FileId::from(id)).await?;
        let file = file.filter(|file| file.kind == MediaKind::music());
        let file = file.ok_or(ServiceError::NotFound)?;
        let (analyzer, cache) = (Arc::clone(&self.analyzer), self.cache.clone());
        media::blocking(move || {
            // Opened before the lookup: a missing file is an error even if its waveform is cached.
            let opened = media::open_file(&file)?;
            let version = analyzer.version(extension(&opened.name)).ok_or(UNDECODABLE)?;
            let key = key(&opened, &version);
            let cached = cache.get(&key).and_then(|cached| cached.read().ok());
            match cached.as_deref().and_then(record::decode) {
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

/// Identifies the content of the file, the analyzer and the record format.
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
        queue::Failure::QueueFull => queue::TOO_MANY.into(),
        queue::Failure::Later(retry_after) => {
            TryLater::busy("decoding audio failed too often; try again later", retry_after).into()
        }
        queue::Failure::Stopped => {
            TryLater::unavailable(RetryReason::ShuttingDown, "the server is shutting down").into()
        }
        queue::Failure::Fault => ServiceError::internal("waveform analysis panicked"),
    }
}
