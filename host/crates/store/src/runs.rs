//! Scan runs and their logs.

use crate::db::Database;
use crate::query::where_clause::{WhereClause, direction};
use sqlx::AssertSqlSafe;
use svc_database::args::{Arg, args};
use svc_database::write_queue::WritePriority;
use svc_database::{Result, StoreError};
use svc_domain::id::RunId;
use svc_domain::kind::MediaKind;
use svc_domain::list::{Listing, OrderedPagination, Pagination};
use svc_domain::path::RelativePath;
use svc_domain::scan::{Run, RunLogEntry, RunLogEvent, RunStatus, RunType};
use svc_domain::time::Timestamp;

/// Filter of run log entries.
#[derive(Debug, Clone, Default)]
pub struct RunLogFilter {
    /// Only this event.
    pub event: Option<RunLogEvent>,
    /// Only this media kind.
    pub kind: Option<MediaKind>,
}

#[derive(sqlx::FromRow)]
struct RunRow {
    run_id: i64,
    run_type: String,
    status: String,
    started_by: Option<i64>,
    started_at: i64,
    completed_at: Option<i64>,
    counts: String,
    files_opened: i64,
    seconds: f64,
    warnings: String,
    options: String,
}

macro_rules! run_columns {
    () => {
        "run_id, run_type, status, started_by, started_at, completed_at, counts, files_opened, seconds, warnings, \
         options"
    };
}

const SELECT_RUNS: &str = concat!("SELECT ", run_columns!(), " FROM runs");

impl TryFrom<RunRow> for Run {
    type Error = StoreError;

    fn try_from(row: RunRow) -> Result<Self> {
        let run_type = [RunType::Quick, RunType::Full]
            .into_iter()
            .find(|name| name.as_str() == row.run_type);
        Ok(Self {
            id: row.run_id.into(),
            run_type: run_type.ok_or(StoreError::InvalidValue("run type"))?,
            status: RunStatus::from_name(&row.status).ok_or(StoreError::InvalidValue("run status"))?,
            started_by: row.started_by.map(Into::into),
            started_at: Timestamp::from_millis(row.started_at),
            completed_at: row.completed_at.map(Timestamp::from_millis),
            counts: serde_json::from_str(&row.counts).map_err(|_| StoreError::InvalidValue("run count"))?,
            files_opened: row.files_opened.unsigned_abs(),
            seconds: row.seconds,
            options: serde_json::from_str(&row.options)
                .map_err(|_| StoreError::InvalidValue("run options"))?,
            warnings: serde_json::from_str(&row.warnings)
                .map_err(|_| StoreError::InvalidValue("list of warnings"))?,
        })
    }
}

#[derive(sqlx::FromRow)]
struct RunLogRow {
    run_log_id: i64,
    run_id: i64,
    event: String,
    media_kind: String,
    path: String,
    plugin: Option<String>,
    reason: Option<String>,
    diff: Option<String>,
}

impl TryFrom<RunLogRow> for RunLogEntry {
    type Error = StoreError;

    fn try_from(row: RunLogRow) -> Result<Self> {
        Ok(Self {
            id: row.run_log_id.into(),
            run: row.run_id.into(),
            event: row.event,
            kind: match row.media_kind.as_str() {
                "" => None,
                kind => Some(kind.parse().map_err(|_| StoreError::InvalidValue("media kind"))?),
            },
            path: RelativePath::from_stored(row.path),
            plugin: row.plugin,
            reason: row.reason,
            diff: row.diff,
        })
    }
}

fn json<T: serde::Serialize>(value: &T) -> Result<String> {
    serde_json::to_string(value).map_err(|_| StoreError::InvalidValue("JSON value"))
}

fn run_values(run: &Run) -> Result<[Arg<'static>; 11]> {
    Ok(args![
        run.id.get(),
        run.run_type.as_str(),
        run.status.as_str(),
        run.started_by.map(|user| user.get()),
        run.started_at,
        run.completed_at,
        json(&run.counts)?,
        i64::try_from(run.files_opened).unwrap_or(i64::MAX),
        run.seconds,
        json(&run.warnings)?,
        json(&run.options)?,
    ])
}

