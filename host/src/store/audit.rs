//! The audit log.

use super::args::args;
use super::error::{Result, StoreError};
use super::identity::IdentityChange;
use super::select::{Conditions, direction};
use super::{Lane, Store};
use crate::domain::audit::{AuditEntry, AuditEvent, AuditParty};
use crate::domain::id::UserId;
use crate::domain::list::{Listing, Order, Page};
use crate::domain::time::Timestamp;
use sqlx::AssertSqlSafe;

/// Which lines of the log.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// Of this event alone.
    pub event: Option<AuditEvent>,
    /// By or about this account alone.
    pub user: Option<UserId>,
}

#[derive(sqlx::FromRow)]
struct AuditRow {
    audit_id: i64,
    at: i64,
    event: String,
    actor_id: Option<i64>,
    actor_name: Option<String>,
    target_id: Option<i64>,
    target_name: Option<String>,
    address: Option<String>,
    details: String,
}

fn party(id: Option<i64>, name: Option<String>) -> Option<AuditParty> {
    let party = AuditParty {
        id: id.map(UserId::from),
        name,
    };
    (party.id.is_some() || party.name.is_some()).then_some(party)
}

impl TryFrom<AuditRow> for AuditEntry {
    type Error = StoreError;

    fn try_from(row: AuditRow) -> Result<Self> {
        Ok(Self {
            id: row.audit_id.into(),
            at: Timestamp::from_millis(row.at),
            event: AuditEvent::from_name(&row.event).ok_or(StoreError::InvalidValue("audit event"))?,
            actor: party(row.actor_id, row.actor_name),
            target: party(row.target_id, row.target_name),
            address: row.address,
            details: serde_json::from_str(&row.details)
                .map_err(|_| StoreError::InvalidValue("audit detail"))?,
        })
    }
}

const INSERT: &str = "INSERT INTO audit (audit_id, at, event, actor_id, actor_name, target_id, target_name, address, \
                      details) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

macro_rules! values {
    ($entry:expr) => {{
        let entry: &AuditEntry = $entry;
        let (actor, target) = (entry.actor.as_ref(), entry.target.as_ref());
        args![
            entry.id.get(),
            entry.at,
            entry.event.as_str(),
            actor.and_then(|party| party.id).map(UserId::get),
            actor.and_then(|party| party.name.as_deref()),
            target.and_then(|party| party.id).map(UserId::get),
            target.and_then(|party| party.name.as_deref()),
            entry.address.as_deref(),
            serde_json::json!(entry.details).to_string(),
        ]
    }};
}

impl Store {
    /// Lines of the log, by the moment they were written.
    pub async fn list_audit(
        &self,
        filter: &AuditFilter,
        page: Page,
        order: Order,
    ) -> Result<Listing<AuditEntry>> {
        let mut conditions = Conditions::default();
        conditions.push("event = ", filter.event.map(AuditEvent::as_str), "");
        if let Some(user) = filter.user {
            conditions.push_or("actor_id = ", user.get(), "target_id = ", user.get());
        }
        let select = "SELECT audit_id, at, event, actor_id, actor_name, target_id, target_name, address, details \
                      FROM audit";
        let (sql, values) = conditions.page(select, direction(order, "audit_id", "audit_id DESC"), page);
        let rows: Vec<AuditRow> = self.pools().fetch_all(AssertSqlSafe(sql), &values).await?;
        let (count, values) = conditions.count("audit");
        Ok(Listing {
            items: rows
                .into_iter()
                .map(AuditEntry::try_from)
                .collect::<Result<_>>()?,
            total: self.pools().count(count, values).await?,
            next: None,
        })
    }

    /// Writes a line that stands for itself. May be lost in a power cut.
    pub async fn write_audit(&self, entry: &AuditEntry) -> Result<()> {
        let mut tx = self.write_record(Lane::Scan).await?;
        tx.execute(INSERT, &values!(entry)).await?;
        tx.commit().await
    }
}

impl IdentityChange {
    /// Writes a line about this change.
    pub async fn audit(&mut self, entry: &AuditEntry) -> Result<()> {
        self.execute(INSERT, &values!(entry)).await.map(drop)
    }
}
