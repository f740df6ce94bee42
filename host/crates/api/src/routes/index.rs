//! The indexer: runs, their log, counts, directories.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::extract::{Body, Caller, Input, PathId, State, short_list};
use crate::pagination;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Created, Json, Page};
use crate::views::index::{CountsView, DirectoryView, IndexStateView, RunLogView, RunView};
use crate::views::indexed_file::FileReportView;
use svc_domain::id::RunId;
use svc_domain::kind::MediaKind;
use svc_domain::list::{Order, OrderedPagination, Pagination};
use svc_domain::path::RelativePath;
use svc_domain::scan::{Directory, RunLogEvent, RunOptions, RunPath, RunTrigger, RunType};
use svc_identity::error::FieldError;
use svc_indexer::indexing::RunLogFilter;
use svc_indexer::indexing::{IndexAction, StartRun};

/// Which run to start.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StartRunInput {
    /// `quick` reads new and changed files, `full` reads all.
    #[serde(rename = "type")]
    #[salvo(schema(value_type = String))]
    run_type: RunType,
    /// Only these kinds; all that are configured if left out.
    #[serde(default, deserialize_with = "short_list")]
    #[salvo(schema(value_type = Vec<String>))]
    media_kinds: Vec<MediaKind>,
    /// Only these parts of the directories; all if left out.
    #[serde(default, deserialize_with = "short_list")]
    paths: Vec<RunPathInput>,
    /// Change nothing: the run's counts and log say what it would do. No file is opened, so one that was moved is told as
    /// added and missing.
    #[serde(default)]
    dry_run: bool,
    /// What is gone is meant to be gone, even where it is most of a directory. Without it, a directory that lost more
    /// than 30 % of its files is taken for a disk that is away.
    #[serde(default)]
    accept_missing: bool,
}

/// A part of a kind's directories.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RunPathInput {
    /// The kind whose directories it is in.
    #[salvo(schema(value_type = String))]
    root_dir: MediaKind,
    /// Below them; empty for the whole. A file stands for its directory.
    #[serde(default)]
    #[salvo(schema(value_type = String))]
    path: RelativePath,
}

impl Input for StartRunInput {}

/// What to do with the run.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum RunActionInput {
    Pause,
    Resume,
    Stop,
}

/// An action on the run.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ControlRunInput {
    /// `pause`, `resume` or `stop`.
    action: RunActionInput,
}

impl Input for ControlRunInput {}

/// A page of a list that has one order.
#[derive(Debug)]
pub struct PageQuery(Pagination);

impl FromQuery for PageQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self(pagination::latest(params, "startedAt"))
    }
}

/// Which lines of which run's log.
#[derive(Debug)]
pub struct RunLogQuery {
    run: Option<RunId>,
    filter: RunLogFilter,
    part: OrderedPagination,
}

impl FromQuery for RunLogQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            run: params.parsed("runId", "The run. Required.", "the id of a run"),
            filter: RunLogFilter {
                event: params.choice(
                    "event",
                    "Only lines of this event.",
                    &RunLogEvent::ALL.map(|event| (event.as_str(), event)),
                ),
                kind: params.parsed("mediaKind", "Only files of this kind.", "a media kind"),
            },
            part: pagination::ordered(params, "at", Order::Ascending),
        }
    }
}

/// Which file.
#[derive(Debug)]
pub struct FileQuery {
    kind: Option<MediaKind>,
    path: Option<RelativePath>,
}

impl FromQuery for FileQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let path = params.text(
            "relativePath",
            "The file, below a media directory of its kind. Required.",
        );
        let parsed = path.as_deref().map(RelativePath::parse);
        if parsed == Some(None) {
            params.fail(
                "relativePath",
                "must be names joined by `/`, below the root, without `..`",
            );
        }
        Self {
            kind: params.parsed("rootDir", "The kind of the file. Required.", "a media kind"),
            path: parsed.flatten(),
        }
    }
}

