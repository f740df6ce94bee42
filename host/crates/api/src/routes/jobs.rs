//! Jobs.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;
use serde_json::Value;

use crate::api_error::ApiError;
use crate::extract::{Body, Caller, Input, PathId, State};
use crate::pagination;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Created, Json, Page};
use crate::views::jobs::{JobTypeView, JobView};
use svc_domain::id::JobId;
use svc_domain::job::{JobAction, JobStatus};
use svc_domain::list::{Order, Pagination};
use svc_library::jobs::JobFilter;

const ORDERS: &[(&str, (), Order)] = &[("createdAt", (), Order::Descending)];

/// Which job.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateJobInput {
    /// One of `GET /jobs/types`.
    #[serde(rename = "type")]
    job_type: String,
    /// By the type's schema.
    #[serde(default)]
    #[salvo(schema(value_type = Object))]
    parameters: Value,
}

impl Input for CreateJobInput {}

/// What to do with the job.
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

/// An action on a job.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ControlJobInput {
    /// `pause`, `resume` or `cancel`.
    action: JobActionInput,
}

impl Input for ControlJobInput {}

/// Which jobs.
#[derive(Debug)]
pub struct JobsQuery {
    filter: JobFilter,
    order: Order,
    page: Pagination,
}

impl FromQuery for JobsQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let statuses = JobStatus::ALL.map(|status| (status.as_str(), status));
        let filter = JobFilter {
            job_type: params.text("type", "Of this type."),
            status: params.choice("status", "That stand there.", &statuses),
        };
        let ((), order) = pagination::ordering(params, ORDERS).unwrap_or(((), Order::Descending));
        Self {
            filter,
            order,
            page: pagination::page(params),
        }
    }
}

/// The types of jobs, with the schemas of their parameters
#[endpoint]
pub async fn list_job_types(state: State) -> Result<Json<Vec<JobTypeView>>, ApiError> {
    Ok(Json(state.jobs.types().map(JobTypeView::from).collect()))
}

/// Jobs, the last thousand that have ended among them
#[endpoint]
pub async fn list_jobs(state: State, query: Query<JobsQuery>) -> Result<Json<Page<JobView>>, ApiError> {
    let JobsQuery { filter, order, page } = query.0;
    let jobs = state.jobs.list(&filter, order, page).await?;
    Ok(Json(Page::new(jobs, JobView::from)))
}

/// A job
#[endpoint]
pub async fn get_job(state: State, job_id: PathId<JobId>) -> Result<Json<JobView>, ApiError> {
    Ok(Json(state.jobs.get(job_id.0).await?.into()))
}

/// Asks for a job, which waits for its turn
///
/// One job of each type is done at a time. Jobs go on in the background, and after the end of the process where they
/// were.
#[endpoint(responses(
    (status_code = 404, description = "There is nothing of what the body names"),
    (status_code = 409, description = "A hundred jobs of this type wait already")
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

/// Holds a job, lets it go on, or ends it
///
/// | Action | Can be done to | Leads to |
/// |---|---|---|
/// | `pause` | `queued`, `running` | `paused` |
/// | `resume` | `paused` | `queued`, and it goes on where it was when its turn comes |
/// | `cancel` | `queued`, `running`, `paused` | `cancelled`; what is done stays done |
///
/// Everything else is a conflict.
#[endpoint(responses((status_code = 409, description = "The action does not fit the state of the job")))]
pub async fn control_job(
    state: State,
    body: Body<ControlJobInput>,
    job_id: PathId<JobId>,
) -> Result<Json<JobView>, ApiError> {
    Ok(Json(state.jobs.act(job_id.0, body.0.action.into()).await?.into()))
}
