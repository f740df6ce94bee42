//! Background jobs and the items that they process.

use crate::db::Database;
use crate::query::where_clause::{WhereClause, direction};
use svc_database::args::{Arg, args};
use svc_database::write_queue::WritePriority;
use svc_database::{Result, StoreError};
use svc_domain::id::JobId;
use svc_domain::job::{Job, JobProgress, JobStatus};
use svc_domain::list::{Listing, Order, Pagination};
use svc_domain::time::Timestamp;

const ROWS: &str = "SELECT j.job_id, j.job_type, j.parameters, j.status, j.created_by, j.started_at, j.completed_at, \
    j.cursor, j.completed_tasks, j.failed_tasks, j.total_tasks, j.result, j.error FROM jobs j";

/// Filter of jobs.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    /// Only this type.
    pub job_type: Option<String>,
    /// Only this status.
    pub status: Option<JobStatus>,
}

/// Items that jobs process in the order of their ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobItems {
    /// Photos whose files are present and readable.
    Photos,
    /// Releases with a picture.
    PicturedReleases,
    /// Tracks whose files are present and readable.
    Tracks,
}

impl JobItems {
    /// Id column, and the `FROM` and `WHERE` clauses.
    fn sql(self) -> (&'static str, &'static str) {
        match self {
            Self::Photos => (
                "p.photo_id",
                "photos p JOIN files f ON f.file_id = p.photo_id WHERE f.status = 0",
            ),
            Self::PicturedReleases => (
                "r.release_id",
                "music_releases r WHERE r.artwork_track_id IS NOT NULL",
            ),
            Self::Tracks => (
                "t.track_id",
                "music_tracks t JOIN files f ON f.file_id = t.track_id WHERE f.status = 0",
            ),
        }
    }
}

#[derive(sqlx::FromRow)]
struct JobRow {
    job_id: i64,
    job_type: String,
    parameters: String,
    status: i16,
    created_by: Option<i64>,
    started_at: Option<i64>,
    completed_at: Option<i64>,
    cursor: i64,
    completed_tasks: i64,
    failed_tasks: i64,
    total_tasks: Option<i64>,
    result: String,
    error: Option<String>,
}

impl TryFrom<JobRow> for Job {
    type Error = StoreError;

    fn try_from(row: JobRow) -> Result<Self> {
        let json = |text: &str| serde_json::from_str(text).map_err(|_| StoreError::InvalidValue("job"));
        Ok(Self {
            id: row.job_id.into(),
            parameters: json(&row.parameters)?,
            job_type: row.job_type,
            status: JobStatus::from_number(row.status).ok_or(StoreError::InvalidValue("job"))?,
            created_by: row.created_by.map(Into::into),
            started_at: row.started_at.map(Timestamp::from_millis),
            completed_at: row.completed_at.map(Timestamp::from_millis),
            progress: JobProgress {
                cursor: row.cursor,
                completed: row.completed_tasks,
                failed: row.failed_tasks,
                total: row.total_tasks,
                result: json(&row.result)?,
            },
            error: row.error,
        })
    }
}

fn jobs(rows: Vec<JobRow>) -> Result<Vec<Job>> {
    rows.into_iter().map(Job::try_from).collect()
}

/// Background jobs.
#[derive(Debug, Clone)]
pub struct JobRepository {
    pub(crate) db: Database,
}

