//! Libraries: parts of the media with names of their own.

use super::args::args;
use super::error::Result;
use super::identity::IdentityChange;
use crate::domain::id::LibraryId;
use crate::domain::kind::MediaKind;
use crate::domain::time::Timestamp;

impl IdentityChange {
    /// Adds a library.
    pub async fn insert_library(
        &mut self,
        id: LibraryId,
        name: &str,
        kind: &MediaKind,
        paths: &[String],
        now: Timestamp,
    ) -> Result<()> {
        let sql = "INSERT INTO libraries (library_id, name, media_kind, paths, created_at) VALUES ($1, $2, $3, $4, $5)";
        let paths = serde_json::json!(paths).to_string();
        let values = args![id.get(), name, kind.as_str(), paths, now];
        self.execute(sql, &values).await.map(drop)
    }

    /// Deletes a library; `false` if there is none such.
    pub async fn delete_library(&mut self, id: LibraryId) -> Result<bool> {
        self.touches("DELETE FROM libraries WHERE library_id = $1", id.get())
            .await
    }
}
