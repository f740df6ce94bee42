//! Thumbnails of photos, embedded artwork and image files. Rendered by a plugin at the first request, and cached on
//! disk.
//!
//! | File | What lives there |
//! |---|---|
//! | `thumbnail` | sizes, and a rendered thumbnail |
//! | `original` | what is to be rendered: where it is, and by what it is known again |
//! | `failures` | originals that could not be rendered, for a while |
//! | `renderer` | concurrent requests share one rendering, which runs in a worker pool of low priority |
//! | `limits` | sizes, times, numbers, with their reasons |

mod failures;
mod limits;
mod original;
mod renderer;
mod thumbnail;

#[cfg(test)]
mod tests;

pub use limits::THREADS;
pub use thumbnail::{Thumbnail, ThumbnailBytes, ThumbnailSize};

use std::io;
use std::sync::Arc;

use crate::item_page_reader::PageOriginal;
use crate::media::{NO_ARTWORK, OpenedMedia, blocking};
use original::Original;
use renderer::ThumbnailRenderer;
use svc_domain::id::{MusicReleaseId, MusicTrackId, PhotoId};
use svc_domain::kind::MediaKind;
use svc_domain::library::MediaScope;
use svc_domain::time::Clock;
use svc_identity::actor::Actor;
use svc_identity::error::{Result, ServiceError};
use svc_platform::disk_cache::DiskCache;
use svc_platform::worker_pool::WorkerPool;
use svc_plugin_host::Plugins;
use svc_store::{EmbeddedPicture, FileRepository, MusicRepository};

/// The thumbnails service.
#[derive(Debug, Clone)]
pub struct Thumbnails {
    music: MusicRepository,
    files: FileRepository,
    renderer: Arc<ThumbnailRenderer>,
}

impl Thumbnails {
    /// Creates the service and its rendering threads.
    ///
    /// # Errors
    /// Threads cannot be started.
    pub fn new(
        music: MusicRepository,
        files: FileRepository,
        plugins: Plugins,
        clock: Arc<dyn Clock>,
        cache: DiskCache,
    ) -> io::Result<Self> {
        let renderer = Arc::new(ThumbnailRenderer::new(plugins, cache, clock)?);
        Ok(Self {
            music,
            files,
            renderer,
        })
    }

    /// The rendering threads, which do other work too, in order of arrival.
    pub fn workers(&self) -> Arc<WorkerPool> {
        self.renderer.workers()
    }

    /// A photo.
    ///
    /// # Errors
    /// Not found; unprocessable `thumbnail_unavailable`; absent `file_missing`; unavailable `storage_unavailable`; the
    /// store's.
    pub async fn photo(&self, actor: &Actor, id: PhotoId, size: ThumbnailSize) -> Result<Thumbnail> {
        self.render(self.photo_original(&actor.scope, id).await?, size)
            .await
    }

    /// The embedded artwork of a track.
    ///
    /// # Errors
    /// As [`Self::photo`]; absent `artwork_missing`.
    pub async fn track(&self, actor: &Actor, id: MusicTrackId, size: ThumbnailSize) -> Result<Thumbnail> {
        match self.music.track_picture(&actor.scope, id).await? {
            Some(picture) => self.render(Original::embedded(picture), size).await,
            None if self.music.track(&actor.scope, id).await?.is_some() => Err(NO_ARTWORK),
            None => Err(ServiceError::NotFound),
        }
    }

    /// The cover of a release: that of one of its tracks.
    ///
    /// # Errors
    /// As [`Self::track`].
    pub async fn release(&self, actor: &Actor, id: MusicReleaseId, size: ThumbnailSize) -> Result<Thumbnail> {
        match self.music.release_picture(&actor.scope, id).await? {
            Some(picture) => self.render(Original::embedded(picture), size).await,
            None if self.music.release(&actor.scope, id).await?.is_some() => Err(NO_ARTWORK),
            None => Err(ServiceError::NotFound),
        }
    }

    /// An opened image file whose access was checked by the caller, such as the poster of a movie.
    ///
    /// # Errors
    /// Unprocessable `thumbnail_unavailable`; unavailable `storage_unavailable`.
    pub async fn artwork(&self, opened: OpenedMedia, size: ThumbnailSize) -> Result<Thumbnail> {
        self.render(Original::opened(opened), size).await
    }

    /// A picture in a file, whose access was checked by the caller.
    ///
    /// # Errors
    /// As [`Self::artwork`]; absent `artwork_missing` or `file_missing`.
    pub(crate) async fn embedded(&self, picture: EmbeddedPicture, size: ThumbnailSize) -> Result<Thumbnail> {
        self.render(Original::embedded(picture), size).await
    }

    /// A page of a file whose access was checked by the caller.
    ///
    /// # Errors
    /// As [`Self::artwork`]; those of reading the page.
    pub(crate) async fn page(&self, page: PageOriginal, size: ThumbnailSize) -> Result<Thumbnail> {
        self.render(Original::page(page), size).await
    }

    /// Renders a photo in all sizes, if it is not cached: in advance.
    ///
    /// # Errors
    /// As [`Self::photo`].
    pub async fn pregenerate_photo(&self, scope: &MediaScope, id: PhotoId) -> Result<()> {
        self.pregenerate(self.photo_original(scope, id).await?).await
    }

    /// Renders the cover of a release in all sizes, if it is not cached.
    ///
    /// # Errors
    /// As [`Self::release`].
    pub async fn pregenerate_release(&self, scope: &MediaScope, id: MusicReleaseId) -> Result<()> {
        let picture = self.music.release_picture(scope, id).await?;
        self.pregenerate(Original::embedded(picture.ok_or(NO_ARTWORK)?))
            .await
    }

    /// Deletes all thumbnails.
    ///
    /// # Errors
    /// When files cannot be removed.
    pub async fn clear(&self) -> Result<()> {
        let renderer = Arc::clone(&self.renderer);
        blocking(move || renderer.clear().map_err(ServiceError::internal)).await
    }

    async fn photo_original(&self, scope: &MediaScope, id: PhotoId) -> Result<Original> {
        let media = self.files.media_file(scope, id.into()).await?;
        let media = media.filter(|media| media.kind == MediaKind::photos());
        Ok(Original::file(media.ok_or(ServiceError::NotFound)?))
    }

    /// The largest first: the smaller ones are derived from it.
    async fn pregenerate(&self, original: Original) -> Result<()> {
        self.render(original, ThumbnailSize::Large).await.map(drop)
    }

    async fn render(&self, original: Original, size: ThumbnailSize) -> Result<Thumbnail> {
        Arc::clone(&self.renderer).render(original, size).await
    }
}
