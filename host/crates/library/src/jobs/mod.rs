//! Jobs: long work that users start; it runs in the background and survives restarts.
//!
//! | File | Content |
//! |---|---|
//! | `types.rs` | the closed list of types with their parameters |
//! | `work.rs` | the work of a type: as a whole ([`work::JobWork`]) or item by item ([`work::ItemWork`]) |
//! | `runner.rs` | runs jobs in order, saves their progress, stops and resumes them |
//! | `pregenerate.rs` | generates something for each item of a type in advance |
//! | `verify.rs`, `backup.rs`, `reextract.rs`, `purge_kind.rs` | the work of these types |

mod backup;
pub mod pregenerate;
mod purge_kind;
mod reextract;
mod runner;
pub mod types;
mod verify;
pub mod work;

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;

use crate::thumbnails::Thumbnails;
use crate::waveforms::Waveforms;
use pregenerate::Pregenerate;
use svc_domain::id::JobId;
use svc_domain::job::{Job, JobAction, JobProgress, JobStatus};
use svc_domain::library::MediaScope;
use svc_domain::list::{Listing, Order, Pagination};
use svc_events::{Events, jobs as job_events};
use svc_identity::actor::Actor;
use svc_identity::audit::BackgroundLog;
use svc_identity::error::{ErrorCode, Result, ServiceError};
use svc_identity::{Context, run_to_completion};
use svc_indexer::indexing::Indexing;
use svc_platform::data_dir::DataDir;
use svc_plugin_host::Plugins;
use svc_store::{Database, FileRepository, IndexRepository, JobRepository, KindRepository};
pub use svc_store::{JobFilter, JobItems};
use types::JobType;
use work::{ItemJob, JobWork};

/// Maximum of waiting and running jobs per type; more indicates a faulty script.
const OPEN_JOBS: i64 = 100;
/// Maximum of finished jobs that are kept.
const ENDED_JOBS: i64 = 1_000;

/// A job type with its work.
#[derive(Debug)]
pub struct RegisteredJob {
    /// Name and parameters.
    pub job_type: &'static JobType,
    /// Its implementation.
    pub work: Arc<dyn JobWork>,
}

/// Registers a type that generates something for each item in advance. `make` gets the item id and does nothing if the
/// result exists.
pub fn pregeneration_job<F: Future<Output = Result<()>> + Send + 'static>(
    job_type: &'static JobType,
    jobs: &JobRepository,
    items: JobItems,
    make: impl Fn(i64) -> F + Send + Sync + 'static,
) -> RegisteredJob {
    let work = Pregenerate::new(jobs.clone(), items, make);
    RegisteredJob {
        job_type,
        work: Arc::new(ItemJob(work)),
    }
}

/// The generators of pregeneration jobs.
#[derive(Debug)]
pub struct Pregenerators {
    /// For thumbnails.
    pub thumbnails: Thumbnails,
    /// For waveforms.
    pub waveforms: Waveforms,
}

/// Repositories that the types of jobs work with.
#[derive(Debug)]
pub struct JobWorkRepositories {
    /// Copied and verified.
    pub database: Database,
    /// Files to verify.
    pub files: FileRepository,
    /// Files to extract again.
    pub index: IndexRepository,
    /// Items to generate thumbnails and waveforms for.
    pub jobs: JobRepository,
    /// Kinds to purge.
    pub kinds: KindRepository,
}

/// All job types of this server.
pub fn registered(
    context: &Context,
    repositories: &JobWorkRepositories,
    indexing: &Indexing,
    data_dir: &Arc<DataDir>,
    pregenerators: Pregenerators,
    (plugins, events): (&Plugins, &Events),
) -> Vec<RegisteredJob> {
    let Pregenerators {
        thumbnails,
        waveforms,
    } = pregenerators;
    let JobWorkRepositories {
        database,
        files,
        index,
        jobs,
        kinds,
    } = repositories;
    let (of_photos, of_releases) = (thumbnails.clone(), thumbnails);
    let photo = move |id: i64| {
        let thumbnails = of_photos.clone();
        async move { thumbnails.pregenerate_photo(&MediaScope::All, id.into()).await }
    };
    let release = move |id: i64| {
        let thumbnails = of_releases.clone();
        async move { thumbnails.pregenerate_release(&MediaScope::All, id.into()).await }
    };
    let waveform = move |id: i64| {
        let waveforms = waveforms.clone();
        async move { waveforms.pregenerate(id.into()).await.map(drop) }
    };
    let of = |job_type, work: Arc<dyn JobWork>| RegisteredJob { job_type, work };
    vec![
        of(
            &types::BACKUP,
            Arc::new(backup::Backup::new(
                context.clone(),
                database.clone(),
                Arc::clone(data_dir),
            )),
        ),
        of(
            &types::REEXTRACT,
            Arc::new(reextract::Reextract::new(index.clone(), indexing.clone())),
        ),
        of(
            &types::VERIFY,
            Arc::new(verify::Verify::new(database.clone(), files.clone())),
        ),
        of(
            &types::PURGE_KIND,
            Arc::new(purge_kind::PurgeKind {
                context: context.clone(),
                kinds: kinds.clone(),
                index: index.clone(),
                indexing: indexing.clone(),
                plugins: plugins.clone(),
                events: events.clone(),
            }),
        ),
        pregeneration_job(&types::PHOTO_THUMBNAILS, jobs, JobItems::Photos, photo),
        pregeneration_job(
            &types::ARTWORK_THUMBNAILS,
            jobs,
            JobItems::PicturedReleases,
            release,
        ),
        pregeneration_job(&types::GENERATE_WAVEFORMS, jobs, JobItems::Tracks, waveform),
    ]
}

