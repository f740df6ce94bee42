//! Configured media directories: their rows, availability and file counts.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::db::Database;
use svc_database::args::args;
use svc_database::write_queue::WritePriority;
use svc_database::{Result, StoreError};
use svc_domain::id::{DirectoryId, IdGenerator};
use svc_domain::kind::MediaKind;
use svc_domain::path::{RelativePath, name_to_text, text_to_os};
use svc_domain::scan::Directory;
use svc_domain::time::Timestamp;

#[derive(sqlx::FromRow)]
struct DirectoryRow {
    directory_id: i64,
    media_kind: String,
    path: String,
    available: bool,
    last_seen_at: Option<i64>,
    file_count: i64,
}

impl TryFrom<DirectoryRow> for Directory {
    type Error = StoreError;

    fn try_from(row: DirectoryRow) -> Result<Self> {
        Ok(Self {
            id: row.directory_id.into(),
            kind: row
                .media_kind
                .parse()
                .map_err(|_| StoreError::InvalidValue("media kind"))?,
            path: path_from_text(&row.path),
            available: row.available,
            last_seen_at: row.last_seen_at.map(Timestamp::from_millis),
            file_count: row.file_count,
        })
    }
}

pub(crate) fn path_from_text(text: &str) -> PathBuf {
    PathBuf::from(text_to_os(text))
}

fn path_to_text(path: &Path) -> String {
    name_to_text(path.as_os_str())
}

/// Configured media directories.
#[derive(Debug, Clone)]
pub struct DirectoryRepository {
    pub(crate) db: Database,
}

impl DirectoryRepository {
    /// Replaces the list of configured directories: adds new ones, and hides removed ones with their rows, so that a
    /// directory configured again keeps its files. Returns the list.
    pub async fn sync_directories(
        &self,
        configured: &[(MediaKind, PathBuf)],
        ids: &IdGenerator,
        now: Timestamp,
    ) -> Result<Vec<Directory>> {
        let mut tx = self.db.write(WritePriority::Interactive).await?;
        tx.execute("UPDATE directories SET configured = FALSE WHERE configured", &[])
            .await?;
        for (kind, path) in configured {
            tx.execute(
                "INSERT INTO directories (directory_id, media_kind, path, available, configured) \
                 VALUES ($1, $2, $3, TRUE, TRUE) ON CONFLICT (media_kind, path) DO UPDATE SET configured = TRUE",
                &args![ids.next::<DirectoryId>(now).get(), kind.as_str(), path_to_text(path)],
            )
            .await?;
        }
        tx.commit().await?;
        self.list_directories().await
    }

    /// The configured directories, oldest first.
    pub async fn list_directories(&self) -> Result<Vec<Directory>> {
        let sql = "SELECT d.directory_id, d.media_kind, d.path, d.available, d.last_seen_at, \
                   CAST(coalesce((SELECT sum(f.file_count) FROM folders f WHERE f.directory_id = d.directory_id), 0) \
                   AS BIGINT) AS file_count FROM directories d WHERE d.configured ORDER BY d.directory_id";
        let rows: Vec<DirectoryRow> = self.db.pools().fetch_all(sql, &[]).await?;
        rows.into_iter().map(Directory::try_from).collect()
    }

    /// Whether the index has, or had, a file or folder at or below this path in a directory of this kind.
    pub async fn has_path(&self, kind: &MediaKind, path: &RelativePath) -> Result<bool> {
        let folder = "SELECT count(*) FROM folders o JOIN directories d ON d.directory_id = o.directory_id \
                      WHERE d.media_kind = $1 AND (o.path = $2 OR substr(o.path, 1, length($2) + 1) = $2 || '/')";
        let values = args![kind.as_str(), path.as_str()];
        if self.db.pools().count(folder, &values).await? > 0 {
            return Ok(true);
        }
        let file = "SELECT count(*) FROM files f JOIN folders o ON o.folder_id = f.folder_id \
                    JOIN directories d ON d.directory_id = o.directory_id \
                    WHERE d.media_kind = $1 AND o.path = $2 AND f.name = $3";
        let folder = path.parent().unwrap_or_default();
        let values = args![kind.as_str(), folder.as_str(), path.file_name()];
        Ok(self.db.pools().count(file, &values).await? > 0)
    }

    /// Ids of the configured directories, without counting their files.
    pub async fn directory_ids(&self) -> Result<Vec<DirectoryId>> {
        let sql = "SELECT directory_id FROM directories WHERE configured";
        let ids: Vec<(i64,)> = self.db.pools().fetch_all(sql, &[]).await?;
        Ok(ids.into_iter().map(|(id,)| id.into()).collect())
    }

    /// Stores whether a directory is available. `now` becomes its `last_seen_at` if it is.
    pub async fn set_directory_available(
        &self,
        id: DirectoryId,
        available: bool,
        now: Timestamp,
    ) -> Result<()> {
        let mut tx = self.db.write(WritePriority::Interactive).await?;
        tx.execute(
            "UPDATE directories SET available = $2, last_seen_at = coalesce($3, last_seen_at) \
             WHERE directory_id = $1",
            &args![id.get(), available, available.then_some(now)],
        )
        .await?;
        tx.commit().await
    }

    /// Number of indexed files that are not missing, by kind. Configured kinds without files count 0.
    pub async fn file_counts(&self) -> Result<BTreeMap<MediaKind, i64>> {
        let sql = "SELECT d.media_kind, count(f.file_id) FROM directories d \
                   LEFT JOIN folders o ON o.directory_id = d.directory_id \
                   LEFT JOIN files f ON f.folder_id = o.folder_id AND f.status = 0 \
                   WHERE d.configured GROUP BY d.media_kind";
        let rows: Vec<(String, i64)> = self.db.pools().fetch_all(sql, &[]).await?;
        rows.into_iter()
            .map(|(kind, count)| {
                Ok((
                    kind.parse().map_err(|_| StoreError::InvalidValue("media kind"))?,
                    count,
                ))
            })
            .collect()
    }
}
