//! Links of accounts to cloud accounts.

use crate::identity::IdentityChange;
use crate::users::{ACCOUNT_BY_CLOUD, accounts};
use svc_database::Result;
use svc_database::args::args;
use svc_domain::id::UserId;
use svc_domain::time::Timestamp;
use svc_domain::user::Account;

impl IdentityChange {
    /// The account linked to a cloud account, within the transaction.
    pub async fn account_by_cloud(&mut self, cloud_account: &str) -> Result<Option<Account>> {
        let rows = self.fetch_all(ACCOUNT_BY_CLOUD, &args![cloud_account]).await?;
        Ok(accounts(rows)?.pop())
    }

    /// Links an account to a cloud account, or unlinks it. At most one account is linked to each.
    pub async fn set_cloud_account(&mut self, id: UserId, cloud_account: Option<&str>) -> Result<()> {
        let sql = "UPDATE users SET cloud_account_id = $2 WHERE user_id = $1";
        self.execute(sql, &args![id.get(), cloud_account]).await.map(drop)
    }

    /// Assigns a role that follows the groups of an account. One that the account has stays as it was given.
    pub async fn assign_role_by_provider(&mut self, user: UserId, role: &str, now: Timestamp) -> Result<()> {
        let sql = "INSERT INTO role_assignments (user_id, role, created_at, by_provider) VALUES ($1, $2, $3, TRUE) \
                   ON CONFLICT DO NOTHING";
        self.execute(sql, &args![user.get(), role, now]).await.map(drop)
    }

    /// Removes the roles that an account has because of its groups; returns their names.
    pub async fn unassign_roles_by_provider(&mut self, user: UserId) -> Result<Vec<String>> {
        let sql = "SELECT role FROM role_assignments WHERE user_id = $1 AND by_provider ORDER BY role";
        let rows: Vec<(String,)> = self.fetch_all(sql, &args![user.get()]).await?;
        let sql = "DELETE FROM role_assignments WHERE user_id = $1 AND by_provider";
        self.execute(sql, &args![user.get()]).await?;
        Ok(rows.into_iter().map(|(role,)| role).collect())
    }

    /// Whether the account has a local password.
    pub async fn has_password(&mut self, id: UserId) -> Result<bool> {
        let sql = "SELECT user_id FROM users WHERE user_id = $1 AND password_hash IS NOT NULL";
        let row: Option<(i64,)> = self.fetch_optional(sql, &args![id.get()]).await?;
        Ok(row.is_some())
    }

    /// Ends the sessions of an account that its cloud account signed in; returns their number.
    pub async fn revoke_cloud_sessions(&mut self, user: UserId, now: Timestamp) -> Result<u64> {
        let sql = "UPDATE sessions SET revoked = TRUE, ended_at = coalesce(ended_at, $2) \
                   WHERE user_id = $1 AND kind = 'cloud' AND NOT revoked";
        self.execute(sql, &args![user.get(), now]).await
    }
}
