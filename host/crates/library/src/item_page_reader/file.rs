//! The file whose pages are read, as it is on disk at the time of the request.

use std::sync::Arc;

use crate::media::{OpenedMedia, PictureBytes, blocking, open_file};
use svc_domain::extraction::Span;
use svc_domain::id::FileId;
use svc_identity::error::{ErrorCode, Result, ServiceError};
use svc_platform::disk_cache::CacheKey;
use svc_plugin_host::{PluginHandle, Plugins, SourceFile};
use svc_store::MediaFile;

/// No active plugin can read the pages, or the file is damaged.
pub(super) const UNAVAILABLE: ServiceError = ServiceError::Unprocessable {
    code: ErrorCode::PagesUnavailable,
    message: "the pages of the file cannot be read",
};

/// An open file with the plugin that reads its pages.
#[derive(Debug)]
pub(crate) struct PageFile {
    pub(super) media: OpenedMedia,
    pub(super) plugin: PluginHandle,
}

/// What a list of pages depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Version {
    file: FileId,
    size: u64,
    mtime_ns: i64,
    /// Digest of the plugin.
    plugin: String,
}

/// A page, opened.
#[derive(Debug)]
pub struct OpenedPage {
    /// MIME type in lower case, as the plugin states it.
    pub mime: String,
    /// Content.
    pub bytes: PictureBytes,
    /// Changes with the file, the page and the plugin.
    pub tag: String,
    /// Modification time of the file in nanoseconds since 1970.
    pub mtime_ns: i64,
}

impl PageFile {
    /// Opens the file with the plugin that extracted it.
    pub(crate) async fn open(media: MediaFile, plugins: &Plugins) -> Result<Self> {
        let plugin = media.plugin_id.as_deref().and_then(|id| plugins.handle(id));
        let plugin = plugin.filter(PluginHandle::is_active).ok_or(UNAVAILABLE)?;
        let media = blocking(move || open_file(&media)).await?;
        Ok(Self { media, plugin })
    }

    pub(super) fn version(&self) -> Version {
        Version {
            file: self.media.id,
            size: self.media.length,
            mtime_ns: self.media.mtime_ns,
            plugin: self.plugin.digest().to_owned(),
        }
    }

    /// The file as a plugin reads it. It is read at offsets, so that copies of the handle do not disturb each other.
    pub(super) fn source(&self) -> Result<Arc<SourceFile>> {
        let file = self.media.file.try_clone().map_err(ServiceError::internal)?;
        let source = SourceFile::new(file, self.media.name.clone(), self.media.length);
        Ok(Arc::new(source))
    }

    pub(super) fn part(self, span: Span) -> OpenedMedia {
        OpenedMedia {
            offset: span.offset,
            length: span.length,
            ..self.media
        }
    }
}

impl Version {
    /// The key under which a packed page is cached.
    pub(super) fn cache_key(&self, index: u32) -> CacheKey {
        let [file, size, mtime] = self.texts();
        CacheKey::of(&[
            "page, form 1",
            &file,
            &size,
            &mtime,
            &index.to_string(),
            &self.plugin,
        ])
    }

    /// The entity tag of a page, without quotes.
    pub(super) fn tag(&self, index: u32) -> String {
        let plugin = self.plugin.get(..8).unwrap_or_default();
        format!(
            "{}-g{index}-{:x}-{:x}-{plugin}",
            self.file, self.size, self.mtime_ns
        )
    }

    /// What tells the page from other originals of thumbnails.
    pub(super) fn original_name(&self, index: u32) -> String {
        format!("page {index} by {}", self.plugin)
    }

    fn texts(&self) -> [String; 3] {
        [
            self.file.to_string(),
            self.size.to_string(),
            self.mtime_ns.to_string(),
        ]
    }
}
