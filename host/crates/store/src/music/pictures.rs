//! Embedded pictures of tracks and releases.

use sqlx::AssertSqlSafe;

use crate::db::args::args;
use crate::error::{Result, StoreError};
use crate::files::media_file::{MediaFile, MediaRow, file_columns, file_joins};
use crate::music::MusicRepository;
use crate::query::access_filter::{AccessFilter, and_in_folder};
use svc_domain::extraction::{PictureData, Span};
use svc_domain::id::{MusicReleaseId, MusicTrackId};
use svc_domain::library::MediaScope;

/// An embedded picture of a track.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackPicture {
    /// The track's file.
    pub media: MediaFile,
    /// Position among the file's pictures.
    pub index: u32,
    /// MIME type stated in the file.
    pub mime: String,
    /// Location of its bytes.
    pub data: PictureData,
}

#[derive(sqlx::FromRow)]
struct PictureRow {
    #[sqlx(flatten)]
    media: MediaRow,
    picture_index: i32,
    picture_mime: Option<String>,
    picture_offset: Option<i64>,
    picture_length: Option<i64>,
}

impl TryFrom<PictureRow> for TrackPicture {
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
        })
    }
}

impl MusicRepository {
    /// The embedded picture of a track, if any.
    pub async fn track_picture(&self, scope: &MediaScope, id: MusicTrackId) -> Result<Option<TrackPicture>> {
        let sql = concat!(
            "SELECT ",
            file_columns!(),
            ", t.picture_index, t.picture_mime, t.picture_offset, t.picture_length \
             FROM music_tracks t JOIN files f ON f.file_id = t.track_id ",
            file_joins!(),
            " WHERE t.track_id = $1 AND t.picture_index IS NOT NULL"
        );
        let sql = AssertSqlSafe(sql.to_owned() + &and_in_folder(scope));
        let row: Option<PictureRow> = self.db.pools().fetch_optional(sql, &args![id.get()]).await?;
        row.map(TrackPicture::try_from).transpose()
    }

    /// The picture of a release: that of its first track with an embedded picture.
    pub async fn release_picture(
        &self,
        scope: &MediaScope,
        id: MusicReleaseId,
    ) -> Result<Option<TrackPicture>> {
        let sql = match scope {
            MediaScope::All => "SELECT artwork_track_id FROM music_releases WHERE release_id = $1".to_owned(),
            // The stored track may be inaccessible.
            MediaScope::Classes(_) => format!(
                "SELECT t.track_id FROM music_tracks t WHERE t.release_id = $1 AND t.picture_index IS NOT NULL{} \
                 ORDER BY t.disc_number ASC NULLS LAST, t.track_number ASC NULLS LAST, t.track_id LIMIT 1",
                AccessFilter::Tracks.and("t.track_id", scope)
            ),
        };
        let values = args![id.get()];
        let row: Option<(Option<i64>,)> = self
            .db
            .pools()
            .fetch_optional(AssertSqlSafe(sql), &values)
            .await?;
        match row {
            Some((Some(track),)) => self.track_picture(scope, track.into()).await,
            _ => Ok(None),
        }
    }
}
