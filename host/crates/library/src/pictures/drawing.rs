//! Draws pictures: one drawing shared by all who ask, few at a time, on threads of low priority.

use std::collections::HashMap;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::watch;

use crate::media::{STORAGE_UNAVAILABLE, blocking};
use crate::pictures::failures::Failures;
use crate::pictures::original::{Identity, Original};
use crate::pictures::threads::Threads;
use crate::pictures::{PictureSize, Thumbnail, ThumbnailBytes, UNAVAILABLE, limits};
use svc_domain::extraction::ExtractFailure;
use svc_domain::rendering::{ImageFormat, RenderedImage};
use svc_domain::time::Clock;
use svc_identity::error::{Result, ServiceError, TryLater};
use svc_platform::disk_cache::{CacheKey, CachedFile, DiskCache};
use svc_plugin_host::{PluginHandle, Plugins};

const TOO_MANY: TryLater = TryLater {
    message: "too many pictures wait to be drawn; try again",
    retry_after: Duration::from_secs(2),
};

/// A drawing under way, which says at its end how it went.
type Ending = watch::Receiver<Option<Outcome>>;
type Outcome = std::result::Result<Drawn, Trouble>;

/// A picture that was drawn just now. Cheap to clone.
#[derive(Debug, Clone)]
struct Drawn {
    format: ImageFormat,
    bytes: Bytes,
    key: CacheKey,
    mtime_ns: i64,
}

/// Why there is no picture, for each of those who wait.
#[derive(Debug, Clone, Copy)]
enum Trouble {
    FileMissing(&'static str, &'static str),
    Storage,
    Later(TryLater),
    Unavailable,
}

impl From<ServiceError> for Trouble {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::Absent { code, message } => Self::FileMissing(code, message),
            ServiceError::TryLater(later) => Self::Later(later),
            _ => Self::Storage,
        }
    }
}

impl From<Trouble> for ServiceError {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::FileMissing(code, message) => Self::Absent { code, message },
            Trouble::Storage => STORAGE_UNAVAILABLE,
            Trouble::Later(later) => later.into(),
            Trouble::Unavailable => UNAVAILABLE,
        }
    }
}

/// Where pictures are drawn.
#[derive(Debug)]
pub(super) struct Studio {
    plugins: Plugins,
    cache: DiskCache,
    failures: Failures,
    clock: Arc<dyn Clock>,
    under_way: Mutex<HashMap<CacheKey, Ending>>,
    threads: Threads,
}

impl Studio {
    pub(super) fn new(plugins: Plugins, cache: DiskCache, clock: Arc<dyn Clock>) -> io::Result<Self> {
        Ok(Self {
            plugins,
            cache,
            failures: Failures::default(),
            clock,
            under_way: Mutex::default(),
            threads: Threads::start()?,
        })
    }

    /// The picture in this size: from the cache, or drawn now.
    pub(super) async fn draw(self: Arc<Self>, original: Original, size: PictureSize) -> Result<Thumbnail> {
        let renderer = original.renderer(&self.plugins).ok_or(UNAVAILABLE)?;
        let key = original.identity.key(size, &renderer);
        let mtime_ns = original.identity.mtime_ns;
        let found = {
            let (this, key) = (Arc::clone(&self), key.clone());
            blocking(move || Ok(kept(&this.cache, &key).and_then(bytes_of))).await?
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
        let mut ending = self.join(key, original, size, renderer)?;
        let outcome = ending.wait_for(Option::is_some).await;
        // The sender is gone without a word when there was no place for the drawing, or when it panicked.
        let outcome = outcome.map_err(|_| TOO_MANY)?.clone();
        let drawn = outcome.ok_or(UNAVAILABLE)??;
        Ok(Thumbnail {
            format: drawn.format,
            bytes: ThumbnailBytes::InMemory(drawn.bytes),
            tag: drawn.key.to_string(),
            mtime_ns: drawn.mtime_ns,
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
        size: PictureSize,
        renderer: PluginHandle,
    ) -> Result<Ending> {
        let mut under_way = self.under_way.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ending) = under_way.get(&key) {
            return Ok(ending.clone());
        }
        let (sender, ending) = watch::channel(None);
        under_way.insert(key.clone(), ending.clone());
        drop(under_way);
        let entry = UnderWay {
            studio: Arc::clone(self),
            key,
        };
        // A drawing that is not begun takes its entry with it.
        let is_waiting = self.threads.spawn(move || {
            let outcome = entry.studio.draw_here(original, size, &renderer);
            // Removed before it is told: whoever comes in between finds the picture in the cache.
            drop(entry);
            sender.send_replace(Some(outcome));
        });
        if is_waiting {
            Ok(ending)
        } else {
            Err(TOO_MANY.into())
        }
    }

    /// Draws on this thread, and keeps what was drawn.
    fn draw_here(&self, original: Original, size: PictureSize, renderer: &PluginHandle) -> Outcome {
        let as_indexed = original.identity.clone();
        let opened = original.open(&self.plugins)?;
        let identity = opened.identity;
        let key = identity.key(size, renderer);
        if identity != as_indexed {
            // Changed since it was indexed: asked for again and again until the next run.
            if let Some(drawn) = self.drawn_before(&key, identity.mtime_ns) {
                return Ok(drawn);
            }
            if self.failures.contains(&identity, self.clock.now()) {
                return Err(Trouble::Unavailable);
            }
        }
        // The smaller ones cost little beside the decoding.
        let sizes: Vec<_> = PictureSize::ALL
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
                tracing::warn!(%error, "a drawn picture could not be kept; it is drawn again when somebody asks");
            }
            if of == size {
                asked = Some(image);
            }
        }
        let RenderedImage { format, bytes, .. } = asked.ok_or(Trouble::Unavailable)?;
        Ok(Drawn {
            format,
            bytes: bytes.into(),
            key,
            mtime_ns: identity.mtime_ns,
        })
    }

    fn drawn_before(&self, key: &CacheKey, mtime_ns: i64) -> Option<Drawn> {
        let (format, picture) = kept(&self.cache, key)?;
        Some(Drawn {
            format,
            bytes: picture.read().ok()?.into(),
            key: key.clone(),
            mtime_ns,
        })
    }

    fn failed(&self, identity: &Identity, name: &str, failure: &ExtractFailure) -> Trouble {
        tracing::info!(
            file = name,
            code = failure.code(),
            "no smaller picture: {failure}"
        );
        match failure {
            ExtractFailure::Io(_) => return Trouble::Storage,
            ExtractFailure::Later { retry_after } => {
                return Trouble::Later(TryLater {
                    message: "too many pictures could not be drawn; try again later",
                    retry_after: *retry_after,
                });
            }
            _ => {}
        }
        self.failures.add(identity.clone(), self.clock.now());
        Trouble::Unavailable
    }
}

/// The entry of a drawing, which goes with it however it ends.
struct UnderWay {
    studio: Arc<Studio>,
    key: CacheKey,
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut under_way = self
            .studio
            .under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        under_way.remove(&self.key);
    }
}

/// The picture that is kept under this key. What is none is not given out.
pub(super) fn kept(cache: &DiskCache, key: &CacheKey) -> Option<(ImageFormat, CachedFile)> {
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
