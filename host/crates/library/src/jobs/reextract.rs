//! `reextract`: has unchanged files read again.
//!
//! The job first marks the files; then a quick run of the indexer reads the marked files as stale files. Both steps can
//! be interrupted: marking resumes at its cursor, and marked files stay marked until a run has read them.

use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::jobs::work::{JobWork, Progress};
use svc_domain::id::{FileId, RunId};
use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_domain::scan::{RunOptions, RunStatus, RunType};
use svc_identity::error::{ErrorCode, FieldError, Result, ServiceError};
use svc_indexer::indexing::{Indexing, StartRun};
use svc_store::IndexRepository;

/// Files per transaction.
const FILES: i64 = 500;
/// The cursor of a job that has marked all files.
const ALL_MARKED: i64 = i64::MAX;
/// Interval of checks of the remaining files.
const CHECK_EVERY: Duration = Duration::from_secs(2);

/// The work of the job type.
#[derive(Debug)]
pub(super) struct Reextract {
    index: IndexRepository,
    indexing: Indexing,
}

/// The selected files.
#[derive(Debug)]
enum Selection {
    Below(MediaKind, RelativePath),
    These(Vec<FileId>),
}

fn selection(parameters: &Value) -> Result<Selection> {
    let kind = parameters.get("mediaKind").and_then(Value::as_str);
    let path = parameters.get("path").and_then(Value::as_str);
    let ids = parameters.get("ids").and_then(Value::as_array);
    match (kind, path, ids) {
        (Some(kind), path, None) => {
            let wrong = |_| ServiceError::invalid("parameters.mediaKind", "must be a media kind");
            let below = RelativePath::parse(path.unwrap_or_default());
            let below = below.ok_or_else(|| {
                ServiceError::invalid("parameters.path", "must be a path below a directory")
            })?;
            Ok(Selection::Below(kind.parse().map_err(wrong)?, below))
        }
        (None, None, Some(ids)) => {
            let ids = ids.iter().filter_map(|id| id.as_str()?.parse().ok());
            let mut ids: Vec<FileId> = ids.collect();
            ids.sort_unstable();
            ids.dedup();
            Ok(Selection::These(ids))
        }
        _ => Err(ServiceError::invalid(
            "parameters",
            "must have either mediaKind, with or without path, or ids",
        )),
    }
}

impl Reextract {
    pub(super) fn new(index: IndexRepository, indexing: Indexing) -> Self {
        Self { index, indexing }
    }

    /// Checks that the files of the parameters exist.
    async fn check_selection(&self, parameters: &Value) -> Result<()> {
        match selection(parameters)? {
            Selection::Below(kind, path) => {
                let (kind, path) = (("parameters.mediaKind", &kind), ("parameters.path", &path));
                self.indexing.require_known(kind, path).await
            }
            Selection::These(ids) => {
                let found = self.index.files_in_index(&ids).await?;
                let requested = parameters.get("ids").and_then(Value::as_array);
                let requested = requested.into_iter().flatten().enumerate();
                let is_unknown = |id: &Value| {
                    let id = id.as_str().and_then(|id| id.parse::<FileId>().ok());
                    id.is_none_or(|id| !found.contains(&id))
                };
                let unknown = requested.filter(|(_, id)| is_unknown(id)).map(|(index, _)| {
                    FieldError::new(format!("parameters.ids[{index}]"), "there is no such file")
                });
                let unknown: Vec<FieldError> = unknown.collect();
                if unknown.is_empty() {
                    Ok(())
                } else {
                    Err(ServiceError::Unknown(unknown))
                }
            }
        }
    }

    async fn mark(&self, selection: &Selection, progress: &Progress) -> Result<()> {
        loop {
            let after = FileId::from(progress.get().cursor);
            let files = match selection {
                Selection::Below(kind, path) => {
                    self.index.files_to_mark_stale(kind, path, after, FILES).await?
                }
                Selection::These(ids) => ids.iter().copied().filter(|id| *id > after).collect(),
            };
            let Some(last) = files.last().copied() else {
                progress.update(|progress| progress.cursor = ALL_MARKED);
                return Ok(());
            };
            let marked = i64::try_from(self.index.mark_stale(&files).await?).unwrap_or_default();
            progress.update(|progress| {
                progress.cursor = last.get();
                progress.total = Some(progress.total.unwrap_or_default() + marked);
            });
        }
    }

    /// Starts a run, after waiting for an active one to end.
    async fn start(&self, kinds: &[MediaKind]) -> Result<RunId> {
        loop {
            let request = StartRun {
                options: RunOptions {
                    media_kinds: kinds.to_vec(),
                    ..RunOptions::default()
                },
                ..StartRun::of_all(RunType::Quick)
            };
            match self.indexing.start(request, None).await {
                Ok(run) => return Ok(run.id),
                Err(ServiceError::Conflict { .. }) => self.indexing.wait_until_idle().await,
                Err(error) => return Err(error),
            }
        }
    }

    async fn read(&self, kinds: &[MediaKind], progress: &Progress) -> Result<()> {
        let run = self.start(kinds).await?;
        progress.update(|progress| progress.result = json!({"runId": run}));
        loop {
            let ended = tokio::select! {
                () = self.indexing.wait_until_idle() => true,
                () = sleep(CHECK_EVERY) => false,
            };
            let left = i64::try_from(self.index.count_marked_files().await?).unwrap_or(i64::MAX);
            progress.update(|progress| {
                let done = progress.total.unwrap_or_default().saturating_sub(left);
                progress.completed = done.max(progress.completed);
            });
            if ended {
                break;
            }
        }
        match self.indexing.run(run).await?.status {
            RunStatus::Completed => Ok(()),
            _ => Err(ServiceError::conflict(
                ErrorCode::RunStopped,
                "the run of the indexer was stopped; a later run reads the remaining files",
            )),
        }
    }

    async fn reread(&self, parameters: &Value, progress: &Progress) -> Result<()> {
        let selection = selection(parameters)?;
        if progress.get().cursor != ALL_MARKED {
            self.mark(&selection, progress).await?;
        }
        let kinds = match &selection {
            Selection::Below(kind, _) => vec![kind.clone()],
            Selection::These(ids) => {
                let kinds = self.index.media_kinds_of_files(ids).await?;
                kinds.iter().filter_map(|kind| kind.parse().ok()).collect()
            }
        };
        if kinds.is_empty() || progress.get().total.unwrap_or_default() == 0 {
            progress.update(|progress| progress.total = Some(0));
            return Ok(());
        }
        self.read(&kinds, progress).await
    }
}

impl JobWork for Reextract {
    fn check<'a>(&'a self, parameters: &'a Value) -> BoxFuture<'a, Result<()>> {
        self.check_selection(parameters).boxed()
    }

    fn run<'a>(&'a self, parameters: &'a Value, progress: &'a Progress) -> BoxFuture<'a, Result<()>> {
        self.reread(parameters, progress).boxed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_selected_by_kind_and_folder_or_by_id() {
        let id = FileId::from(5).to_string();
        for good in [
            json!({"mediaKind": "music"}),
            json!({"mediaKind": "music", "path": "a/b"}),
            json!({"ids": [id]}),
        ] {
            assert!(selection(&good).is_ok(), "{good}");
        }
        for bad in [
            json!({}),
            json!({"path": "a"}),
            json!({"mediaKind": "music", "ids": [id]}),
            json!({"path": "a", "ids": [id]}),
        ] {
            assert!(selection(&bad).is_err(), "{bad}");
        }
    }
}
