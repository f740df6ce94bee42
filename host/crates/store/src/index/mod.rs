//! The index as a scan reads it: folders, files and plugin versions.

mod kept_readings;
mod stale_files;

use std::collections::HashSet;
use std::path::PathBuf;

use sqlx::AssertSqlSafe;

use crate::db::Database;
use crate::directories::path_from_text;
use crate::libraries::Placement;
use svc_database::args::args;
use svc_database::bulk::{Bulk, SqlTexts, in_lists};
use svc_database::dialect::hexadecimal;
use svc_database::identity_revisions::ChangeScope;
use svc_database::write_queue::WritePriority;
use svc_database::{Result, StoreError};
use svc_domain::id::{DirectoryId, FileId, FolderId};
use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_domain::scan::{DirectoryDigest, FileStatus, Folder, KnownFile};

pub use kept_readings::{KeptReading, KeptVersion};

/// Version of the stored record format. Raised when records contain more: files are then extracted again, as for a
/// new plugin version.
pub(crate) const RECORD_SCHEMA: i32 = 3;

/// Folders per query: a JSON text of some hundred KiB.
const FOLDERS_AT_ONCE: usize = 4096;

#[derive(sqlx::FromRow, serde::Deserialize)]
struct FolderRow {
    folder_id: i64,
    path: String,
    /// Directory digest, the column `stamp`, in hexadecimal digits.
    digest: Option<String>,
    file_count: i64,
}

impl From<FolderRow> for Folder {
    fn from(row: FolderRow) -> Self {
        // A digest of another length is of an older version: the scan reads the folder again.
        let digits = row
            .digest
            .filter(|digits| digits.len() == 2 * size_of::<DirectoryDigest>());
        let digest = digits.and_then(|digits| u128::from_str_radix(&digits, 16).ok());
        Self {
            id: row.folder_id.into(),
            path: RelativePath::from_stored(row.path),
            digest: digest.map(u128::to_be_bytes),
            file_count: row.file_count,
        }
    }
}

#[derive(sqlx::FromRow)]
struct FileRow {
    file_id: i64,
    folder_id: i64,
    name: String,
    size: i64,
    mtime_ns: i64,
    status: i16,
    related_stamp: Option<i64>,
}

static ADD_FOLDERS: Bulk = Bulk {
    head: "INSERT INTO folders (folder_id, directory_id, path, access_class, file_count) VALUES",
    columns: 4,
    constants: ", 0",
    tail: "",
};

impl TryFrom<FileRow> for KnownFile {
    type Error = StoreError;

    fn try_from(row: FileRow) -> Result<Self> {
        Ok(Self {
            id: row.file_id.into(),
            folder: row.folder_id.into(),
            name: row.name,
            size: row.size,
            mtime_ns: row.mtime_ns,
            status: FileStatus::from_number(row.status).ok_or(StoreError::InvalidValue("file status"))?,
            sidecar_digest: row.related_stamp,
        })
    }
}

/// A file with a certain content fingerprint, and its recorded place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileByContent {
    /// Identifier.
    pub id: FileId,
    /// Content fingerprint.
    pub fingerprint: i64,
    /// Bytes.
    pub size: i64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
    /// Indexed, failed or missing.
    pub status: FileStatus,
    /// Kind of its directory.
    pub kind: MediaKind,
    /// Its root directory on this machine.
    pub root: PathBuf,
    /// Below the root.
    pub path: RelativePath,
    /// Its root directory was available in the last scan.
    pub available: bool,
    /// Its root directory is still configured.
    pub configured: bool,
}

#[derive(sqlx::FromRow)]
struct ContentRow {
    file_id: i64,
    fingerprint: i64,
    size: i64,
    mtime_ns: i64,
    status: i16,
    media_kind: String,
    root: String,
    folder: String,
    name: String,
    available: bool,
    configured: bool,
}

impl TryFrom<ContentRow> for FileByContent {
    type Error = StoreError;

