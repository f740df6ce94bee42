//! Pages of items: listed by the plugin of their file; sent from the file, or unpacked in the sandbox and cached on disk.

use std::sync::Arc;

pub use crate::item_page_reader::OpenedPage;
pub use svc_domain::page::{Page, PageDimensions};

use crate::item_kinds::ItemKinds;
use crate::item_page_reader::{PageFile, PageOriginal, PageReader};
use crate::thumbnails::{Thumbnail, ThumbnailSize, Thumbnails};
use svc_domain::id::ItemId;
use svc_identity::actor::Actor;
use svc_identity::error::{Result, ServiceError};
use svc_platform::disk_cache::DiskCache;
use svc_plugin_host::Plugins;

/// Which page of which file.
#[derive(Debug, Clone, Copy)]
pub struct PageRequest {
    /// The item.
    pub item: ItemId,
    /// Number of the part, from 1; the first one if `None`.
    pub part: Option<i64>,
    /// Number of the page, from 1.
    pub page: u32,
}

/// Lists and opens pages; items outside of the actor's access filter are treated as not existing.
#[derive(Debug, Clone)]
pub struct ItemPages {
    items: ItemKinds,
    thumbnails: Thumbnails,
    plugins: Plugins,
    reader: Arc<PageReader>,
}

impl ItemPages {
    /// Creates the service. Pages that are packed are cached in `cache`.
    pub fn new(items: ItemKinds, thumbnails: Thumbnails, plugins: Plugins, cache: DiskCache) -> Self {
        let reader = Arc::new(PageReader::new(plugins.clone(), cache, thumbnails.workers()));
        Self {
            items,
            thumbnails,
            plugins,
            reader,
        }
    }

    /// The pages of a part of an item, in reading order; none if files of its kind have no pages.
    ///
    /// # Errors
    /// Not found; unprocessable `pages_unavailable`; absent `file_missing`; try later `storage_unavailable` or `busy`;
    /// database errors.
    pub async fn list(&self, actor: &Actor, item: ItemId, part: Option<i64>) -> Result<Arc<[Page]>> {
        let file = self.open(actor, item, part).await?;
        self.reader.list(&file).await
    }

    /// Opens a page.
    ///
    /// # Errors
    /// As [`Self::list`]; not found for a number beyond the last page.
    pub async fn page(&self, actor: &Actor, request: PageRequest) -> Result<OpenedPage> {
        let (file, index, page) = self.requested(actor, request).await?;
        self.reader.read(file, index, page).await
    }

    /// A page in a smaller size.
    ///
    /// # Errors
    /// As [`Self::page`]; unprocessable `thumbnail_unavailable`.
    pub async fn thumbnail(
        &self,
        actor: &Actor,
        request: PageRequest,
        size: ThumbnailSize,
    ) -> Result<Thumbnail> {
        let (file, index, page) = self.requested(actor, request).await?;
        let original = PageOriginal::new(&self.reader, file, index, page);
        self.thumbnails.page(original, size).await
    }

    async fn open(&self, actor: &Actor, item: ItemId, part: Option<i64>) -> Result<PageFile> {
        let media = self.items.media_file(actor, item, part).await?;
        PageFile::open(media, &self.plugins).await
    }

    async fn requested(&self, actor: &Actor, request: PageRequest) -> Result<(PageFile, u32, Page)> {
        let file = self.open(actor, request.item, request.part).await?;
        let pages = self.reader.list(&file).await?;
        let index = request.page.checked_sub(1).ok_or(ServiceError::NotFound)?;
        let page = usize::try_from(index).ok().and_then(|index| pages.get(index));
        let page = page.cloned().ok_or(ServiceError::NotFound)?;
        Ok((file, index, page))
    }
}