impl JobRepository {
    /// Adds a job unless `most` of its type are open; returns whether it was added. Of the ended jobs, all but the
    /// newest `kept` are deleted.
    pub async fn insert_job(&self, job: &Job, most: i64, kept: i64) -> Result<bool> {
        let mut tx = self.db.write_record(WritePriority::Interactive).await?;
        let sql = "INSERT INTO jobs (job_id, job_type, parameters, status, created_by, cursor, completed_tasks, \
                   failed_tasks, result) SELECT $1, $2, $3, $4, $5, 0, 0, 0, '{}' \
                   WHERE (SELECT count(*) FROM jobs WHERE job_type = $2 AND status < 3) < $6";
        let values = args![
            job.id.get(),
            job.job_type.as_str(),
            job.parameters.to_string(),
            job.status as i16,
            job.created_by.map(|user| user.get()),
            most,
        ];
        if tx.execute(sql, &values).await? == 0 {
            return Ok(false);
        }
        let sql = "DELETE FROM jobs WHERE status >= 3 AND job_id < coalesce((SELECT job_id FROM jobs \
                   WHERE status >= 3 ORDER BY job_id DESC LIMIT 1 OFFSET $1), 0)";
        tx.execute(sql, &args![kept - 1]).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// A job by id.
    pub async fn job(&self, id: JobId) -> Result<Option<Job>> {
        let sql = sqlx::AssertSqlSafe(format!("{ROWS} WHERE j.job_id = $1"));
        let row: Option<JobRow> = self.db.pools().fetch_optional(sql, &args![id.get()]).await?;
        row.map(Job::try_from).transpose()
    }

    /// Jobs by creation time.
    pub async fn list_jobs(
        &self,
        filter: &JobFilter,
        order: Order,
        page: Pagination,
    ) -> Result<Listing<Job>> {
        let mut clause = WhereClause::default();
        clause.push("j.job_type = ", filter.job_type.as_deref(), "");
        clause.push("j.status = ", filter.status.map(|status| status as i16), "");
        let (sql, values) = clause.count("jobs j");
        let total = self.db.pools().count(sql, values).await?;
        let order = direction(order, "j.job_id ASC", "j.job_id DESC");
        let (sql, values) = clause.page(ROWS, order, page);
        let rows = self
            .db
            .pools()
            .fetch_all(sqlx::AssertSqlSafe(sql), &values)
            .await?;
        Ok(Listing {
            items: jobs(rows)?,
            total,
            next: None,
        })
    }

    /// The next job of a type: an interrupted one first, else the oldest waiting one.
    pub async fn next_job(&self, job_type: &str) -> Result<Option<Job>> {
        let sql = sqlx::AssertSqlSafe(format!(
            "{ROWS} WHERE j.job_type = $1 AND j.status < 2 ORDER BY j.status DESC, j.job_id LIMIT 1"
        ));
        let row: Option<JobRow> = self.db.pools().fetch_optional(sql, &args![job_type]).await?;
        row.map(Job::try_from).transpose()
    }

    /// Changes the status of a job if it is one of `from`; returns whether it was.
    pub async fn move_job(
        &self,
        id: JobId,
        from: &[JobStatus],
        to: JobStatus,
        now: Timestamp,
    ) -> Result<bool> {
        let numbers: Vec<String> = from.iter().map(|status| (*status as i16).to_string()).collect();
        let (started, ended) = (to == JobStatus::Running, to == JobStatus::Cancelled);
        let sql = format!(
            "UPDATE jobs SET status = $2, started_at = coalesce(started_at, $3), completed_at = $4 \
             WHERE job_id = $1 AND status IN ({})",
            numbers.join(",")
        );
        let values = args![id.get(), to as i16, started.then_some(now), ended.then_some(now),];
        let mut tx = self.db.write_record(WritePriority::Interactive).await?;
        let moved = tx.execute(sqlx::AssertSqlSafe(sql), &values).await? > 0;
        tx.commit().await?;
        Ok(moved)
    }

    /// Stores the progress of a job. A deleted job is not added again.
    pub async fn save_job(&self, id: JobId, progress: &JobProgress) -> Result<()> {
        let sql = "UPDATE jobs SET cursor = $2, completed_tasks = $3, failed_tasks = $4, total_tasks = $5, \
                   result = $6 WHERE job_id = $1";
        let mut tx = self.db.write_record(WritePriority::Scan).await?;
        tx.execute(sql, &progress_values(id, progress)).await?;
        tx.commit().await
    }

    /// Stores the end of a running job; `false` if it no longer runs.
    pub async fn end_job(
        &self,
        id: JobId,
        progress: &JobProgress,
        error: Option<&str>,
        now: Timestamp,
    ) -> Result<bool> {
        let status = if error.is_some() {
            JobStatus::Failed
        } else {
            JobStatus::Completed
        };
        let sql = "UPDATE jobs SET cursor = $2, completed_tasks = $3, failed_tasks = $4, total_tasks = $5, \
                   result = $6, status = $7, error = $8, completed_at = $9 WHERE job_id = $1 AND status = 1";
        let mut values = progress_values(id, progress).to_vec();
        values.extend(args![status as i16, error, now]);
        let mut tx = self.db.write_record(WritePriority::Interactive).await?;
        let ended = tx.execute(sql, &values).await? > 0;
        tx.commit().await?;
        Ok(ended)
    }

    /// Item ids after `after`, ascending.
    pub async fn job_items(&self, items: JobItems, after: i64, take: u32) -> Result<Vec<i64>> {
        let (key, from) = items.sql();
        let sql = format!("SELECT {key} FROM {from} AND {key} > $1 ORDER BY {key} LIMIT $2");
        let values = args![after, i64::from(take)];
        let rows: Vec<(i64,)> = self
            .db
            .pools()
            .fetch_all(sqlx::AssertSqlSafe(sql), &values)
            .await?;
        Ok(rows.into_iter().map(|(id,)| id).collect())
    }

    /// Number of items.
    pub async fn count_job_items(&self, items: JobItems) -> Result<u64> {
        let (_, from) = items.sql();
        let sql = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {from}"));
        self.db.pools().count(sql, &[]).await
    }
}

fn progress_values(id: JobId, progress: &JobProgress) -> [Arg<'static>; 6] {
    args![
        id.get(),
        progress.cursor,
        progress.completed,
        progress.failed,
        progress.total,
        progress.result.to_string(),
    ]
}
