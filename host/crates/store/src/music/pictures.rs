//! Embedded pictures of tracks and releases.

use sqlx::AssertSqlSafe;

use crate::files::embedded_picture::{EmbeddedPicture, PictureRow};
use crate::files::media_file::{file_columns, file_joins};
use crate::music::MusicRepository;
use crate::query::access_filter::{AccessFilter, and_in_folder};
use svc_database::Result;
use svc_database::args::args;
use svc_domain::id::{MusicReleaseId, MusicTrackId};
use svc_domain::library::MediaScope;

impl MusicRepository {
    /// The embedded picture of a track, if any.
    pub async fn track_picture(
        &self,
        scope: &MediaScope,
        id: MusicTrackId,
    ) -> Result<Option<EmbeddedPicture>> {
        let sql = concat!(
            "SELECT ",
            file_columns!(),
            ", t.picture_index, t.picture_mime, t.picture_offset, t.picture_length, f.related_stamp \
             FROM music_tracks t JOIN files f ON f.file_id = t.track_id ",
            file_joins!(),
            " WHERE t.track_id = $1 AND t.picture_index IS NOT NULL"
        );
        let sql = AssertSqlSafe(sql.to_owned() + &and_in_folder(scope));
        let row: Option<PictureRow> = self.db.pools().fetch_optional(sql, &args![id.get()]).await?;
        row.map(EmbeddedPicture::try_from).transpose()
    }

    /// The picture of a release: that of its first track with an embedded picture.
    pub async fn release_picture(
        &self,
        scope: &MediaScope,
        id: MusicReleaseId,
    ) -> Result<Option<EmbeddedPicture>> {
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
