//! Lists and reads pages. Concurrent requests share one call of the plugin, which runs on the rendering threads.
//!
//! `file` is the file whose pages a request wants, `lists` keeps lists in memory.

mod file;
mod lists;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;

pub use file::OpenedPage;
pub(crate) use file::PageFile;

use crate::media::{OpenedMedia, PictureBytes, STORAGE_UNAVAILABLE, blocking};
use file::{UNAVAILABLE, Version};
use lists::PageLists;
use svc_domain::extraction::{ExtractFailure, PictureData};
use svc_domain::id::FileId;
use svc_domain::page::Page;
use svc_identity::error::{Result, ServiceError, TryLater};
use svc_platform::disk_cache::{CacheKey, DiskCache};
use svc_platform::single_flight::SingleFlight;
use svc_platform::worker_pool::WorkerPool;
use svc_plugin_host::Plugins;

const TOO_MANY: TryLater = TryLater::busy("too many pages are queued; try again", Duration::from_secs(2));

/// Why a call of the plugin failed; copied to each waiting caller.
#[derive(Debug, Clone, Copy)]
enum PageError {
    Storage,
    Later(TryLater),
    Unavailable,
}

impl From<PageError> for ServiceError {
    fn from(error: PageError) -> Self {
        match error {
            PageError::Storage => STORAGE_UNAVAILABLE,
            PageError::Later(later) => later.into(),
            PageError::Unavailable => UNAVAILABLE,
        }
    }
}

type Listed = std::result::Result<Arc<[Page]>, PageError>;
/// The bytes of a page that could not be cached; `None` if it is in the cache.
type Unpacked = std::result::Result<Option<Bytes>, PageError>;

/// Calls the plugins, and caches what they return.
#[derive(Debug)]
pub(crate) struct PageReader {
    plugins: Plugins,
    cache: DiskCache,
    workers: Arc<WorkerPool>,
    lists: PageLists,
    listing: SingleFlight<Version, Listed>,
    unpacking: SingleFlight<CacheKey, Unpacked>,
}

impl PageReader {
    pub(crate) fn new(plugins: Plugins, cache: DiskCache, workers: Arc<WorkerPool>) -> Self {
        Self {
            plugins,
            cache,
            workers,
            lists: PageLists::default(),
            listing: SingleFlight::default(),
            unpacking: SingleFlight::default(),
        }
    }

    pub(crate) async fn list(self: &Arc<Self>, file: &PageFile) -> Result<Arc<[Page]>> {
        if !file.plugin.has_pages() {
            return Ok(Arc::default());
        }
        let version = file.version();
        if let Some(pages) = self.lists.get(&version) {
            return Ok(pages);
        }
        let (source, plugin, this) = (file.source()?, file.plugin.clone(), Arc::clone(self));
        let key = version.clone();
        let listing = self.listing.join_or_start(version, |completion| {
            self.run(move || {
                let listed = this.plugins.worker().list_pages(&plugin, &source);
                let listed = listed.map_err(|failure| failed(source.name(), &failure));
                completion.complete(listed.map(|pages| {
                    let pages: Arc<[Page]> = pages.into();
                    this.lists.put(key, Arc::clone(&pages));
                    pages
                }));
            })
        })?;
        Ok(listing.result().await.map_err(|_| TOO_MANY)??)
    }

    /// The bytes of a page of the file's list.
    pub(crate) async fn read(self: &Arc<Self>, file: PageFile, index: u32, page: Page) -> Result<OpenedPage> {
        let (tag, mtime_ns) = (file.version().tag(index), file.media.mtime_ns);
        let bytes = match page.data {
            PictureData::At(span) => PictureBytes::InFile(file.part(span)),
            PictureData::OnRequest => self.unpacked(file, index).await?,
        };
        Ok(OpenedPage {
            mime: page.mime,
            bytes,
            tag,
            mtime_ns,
        })
    }

