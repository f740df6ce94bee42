//! Indexed files of any kind: their place on disk and their state in the index.

pub(crate) mod embedded_picture;
mod indexed_file;
pub(crate) mod media_file;
mod sample;

use std::path::PathBuf;

use crate::db::Database;
use crate::directories::path_from_text;
use svc_database::Result;
use svc_database::args::args;
use svc_domain::id::FileId;
use svc_domain::path::RelativePath;

pub use embedded_picture::EmbeddedPicture;
pub use indexed_file::IndexedFile;
pub use media_file::MediaFile;
pub use sample::{SampleOrder, SampledFile};

/// A file as the index records it, to be compared with the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFile {
    /// Identifier.
    pub id: FileId,
    /// Its root directory on this machine.
    pub root: PathBuf,
    /// Kind of that directory.
    pub kind: String,
    /// Below the root.
    pub path: RelativePath,
    /// Bytes.
    pub size: i64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
}

/// Indexed files of any kind.
#[derive(Debug, Clone)]
pub struct FileRepository {
    pub(crate) db: Database,
}

impl FileRepository {
    /// Files that are not missing, after the id `after`.
    pub async fn known_files(&self, after: FileId, take: u32) -> Result<Vec<KnownFile>> {
        let sql = "SELECT f.file_id, d.path, d.media_kind, o.path, f.name, f.size, f.mtime_ns FROM files f \
                   JOIN folders o ON o.folder_id = f.folder_id \
                   JOIN directories d ON d.directory_id = o.directory_id \
                   WHERE f.file_id > $1 AND f.status <> 2 ORDER BY f.file_id LIMIT $2";
        let values = args![after.get(), i64::from(take)];
        let rows: Vec<(i64, String, String, String, String, i64, i64)> =
            self.db.pools().fetch_all(sql, &values).await?;
        let file =
            |(id, root, kind, folder, name, size, mtime_ns): (i64, String, _, _, String, _, _)| KnownFile {
                id: FileId::from(id),
                root: path_from_text(&root),
                kind,
                path: RelativePath::from_stored(folder).join_text(&name),
                size,
                mtime_ns,
            };
        Ok(rows.into_iter().map(file).collect())
    }

    /// Number of [`FileRepository::known_files`].
    pub async fn count_known_files(&self) -> Result<u64> {
        let sql = "SELECT count(*) FROM files WHERE status <> 2";
        self.db.pools().count(sql, &[]).await
    }
}