    fn try_from(row: ContentRow) -> Result<Self> {
        Ok(Self {
            id: row.file_id.into(),
            fingerprint: row.fingerprint,
            size: row.size,
            mtime_ns: row.mtime_ns,
            status: FileStatus::from_number(row.status).ok_or(StoreError::InvalidValue("file status"))?,
            kind: row
                .media_kind
                .parse()
                .map_err(|_| StoreError::InvalidValue("media kind"))?,
            root: path_from_text(&row.root),
            path: RelativePath::from_stored(row.folder).join_text(&row.name),
            available: row.available,
            configured: row.configured,
        })
    }
}

/// The index as a scan reads and writes it: folders, files, plugin versions.
#[derive(Debug, Clone)]
pub struct IndexRepository {
    pub(crate) db: Database,
}

impl IndexRepository {
    /// All files with one of these fingerprints, unordered.
    pub async fn files_by_fingerprint(&self, fingerprints: &[i64]) -> Result<Vec<FileByContent>> {
        let select = "SELECT f.file_id, f.fingerprint, f.size, f.mtime_ns, f.status, d.media_kind, d.path AS root, \
                      o.path AS folder, f.name, d.available, d.configured FROM files f \
                      JOIN folders o ON o.folder_id = f.folder_id \
                      JOIN directories d ON d.directory_id = o.directory_id WHERE f.fingerprint";
        let mut files = Vec::new();
        for (sql, values) in in_lists(self.db.pools().engine(), select, fingerprints, "") {
            let rows: Vec<ContentRow> = self.db.pools().fetch_all(sql, &values).await?;
            for row in rows {
                files.push(row.try_into()?);
            }
        }
        Ok(files)
    }

    /// Whether the index has no files, not even missing ones.
    pub async fn is_index_empty(&self) -> Result<bool> {
        let sql = "SELECT count(*) FROM (SELECT 1 FROM files LIMIT 1) AS first_file";
        Ok(self.db.pools().count(sql, &[]).await? == 0)
    }

    /// All folders of a directory, by id.
    pub async fn folders(&self, directory: DirectoryId) -> Result<Vec<Folder>> {
        let digest = hexadecimal(self.db.pools().engine(), "stamp");
        let sql = format!(
            "SELECT folder_id, path, {digest} AS digest, file_count FROM folders \
             WHERE directory_id = $1 AND folder_id > $2 ORDER BY folder_id LIMIT {FOLDERS_AT_ONCE}"
        );
        let mut folders: Vec<Folder> = Vec::new();
        loop {
            let last = folders.last().map_or(0, |folder| folder.id.get());
            let values = args![directory.get(), last];
            let sql = AssertSqlSafe(sql.clone());
            let rows: Vec<FolderRow> = self.db.pools().fetch_page(sql, &values).await?;
            let all = rows.len() < FOLDERS_AT_ONCE;
            folders.extend(rows.into_iter().map(Folder::from));
            if all {
                return Ok(folders);
            }
        }
    }

    /// Adds folders without a digest, with the access classes of the current libraries.
    pub async fn add_folders(
        &self,
        directory: DirectoryId,
        folders: &[(FolderId, RelativePath)],
    ) -> Result<()> {
        let mut tx = self.db.write_record(WritePriority::Scan).await?;
        let mut placement = Placement::of_directory(&mut tx, directory).await?;
        let mut values = Vec::with_capacity(folders.len() * ADD_FOLDERS.columns);
        for (id, path) in folders {
            let class = placement.class(&mut tx, path).await?;
            values.extend(args![id.get(), directory.get(), path.as_str(), class]);
        }
        SqlTexts::default()
            .execute(&mut tx, &ADD_FOLDERS, &values)
            .await?;
        let revision = placement.finish(&mut tx).await?;
        tx.commit().await?;
        if let Some(revision) = revision {
            self.db.identity_revisions().record(revision, &ChangeScope::All);
        }
        Ok(())
    }

