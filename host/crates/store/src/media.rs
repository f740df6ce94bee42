//! Where the bytes of an item are: its file, and the picture inside.

use std::path::PathBuf;

use sqlx::AssertSqlSafe;

use crate::Store;
use crate::access_filter::{AccessFilter, and_in_folder};
use crate::args::args;
use crate::directories::path_from_text;
use crate::error::{Result, StoreError};
use svc_domain::extraction::{PictureData, Span};
use svc_domain::id::{FileId, MusicReleaseId, MusicTrackId};
use svc_domain::kind::MediaKind;
use svc_domain::library::MediaScope;
use svc_domain::path::RelativePath;

/// A file of an item, with all that is needed to open it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MediaFile {
    /// Identifier.
    pub file: FileId,
    /// Kind of its directory.
    pub kind: MediaKind,
    /// Its root directory on this machine.
    pub root: PathBuf,
    /// Below the root.
    pub path: RelativePath,
    /// Bytes.
    pub size: i64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// It was not there in the last run.
    pub missing: bool,
    /// Its root directory is there.
    pub available: bool,
    /// The plugin that read it last.
    pub plugin_id: Option<String>,
}

/// The picture inside of a track's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrackPicture {
    /// The track's file.
    pub media: MediaFile,
    /// Position among the file's pictures.
    pub index: u32,
    /// MIME type, as the file says.
    pub mime: String,
    /// Where its bytes are.
    pub data: PictureData,
}

macro_rules! file_columns {
    () => {
        "f.file_id, d.media_kind, d.path AS root, o.path AS folder, f.name, f.size, f.mtime_ns, \
         f.status = 2 AS missing, d.available, p.plugin_id"
    };
}

pub(super) use file_columns;

macro_rules! file_joins {
    () => {
        "JOIN folders o ON o.folder_id = f.folder_id JOIN directories d ON d.directory_id = o.directory_id \
         LEFT JOIN plugins_seen p ON p.plugin_ref = f.plugin_ref"
    };
}

pub(super) use file_joins;

#[derive(sqlx::FromRow)]
pub(super) struct MediaRow {
    file_id: i64,
    media_kind: String,
    root: String,
    folder: String,
    name: String,
    size: i64,
    mtime_ns: i64,
    missing: bool,
    available: bool,
    plugin_id: Option<String>,
}

impl TryFrom<MediaRow> for MediaFile {
    type Error = StoreError;

    fn try_from(row: MediaRow) -> Result<Self> {
        Ok(Self {
            file: row.file_id.into(),
            kind: row
                .media_kind
                .parse()
                .map_err(|_| StoreError::InvalidValue("media kind"))?,
            root: path_from_text(&row.root),
            path: RelativePath::from_stored(row.folder).join_text(&row.name),
            size: row.size,
            mtime_ns: row.mtime_ns,
            missing: row.missing,
            available: row.available,
            plugin_id: row.plugin_id,
        })
    }
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

impl Store {
    /// A file of any kind.
    pub async fn media_file(&self, scope: &MediaScope, id: FileId) -> Result<Option<MediaFile>> {
        let sql = concat!(
            "SELECT ",
            file_columns!(),
            " FROM files f ",
            file_joins!(),
            " WHERE f.file_id = $1"
        );
        let sql = AssertSqlSafe(sql.to_owned() + &and_in_folder(scope));
        let row: Option<MediaRow> = self.pools().fetch_optional(sql, &args![id.get()]).await?;
        row.map(MediaFile::try_from).transpose()
    }

    /// The picture of a track, if its file holds one.
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
        let row: Option<PictureRow> = self.pools().fetch_optional(sql, &args![id.get()]).await?;
        row.map(TrackPicture::try_from).transpose()
    }

    /// The picture of a release: that of its first track whose file holds one.
    pub async fn release_picture(
        &self,
        scope: &MediaScope,
        id: MusicReleaseId,
    ) -> Result<Option<TrackPicture>> {
        let sql = match scope {
            MediaScope::All => "SELECT artwork_track_id FROM music_releases WHERE release_id = $1".to_owned(),
            // That track may be one of those that are not seen.
            MediaScope::Classes(_) => format!(
                "SELECT t.track_id FROM music_tracks t WHERE t.release_id = $1 AND t.picture_index IS NOT NULL{} \
                 ORDER BY t.disc_number ASC NULLS LAST, t.track_number ASC NULLS LAST, t.track_id LIMIT 1",
                AccessFilter::Tracks.and("t.track_id", scope)
            ),
        };
        let values = args![id.get()];
        let row: Option<(Option<i64>,)> = self.pools().fetch_optional(AssertSqlSafe(sql), &values).await?;
        match row {
            Some((Some(track),)) => self.track_picture(scope, track.into()).await,
            _ => Ok(None),
        }
    }
}
