//! Accounts of the cloud.

use sqlx::FromRow;

use crate::cloud::Cloud;
use crate::error::{Error, Refusal, Result};

/// An account.
#[derive(Debug, Clone, FromRow)]
pub(crate) struct Account {
    pub(crate) id: String,
    pub(crate) username: String,
    pub(crate) display_name: Option<String>,
    pub(crate) may_invite: bool,
    groups: String,
}

impl Account {
    /// Values that an administrator may map to roles.
    pub(crate) fn groups(&self) -> Result<Vec<String>> {
        serde_json::from_str(&self.groups).map_err(|error| Error::Stored(format!("groups: {error}")))
    }
}

impl Cloud {
    /// An enabled account, looked up by a server; each server may look up so many an hour.
    pub(crate) async fn look_up(&self, server: i64, id: &str) -> Result<Account> {
        self.limits.lookup.attempt(&server.to_string(), self.now())?;
        let found = sqlx::query_as(
            "SELECT id, username, display_name, may_invite, groups FROM accounts WHERE id = ? AND enabled",
        );
        let account = found.bind(id).fetch_optional(self.database.pool()).await?;
        account.ok_or_else(|| Refusal::AccountUnknown.into())
    }
}