/// Scan runs and their logs.
#[derive(Debug, Clone)]
pub struct RunRepository {
    pub(crate) db: Database,
}

impl RunRepository {
    /// Adds a run.
    pub async fn insert_run(&self, run: &Run) -> Result<()> {
        let sql = concat!(
            "INSERT INTO runs (",
            run_columns!(),
            ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"
        );
        let mut tx = self.db.write_record(WritePriority::Interactive).await?;
        tx.execute(sql, &run_values(run)?).await?;
        tx.commit().await
    }

    /// Updates a run.
    pub async fn save_run(&self, run: &Run) -> Result<()> {
        let mut tx = self.db.write_record(WritePriority::Interactive).await?;
        tx.execute(
            "UPDATE runs SET run_type = $2, status = $3, started_by = $4, started_at = $5, completed_at = $6, \
             counts = $7, files_opened = $8, seconds = $9, warnings = $10, options = $11 WHERE run_id = $1",
            &run_values(run)?,
        )
        .await?;
        tx.commit().await
    }

    /// A run by id.
    pub async fn run(&self, id: RunId) -> Result<Option<Run>> {
        let sql = concat!("SELECT ", run_columns!(), " FROM runs WHERE run_id = $1");
        let row: Option<RunRow> = self.db.pools().fetch_optional(sql, &args![id.get()]).await?;
        row.map(Run::try_from).transpose()
    }

    /// Runs, latest first.
    pub async fn list_runs(&self, page: Pagination) -> Result<Listing<Run>> {
        let all = WhereClause::default();
        let (sql, values) = all.count("runs");
        let total = self.db.pools().count(sql, values).await?;
        let (sql, values) = all.page(SELECT_RUNS, "run_id DESC", page);
        let rows: Vec<RunRow> = self.db.pools().fetch_all(AssertSqlSafe(sql), &values).await?;
        Ok(Listing {
            items: rows.into_iter().map(Run::try_from).collect::<Result<_>>()?,
            total,
            next: None,
        })
    }

    /// Marks runs that a crash interrupted as failed; returns their number.
    pub async fn fail_interrupted_runs(&self, now: Timestamp) -> Result<u64> {
        let mut tx = self.db.write_record(WritePriority::Interactive).await?;
        let failed = tx
            .execute(
                "UPDATE runs SET status = 'failed', completed_at = $1 WHERE status IN ('running', 'paused')",
                &args![now],
            )
            .await?;
        tx.commit().await?;
        Ok(failed)
    }

    /// Deletes all but the latest runs, with their logs.
    pub async fn prune_runs(&self, keep: i64) -> Result<()> {
        let sql = "DELETE FROM runs WHERE run_id < \
                   (SELECT min(run_id) FROM (SELECT run_id FROM runs ORDER BY run_id DESC LIMIT $1) AS latest)";
        let mut tx = self.db.write_record(WritePriority::Scan).await?;
        tx.execute(sql, &args![keep]).await?;
        tx.commit().await
    }

    /// Log entries of a run in the order in which they were written.
    pub async fn list_run_logs(
        &self,
        run: RunId,
        filter: &RunLogFilter,
        part: OrderedPagination,
    ) -> Result<Listing<RunLogEntry>> {
        let mut lines = WhereClause::default();
        lines.push("run_id = ", Some(run.get()), "");
        lines.push("event = ", filter.event.map(RunLogEvent::as_str), "");
        lines.push("media_kind = ", filter.kind.as_ref().map(MediaKind::as_str), "");
        let (sql, values) = lines.count("run_logs");
        let total = self.db.pools().count(sql, values).await?;
        let select = "SELECT run_log_id, run_id, event, media_kind, path, plugin, reason, diff FROM run_logs";
        let order = direction(part.order, "run_log_id ASC", "run_log_id DESC");
        let (sql, values) = lines.page(select, order, part.page);
        let rows: Vec<RunLogRow> = self.db.pools().fetch_all(AssertSqlSafe(sql), &values).await?;
        Ok(Listing {
            items: rows
                .into_iter()
                .map(RunLogEntry::try_from)
                .collect::<Result<_>>()?,
            total,
            next: None,
        })
    }
}
