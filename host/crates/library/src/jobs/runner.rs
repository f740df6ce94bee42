//! Runs jobs: one of each type at a time, in order of creation.
//!
//! Progress is saved every second. If the process ends, by a signal or a crash, the row keeps the state `running` and
//! the next process resumes the job.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::join_all;
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::jobs::types::JobType;
use crate::jobs::work::{JobWork, Progress};
use crate::jobs::{Jobs, RegisteredJob};
use svc_domain::id::JobId;
use svc_domain::job::{Job, JobProgress, JobStatus};
use svc_events::jobs as job_events;
use svc_identity::error::{Result, ServiceError};
use svc_platform::tasks::Tasks;

/// Interval of progress events, as the contract specifies.
const PUBLISH_EVERY: Duration = Duration::from_millis(500);
/// Progress is saved with every second event, so that a crash repeats at most a second of work.
const SAVE_EVERY: u32 = 2;
/// Delay before a retry when the database is unavailable.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// The task of a job, which contains its panics. Dropping it aborts the task.
struct RunningJob(JoinHandle<Result<()>>);

impl RunningJob {
    fn start(tasks: &Tasks, work: Arc<dyn JobWork>, job: &Job, progress: &Progress) -> Self {
        let (parameters, progress) = (job.parameters.clone(), progress.clone());
        let work = async move { work.run(&parameters, &progress).await };
        Self(tasks.spawn("job", work))
    }

    /// Aborts the task and waits for its end.
    async fn end(&mut self) {
        if !self.0.is_finished() {
            self.0.abort();
            // The result is the cancellation error.
            let _ = (&mut self.0).await;
        }
    }
}

impl Drop for RunningJob {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The failure message that the job's owner may read.
fn reason(error: &ServiceError) -> String {
    match error {
        ServiceError::Internal(_) => "the server's log has the reason".to_owned(),
        ServiceError::Invalid(errors) => {
            let messages: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
            messages.join("; ")
        }
        other => other.to_string(),
    }
}

impl Jobs {
    /// Runs jobs until `stop` is called.
    pub async fn run(&self) {
        let workers = self.types.iter().map(|registered| self.serve(registered).boxed());
        join_all(workers).await;
    }

    /// Interrupts running jobs, which the next process resumes.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    async fn stopped(&self) {
        // An error means that all senders are gone, which also is a stop.
        let _ = self.stopping.subscribe().wait_for(|stopping| *stopping).await;
    }

    async fn serve(&self, registered: &RegisteredJob) {
        let mut changes = self.changes.subscribe();
        while !*self.stopping.borrow() {
            changes.mark_unchanged();
            match self.jobs.next_job(registered.job_type.name).await {
                Ok(Some(job)) => {
                    let id = job.id;
                    if let Err(error) = self.execute(registered, job).boxed().await {
                        tracing::warn!(target: "svc::jobs", job = %id, %error, "job suspended: its state cannot be stored");
                        self.pause_for(RETRY_AFTER).await;
                    }
                }
                Ok(None) => {
                    tokio::select! {
                        _ = changes.changed() => {}
                        () = self.stopped() => return,
                    }
                }
                Err(error) => {
                    tracing::warn!(target: "svc::jobs", %error, "jobs suspended: the database is unavailable");
                    self.pause_for(RETRY_AFTER).await;
                }
            }
        }
    }

    async fn pause_for(&self, time: Duration) {
        tokio::select! {
            () = sleep(time) => {}
            () = self.stopped() => {}
        }
    }

