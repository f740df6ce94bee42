//! What plugins of the cloud remember between calls: sealed values by key, with a limit for each plugin.

use crate::db::Database;
use svc_database::Result;
use svc_database::args::args;

const STORE: &str = "INSERT INTO plugin_state (plugin_id, key, sealed_value, size) VALUES ($1, $2, $3, $4) \
    ON CONFLICT (plugin_id, key) DO UPDATE SET sealed_value = excluded.sealed_value, size = excluded.size";
/// The size of all values but one.
const SIZE_OF_OTHERS: &str = "SELECT CAST(coalesce(sum(size), 0) AS BIGINT) FROM plugin_state \
    WHERE plugin_id = $1 AND key <> $2";

/// A value of a plugin, to be stored.
#[derive(Debug, Clone, Copy)]
pub struct StateValue<'a> {
    /// Encrypted.
    pub sealed: &'a [u8],
    /// Bytes of key and value before encryption, which count against the limit.
    pub size: i64,
}

/// What plugins remember. The servers of a database share it.
#[derive(Debug, Clone)]
pub struct PluginStateRepository {
    pub(crate) db: Database,
}

impl PluginStateRepository {
    /// The sealed value of a key.
    pub async fn value(&self, plugin_id: &str, key: &str) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT sealed_value FROM plugin_state WHERE plugin_id = $1 AND key = $2";
        let row: Option<(Vec<u8>,)> = self
            .db
            .pools()
            .fetch_optional(sql, &args![plugin_id, key])
            .await?;
        Ok(row.map(|(value,)| value))
    }

    /// Stores a value unless the plugin would have more than `limit` bytes; returns whether it is stored.
    pub async fn store(&self, plugin_id: &str, key: &str, value: StateValue<'_>, limit: i64) -> Result<bool> {
        // Two writers that read the same size would both stay below the limit, and pass it together.
        let mut tx = self.db.write_queue().begin_alone(self.db.pools()).await?;
        let rows: Vec<(i64,)> = tx.fetch_all(SIZE_OF_OTHERS, &args![plugin_id, key]).await?;
        let others = rows.first().map_or(0, |(size,)| *size);
        if others.saturating_add(value.size) > limit {
            return Ok(false);
        }
        tx.execute(STORE, &args![plugin_id, key, value.sealed, value.size])
            .await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Removes a value.
    pub async fn remove(&self, plugin_id: &str, key: &str) -> Result<()> {
        let mut tx = self.db.write_queue().begin_alone(self.db.pools()).await?;
        let sql = "DELETE FROM plugin_state WHERE plugin_id = $1 AND key = $2";
        tx.execute(sql, &args![plugin_id, key]).await?;
        tx.commit().await
    }
}