/// The jobs service.
#[derive(Debug, Clone)]
pub struct Jobs {
    context: Context,
    jobs: JobRepository,
    log: BackgroundLog,
    events: Events,
    types: Arc<[RegisteredJob]>,
    /// Notifies of every change of a job by a user.
    changes: Arc<watch::Sender<()>>,
    stopping: Arc<watch::Sender<bool>>,
}

impl Jobs {
    /// Creates the service. No job runs before [`Jobs::run`].
    pub fn new(
        context: Context,
        jobs: JobRepository,
        log: BackgroundLog,
        events: Events,
        types: Vec<RegisteredJob>,
    ) -> Self {
        Self {
            context,
            jobs,
            log,
            events,
            types: types.into(),
            changes: Arc::new(watch::Sender::new(())),
            stopping: Arc::new(watch::Sender::new(false)),
        }
    }

    /// The registered types.
    pub fn types(&self) -> impl Iterator<Item = &'static JobType> {
        self.types.iter().map(|registered| registered.job_type)
    }

    /// Creates a job, which waits for its turn.
    ///
    /// # Errors
    /// Invalid type or parameters; refused without the capabilities of the type; conflict `too_many_jobs`, or that of
    /// the type's own check; database errors.
    pub async fn create(&self, actor: &Actor, job_type: &str, parameters: &Value) -> Result<Job> {
        let found = self
            .types
            .iter()
            .find(|registered| registered.job_type.name == job_type);
        let Some(registered) = found else {
            let names: Vec<&str> = self.types().map(|known| known.name).collect();
            return Err(ServiceError::invalid(
                "type",
                format!("must be one of {}", names.join(", ")),
            ));
        };
        if !registered.job_type.also.iter().all(|also| actor.may(*also)) {
            return Err(ServiceError::Refused("your roles do not allow jobs of this type"));
        }
        let parameters = registered
            .job_type
            .check(parameters)
            .map_err(ServiceError::Invalid)?;
        registered.work.check(&parameters).await?;
        let job = Job {
            id: self.context.ids.next(self.context.now()),
            job_type: registered.job_type.name.to_owned(),
            parameters,
            status: JobStatus::Queued,
            created_by: Some(actor.user.id),
            started_at: None,
            completed_at: None,
            progress: JobProgress {
                result: Value::Object(serde_json::Map::new()),
                ..JobProgress::default()
            },
            error: None,
        };
        let (this, new) = (self.clone(), job.clone());
        run_to_completion(&self.context.tasks, "job-create", async move {
            if !this.jobs.insert_job(&new, OPEN_JOBS, ENDED_JOBS).await? {
                let message = "too many jobs of this type are waiting";
                return Err(ServiceError::conflict(ErrorCode::TooManyJobs, message));
            }
            this.changes.send_replace(());
            Ok(())
        })
        .await?;
        Ok(job)
    }

    /// Lists jobs by creation time.
    ///
    /// # Errors
    /// Database errors.
    pub async fn list(&self, filter: &JobFilter, order: Order, page: Pagination) -> Result<Listing<Job>> {
        Ok(self.jobs.list_jobs(filter, order, page).await?)
    }

    /// One job.
    ///
    /// # Errors
    /// Not found; database errors.
    pub async fn get(&self, id: JobId) -> Result<Job> {
        self.jobs.job(id).await?.ok_or(ServiceError::NotFound)
    }

    /// Pauses, resumes or cancels a job.
    ///
    /// # Errors
    /// Not found; conflict `job_action_conflict` if its state does not allow the action; database errors.
    pub async fn act(&self, id: JobId, action: JobAction) -> Result<Job> {
        let this = self.clone();
        run_to_completion(&self.context.tasks, "job-act", async move {
            let (from, to) = action.transition();
            let now = this.context.now();
            let moved = this.jobs.move_job(id, from, to, now).await?;
            let job = this.get(id).await?;
            if !moved {
                let message = format!("the job is {}", job.status.as_str());
                return Err(ServiceError::conflict(ErrorCode::JobActionConflict, message));
            }
            this.changes.send_replace(());
            if to == JobStatus::Cancelled {
                this.audit_cancelled(&job).await;
                this.events.publish(|| job_events::completed(&job, to));
            }
            Ok(job)
        })
        .await
    }
}
