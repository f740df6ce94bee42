//! Renders thumbnails: concurrent requests for a thumbnail share one rendering, which runs in a worker pool of low
//! priority.

use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

use crate::media::{STORAGE_UNAVAILABLE, blocking};
use crate::thumbnails::failures::Failures;
use crate::thumbnails::limits;
use crate::thumbnails::original::{Identity, Original};
use crate::thumbnails::thumbnail::{Thumbnail, ThumbnailBytes, ThumbnailSize, UNAVAILABLE};
use svc_domain::extraction::ExtractFailure;
use svc_domain::rendering::{ImageFormat, RenderedImage};
use svc_domain::time::Clock;
use svc_identity::error::{ErrorCode, Result, ServiceError, TryLater};
use svc_platform::disk_cache::{CacheKey, CachedFile, DiskCache};
use svc_platform::single_flight::{InFlight, SingleFlight};
use svc_platform::worker_pool::{WorkerPool, WorkerPoolConfig};
use svc_plugin_host::{PluginHandle, Plugins};

const TOO_MANY: TryLater = TryLater::busy(
    "too many thumbnails are queued; try again",
    Duration::from_secs(2),
);

type Outcome = std::result::Result<RenderedThumbnail, RenderError>;

/// A thumbnail rendered by this call. Cheap to clone.
#[derive(Debug, Clone)]
struct RenderedThumbnail {
    format: ImageFormat,
    bytes: Bytes,
    key: CacheKey,
    mtime_ns: i64,
}

/// Why a rendering failed; copied to each waiting caller.
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

/// The renderer: thumbnail plugins, their worker pool and the disk cache.
#[derive(Debug)]
pub(super) struct ThumbnailRenderer {
    plugins: Plugins,
    cache: DiskCache,
    failures: Failures,
    clock: Arc<dyn Clock>,
    in_flight: SingleFlight<CacheKey, Outcome>,
    workers: Arc<WorkerPool>,
}

impl ThumbnailRenderer {
    pub(super) fn new(plugins: Plugins, cache: DiskCache, clock: Arc<dyn Clock>) -> io::Result<Self> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let workers = WorkerPool::start(WorkerPoolConfig {
            name: "thumbnails",
            threads: cores.min(limits::THREADS),
            queue: limits::MAX_QUEUED,
            niceness: limits::NICENESS,
        })?;
        Ok(Self {
            plugins,
            cache,
            failures: Failures::default(),
            clock,
            in_flight: SingleFlight::default(),
            workers: Arc::new(workers),
        })
    }

    /// The thumbnail in this size, from the cache or rendered now.
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
        let in_flight = self.join(key, original, size, renderer)?;
        let rendered = in_flight.result().await.map_err(|_| TOO_MANY)??;
        Ok(Thumbnail {
            format: rendered.format,
            bytes: ThumbnailBytes::InMemory(rendered.bytes),
            tag: rendered.key.to_string(),
            mtime_ns: rendered.mtime_ns,
            is_as_indexed: false,
        })
    }

    pub(super) fn workers(&self) -> Arc<WorkerPool> {
        Arc::clone(&self.workers)
    }

    /// Removes all cached thumbnails and remembered failures.
    pub(super) fn clear(&self) -> io::Result<()> {
        self.failures.clear();
        self.cache.clear()
    }

    /// Joins the rendering in flight, or queues one. It continues after the last waiter is cancelled: a client that scrolled
    /// past a thumbnail is likely to request it again.
    fn join(
        self: &Arc<Self>,
        key: CacheKey,
        original: Original,
        size: ThumbnailSize,
        renderer: PluginHandle,
    ) -> Result<InFlight<Outcome>> {
        let this = Arc::clone(self);
        let in_flight = self.in_flight.join_or_start(key, |completion| {
            self.workers.spawn(move || {
                completion.complete(this.render_blocking(original, size, &renderer));
            })
        });
        in_flight.map_err(|_| TOO_MANY.into())
    }

    /// Renders on this thread and caches the result.
    fn render_blocking(&self, original: Original, size: ThumbnailSize, renderer: &PluginHandle) -> Outcome {
        let as_indexed = original.identity.clone();
        let opened = original.open(&self.plugins)?;
        let identity = opened.identity;
        let key = identity.key(size, renderer);
        if identity != as_indexed {
            // The file changed since it was indexed: its requests miss the first lookup until the next scan.
            if let Some(rendered) = self.cached_render(&key, identity.mtime_ns) {
                return Ok(rendered);
            }
            if self.failures.contains(&identity, self.clock.now()) {
                return Err(RenderError::Unavailable);
            }
        }
        // Rendering the smaller sizes too costs little compared with decoding.
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

/// The cached thumbnail of this key. Discards a cached file that is not an image.
pub(super) fn cached_thumbnail(cache: &DiskCache, key: &CacheKey) -> Option<(ImageFormat, CachedFile)> {
    let picture = cache.get(key)?;
    let mut start = [0; 12];
    let is_read = picture.file.read_exact_at(&mut start, 0);
    let format = ImageFormat::ALL.into_iter().find(|format| format.begins(&start));
    match format.filter(|_| is_read.is_ok()) {
        Some(format) => Some((format, picture)),
        None => {
            cache.discard(key, "it is not an image");
            None
        }
    }
}

/// Reads a small thumbnail into memory and passes a large one as a file; `None` if it cannot be read.
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
