//! Jobs.

use salvo::oapi::ToSchema;
use serde::Serialize;
use serde_json::Value;

use svc_domain::id::{JobId, UserId};
use svc_domain::job::Job;
use svc_domain::time::Timestamp;
use svc_library::jobs::types::JobType;

/// Long work that somebody asked for.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Job"))]
#[serde(rename_all = "camelCase")]
pub struct JobView {
    #[salvo(schema(value_type = String))]
    job_id: JobId,
    #[serde(rename = "type")]
    job_type: String,
    /// With the defaults filled in.
    #[salvo(schema(value_type = Object))]
    parameters: Value,
    /// `queued`, `running`, `paused`, `completed`, `failed` or `cancelled`.
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    created_by: Option<UserId>,
    #[salvo(schema(value_type = String))]
    created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    started_at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[salvo(schema(value_type = Option<String>))]
    completed_at: Option<Timestamp>,
    /// Those that failed included.
    completed_tasks: i64,
    failed_tasks: i64,
    /// Left out while nobody can tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_tasks: Option<i64>,
    /// What it has found so far; what is in it depends on the type.
    #[salvo(schema(value_type = Object))]
    result: Value,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl From<Job> for JobView {
    fn from(job: Job) -> Self {
        Self {
            job_id: job.id,
            job_type: job.job_type,
            parameters: job.parameters,
            status: job.status.as_str(),
            created_by: job.created_by,
            created_at: job.id.created_at(),
            started_at: job.started_at,
            completed_at: job.completed_at,
            completed_tasks: job.progress.completed,
            failed_tasks: job.progress.failed,
            total_tasks: job.progress.total,
            result: job.progress.result,
            error: job.error,
        }
    }
}

/// A type of job.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "JobType"))]
#[serde(rename_all = "camelCase")]
pub struct JobTypeView {
    #[serde(rename = "type")]
    job_type: &'static str,
    description: &'static str,
    /// What asking for it takes.
    capabilities: Vec<&'static str>,
    /// JSON Schema.
    #[salvo(schema(value_type = Object))]
    parameters: Value,
}

impl From<&'static JobType> for JobTypeView {
    fn from(job_type: &'static JobType) -> Self {
        let also = job_type.also.map(|capability| capability.as_str());
        Self {
            job_type: job_type.name,
            description: job_type.about,
            capabilities: ["Jobs.Create"].into_iter().chain(also).collect(),
            parameters: job_type.schema(),
        }
    }
}
