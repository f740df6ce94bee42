//! The files of items: found for a caller, opened, and their pictures.

use crate::item_kinds::ItemKinds;
use crate::media::{NO_ARTWORK, OpenedMedia, OpenedPicture, blocking, open_file};
use crate::thumbnails::{Thumbnail, ThumbnailSize};
use svc_domain::id::ItemId;
use svc_domain::path::extension;
use svc_identity::actor::Actor;
use svc_identity::error::{Result, ServiceError};
use svc_store::{EmbeddedPicture, MediaFile};

/// An opened file of an item.
#[derive(Debug)]
pub struct OpenedPart {
    /// The file.
    pub media: OpenedMedia,
    /// The MIME type that the plugin names for files of this extension.
    pub media_type: Option<String>,
}

impl ItemKinds {
    /// The file of a part of an item, counted from 1, or of its first part.
    ///
    /// # Errors
    /// Not found, also if the actor may not access the file; database errors.
    pub async fn media_file(&self, actor: &Actor, id: ItemId, part: Option<i64>) -> Result<MediaFile> {
        let file = self.kinds.item_file(&actor.scope, id, part).await?;
        file.ok_or(ServiceError::NotFound)
    }

    /// Opens the file of a part of an item, or of its first part.
    ///
    /// # Errors
    /// As [`Self::media_file`]; absent `file_missing`; try later `storage_unavailable`.
    pub async fn open(&self, actor: &Actor, id: ItemId, part: Option<i64>) -> Result<OpenedPart> {
        let file = self.media_file(actor, id, part).await?;
        let media_type = self
            .plugins
            .media_type(&file.kind, &extension(file.path.file_name()));
        let media = blocking(move || open_file(&file)).await?;
        Ok(OpenedPart { media, media_type })
    }

    /// Opens the artwork of an item: the picture of its first file with one.
    ///
    /// # Errors
    /// Not found; absent `artwork_missing` or `file_missing`; try later `storage_unavailable`; database errors.
    pub async fn open_artwork(&self, actor: &Actor, id: ItemId) -> Result<OpenedPicture> {
        let picture = self.picture(actor, id).await?;
        self.media.open_item_picture(picture).await
    }

    /// The artwork of an item in a smaller size.
    ///
    /// # Errors
    /// As [`Self::open_artwork`]; unprocessable `thumbnail_unavailable`.
    pub async fn thumbnail(&self, actor: &Actor, id: ItemId, size: ThumbnailSize) -> Result<Thumbnail> {
        let picture = self.picture(actor, id).await?;
        self.thumbnails.embedded(picture, size).await
    }

    async fn picture(&self, actor: &Actor, id: ItemId) -> Result<EmbeddedPicture> {
        match self.kinds.item_picture(&actor.scope, id).await? {
            Some(picture) => Ok(picture),
            None if self.kinds.item(&actor.scope, id).await?.is_some() => Err(NO_ARTWORK),
            None => Err(ServiceError::NotFound),
        }
    }
}
