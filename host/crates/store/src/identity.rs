//! Changes of accounts and of what hangs on them: several steps, one transaction, and word to whoever remembers
//! what somebody may do.

use crate::Store;
use crate::args::{Arg, args};
use crate::db::{Record, Tx};
use crate::error::{Result, StoreError};
use crate::identity_revisions::ChangeScope;
use crate::write_queue::WriteTx;
use sqlx::SqlSafeStr;
use svc_domain::id::UserId;

/// An open transaction over accounts, roles, sessions, tokens, settings and origins. Its methods are in the files of
/// those. Dropped without `commit`, nothing of it remains.
#[derive(Debug)]
pub struct IdentityChange {
    tx: WriteTx,
    store: Store,
}

impl Store {
    /// Begins a change, alone: whatever it reads stays so until its end. Hash passwords before.
    pub async fn change_identity(&self) -> Result<IdentityChange> {
        Ok(IdentityChange {
            tx: self.0.write_queue.begin_alone(self.pools()).await?,
            store: self.clone(),
        })
    }

    /// How many changes wait for their turn.
    pub fn waiting_changes(&self) -> usize {
        self.0.write_queue.waiting()
    }
}

/// The next state of accounts and roles, known to others with the transaction's commit; `None` before the server has
/// its row.
pub(super) async fn raise_revision(tx: &mut Tx) -> Result<Option<i64>> {
    let sql = "UPDATE server SET identity_revision = identity_revision + 1 RETURNING identity_revision";
    let rows: Vec<(i64,)> = tx.fetch_all(sql, &[]).await?;
    Ok(rows.first().map(|(revision,)| *revision))
}

impl IdentityChange {
    /// Whether nothing that concerns an account was changed since a state of accounts, and until this change began.
    pub async fn is_as_it_was(&mut self, user: UserId, revision: i64) -> Result<bool> {
        let row: Option<(i64,)> = self
            .fetch_optional("SELECT identity_revision FROM server", &[])
            .await?;
        // What this process was not told of yet may be about anybody.
        let told = row.is_some_and(|(stored,)| stored == self.store.identity_revision());
        Ok(told && self.store.identity_revision_of(user) <= revision)
    }

    /// Makes the change, durable on disk, and known to every later request. Where nothing changed, nothing is written
    /// and nobody has to ask again.
    pub async fn commit(self) -> Result<()> {
        self.commit_and_notify(ChangeScope::All).await
    }

    /// As [`IdentityChange::commit`], for a change that matters to these accounts alone: their sessions, tokens,
    /// settings.
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
        self.store.note_identity_revision(revision, &scope_of_change);
        Ok(())
    }

    /// As [`IdentityChange::commit`], for a change that neither gives nor takes anything from a caller who is known:
    /// a sign-in, a refresh.
    pub async fn commit_without_invalidation(self) -> Result<()> {
        self.tx.commit().await
    }

    pub(super) async fn execute(&mut self, sql: impl SqlSafeStr, values: &[Arg<'_>]) -> Result<u64> {
        self.tx.execute(sql, values).await
    }

    pub(super) async fn fetch_all<T: Record>(
        &mut self,
        sql: impl SqlSafeStr,
        values: &[Arg<'_>],
    ) -> Result<Vec<T>> {
        self.tx.fetch_all(sql, values).await
    }

    pub(super) async fn fetch_optional<T: Record>(
        &mut self,
        sql: impl SqlSafeStr,
        values: &[Arg<'_>],
    ) -> Result<Option<T>> {
        Ok(self.fetch_all(sql, values).await?.into_iter().next())
    }

    pub(super) fn tx(&mut self) -> &mut Tx {
        &mut self.tx
    }

    /// Whether the statement over one number touched a row.
    pub(super) async fn touches(&mut self, sql: &'static str, number: i64) -> Result<bool> {
        Ok(self.execute(sql, &args![number]).await? > 0)
    }
}
