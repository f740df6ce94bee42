//! Folders and files, as a scan compares them with the disk.

use std::collections::HashSet;

use super::args::args;
use super::bulk::{Bulk, SqlTexts, in_lists};
use super::dialect::{SearchIndex, take_time};
use super::error::{Result, StoreError};
use super::{Lane, Store};
use crate::domain::id::{DirectoryId, FolderId};
use crate::domain::path::RelativePath;
use crate::domain::scan::{FileStatus, Folder, FolderStamp, KnownFile};

#[derive(sqlx::FromRow)]
struct FolderRow {
    folder_id: i64,
    path: String,
    stamp: Option<Vec<u8>>,
    file_count: i64,
}

#[derive(sqlx::FromRow)]
struct FileRow {
    file_id: i64,
    folder_id: i64,
    name: String,
    size: i64,
    mtime_ns: i64,
    status: i16,
}

static ADD_FOLDERS: Bulk = Bulk {
    head: "INSERT INTO folders (folder_id, directory_id, path, file_count) VALUES",
    columns: 3,
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
        })
    }
}

impl Store {
    /// All folders of a directory, in no order.
    pub async fn folders(&self, directory: DirectoryId) -> Result<Vec<Folder>> {
        let sql = "SELECT folder_id, path, stamp, file_count FROM folders WHERE directory_id = $1";
        let rows: Vec<FolderRow> = self.pools().fetch_all(sql, &args![directory.get()]).await?;
        let folder = |row: FolderRow| Folder {
            id: row.folder_id.into(),
            path: RelativePath::from_stored(row.path),
            // A stamp of another length is from another time: read the folder again.
            stamp: row.stamp.and_then(|bytes| FolderStamp::try_from(bytes).ok()),
            file_count: row.file_count,
        };
        Ok(rows.into_iter().map(folder).collect())
    }

    /// Adds folders without a stamp.
    pub async fn add_folders(
        &self,
        directory: DirectoryId,
        folders: &[(FolderId, RelativePath)],
    ) -> Result<()> {
        let mut tx = self.write(Lane::Scan).await?;
        let values: Vec<_> = folders
            .iter()
            .flat_map(|(id, path)| args![id.get(), directory.get(), path.as_str()])
            .collect();
        SqlTexts::default()
            .execute(&mut tx, &ADD_FOLDERS, &values)
            .await?;
        tx.commit().await
    }

    /// All files of these folders, missing ones included, in no order.
    pub async fn files_in_folders(&self, folders: &[FolderId]) -> Result<Vec<KnownFile>> {
        let numbers: Vec<i64> = folders.iter().map(|id| id.get()).collect();
        let mut files = Vec::new();
        let select = "SELECT file_id, folder_id, name, size, mtime_ns, status FROM files WHERE folder_id";
        for (sql, values) in in_lists(self.pools().engine(), select, &numbers, "") {
            let rows: Vec<FileRow> = self.pools().fetch_all(sql, &values).await?;
            for row in rows {
                files.push(row.try_into()?);
            }
        }
        Ok(files)
    }

    /// The names of the indexed files that lie in one folder of a directory; none if the folder is not known.
    pub async fn indexed_names(
        &self,
        directory: DirectoryId,
        folder: &RelativePath,
    ) -> Result<HashSet<String>> {
        let sql = "SELECT f.name FROM files f JOIN folders d ON d.folder_id = f.folder_id \
                   WHERE d.directory_id = $1 AND d.path = $2 AND f.status = $3";
        let values = args![directory.get(), folder.as_str(), FileStatus::Indexed as i16];
        let rows: Vec<(String,)> = self.pools().fetch_all(sql, &values).await?;
        Ok(rows.into_iter().map(|(name,)| name).collect())
    }
}

/// In the order in which rows refer to one another.
const MEDIA_TABLES: [&str; 11] = [
    "DELETE FROM track_genres",
    "DELETE FROM track_artists",
    "DELETE FROM release_artists",
    "DELETE FROM music_tracks",
    "DELETE FROM music_releases",
    "DELETE FROM music_artists",
    "DELETE FROM music_genres",
    "DELETE FROM photos",
    "DELETE FROM files",
    "DELETE FROM folders",
    "DELETE FROM plugins_seen",
];

impl Store {
    /// Forgets all media: files, folders and all that was read from them. Directories, runs and accounts stay; media
    /// files on disk are no matter of the store.
    pub async fn deindex(&self) -> Result<()> {
        let mut tx = self.write(Lane::Interactive).await?;
        take_time(&mut tx).await?;
        for index in SearchIndex::ALL {
            index.clear(&mut tx).await?;
        }
        for sql in MEDIA_TABLES {
            tx.execute(sql, &[]).await?;
        }
        tx.commit().await
    }
}
