//! The audit log. Repeated entries are counted in one row.

use crate::db::Database;
use crate::identity::IdentityChange;
use crate::query::where_clause::{WhereClause, direction};
use sqlx::AssertSqlSafe;
use svc_database::Tx;
use svc_database::args::args;
use svc_database::write_queue::WritePriority;
use svc_database::{Result, StoreError};
use svc_domain::audit::{AuditAccount, AuditEntry, AuditEvent};
use svc_domain::id::UserId;
use svc_domain::list::{Listing, Order, Pagination};
use svc_domain::time::Timestamp;

/// Filter of audit entries.
#[derive(Debug, Clone, Default)]
pub struct AuditFilter {
    /// Only this event.
    pub event: Option<AuditEvent>,
    /// Only entries with this account as actor or target.
    pub user: Option<UserId>,
}

#[derive(sqlx::FromRow)]
struct AuditRow {
    audit_id: i64,
    at: i64,
    times: i64,
    last_at: i64,
    event: String,
    actor_id: Option<i64>,
    actor_name: Option<String>,
    target_id: Option<i64>,
    target_name: Option<String>,
    address: Option<String>,
    details: String,
}

fn account(id: Option<i64>, name: Option<String>) -> Option<AuditAccount> {
    let account = AuditAccount {
        id: id.map(UserId::from),
        name,
    };
    (account.id.is_some() || account.name.is_some()).then_some(account)
}

impl TryFrom<AuditRow> for AuditEntry {
    type Error = StoreError;

    fn try_from(row: AuditRow) -> Result<Self> {
        Ok(Self {
            id: row.audit_id.into(),
            at: Timestamp::from_millis(row.at),
            times: row.times,
            last_at: Timestamp::from_millis(row.last_at),
            event: AuditEvent::from_name(&row.event).ok_or(StoreError::InvalidValue("audit event"))?,
            actor: account(row.actor_id, row.actor_name),
            target: account(row.target_id, row.target_name),
            address: row.address,
            details: serde_json::from_str(&row.details)
                .map_err(|_| StoreError::InvalidValue("audit detail"))?,
        })
    }
}

/// Within this window, an equal entry increments a counter instead of adding a row.
const FOLDED_WITHIN_MS: i64 = 60_000;
/// Rows of one event by one actor from one address within the window. Further entries are counted in a single row.
const LINES_WITHIN: u64 = 30;
/// The detail of that single row.
const AND_MORE: (&str, &str) = ("more", "not told one by one");

const FOLD: &str = "UPDATE audit SET times = times + 1, last_at = $7 WHERE audit_id = \
                    (SELECT audit_id FROM audit WHERE event = $1 AND at > $2 AND actor_id IS NOT DISTINCT FROM $3 \
                    AND address IS NOT DISTINCT FROM $4 AND target_id IS NOT DISTINCT FROM $5 AND details = $6 \
                    ORDER BY at DESC LIMIT 1)";

const COUNT_RECENT: &str = "SELECT count(*) FROM audit WHERE event = $1 AND at > $2 AND actor_id IS NOT DISTINCT FROM \
                            $3 AND address IS NOT DISTINCT FROM $4";

const INSERT: &str = "INSERT INTO audit (audit_id, at, event, actor_id, actor_name, target_id, target_name, address, \
                      details, times, last_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

/// Increments the counter of an equal row; `false` if there is none.
async fn fold(tx: &mut Tx, entry: &AuditEntry) -> Result<bool> {
    let values = args![
        entry.event.as_str(),
        entry.at.millis() - FOLDED_WITHIN_MS,
        id_of(entry.actor.as_ref()),
        entry.address.as_deref(),
        id_of(entry.target.as_ref()),
        json_of(entry),
        entry.at,
    ];
    Ok(tx.execute(FOLD, &values).await? > 0)
}

fn id_of(account: Option<&AuditAccount>) -> Option<i64> {
    account.and_then(|account| account.id).map(UserId::get)
}

fn json_of(entry: &AuditEntry) -> String {
    serde_json::json!(entry.details).to_string()
}

/// Writes or counts an entry. Counting keeps a client that repeats an action from filling the disk, or from
/// displacing other entries.
async fn write(tx: &mut Tx, entry: &AuditEntry) -> Result<()> {
    if fold(tx, entry).await? {
        return Ok(());
    }
    let values = args![
        entry.event.as_str(),
        entry.at.millis() - FOLDED_WITHIN_MS,
        id_of(entry.actor.as_ref()),
        entry.address.as_deref(),
    ];
    let recent: Vec<(i64,)> = tx.fetch_all(COUNT_RECENT, &values).await?;
    if recent
        .first()
        .is_none_or(|(count,)| count.unsigned_abs() < LINES_WITHIN)
    {
        return insert(tx, entry).await;
    }
    let more = AuditEntry {
        target: None,
        details: [(AND_MORE.0.to_owned(), AND_MORE.1.to_owned())].into(),
        ..entry.clone()
    };
    if fold(tx, &more).await? {
        return Ok(());
    }
    insert(tx, &more).await
}

async fn insert(tx: &mut Tx, entry: &AuditEntry) -> Result<()> {
    let (actor, target) = (entry.actor.as_ref(), entry.target.as_ref());
    let values = args![
        entry.id.get(),
        entry.at,
        entry.event.as_str(),
        id_of(actor),
        actor.and_then(|account| account.name.as_deref()),
        id_of(target),
        target.and_then(|account| account.name.as_deref()),
        entry.address.as_deref(),
        json_of(entry),
        entry.times,
        entry.last_at,
    ];
    tx.execute(INSERT, &values).await.map(drop)
}

/// Audit log.
#[derive(Debug, Clone)]
pub struct AuditRepository {
    pub(crate) db: Database,
}

impl AuditRepository {
    /// Audit entries ordered by time.
    pub async fn list_audit(
        &self,
        filter: &AuditFilter,
        page: Pagination,
        order: Order,
    ) -> Result<Listing<AuditEntry>> {
        let mut where_clause = WhereClause::default();
        where_clause.push("event = ", filter.event.map(AuditEvent::as_str), "");
        if let Some(user) = filter.user {
            where_clause.push_either("actor_id = ", user.get(), "target_id = ", user.get());
        }
        let select = "SELECT audit_id, at, times, last_at, event, actor_id, actor_name, target_id, target_name, \
                      address, details FROM audit";
        let (sql, values) = where_clause.page(select, direction(order, "audit_id", "audit_id DESC"), page);
        let rows: Vec<AuditRow> = self.db.pools().fetch_all(AssertSqlSafe(sql), &values).await?;
        let (count, values) = where_clause.count("audit");
        Ok(Listing {
            items: rows
                .into_iter()
                .map(AuditEntry::try_from)
                .collect::<Result<_>>()?,
            total: self.db.pools().count(count, values).await?,
            next: None,
        })
    }

    /// Writes an entry outside of a larger change. A power cut may lose it.
    pub async fn write_audit(&self, entry: &AuditEntry) -> Result<()> {
        let mut tx = self.db.write_record(WritePriority::Scan).await?;
        write(&mut tx, entry).await?;
        tx.commit().await
    }
}

impl IdentityChange {
    /// Writes an entry about this change.
    pub async fn audit(&mut self, entry: &AuditEntry) -> Result<()> {
        write(self.tx(), entry).await
    }
}
