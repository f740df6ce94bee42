//! How a run begins: its directories are found, its row is stored, and its task is started.

use std::sync::Arc;
use std::time::Instant;

use futures_util::FutureExt as _;
use tokio::sync::watch;

use crate::indexing::{CurrentRun, Indexing, StartRun, request};
use crate::run_events::RunEvents;
use crate::scan::{Progress, ScanControl, ScanRequest};
use svc_domain::audit::AuditEvent;
use svc_domain::id::UserId;
use svc_domain::scan::{Run, RunStatus};
use svc_identity::error::{ErrorCode, ServiceError};
use svc_identity::run_to_completion;

impl Indexing {
    /// Starts a run, which continues in the background.
    ///
    /// # Errors
    /// Conflict `indexing_in_progress` unless idle and not held; unknown for a kind without a configured directory and for a path
    /// that does not exist; database errors.
    pub async fn start(&self, request: StartRun, started_by: Option<UserId>) -> Result<Run, ServiceError> {
        let this = self.clone();
        // Cancellation in between would leave an active run without a task.
        run_to_completion(&self.scanner.tasks, "index-start", async move {
            this.start_task(request, started_by).await
        })
        .await
    }

    async fn start_task(&self, request: StartRun, started_by: Option<UserId>) -> Result<Run, ServiceError> {
        let targets = request::targets(
            self.scanner.directories.list_directories().await?,
            &request.options,
        )?;
        for (index, part) in request.options.paths.iter().enumerate() {
            let (root, path) = (format!("paths[{index}].rootDir"), format!("paths[{index}].path"));
            self.require_known((&root, &part.root_dir), (&path, &part.path))
                .await?;
        }
        let now = self.scanner.clock.now();
        let events = RunEvents {
            events: self.events.clone(),
            clock: Arc::clone(&self.scanner.clock),
            run: self.scanner.ids.next(now),
        };
        let progress = Progress::new(targets.iter().map(|target| target.directory.kind.clone()));
        let progress = Arc::new(progress.on_committed({
            let events = events.clone();
            move |outcome| events.committed(&outcome)
        }));
        let run = Run {
            id: events.run,
            run_type: request.run_type,
            options: request.options,
            status: RunStatus::Running,
            started_by,
            started_at: now,
            completed_at: None,
            counts: progress.counts(),
            files_opened: 0,
            seconds: 0.0,
            warnings: Vec::new(),
        };
        let control = Arc::new(ScanControl::new({
            let (events, progress) = (events.clone(), Arc::clone(&progress));
            move |transition| events.transitioned(transition, &progress.counts())
        }));
        // Holds off a pause until the start event is published.
        let beginning = control.checkpoint();
        let (end, ended) = watch::channel(false);
        {
            let mut current = self.current();
            if current.is_some() {
                return Err(ServiceError::conflict(
                    ErrorCode::IndexingInProgress,
                    "a run is in progress",
                ));
            }
            if self.is_held() {
                return Err(ServiceError::conflict(
                    ErrorCode::IndexingInProgress,
                    "the items of a kind are being purged",
                ));
            }
            *current = Some(CurrentRun {
                run: run.clone(),
                started: Instant::now(),
                control: Arc::clone(&control),
                progress: Arc::clone(&progress),
                events: events.clone(),
                ended,
            });
        }
        self.unsaved.retry(&self.runs).await;
        if let Err(error) = self.runs.insert_run(&run).await {
            self.current().take();
            return Err(error.into());
        }
        self.audit(AuditEvent::IndexRunStarted, &run).await;
        events.started(&run);
        drop(beginning);
        let indexing = self.clone();
        let request = ScanRequest {
            run: run.id,
            run_type: run.run_type,
            targets,
            dry_run: run.options.dry_run,
            accept_missing: run.options.accept_missing,
            purge_before: request.purge_before,
        };
        self.scanner.tasks.spawn("index-run", async move {
            indexing.execute(request, &control, &progress).boxed().await;
            end.send_replace(true);
            let _ = tokio::task::spawn_blocking(svc_platform::malloc::release_free_memory).await;
        });
        Ok(run)
    }
}