    /// A packed page: from the cache, or read now.
    async fn unpacked(self: &Arc<Self>, file: PageFile, index: u32) -> Result<PictureBytes> {
        let key = file.version().cache_key(index);
        let (id, mtime_ns) = (file.media.id, file.media.mtime_ns);
        if let Some(cached) = self.cached_off_thread(&key, id, mtime_ns).await? {
            return Ok(PictureBytes::InFile(cached));
        }
        let this = Arc::clone(self);
        let unpacking = self.unpacking.join_or_start(key.clone(), |completion| {
            self.run(move || {
                completion.complete(this.unpack(&file, index));
            })
        })?;
        match unpacking.result().await.map_err(|_| TOO_MANY)?? {
            Some(bytes) => Ok(PictureBytes::InMemory(bytes.into())),
            None => {
                let cached = self.cached_off_thread(&key, id, mtime_ns).await?;
                // Evicted in the meantime: the cache is smaller than what is read at the same time.
                Ok(PictureBytes::InFile(cached.ok_or(TOO_MANY)?))
            }
        }
    }

    /// Reads a packed page and caches it. Blocks.
    fn unpack(&self, file: &PageFile, index: u32) -> Unpacked {
        let source = file.source().map_err(|_| PageError::Storage)?;
        let bytes = self.plugins.worker().read_page(&file.plugin, &source, index);
        let bytes = bytes.map_err(|failure| failed(source.name(), &failure))?;
        let key = file.version().cache_key(index);
        match self.cache.put(&key, &bytes) {
            Ok(()) if self.cache.holds(&key) => Ok(None),
            Ok(()) => Ok(Some(bytes.into())),
            Err(error) => {
                tracing::warn!(%error, "page could not be cached");
                Ok(Some(bytes.into()))
            }
        }
    }

    /// The cached page. Blocks.
    fn cached(&self, key: &CacheKey, id: FileId, mtime_ns: i64) -> Option<OpenedMedia> {
        let cached = self.cache.get(key)?;
        Some(OpenedMedia {
            file: cached.file,
            offset: 0,
            length: cached.length,
            mtime_ns,
            id,
            name: String::new(),
        })
    }

    async fn cached_off_thread(
        self: &Arc<Self>,
        key: &CacheKey,
        id: FileId,
        mtime_ns: i64,
    ) -> Result<Option<OpenedMedia>> {
        let (this, key) = (Arc::clone(self), key.clone());
        blocking(move || Ok(this.cached(&key, id, mtime_ns))).await
    }

    fn run(&self, work: impl FnOnce() + Send + 'static) -> std::result::Result<(), TryLater> {
        self.workers.spawn(work).map_err(|_| TOO_MANY)
    }
}

fn failed(file: &str, failure: &ExtractFailure) -> PageError {
    tracing::info!(file, code = failure.code(), "pages could not be read: {failure}");
    match failure {
        ExtractFailure::Io(_) => PageError::Storage,
        ExtractFailure::Later { retry_after } => PageError::Later(TryLater::busy(
            "reading pages failed too often; try again later",
            *retry_after,
        )),
        _ => PageError::Unavailable,
    }
}

/// A page as the original of a thumbnail.
#[derive(Debug)]
pub(crate) struct PageOriginal {
    reader: Arc<PageReader>,
    file: PageFile,
    index: u32,
    page: Page,
}

impl PageOriginal {
    pub(crate) fn new(reader: &Arc<PageReader>, file: PageFile, index: u32, page: Page) -> Self {
        Self {
            reader: Arc::clone(reader),
            file,
            index,
            page,
        }
    }

    /// The file that contains it.
    pub(crate) fn media(&self) -> &OpenedMedia {
        &self.file.media
    }

    /// What tells it from other originals in the same file.
    pub(crate) fn name(&self) -> String {
        self.file.version().original_name(self.index)
    }

    /// MIME type, as the plugin states it.
    pub(crate) fn mime(&self) -> &str {
        &self.page.mime
    }

    /// Opens it. Blocks, on a rendering thread.
    pub(crate) fn open(self) -> Result<PictureBytes> {
        let Self {
            reader,
            file,
            index,
            page,
        } = self;
        if let PictureData::At(span) = page.data {
            return Ok(PictureBytes::InFile(file.part(span)));
        }
        let (key, id, mtime_ns) = (
            file.version().cache_key(index),
            file.media.id,
            file.media.mtime_ns,
        );
        if let Some(cached) = reader.cached(&key, id, mtime_ns) {
            return Ok(PictureBytes::InFile(cached));
        }
        Ok(match reader.unpack(&file, index)? {
            Some(bytes) => PictureBytes::InMemory(bytes.into()),
            None => PictureBytes::InFile(reader.cached(&key, id, mtime_ns).ok_or(TOO_MANY)?),
        })
    }
}
