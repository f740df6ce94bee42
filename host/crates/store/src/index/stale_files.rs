//! Files marked for re-extraction although they have not changed.
//!
//! A marked file refers to a version of its plugin without a digest, which never existed. The next run extracts it
//! like the files of any other outdated version, and an interrupted run leaves the rest marked.

use std::collections::HashSet;

use crate::index::IndexRepository;
use svc_database::Result;
use svc_database::args::args;
use svc_database::bulk::in_lists;
use svc_database::write_queue::WritePriority;
use svc_domain::id::FileId;
use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;

const FIND: &str = "SELECT f.file_id FROM files f JOIN folders o ON o.folder_id = f.folder_id \
    JOIN directories d ON d.directory_id = o.directory_id \
    WHERE f.file_id > $1 AND f.status <> 2 AND f.plugin_ref IS NOT NULL AND d.media_kind = $2 \
    AND ($3 = '' OR o.path = $3 OR substr(o.path, 1, length($3) + 1) = $3 || '/') ORDER BY f.file_id LIMIT $4";
const ADD_VERSION: &str = "INSERT INTO plugins_seen (plugin_ref, plugin_id, version, digest, record_schema) \
    SELECT (SELECT max(plugin_ref) + 1 FROM plugins_seen), p.plugin_id, p.version, '', p.record_schema \
    FROM plugins_seen p WHERE p.plugin_ref = $1 \
    ON CONFLICT (plugin_id, version, digest, record_schema) DO NOTHING";
const MARK: &str = "UPDATE files SET plugin_ref = (SELECT n.plugin_ref FROM plugins_seen p \
    JOIN plugins_seen n ON n.plugin_id = p.plugin_id AND n.version = p.version \
    AND n.record_schema = p.record_schema AND n.digest = '' WHERE p.plugin_ref = files.plugin_ref) \
    WHERE plugin_ref IS NOT NULL AND status <> 2 AND file_id";
const KINDS: &str = "SELECT DISTINCT d.media_kind FROM files f JOIN folders o ON o.folder_id = f.folder_id \
    JOIN directories d ON d.directory_id = o.directory_id \
    WHERE f.plugin_ref IS NOT NULL AND f.status <> 2 AND f.file_id";

impl IndexRepository {
    /// The subset of these files that exists, including missing ones.
    pub async fn files_in_index(&self, files: &[FileId]) -> Result<HashSet<FileId>> {
        let numbers: Vec<i64> = files.iter().map(|file| file.get()).collect();
        let select = "SELECT f.file_id FROM files f WHERE f.file_id";
        let rows: Vec<(i64,)> = self.db.rows_of_listed(select, &numbers, "").await?;
        Ok(rows.into_iter().map(|(id,)| id.into()).collect())
    }

    /// Extracted files of a kind at or below a folder, after the id `after`.
    pub async fn files_to_mark_stale(
        &self,
        kind: &MediaKind,
        below: &RelativePath,
        after: FileId,
        take: i64,
    ) -> Result<Vec<FileId>> {
        let values = args![after.get(), kind.as_str(), below.as_str(), take];
        let rows: Vec<(i64,)> = self.db.pools().fetch_all(FIND, &values).await?;
        Ok(rows.into_iter().map(|(id,)| id.into()).collect())
    }

    /// The media kinds of these files.
    pub async fn media_kinds_of_files(&self, files: &[FileId]) -> Result<Vec<String>> {
        let numbers: Vec<i64> = files.iter().map(|file| file.get()).collect();
        let rows: Vec<(String,)> = self.db.rows_of_listed(KINDS, &numbers, "").await?;
        let mut kinds: Vec<String> = rows.into_iter().map(|(kind,)| kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        Ok(kinds)
    }

    /// Marks files for re-extraction in the next run of their kind; returns their number. Idempotent.
    pub async fn mark_stale(&self, files: &[FileId]) -> Result<u64> {
        let numbers: Vec<i64> = files.iter().map(|file| file.get()).collect();
        let mut tx = self.db.write(WritePriority::Scan).await?;
        let mut read_by: Vec<i64> = Vec::new();
        let head = "SELECT DISTINCT plugin_ref FROM files WHERE plugin_ref IS NOT NULL AND file_id";
        for (sql, values) in in_lists(tx.engine(), head, &numbers, "") {
            let rows: Vec<(i64,)> = tx.fetch_all(sql, &values).await?;
            read_by.extend(rows.into_iter().map(|(plugin,)| plugin));
        }
        for plugin in read_by {
            tx.execute(ADD_VERSION, &args![plugin]).await?;
        }
        let mut marked = 0;
        for (sql, values) in in_lists(tx.engine(), MARK, &numbers, "") {
            marked += tx.execute(sql, &values).await?;
        }
        tx.commit().await?;
        Ok(marked)
    }

    /// Number of marked files that are not extracted again yet.
    pub async fn count_marked_files(&self) -> Result<u64> {
        let sql = "SELECT count(*) FROM files f JOIN plugins_seen p ON p.plugin_ref = f.plugin_ref \
                   WHERE p.digest = '' AND f.status <> 2";
        self.db.pools().count(sql, &[]).await
    }
}
