//! Waveforms of tracks: measured once by the plugin that decodes them, kept on disk, and told to those who asked.
//!
//! | File | What lives there |
//! |---|---|
//! | `queue` | the measurements that wait and run: one for each file, few at a time, on threads of their own |
//! | `record` | a measurement as bytes on disk |

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
use svc_identity::error::{Overloaded, Result, ServiceError};
use svc_platform::disk_cache::{CacheKey, DiskCache};
use svc_plugin_host::{Plugins, SourceFile};
use svc_store::FileRepository;

use queue::{Queue, Work};

/// Bins that everything is measured in; what is asked for is put together from them. More than a screen has columns.
pub const MAX_BINS: u32 = 4096;
/// What changes when the record or the way of measuring does.
const RECORD_VERSION: &str = "1";
/// Bytes of all waveforms on disk: 60,000 tracks, of three blocks each.
const CACHE_BYTES: u64 = 768 * 1024 * 1024;

const UNDECODABLE: ServiceError = ServiceError::Unprocessable {
    code: "waveform_unavailable",
    message: "the audio of this file cannot be decoded",
};

/// How much is done at a time.
#[derive(Debug, Clone, Copy)]
pub struct WaveformLimits {
    /// Measurements at once: one core is left to everything else.
    pub parallel: usize,
    /// Measurements that wait. Each holds its file open; a page of tracks in a client is some dozens.
    pub waiting: usize,
    /// People who are told of one measurement.
    pub subscribers: usize,
    /// How long an answer is held back for the waveform: most songs are measured by then.
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

/// Who measures sounds: the plugins, or a test.
pub trait WaveformAnalyzer: Send + Sync + std::fmt::Debug {
    /// What would measure files of this extension, by a name that changes with its results; none if nothing does.
    fn version(&self, extension: &str) -> Option<String>;

    /// Measures one.
    ///
    /// # Errors
    /// What the plugin or the host says.
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

/// A waveform, or the promise of one.
#[derive(Debug)]
pub enum Waveform {
    /// Measured.
    Ready(AudioSummary),
    /// Being measured; an event tells when it is done.
    Pending,
}

/// Waveforms of tracks. Cheap to clone: the clones are one.
#[derive(Debug, Clone)]
pub struct Waveforms {
    files: FileRepository,
    analyzer: Arc<dyn WaveformAnalyzer>,
    cache: DiskCache,
    queue: Queue,
    limits: WaveformLimits,
}

impl Waveforms {
    /// Over these tracks, measured by these plugins and kept in this directory.
    pub fn new(
        files: FileRepository,
        plugins: Plugins,
        directory: PathBuf,
        clock: Arc<dyn Clock>,
        events: Events,
    ) -> Self {
        let cache = DiskCache::new(directory, CACHE_BYTES, clock);
        Self::with(files, Arc::new(plugins), cache, events, WaveformLimits::default())
    }

    /// Of parts that a test can choose.
    pub fn with(
        files: FileRepository,
        analyzer: Arc<dyn WaveformAnalyzer>,
        cache: DiskCache,
        events: Events,
        limits: WaveformLimits,
    ) -> Self {
        Self {
            queue: Queue::new(Arc::clone(&analyzer), cache.clone(), events, limits),
            files,
            analyzer,
            cache,
            limits,
        }
    }

    /// The waveform of a track in so many bins at most. If it takes longer than a second to measure, the actor is told
    /// of it by an event.
    ///
    /// # Errors
    /// Not found; absent `file_missing`; unavailable `storage_unavailable`; unprocessable `waveform_unavailable`; try later;
    /// the store's.
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

    /// Measures a track if that has not been done, and waits for it; true if it was measured now. For work in the
    /// background, which sees everything.
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

    /// Forgets all that was measured.
    ///
    /// # Errors
    /// When files cannot be removed.
    pub async fn clear(&self) -> Result<()> {
        let cache = self.cache.clone();
        media::blocking(move || cache.clear().map_err(ServiceError::internal)).await
    }

    /// Ends all measurements, soon and without a result.
    pub fn ask_to_stop(&self) {
        self.queue.stop();
    }

    /// Ends all measurements and waits until they have.
    pub async fn close(&self) {
        let queue = self.queue.clone();
        let ended = tokio::task::spawn_blocking(move || queue.close()).await;
        if let Err(error) = ended {
            tracing::warn!(%error, "waveform analysis was not awaited at shutdown");
        }
    }

    /// What is kept of a track, or all that is needed to measure it.
    async fn find(&self, scope: &MediaScope, id: MusicTrackId) -> Result<Lookup> {
        let file = self.files.media_file(scope, FileId::from(id)).await?;
        let file = file.filter(|file| file.kind == MediaKind::music());
        let file = file.ok_or(ServiceError::NotFound)?;
        let (analyzer, cache) = (Arc::clone(&self.analyzer), self.cache.clone());
        media::blocking(move || {
            // Opened first: what is not there any more has no waveform, kept or not.
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

/// The bytes that are measured, what measures them and how.
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
        queue::Failure::Later(retry_after) => Overloaded {
            message: "decoding audio failed too often; try again later",
            retry_after,
        }
        .into(),
        queue::Failure::Stopped => ServiceError::Away("the server is shutting down"),
        queue::Failure::Fault => ServiceError::internal("the measurement of a sound failed"),
    }
}
