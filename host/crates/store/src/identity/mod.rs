//! Changes of accounts: transactions of several steps that invalidate cached permissions on commit.

pub(crate) mod reset;

use crate::db::Database;
use sqlx::SqlSafeStr;
use svc_database::args::{Arg, args};
use svc_database::identity_revisions::ChangeScope;
use svc_database::write_queue::WriteTx;
use svc_database::{Record, Tx};
use svc_database::{Result, StoreError};
use svc_domain::id::UserId;

/// An open transaction over accounts, roles, sessions, tokens, settings and origins. Its methods are in the files of
/// those resources. Dropping it without `commit` rolls back.
#[derive(Debug)]
pub struct IdentityChange {
    tx: WriteTx,
    db: Database,
}

/// Starts changes of accounts, and reads their revisions.
#[derive(Debug, Clone)]
pub struct IdentityRepository {
    pub(crate) db: Database,
}

impl IdentityRepository {
    /// Opens an exclusive transaction: data that it has read stays valid until its end. Hash passwords before.
    pub async fn change_identity(&self) -> Result<IdentityChange> {
        Ok(IdentityChange {
            tx: self.db.write_queue().begin_alone(self.db.pools()).await?,
            db: self.db.clone(),
        })
    }

    /// Number of changes that wait in the write queue.
    pub fn waiting_changes(&self) -> usize {
        self.db.write_queue().waiting()
    }

    /// The revision of accounts and roles, which rises with each change. A caller that caches data about an account reads
    /// it before the query, and drops the data once [`IdentityRepository::identity_revision_of`] the account is higher.
    pub fn identity_revision(&self) -> i64 {
        self.db.identity_revisions().last()
    }

    /// The newest revision that concerns, or may concern, an account.
    pub fn identity_revision_of(&self, user: UserId) -> i64 {
        self.db.identity_revisions().of(user)
    }

    /// Reads whether another process, such as `svc user`, made a change; returns whether one did.
    pub async fn refresh_identity_revision(&self) -> Result<bool> {
        let row: Option<(i64,)> = self
            .db
            .pools()
            .fetch_optional("SELECT identity_revision FROM server", &[])
            .await?;
        let before = self.identity_revision();
        let stored = row.map_or(before, |(revision,)| revision);
        self.db.identity_revisions().record(stored, &ChangeScope::All);
        Ok(stored > before)
    }
}

/// Raises the identity revision; `None` before the first start.
pub(crate) async fn raise_revision(tx: &mut Tx) -> Result<Option<i64>> {
    let sql = "UPDATE server SET identity_revision = identity_revision + 1 RETURNING identity_revision";
    let rows: Vec<(i64,)> = tx.fetch_all(sql, &[]).await?;
    Ok(rows.first().map(|(revision,)| *revision))
}

impl IdentityChange {
    /// Whether no change has concerned an account since a revision.
    pub async fn is_unchanged_since(&mut self, user: UserId, revision: i64) -> Result<bool> {
        let row: Option<(i64,)> = self
            .fetch_optional("SELECT identity_revision FROM server", &[])
            .await?;
        // A change unknown to this process may concern any account.
        let is_current = row.is_some_and(|(stored,)| stored == self.db.identity_revisions().last());
        Ok(is_current && self.db.identity_revisions().of(user) <= revision)
    }

    /// Commits durably, and invalidates cached permissions. A transaction without changes invalidates nothing.
    pub async fn commit(self) -> Result<()> {
        self.commit_and_notify(ChangeScope::All).await
    }

    /// [`IdentityChange::commit`] for a change that concerns these accounts only: their sessions, tokens, settings.
    pub async fn commit_of(self, users: impl IntoIterator<Item = UserId>) -> Result<()> {
        self.commit_and_notify(ChangeScope::Accounts(users.into_iter().collect()))
            .await
    }

    async fn commit_and_notify(mut self, scope_of_change: ChangeScope) -> Result<()> {
        if !self.tx.has_changed() {
            return self.tx.commit().await;
        }
        let revision = raise_revision(self.tx()).await?;
        let revision = revision.ok_or(StoreError::InvalidValue("server"))?;
        self.tx.commit().await?;
        self.db.identity_revisions().record(revision, &scope_of_change);
        Ok(())
    }

    /// [`IdentityChange::commit`] for a change that affects no cached permission: a sign-in, a refresh.
    pub async fn commit_without_invalidation(self) -> Result<()> {
        self.tx.commit().await
    }

    pub(crate) async fn execute(&mut self, sql: impl SqlSafeStr, values: &[Arg<'_>]) -> Result<u64> {
        self.tx.execute(sql, values).await
    }

    pub(crate) async fn fetch_all<T: Record>(
        &mut self,
        sql: impl SqlSafeStr,
        values: &[Arg<'_>],
    ) -> Result<Vec<T>> {
        self.tx.fetch_all(sql, values).await
    }

    pub(crate) async fn fetch_optional<T: Record>(
        &mut self,
        sql: impl SqlSafeStr,
        values: &[Arg<'_>],
    ) -> Result<Option<T>> {
        Ok(self.fetch_all(sql, values).await?.into_iter().next())
    }

    pub(crate) fn tx(&mut self) -> &mut Tx {
        &mut self.tx
    }

    /// Runs a statement with one id; returns whether it affected a row.
    pub(crate) async fn touches(&mut self, sql: &'static str, number: i64) -> Result<bool> {
        Ok(self.execute(sql, &args![number]).await? > 0)
    }
}
