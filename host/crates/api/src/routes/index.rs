//! The indexer: runs, their logs, file counts, media directories.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::body::{Body, Input, bounded_list};
use crate::extract::{Caller, PathId, State};
use crate::list_query;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Created, Json, Page};
use crate::views::index::{CountsView, DirectoryView, IndexStateView, RunLogView, RunView};
use crate::views::indexed_file::FileReportView;
use svc_domain::id::RunId;
use svc_domain::kind::MediaKind;
use svc_domain::list::{Order, OrderedPagination, Pagination};
use svc_domain::path::RelativePath;
use svc_domain::scan::{Directory, RunLogEvent, RunOptions, RunPath, RunTrigger, RunType};
use svc_indexer::indexing::{IndexAction, RunLogFilter, StartRun};

/// The run to start.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StartRunInput {
    /// `quick`: read new and changed files; `full`: read all files.
    #[serde(rename = "type")]
    #[salvo(schema(value_type = String))]
    run_type: RunType,
    /// Only these media kinds; default: all configured kinds.
    #[serde(default, deserialize_with = "bounded_list")]
    #[salvo(schema(value_type = Vec<String>))]
    media_kinds: Vec<MediaKind>,
    /// Only these directories; default: all.
    #[serde(default, deserialize_with = "bounded_list")]
    paths: Vec<RunPathInput>,
    /// Do not change the index: counts and log of the run show what would change. Files are not opened; a moved file is
    /// therefore reported as added and missing.
    #[serde(default)]
    dry_run: bool,
    /// Mark missing files as missing, however many there are. Otherwise the run treats a directory that lost more than
    /// 30 % of its files as unavailable.
    #[serde(default)]
    accept_missing: bool,
}

/// A directory below the root directories of a media kind.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct RunPathInput {
    /// The media kind.
    #[salvo(schema(value_type = String))]
    root_dir: MediaKind,
    /// Path relative to the root directories; empty for the root directories. The path of a file means its directory.
    #[serde(default)]
    #[salvo(schema(value_type = String))]
    path: RelativePath,
}

impl Input for StartRunInput {}

impl From<StartRunInput> for StartRun {
    fn from(input: StartRunInput) -> Self {
        let path = |RunPathInput { root_dir, path }| RunPath { root_dir, path };
        Self {
            run_type: input.run_type,
            options: RunOptions {
                media_kinds: input.media_kinds,
                paths: input.paths.into_iter().map(path).collect(),
                dry_run: input.dry_run,
                accept_missing: input.accept_missing,
                trigger: RunTrigger::User,
            },
            purge_before: None,
        }
    }
}

/// An action on the current run.
#[derive(Debug, Clone, Copy, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum RunActionInput {
    Pause,
    Resume,
    Stop,
}

/// The action on the current run.
#[derive(Debug, Deserialize, ToSchema)]
pub struct ControlRunInput {
    /// `pause`, `resume` or `stop`.
    action: RunActionInput,
}

impl Input for ControlRunInput {}

impl From<RunActionInput> for IndexAction {
    fn from(input: RunActionInput) -> Self {
        match input {
            RunActionInput::Pause => Self::Pause,
            RunActionInput::Resume => Self::Resume,
            RunActionInput::Stop => Self::Stop,
        }
    }
}

/// The query of `GET /index/runs`.
#[derive(Debug)]
pub struct RunsQuery(Pagination);

impl FromQuery for RunsQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self(list_query::page_of_latest(params, "startedAt"))
    }
}

/// The query of `GET /index/run/logs`.
#[derive(Debug)]
pub struct RunLogQuery {
    run: RunId,
    filter: RunLogFilter,
    page: OrderedPagination,
}

impl FromQuery for RunLogQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            run: params.required("runId", RunId::from(0), |params| {
                params.parsed("runId", "Id of the run.", "the id of a run")
            }),
            filter: RunLogFilter {
                event: params.choice(
                    "event",
                    "Only entries of this event.",
                    &RunLogEvent::ALL.map(|event| (event.as_str(), event)),
                ),
                kind: params.parsed(
                    "mediaKind",
                    "Only entries about files of this media kind.",
                    "a media kind",
                ),
            },
            page: list_query::page_in_order_of(params, "at", Order::Ascending),
        }
    }
}

