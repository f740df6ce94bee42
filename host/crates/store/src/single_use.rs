//! Values that are accepted once, by their hash.

use crate::identity::IdentityChange;
use svc_database::Result;
use svc_database::args::args;
use svc_domain::time::Timestamp;

impl IdentityChange {
    /// Stores a value until it is taken or expires, and deletes what has expired; `false` if it is stored already.
    pub async fn insert_single_use(
        &mut self,
        hash: &[u8],
        content: Option<&[u8]>,
        now: Timestamp,
        expires_at: Timestamp,
    ) -> Result<bool> {
        self.execute(
            "DELETE FROM single_use_values WHERE expires_at <= $1",
            &args![now],
        )
        .await?;
        let sql = "INSERT INTO single_use_values (value_hash, content, expires_at) VALUES ($1, $2, $3) \
                   ON CONFLICT DO NOTHING";
        Ok(self.execute(sql, &args![hash, content, expires_at]).await? > 0)
    }

    /// Removes a value that has not expired, and returns its content; `None` if there is none.
    pub async fn take_single_use(&mut self, hash: &[u8], now: Timestamp) -> Result<Option<Vec<u8>>> {
        let sql = "DELETE FROM single_use_values WHERE value_hash = $1 AND expires_at > $2 RETURNING content";
        let row: Option<(Option<Vec<u8>>,)> = self.fetch_optional(sql, &args![hash, now]).await?;
        Ok(row.map(|(content,)| content.unwrap_or_default()))
    }
}
