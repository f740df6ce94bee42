//! Draws pictures: one drawing shared by all who ask, few at a time, on threads of low priority.

use std::collections::HashMap;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::watch;

use crate::media::{STORAGE_UNAVAILABLE, blocking};
use crate::thumbnails::failures::Failures;
use crate::thumbnails::original::{Identity, Original};
use crate::thumbnails::threads::Threads;
use crate::thumbnails::{Thumbnail, ThumbnailBytes, ThumbnailSize, UNAVAILABLE, limits};
use svc_domain::extraction::ExtractFailure;
use svc_domain::rendering::{ImageFormat, RenderedImage};
use svc_domain::time::Clock;
use svc_identity::error::{ErrorCode, Result, ServiceError, TryLater};
use svc_platform::disk_cache::{CacheKey, CachedFile, DiskCache};
use svc_plugin_host::{PluginHandle, Plugins};

const TOO_MANY: TryLater = TryLater::busy(
    "too many thumbnails are queued; try again",
    Duration::from_secs(2),
);

/// A drawing under way, which says at its end how it went.
type InFlightHandle = watch::Receiver<Option<Outcome>>;
type Outcome = std::result::Result<RenderedThumbnail, RenderError>;

/// A picture that was drawn just now. Cheap to clone.
#[derive(Debug, Clone)]
struct RenderedThumbnail {
    format: ImageFormat,
    bytes: Bytes,
    key: CacheKey,
    mtime_ns: i64,
}

/// Why there is no picture, for each of those who wait.
#[derive(Debug, Clone, Copy)]
enum RenderError {
    FileMissing(ErrorCode, &'static str),
    Storage,
    Later(TryLater),
    Unavailable,
}

impl From<ServiceError> for RenderError {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::Absent { code, message } => Self::FileMissing(code, message),
            ServiceError::TryLater(later) => Self::Later(later),
            _ => Self::Storage,
        }
    }
}

impl From<RenderError> for ServiceError {
    fn from(error: RenderError) -> Self {
        match error {
            RenderError::FileMissing(code, message) => Self::Absent { code, message },
            RenderError::Storage => STORAGE_UNAVAILABLE,
            RenderError::Later(later) => later.into(),
            RenderError::Unavailable => UNAVAILABLE,
        }
    }
}

/// Where pictures are drawn.
#[derive(Debug)]
pub(super) struct ThumbnailRenderer {
    plugins: Plugins,
    cache: DiskCache,
    failures: Failures,
    clock: Arc<dyn Clock>,
    in_flight: Mutex<HashMap<CacheKey, InFlightHandle>>,
    threads: Threads,
}

impl ThumbnailRenderer {
    pub(super) fn new(plugins: Plugins, cache: DiskCache, clock: Arc<dyn Clock>) -> io::Result<Self> {
        Ok(Self {
            plugins,
            cache,
            failures: Failures::default(),
            clock,
            in_flight: Mutex::default(),
            threads: Threads::start()?,
        })
    }

    /// The picture in this size: from the cache, or drawn now.
    pub(super) async fn render(
        self: Arc<Self>,
        original: Original,
        size: ThumbnailSize,
    ) -> Result<Thumbnail> {
        let renderer = original.renderer(&self.plugins).ok_or(UNAVAILABLE)?;
        let key = original.identity.key(size, &renderer);
        let mtime_ns = original.identity.mtime_ns;
        let found = {
            let (this, key) = (Arc::clone(&self), key.clone());
            blocking(move || Ok(cached_thumbnail(&this.cache, &key).and_then(bytes_of))).await?
        };
        if let Some((format, bytes)) = found {
            return Ok(Thumbnail {
                format,
                bytes,
                tag: key.to_string(),
                mtime_ns,
                is_as_indexed: true,
            });
        }
        if self.failures.contains(&original.identity, self.clock.now()) {
            return Err(UNAVAILABLE);
        }
        let mut handle = self.join(key, original, size, renderer)?;
        let outcome = handle.wait_for(Option::is_some).await;
        // The sender is gone without a word when there was no place for the drawing, or when it panicked.
        let outcome = outcome.map_err(|_| TOO_MANY)?.clone();
        let rendered = outcome.ok_or(UNAVAILABLE)??;
        Ok(Thumbnail {
            format: rendered.format,
            bytes: ThumbnailBytes::InMemory(rendered.bytes),
            tag: rendered.key.to_string(),
            mtime_ns: rendered.mtime_ns,
            is_as_indexed: false,
        })
    }

    pub(super) fn threads(&self) -> &Threads {
        &self.threads
    }

    /// Forgets all that was drawn.
    pub(super) fn clear(&self) -> io::Result<()> {
        self.failures.clear();
        self.cache.clear()
    }