    async fn execute(&self, registered: &RegisteredJob, job: Job) -> Result<()> {
        // Subscribed before the job runs, so that no pause is missed.
        let changes = self.changes.subscribe();
        if job.status == JobStatus::Queued {
            let now = self.context.now();
            let from = [JobStatus::Queued];
            if !self.jobs.move_job(job.id, &from, JobStatus::Running, now).await? {
                return Ok(());
            }
        }
        let job_type = registered.job_type.name;
        tracing::info!(target: "svc::jobs", job = %job.id, job_type, done = job.progress.completed, "job started");
        self.events.publish(|| job_events::started(&job));
        let progress = Progress::new(job.progress.clone());
        let mut working =
            RunningJob::start(&self.context.tasks, Arc::clone(&registered.work), &job, &progress);
        let outcome = tokio::select! {
            biased;
            () = self.wait_for_interruption(job.id, changes) => None,
            outcome = &mut working.0 => Some(outcome),
            never = self.save_periodically(&job, &progress) => match never {},
        };
        working.end().await;
        let last = progress.get();
        let Some(outcome) = outcome else {
            tracing::info!(target: "svc::jobs", job = %job.id, job_type, done = last.completed, "job paused");
            return Ok(self.jobs.save_job(job.id, &last).await?);
        };
        let outcome = outcome.unwrap_or_else(|error| Err(ServiceError::internal(error)));
        let failure = outcome.err().map(|error| {
            tracing::error!(target: "svc::jobs", job = %job.id, job_type, %error, "job failed");
            reason(&error)
        });
        let now = self.context.now();
        if self.jobs.end_job(job.id, &last, failure.as_deref(), now).await? {
            let status = if failure.is_some() {
                JobStatus::Failed
            } else {
                JobStatus::Completed
            };
            self.audit_end(registered.job_type, &job, &last, failure).await;
            tracing::info!(target: "svc::jobs", job = %job.id, job_type, done = last.completed, "job ended");
            self.events.publish(|| job_events::completed(&job, status));
        }
        Ok(())
    }

    /// Writes an audit entry, if the job type has one.
    async fn audit_end(&self, job_type: &JobType, job: &Job, last: &JobProgress, failure: Option<String>) {
        let Some((success, failed)) = job_type.audited else {
            return;
        };
        let mut details = vec![("jobId", job.id.to_string())];
        let kind = job.parameters.get("mediaKind").and_then(Value::as_str);
        details.extend(kind.map(|kind| ("kind", kind.to_owned())));
        // The backup job returns the name of its result.
        let name = last.result.get("name").and_then(Value::as_str);
        details.extend(name.map(|name| ("name", name.to_owned())));
        let event = if failure.is_some() { failed } else { success };
        details.extend(failure.map(|reason| ("reason", reason)));
        self.log.record(event, job.created_by, &details).await;
    }

    /// Writes the audit entry of a job that was cancelled, if it had started: what it did stays.
    pub(super) async fn audit_cancelled(&self, job: &Job) {
        let job_type = self.types().find(|job_type| job_type.name == job.job_type);
        if let Some(job_type) = job_type.filter(|_| job.started_at.is_some()) {
            let reason = Some("the job was cancelled".to_owned());
            self.audit_end(job_type, job, &job.progress, reason).await;
        }
    }

    /// Waits until the job must not continue: it was paused, cancelled or deleted, or the process stops.
    async fn wait_for_interruption(&self, id: JobId, mut changes: watch::Receiver<()>) {
        loop {
            tokio::select! {
                () = self.stopped() => return,
                _ = changes.changed() => {}
            }
            match self.jobs.job(id).await {
                Ok(Some(job)) if job.status == JobStatus::Running => {}
                Ok(_) => return,
                Err(error) => {
                    tracing::warn!(target: "svc::jobs", job = %id, %error, "job continues: its state cannot be read");
                }
            }
        }
    }

    /// Periodically saves and publishes the progress of the job.
    async fn save_periodically(&self, job: &Job, progress: &Progress) -> Infallible {
        let (mut saved, mut said): (JobProgress, JobProgress) = (job.progress.clone(), job.progress.clone());
        let mut turn = interval(PUBLISH_EVERY);
        turn.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut turns = 0_u32;
        loop {
            turn.tick().await;
            turns = turns.wrapping_add(1);
            let now = progress.get();
            if now != said {
                self.events.publish(|| job_events::progress(job, &now));
                said = now.clone();
            }
            if now != saved && turns.is_multiple_of(SAVE_EVERY) {
                match self.jobs.save_job(job.id, &now).await {
                    Ok(()) => saved = now,
                    Err(error) => {
                        tracing::warn!(target: "svc::jobs", job = %job.id, %error, "job checkpoint could not be stored");
                    }
                }
            }
        }
    }
}
