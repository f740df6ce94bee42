//! A sample of the files that a plugin reads, for a preview of another version.

use std::path::PathBuf;

use crate::directories::path_from_text;
use crate::files::FileRepository;
use sqlx::AssertSqlSafe;
use svc_database::args::Arg;
use svc_database::{Result, StoreError};
use svc_domain::id::FileId;
use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;

/// Which files come first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SampleOrder {
    /// Those modified last.
    Newest,
    /// Those modified first.
    Oldest,
    /// Those with the most bytes.
    Largest,
    /// Those that could not be read, newest first.
    Failed,
}

/// A file of a sample.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SampledFile {
    /// Identifier.
    pub id: FileId,
    /// Its kind.
    pub kind: MediaKind,
    /// Its root directory on this machine.
    pub root: PathBuf,
    /// Below the root.
    pub path: RelativePath,
}

impl FileRepository {
    /// Files of a kind with one of these extensions (in lower case, without the dot) that are not missing.
    pub async fn sample(
        &self,
        kind: &MediaKind,
        extensions: &[String],
        order: SampleOrder,
        take: u32,
    ) -> Result<Vec<SampledFile>> {
        let mut values = vec![Arg::from(kind.as_str())];
        let mut names = Vec::new();
        for extension in extensions {
            values.push(Arg::from(ends_with(extension)));
            names.push(format!("lower(f.name) LIKE ${} ESCAPE '!'", values.len()));
        }
        if names.is_empty() {
            return Ok(Vec::new());
        }
        let (status, order) = match order {
            SampleOrder::Newest => ("f.status = 0", "f.mtime_ns DESC"),
            SampleOrder::Oldest => ("f.status = 0", "f.mtime_ns"),
            SampleOrder::Largest => ("f.status = 0", "f.size DESC"),
            SampleOrder::Failed => ("f.status = 1", "f.mtime_ns DESC"),
        };
        let sql = format!(
            "SELECT f.file_id, d.media_kind, d.path, o.path, f.name FROM files f \
             JOIN folders o ON o.folder_id = f.folder_id JOIN directories d ON d.directory_id = o.directory_id \
             WHERE d.configured AND d.media_kind = $1 AND {status} AND ({}) ORDER BY {order}, f.file_id LIMIT {take}",
            names.join(" OR ")
        );
        let rows: Vec<(i64, String, String, String, String)> =
            self.db.pools().fetch_all(AssertSqlSafe(sql), &values).await?;
        let file = |(id, kind, root, folder, name): (i64, String, String, String, String)| {
            Ok(SampledFile {
                id: FileId::from(id),
                kind: kind.parse().map_err(|_| StoreError::InvalidValue("media kind"))?,
                root: path_from_text(&root),
                path: RelativePath::from_stored(folder).join_text(&name),
            })
        };
        rows.into_iter().map(file).collect()
    }
}

/// The pattern of names with this extension.
fn ends_with(extension: &str) -> String {
    let mut pattern = "%.".to_owned();
    for character in extension.chars() {
        if matches!(character, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(character);
    }
    pattern
}