    /// Joins the drawing that is under way, or begins it. It goes on when nobody waits any longer: whoever scrolled by
    /// will come back.
    fn join(
        self: &Arc<Self>,
        key: CacheKey,
        original: Original,
        size: ThumbnailSize,
        renderer: PluginHandle,
    ) -> Result<InFlightHandle> {
        let mut in_flight = self.in_flight.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(handle) = in_flight.get(&key) {
            return Ok(handle.clone());
        }
        let (sender, handle) = watch::channel(None);
        in_flight.insert(key.clone(), handle.clone());
        drop(in_flight);
        let entry = InFlightEntry {
            renderer: Arc::clone(self),
            key,
        };
        // A drawing that is not begun takes its entry with it.
        let is_waiting = self.threads.spawn(move || {
            let outcome = entry.renderer.render_blocking(original, size, &renderer);
            // Removed before it is told: whoever comes in between finds the picture in the cache.
            drop(entry);
            sender.send_replace(Some(outcome));
        });
        if is_waiting {
            Ok(handle)
        } else {
            Err(TOO_MANY.into())
        }
    }

    /// Draws on this thread, and keeps what was drawn.
    fn render_blocking(&self, original: Original, size: ThumbnailSize, renderer: &PluginHandle) -> Outcome {
        let as_indexed = original.identity.clone();
        let opened = original.open(&self.plugins)?;
        let identity = opened.identity;
        let key = identity.key(size, renderer);
        if identity != as_indexed {
            // Changed since it was indexed: asked for again and again until the next run.
            if let Some(rendered) = self.cached_render(&key, identity.mtime_ns) {
                return Ok(rendered);
            }
            if self.failures.contains(&identity, self.clock.now()) {
                return Err(RenderError::Unavailable);
            }
        }
        // The smaller ones cost little beside the decoding.
        let sizes: Vec<_> = ThumbnailSize::ALL
            .into_iter()
            .filter(|other| {
                *other == size || (*other < size && !self.cache.holds(&identity.key(*other, renderer)))
            })
            .collect();
        let bounds: Vec<_> = sizes.iter().map(|size| size.bounds()).collect();
        let images = self.plugins.worker().render(renderer, &opened.source, &bounds);
        let images = images.map_err(|failure| self.failed(&identity, opened.source.name(), &failure))?;
        let mut asked = None;
        for (image, of) in images.into_iter().zip(sizes) {
            let key = identity.key(of, renderer);
            if let Err(error) = self.cache.put(&key, &image.bytes) {
                tracing::warn!(%error, "thumbnail could not be cached");
            }
            if of == size {
                asked = Some(image);
            }
        }
        let RenderedImage { format, bytes, .. } = asked.ok_or(RenderError::Unavailable)?;
        Ok(RenderedThumbnail {
            format,
            bytes: bytes.into(),
            key,
            mtime_ns: identity.mtime_ns,
        })
    }

    fn cached_render(&self, key: &CacheKey, mtime_ns: i64) -> Option<RenderedThumbnail> {
        let (format, picture) = cached_thumbnail(&self.cache, key)?;
        Some(RenderedThumbnail {
            format,
            bytes: picture.read().ok()?.into(),
            key: key.clone(),
            mtime_ns,
        })
    }

    fn failed(&self, identity: &Identity, name: &str, failure: &ExtractFailure) -> RenderError {
        tracing::info!(
            file = name,
            code = failure.code(),
            "thumbnail could not be rendered: {failure}"
        );
        match failure {
            ExtractFailure::Io(_) => return RenderError::Storage,
            ExtractFailure::Later { retry_after } => {
                return RenderError::Later(TryLater::busy(
                    "rendering thumbnails failed too often; try again later",
                    *retry_after,
                ));
            }
            _ => {}
        }
        self.failures.add(identity.clone(), self.clock.now());
        RenderError::Unavailable
    }
}

/// The entry of a drawing, which goes with it however it ends.
struct InFlightEntry {
    renderer: Arc<ThumbnailRenderer>,
    key: CacheKey,
}

impl Drop for InFlightEntry {
    fn drop(&mut self) {
        let mut in_flight = self
            .renderer
            .in_flight
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        in_flight.remove(&self.key);
    }
}

/// The picture that is kept under this key. What is none is not given out.
pub(super) fn cached_thumbnail(cache: &DiskCache, key: &CacheKey) -> Option<(ImageFormat, CachedFile)> {
    let picture = cache.get(key)?;
    let mut start = [0; 12];
    let is_read = picture.file.read_exact_at(&mut start, 0);
    let format = ImageFormat::ALL.into_iter().find(|format| format.begins(&start));
    match format.filter(|_| is_read.is_ok()) {
        Some(format) => Some((format, picture)),
        None => {
            cache.discard(key, "it is no picture");
            None
        }
    }
}

/// A small picture as a whole, a large one as a file; nothing if it cannot be read.
fn bytes_of((format, picture): (ImageFormat, CachedFile)) -> Option<(ImageFormat, ThumbnailBytes)> {
    let bytes = if picture.length <= limits::IN_MEMORY_BYTES {
        ThumbnailBytes::InMemory(picture.read().ok()?.into())
    } else {
        ThumbnailBytes::InFile {
            file: picture.file,
            length: picture.length,
        }
    };
    Some((format, bytes))
}
