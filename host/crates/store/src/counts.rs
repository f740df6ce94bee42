//! How much of each kind there is.

use std::collections::BTreeMap;

use crate::Store;
use crate::error::{Result, StoreError};
use svc_domain::kind::MediaKind;

impl Store {
    /// Files that are indexed and not missing, by kind. Kinds of configured directories without files count 0.
    pub async fn file_counts(&self) -> Result<BTreeMap<MediaKind, i64>> {
        let sql = "SELECT d.media_kind, count(f.file_id) FROM directories d \
                   LEFT JOIN folders o ON o.directory_id = d.directory_id \
                   LEFT JOIN files f ON f.folder_id = o.folder_id AND f.status = 0 \
                   WHERE d.configured GROUP BY d.media_kind";
        let rows: Vec<(String, i64)> = self.pools().fetch_all(sql, &[]).await?;
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