/// Explains one file
///
/// What the index knows of it, and what a run would make of it now: which plugin reads it, what it says and where each
/// statement comes from, or why it is passed over. The file is read for the answer.
#[endpoint]
pub async fn explain_file(state: State, query: Query<FileQuery>) -> Result<Json<FileReportView>, ApiError> {
    let FileQuery { kind, path } = query.0;
    let missing = |name| ApiError::invalid(vec![FieldError::new(name, "is missing")]);
    let kind = kind.ok_or_else(|| missing("rootDir"))?;
    let path = path.ok_or_else(|| missing("relativePath"))?;
    Ok(Json(state.indexed_files.explain(&kind, path).await?.into()))
}

/// Starts a run
#[endpoint(responses(
    (status_code = 404, description = "There is nothing of what the body names"),
    (status_code = 409, description = "`indexing_in_progress`: a run is under way")
))]
pub async fn start_run(
    state: State,
    caller: Caller,
    body: Body<StartRunInput>,
) -> Result<Created<RunView>, ApiError> {
    let request = StartRun {
        run_type: body.0.run_type,
        options: RunOptions {
            media_kinds: body.0.media_kinds,
            paths: body
                .0
                .paths
                .into_iter()
                .map(|RunPathInput { root_dir, path }| RunPath { root_dir, path })
                .collect(),
            dry_run: body.0.dry_run,
            accept_missing: body.0.accept_missing,
            trigger: RunTrigger::User,
        },
        purge_before: None,
    };
    let run = state.indexing.start(request, Some(caller.user.id)).await?;
    Ok(Created(run.into()))
}

/// Runs, newest first
#[endpoint]
pub async fn list_runs(state: State, query: Query<PageQuery>) -> Result<Json<Page<RunView>>, ApiError> {
    let runs = state.indexing.runs(query.0.0).await?;
    Ok(Json(Page::new(runs, RunView::from)))
}

/// A run
#[endpoint]
pub async fn get_run(state: State, run_id: PathId<RunId>) -> Result<Json<RunView>, ApiError> {
    Ok(Json(state.indexing.run(run_id.0).await?.into()))
}

/// The log of a run
#[endpoint]
pub async fn list_run_logs(
    state: State,
    query: Query<RunLogQuery>,
) -> Result<Json<Page<RunLogView>>, ApiError> {
    let RunLogQuery { run, filter, part } = query.0;
    let run = run.ok_or_else(|| ApiError::invalid(vec![FieldError::new("runId", "is missing")]))?;
    let lines = state.indexing.run_logs(run, &filter, part).await?;
    Ok(Json(Page::new(lines, RunLogView::from)))
}

/// What the indexer is doing
#[endpoint]
pub async fn get_index_state(state: State) -> Json<IndexStateView> {
    let (index_state, run) = state.indexing.state();
    Json(IndexStateView::new(index_state, run))
}

/// Pauses, resumes or stops the run
#[endpoint(responses((status_code = 409, description = "`index_action_conflict`: it does not fit the state")))]
pub async fn control_run(
    state: State,
    body: Body<ControlRunInput>,
) -> Result<Json<IndexStateView>, ApiError> {
    let action = match body.0.action {
        RunActionInput::Pause => IndexAction::Pause,
        RunActionInput::Resume => IndexAction::Resume,
        RunActionInput::Stop => IndexAction::Stop,
    };
    let index_state = state.indexing.act(action).await?;
    Ok(Json(IndexStateView::new(index_state, state.indexing.state().1)))
}

/// Files in the index, by kind
#[endpoint]
pub async fn get_file_counts(state: State) -> Result<Json<CountsView>, ApiError> {
    Ok(Json(CountsView::new(&state.indexing.counts().await?)))
}

/// The configured media directories
#[endpoint]
pub async fn list_media_directories(state: State) -> Result<Json<Vec<DirectoryView>>, ApiError> {
    let directories = state.indexing.directories().await?;
    let view = |directory: Directory| {
        let watch = state.scan_scheduler.watch_state(directory.id);
        DirectoryView::new(directory, watch)
    };
    Ok(Json(directories.into_iter().map(view).collect()))
}