/// The query of `GET /index/file`.
#[derive(Debug)]
pub struct FileQuery {
    kind: MediaKind,
    path: RelativePath,
}

impl FromQuery for FileQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let about = "Path of the file, relative to a root directory of its media kind.";
        let path = params.required("relativePath", RelativePath::root(), |params| {
            let path = RelativePath::parse(&params.text("relativePath", about)?);
            if path.is_none() {
                params.fail(
                    "relativePath",
                    "must be a relative path with `/` as the separator and without `..`",
                );
            }
            path
        });
        Self {
            kind: params.required("rootDir", MediaKind::music(), |params| {
                params.parsed("rootDir", "Media kind of the file.", "a media kind")
            }),
            path,
        }
    }
}

/// Explain the index entry of a file
///
/// Returns the entry of the file in the index, and what a run of the indexer would find now: the plugin that reads the file,
/// the extracted fields with their sources, or the reason why the file is skipped. The server reads the file for this
/// response.
#[endpoint]
pub async fn explain_file(state: State, query: Query<FileQuery>) -> Result<Json<FileReportView>, ApiError> {
    let FileQuery { kind, path } = query.0;
    Ok(Json(state.indexed_files.explain(&kind, path).await?.into()))
}

/// Start a run of the indexer
#[endpoint(responses(
    (status_code = 404, description = "A resource named in the body does not exist"),
    (status_code = 409, description = "`indexing_in_progress`: another run is in progress, or items of a kind are being purged")
))]
pub async fn start_run(
    state: State,
    caller: Caller,
    body: Body<StartRunInput>,
) -> Result<Created<RunView>, ApiError> {
    let starter = Some(caller.user.id);
    let run = state.indexing.start(body.0.into(), starter).await?;
    Ok(Created(run.into()))
}

/// List runs, newest first
#[endpoint]
pub async fn list_runs(state: State, query: Query<RunsQuery>) -> Result<Json<Page<RunView>>, ApiError> {
    Ok(state.indexing.runs(query.0.0).await?.into())
}

/// Get a run
#[endpoint]
pub async fn get_run(state: State, run_id: PathId<RunId>) -> Result<Json<RunView>, ApiError> {
    Ok(Json(state.indexing.run(run_id.0).await?.into()))
}

/// List the log entries of a run
#[endpoint]
pub async fn list_run_logs(
    state: State,
    query: Query<RunLogQuery>,
) -> Result<Json<Page<RunLogView>>, ApiError> {
    let RunLogQuery { run, filter, page } = query.0;
    Ok(state.indexing.run_logs(run, &filter, page).await?.into())
}

/// Get the state of the indexer
#[endpoint]
pub async fn get_index_state(state: State) -> Json<IndexStateView> {
    let (index_state, run) = state.indexing.state();
    Json(IndexStateView::new(index_state, run))
}

/// Pause, resume or stop the current run
#[endpoint(responses((status_code = 409, description = "`index_action_conflict`: the state of the indexer does not allow the action")))]
pub async fn control_run(
    state: State,
    body: Body<ControlRunInput>,
) -> Result<Json<IndexStateView>, ApiError> {
    let index_state = state.indexing.act(body.0.action.into()).await?;
    Ok(Json(IndexStateView::new(index_state, state.indexing.state().1)))
}

/// Count the files in the index by media kind
#[endpoint]
pub async fn get_file_counts(state: State) -> Result<Json<CountsView>, ApiError> {
    Ok(Json(CountsView::new(&state.indexing.file_counts().await?)))
}

/// List the configured media directories
#[endpoint]
pub async fn list_media_directories(state: State) -> Result<Json<Vec<DirectoryView>>, ApiError> {
    let directories = state.indexing.directories().await?;
    let view = |directory: Directory| {
        let watch = state.scan_scheduler.watch_state(directory.id);
        let kind = state.plugins.kind_state(&directory.kind);
        DirectoryView::new(directory, &kind, watch)
    };
    Ok(Json(directories.into_iter().map(view).collect()))
}