    /// All files of these folders, including missing ones, unordered.
    pub async fn files_in_folders(&self, folders: &[FolderId]) -> Result<Vec<KnownFile>> {
        let numbers: Vec<i64> = folders.iter().map(|id| id.get()).collect();
        let mut files = Vec::new();
        let select = "SELECT file_id, folder_id, name, size, mtime_ns, status, related_stamp FROM files WHERE folder_id";
        for (sql, values) in in_lists(self.db.pools().engine(), select, &numbers, "") {
            let rows: Vec<FileRow> = self.db.pools().fetch_all(sql, &values).await?;
            for row in rows {
                files.push(row.try_into()?);
            }
        }
        Ok(files)
    }

    /// Names of the indexed files in one folder of a directory; empty if the folder is unknown.
    pub async fn indexed_names(
        &self,
        directory: DirectoryId,
        folder: &RelativePath,
    ) -> Result<HashSet<String>> {
        let sql = "SELECT f.name FROM files f JOIN folders d ON d.folder_id = f.folder_id \
                   WHERE d.directory_id = $1 AND d.path = $2 AND f.status = $3";
        let values = args![directory.get(), folder.as_str(), FileStatus::Indexed as i16];
        let rows: Vec<(String,)> = self.db.pools().fetch_all(sql, &values).await?;
        Ok(rows.into_iter().map(|(name,)| name).collect())
    }
}

/// A file extracted by another version of its plugin, or stored in an older record schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StaleFile {
    /// Identifier.
    pub id: FileId,
    /// The folder it is in.
    pub folder: FolderId,
    /// The folder's path.
    pub path: RelativePath,
    /// Its own name.
    pub name: String,
}

impl IndexRepository {
    /// References of the plugin versions whose files are stale: those not in `current`, the id and digest of each
    /// plugin in use.
    pub async fn stale_plugins(&self, current: &[(String, String)]) -> Result<Vec<i64>> {
        let sql = "SELECT plugin_ref, plugin_id, digest, record_schema FROM plugins_seen";
        let seen: Vec<(i64, String, String, i32)> = self.db.pools().fetch_all(sql, &[]).await?;
        let is_stale = |(_, id, digest, schema): &(i64, String, String, i32)| {
            let in_use = current.iter().find(|(current, _)| current == id);
            in_use.is_some_and(|(_, current)| current != digest || *schema != RECORD_SCHEMA)
        };
        Ok(seen
            .into_iter()
            .filter(is_stale)
            .map(|(number, ..)| number)
            .collect())
    }

    /// Files of a directory with a stale plugin version, after `after`, by folder and id.
    pub async fn stale_files(
        &self,
        directory: DirectoryId,
        plugins: &[i64],
        after: (FolderId, FileId),
        take: i64,
    ) -> Result<Vec<StaleFile>> {
        let select = "SELECT f.file_id, o.folder_id, o.path, f.name FROM files f \
                      JOIN folders o ON o.folder_id = f.folder_id WHERE f.status <> 2 AND f.plugin_ref";
        // The text holds numbers only: the values of the list come first.
        let tail = format!(
            "AND o.directory_id = {} AND (o.folder_id, f.file_id) > ({}, {}) \
             ORDER BY o.folder_id, f.file_id LIMIT {take}",
            directory.get(),
            after.0.get(),
            after.1.get()
        );
        let mut files = Vec::new();
        for (sql, values) in in_lists(self.db.pools().engine(), select, plugins, &tail) {
            let rows: Vec<(i64, i64, String, String)> = self.db.pools().fetch_all(sql, &values).await?;
            files.extend(rows.into_iter().map(|(id, folder, path, name)| StaleFile {
                id: id.into(),
                folder: folder.into(),
                path: RelativePath::from_stored(path),
                name,
            }));
        }
        Ok(files)
    }

    /// Deletes plugin versions that no file refers to.
    pub async fn delete_plugin_versions(&self, plugins: &[i64]) -> Result<()> {
        let mut tx = self.db.write_record(WritePriority::Scan).await?;
        let head = "DELETE FROM plugins_seen WHERE NOT EXISTS \
                    (SELECT 1 FROM files f WHERE f.plugin_ref = plugins_seen.plugin_ref) AND plugin_ref";
        for (sql, values) in in_lists(tx.engine(), head, plugins, "") {
            tx.execute(sql, &values).await?;
        }
        tx.commit().await
    }
}
