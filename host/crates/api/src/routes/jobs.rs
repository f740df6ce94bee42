//! Background jobs: list, create, pause, resume, cancel.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;
use serde_json::Value;

use crate::api_error::ApiError;
use crate::body::{Body, Input};
use crate::extract::{Caller, PathId, State};
use crate::list_query;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Created, Json, Page};
use crate::views::jobs::{JobTypeView, JobView};
use svc_domain::id::JobId;
use svc_domain::job::{JobAction, JobStatus};
use svc_domain::list::{Order, OrderedPagination};
use svc_library::jobs::JobFilter;

/// The job to create.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateJobInput {
    /// A type of `GET /jobs/types`.
    #[serde(rename = "type")]
    job_type: String,
    /// Parameters, by the JSON Schema of the type.
    #[serde(default)]
    #[salvo(schema(value_type = Object))]
    parameters: Value,
}

impl Input for CreateJobInput {}

/// An action on a job.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum JobActionInput {
    Pause,
    Resume,
    Cancel,
}

impl From<JobActionInput> for JobAction {
    fn from(input: JobActionInput) -> Self {
        match input {
            JobActionInput::Pause => Self::Pause,
            JobActionInput::Resume => Self::Resume,
            JobActionInput::Cancel => Self::Cancel,
        }
    }
}

/// The action on the job.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ControlJobInput {
    /// `pause`, `resume` or `cancel`.
    action: JobActionInput,
}

impl Input for ControlJobInput {}

/// The query of `GET /jobs`.
#[derive(Debug)]
pub struct JobsQuery {
    filter: JobFilter,
    page: OrderedPagination,
}

impl FromQuery for JobsQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let statuses = JobStatus::ALL.map(|status| (status.as_str(), status));
        let filter = JobFilter {
            job_type: params.text("type", "Only jobs of this type."),
            status: params.choice("status", "Only jobs with this status.", &statuses),
        };
        Self {
            filter,
            page: list_query::page_in_order_of(params, "createdAt", Order::Descending),
        }
    }
}

/// List the types of jobs, with the schemas of their parameters
#[endpoint]
pub async fn list_job_types(state: State) -> Result<Json<Vec<JobTypeView>>, ApiError> {
    Ok(Json(state.jobs.types().map(JobTypeView::from).collect()))
}

/// List jobs
///
/// The server keeps the last 1,000 jobs that have ended.
#[endpoint]
pub async fn list_jobs(state: State, query: Query<JobsQuery>) -> Result<Json<Page<JobView>>, ApiError> {
    let JobsQuery { filter, page } = query.0;
    Ok(state.jobs.list(&filter, page.order, page.page).await?.into())
}

/// Get a job
#[endpoint]
pub async fn get_job(state: State, job_id: PathId<JobId>) -> Result<Json<JobView>, ApiError> {
    Ok(Json(state.jobs.get(job_id.0).await?.into()))
}

/// Create a job
///
/// The job is queued: one job of each type runs at a time, in the background. After a restart of the server, it resumes at
/// its last checkpoint.
#[endpoint(responses(
    (status_code = 404, description = "A resource named in the body does not exist"),
    (status_code = 409, description = "100 jobs of this type are already queued; `plugin_action_conflict`: a plugin reads files of \
     the kind to purge")
))]
pub async fn create_job(
    state: State,
    caller: Caller,
    body: Body<CreateJobInput>,
) -> Result<Created<JobView>, ApiError> {
    let CreateJobInput { job_type, parameters } = body.0;
    let job = state.jobs.create(&caller, &job_type, &parameters).await?;
    Ok(Created(job.into()))
}

/// Pause, resume or cancel a job
///
/// | Action | Allowed in status | New status |
/// |---|---|---|
/// | `pause` | `queued`, `running` | `paused` |
/// | `resume` | `paused` | `queued`; the job later resumes at its last checkpoint |
/// | `cancel` | `queued`, `running`, `paused` | `cancelled`; completed work is kept |
#[endpoint(responses((status_code = 409, description = "The status of the job does not allow the action")))]
pub async fn control_job(
    state: State,
    body: Body<ControlJobInput>,
    job_id: PathId<JobId>,
) -> Result<Json<JobView>, ApiError> {
    Ok(Json(state.jobs.act(job_id.0, body.0.action.into()).await?.into()))
}
