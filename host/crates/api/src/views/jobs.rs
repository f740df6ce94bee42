//! JSON of background jobs.

use salvo::oapi::ToSchema;
use serde::Serialize;
use serde_json::Value;

use svc_domain::id::{JobId, UserId};
use svc_domain::job::Job;
use svc_domain::time::Timestamp;
use svc_library::jobs::types::JobType;

/// A background job.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Job"))]
#[serde(rename_all = "camelCase")]
pub struct JobView {
    #[salvo(schema(value_type = String))]
    job_id: JobId,
    #[serde(rename = "type")]
    job_type: String,
    /// Parameters of the job, including defaults.
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
    /// Number of completed tasks, including failed ones.
    completed_tasks: i64,
    failed_tasks: i64,
    /// Absent while the number is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_tasks: Option<i64>,
    /// Result so far; its fields depend on the type of the job.
    #[salvo(schema(value_type = Object))]
    result: Value,
    /// Why the job failed.
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
    /// Capabilities that creating a job of this type requires.
    capabilities: Vec<&'static str>,
    /// JSON Schema of the parameters.
    #[salvo(schema(value_type = Object))]
    parameters: Value,
}

impl From<&'static JobType> for JobTypeView {
    fn from(job_type: &'static JobType) -> Self {
        let also = job_type.also.iter().map(|capability| capability.as_str());
        Self {
            job_type: job_type.name,
            description: job_type.about,
            capabilities: ["Jobs.Create"].into_iter().chain(also).collect(),
            parameters: job_type.schema(),
        }
    }
}
