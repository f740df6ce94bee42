//! Pictures embedded in files of items.

use crate::files::media_file::{MediaFile, MediaRow};
use svc_database::{Result, StoreError};
use svc_domain::extraction::{PictureData, Span};

/// A picture in a file of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedPicture {
    /// The file.
    pub media: MediaFile,
    /// Position among the file's pictures.
    pub index: u32,
    /// MIME type stated in the file.
    pub mime: String,
    /// Location of its bytes.
    pub data: PictureData,
    /// Digest of the sidecars of the file, one of which the picture may be.
    pub sidecar_digest: Option<i64>,
}

#[derive(sqlx::FromRow)]
pub(crate) struct PictureRow {
    #[sqlx(flatten)]
    media: MediaRow,
    picture_index: i32,
    picture_mime: Option<String>,
    picture_offset: Option<i64>,
    picture_length: Option<i64>,
    related_stamp: Option<i64>,
}

impl TryFrom<PictureRow> for EmbeddedPicture {
    type Error = StoreError;

    fn try_from(row: PictureRow) -> Result<Self> {
        let span = row.picture_offset.zip(row.picture_length);
        Ok(Self {
            media: row.media.try_into()?,
            index: row.picture_index.unsigned_abs(),
            mime: row.picture_mime.unwrap_or_default(),
            data: span.map_or(PictureData::OnRequest, |(offset, length)| {
                PictureData::At(Span {
                    offset: offset.unsigned_abs(),
                    length: length.unsigned_abs(),
                })
            }),
            sidecar_digest: row.related_stamp,
        })
    }
}
