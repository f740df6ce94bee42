//! Files of items, with their place on disk.

use std::path::PathBuf;

use sqlx::AssertSqlSafe;

use crate::directories::path_from_text;
use crate::files::FileRepository;
use crate::query::access_filter::and_in_folder;
use svc_database::args::args;
use svc_database::{Result, StoreError};
use svc_domain::id::FileId;
use svc_domain::kind::MediaKind;
use svc_domain::library::MediaScope;
use svc_domain::path::RelativePath;

/// A file of an item, with the data needed to open it.
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
    /// Missing in the last scan.
    pub missing: bool,
    /// Its root directory is available.
    pub available: bool,
    /// The plugin that extracted it last.
    pub plugin_id: Option<String>,
}

macro_rules! file_columns {
    () => {
        "f.file_id, d.media_kind, d.path AS root, o.path AS folder, f.name, f.size, f.mtime_ns, \
         f.status = 2 AS missing, d.available, p.plugin_id"
    };
}

pub(crate) use file_columns;

macro_rules! file_joins {
    () => {
        "JOIN folders o ON o.folder_id = f.folder_id JOIN directories d ON d.directory_id = o.directory_id \
         LEFT JOIN plugins_seen p ON p.plugin_ref = f.plugin_ref"
    };
}

pub(crate) use file_joins;

#[derive(sqlx::FromRow)]
pub(crate) struct MediaRow {
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

impl FileRepository {
    /// A file of any kind in the scope.
    pub async fn media_file(&self, scope: &MediaScope, id: FileId) -> Result<Option<MediaFile>> {
        let sql = concat!(
            "SELECT ",
            file_columns!(),
            " FROM files f ",
            file_joins!(),
            " WHERE f.file_id = $1"
        );
        let sql = AssertSqlSafe(sql.to_owned() + &and_in_folder(scope));
        let row: Option<MediaRow> = self.db.pools().fetch_optional(sql, &args![id.get()]).await?;
        row.map(MediaFile::try_from).transpose()
    }
}
