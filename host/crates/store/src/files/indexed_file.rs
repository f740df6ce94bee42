//! A file of the index with its plugin, failure and item.

use crate::files::FileRepository;
use svc_database::args::args;
use svc_database::{Result, StoreError};
use svc_domain::change::ItemType;
use svc_domain::id::{DirectoryId, FileId};
use svc_domain::path::RelativePath;
use svc_domain::scan::FileStatus;
use svc_domain::time::Timestamp;

/// A file of the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedFile {
    /// Id; contains the time of first indexing.
    pub id: FileId,
    /// Indexed, failed or missing.
    pub status: FileStatus,
    /// Bytes.
    pub size: i64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Time at which a scan first missed it.
    pub missing_since: Option<Timestamp>,
    /// The plugin that extracted it, as id, version and digest.
    pub plugin: Option<(String, String, String)>,
    /// Code and message of the failed extraction.
    pub failure: Option<(String, String)>,
    /// Its item: a track, a photo, a movie, an episode, or an item of a kind that a plugin defines.
    pub item: Option<(ItemType, i64)>,
}

#[derive(sqlx::FromRow)]
struct FileRow {
    file_id: i64,
    status: i16,
    size: i64,
    mtime_ns: i64,
    missing_since: Option<i64>,
    plugin_id: Option<String>,
    version: Option<String>,
    digest: Option<String>,
    failure_code: Option<String>,
    failure_reason: Option<String>,
    track_id: Option<i64>,
    photo_id: Option<i64>,
    movie_id: Option<i64>,
    episode_id: Option<i64>,
    item_id: Option<i64>,
}

impl TryFrom<FileRow> for IndexedFile {
    type Error = StoreError;

    fn try_from(row: FileRow) -> Result<Self> {
        let items = [
            (ItemType::MusicTrack, row.track_id),
            (ItemType::Photo, row.photo_id),
            (ItemType::Movie, row.movie_id),
            (ItemType::TvEpisode, row.episode_id),
            (ItemType::Item, row.item_id),
        ];
        let plugin = row.plugin_id.zip(row.version).zip(row.digest);
        Ok(Self {
            id: row.file_id.into(),
            status: FileStatus::from_number(row.status).ok_or(StoreError::InvalidValue("file status"))?,
            size: row.size,
            mtime_ns: row.mtime_ns,
            missing_since: row.missing_since.map(Timestamp::from_millis),
            plugin: plugin.map(|((id, version), digest)| (id, version, digest)),
            failure: row
                .failure_code
                .map(|code| (code, row.failure_reason.unwrap_or_default())),
            item: items.into_iter().find_map(|(item, id)| Some((item, id?))),
        })
    }
}

impl FileRepository {
    /// The file at a path below a directory.
    pub async fn file_at(&self, directory: DirectoryId, path: &RelativePath) -> Result<Option<IndexedFile>> {
        let sql = "SELECT f.file_id, f.status, f.size, f.mtime_ns, f.missing_since, p.plugin_id, p.version, p.digest, \
                   f.failure_code, f.failure_reason, t.track_id, h.photo_id, v.movie_id, v.episode_id, x.item_id \
                   FROM files f JOIN folders o ON o.folder_id = f.folder_id \
                   LEFT JOIN plugins_seen p ON p.plugin_ref = f.plugin_ref \
                   LEFT JOIN music_tracks t ON t.track_id = f.file_id \
                   LEFT JOIN photos h ON h.photo_id = f.file_id \
                   LEFT JOIN video_sources v ON v.source_id = f.file_id \
                   LEFT JOIN item_files x ON x.file_id = f.file_id \
                   WHERE o.directory_id = $1 AND o.path = $2 AND f.name = $3";
        let folder = path.parent().unwrap_or_default();
        let values = args![directory.get(), folder.as_str(), path.file_name()];
        let row: Option<FileRow> = self.db.pools().fetch_optional(sql, &values).await?;
        row.map(IndexedFile::try_from).transpose()
    }
}
