//! Payloads of the events of jobs, for users who may read jobs and for the user who started the job.

use serde::Serialize;

use crate::message::{Audience, EventKind, Message};
use svc_domain::id::JobId;
use svc_domain::job::{Job, JobProgress, JobStatus};

fn message(job: &Job, kind: EventKind, payload: &impl Serialize) -> Message {
    let capability = kind.capability();
    let audience = match job.created_by {
        Some(owner) => Audience::ReadersAnd(capability, owner),
        None => Audience::Readers(capability),
    };
    Message::to(audience, kind, payload)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Started<'a> {
    job_id: JobId,
    #[serde(rename = "type")]
    job_type: &'a str,
}

/// `job.started`, also when the job is resumed.
pub fn started(job: &Job) -> Message {
    let payload = Started {
        job_id: job.id,
        job_type: &job.job_type,
    };
    message(job, EventKind::JobStarted, &payload)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CurrentProgress {
    job_id: JobId,
    completed_tasks: i64,
    total_tasks: Option<i64>,
}

/// `job.current_progress`.
pub fn progress(job: &Job, progress: &JobProgress) -> Message {
    let payload = CurrentProgress {
        job_id: job.id,
        completed_tasks: progress.completed,
        total_tasks: progress.total,
    };
    message(job, EventKind::JobCurrentProgress, &payload)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Completed {
    job_id: JobId,
    status: &'static str,
}

/// `job.completed`, for any final status.
pub fn completed(job: &Job, status: JobStatus) -> Message {
    let payload = Completed {
        job_id: job.id,
        status: status.as_str(),
    };
    message(job, EventKind::JobCompleted, &payload)
}
