//! Jobs: long work that users ask for, which goes on in the background and survives the end of the process.
//!
//! | File | What lives there |
//! |---|---|
//! | `types.rs` | the closed list of types, with their parameters |
//! | `work.rs` | what a type does: as a whole ([`work::JobWork`]) or item by item ([`work::ItemWork`]) |
//! | `runner.rs` | takes jobs in their turn, stores how far they are, stops and takes up again |
//! | `pregenerate.rs` | work that makes something of each item of a type ahead of time |
//! | `verify.rs`, `backup.rs`, `reextract.rs` | the work of these types |

mod backup;
pub mod pregenerate;
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
use svc_events::{Events, jobs as told};
use svc_identity::actor::Actor;
use svc_identity::audit::BackgroundLog;
use svc_identity::error::{Result, ServiceError};
use svc_identity::{Context, run_to_completion};
use svc_indexer::indexing::Indexing;
use svc_platform::data_dir::DataDir;
use svc_store::{Database, FileRepository, IndexRepository, JobRepository};
pub use svc_store::{JobFilter, JobItems};
use types::JobType;
use work::{ItemJob, JobWork};

/// Jobs of a type that wait or run at once. More is a mistake of a script's.
const OPEN_JOBS: i64 = 100;
/// Jobs that have ended and are kept: some years of a job a day.
const ENDED_JOBS: i64 = 1_000;

/// A type of job and who does it.
#[derive(Debug)]
pub struct RegisteredJob {
    /// What it is.
    pub job_type: &'static JobType,
    /// What it does.
    pub work: Arc<dyn JobWork>,
}

/// A type that makes something of each item ahead of time: `make` is given its number, and does nothing where that is
/// done already.
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

/// What makes things of items ahead of time.
#[derive(Debug)]
pub struct Pregenerators {
    /// Smaller pictures.
    pub thumbnails: Thumbnails,
    /// Waveforms.
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
}

/// The types of this server. One more is one more line.
pub fn registered(
    context: &Context,
    repositories: &JobWorkRepositories,
    indexing: &Indexing,
    data_dir: &Arc<DataDir>,
    pregenerators: Pregenerators,
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

/// Takes jobs, tells of them, and does them.
#[derive(Debug, Clone)]
pub struct Jobs {
    context: Context,
    jobs: JobRepository,
    log: BackgroundLog,
    events: Events,
    types: Arc<[RegisteredJob]>,
    /// Changes with every change of a job by a user.
    changes: Arc<watch::Sender<()>>,
    stopping: Arc<watch::Sender<bool>>,
}

impl Jobs {
    /// Of these types. None is done before [`Jobs::run`].
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

    /// What can be asked for.
    pub fn types(&self) -> impl Iterator<Item = &'static JobType> {
        self.types.iter().map(|registered| registered.job_type)
    }

    /// Takes a job, which waits for its turn.
    ///
    /// # Errors
    /// Invalid type or parameters; refused without the capability that the type takes; conflict `too_many_jobs`; the
    /// store's.
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
        if registered.job_type.also.is_some_and(|also| !actor.may(also)) {
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
                let message = "as many jobs of this type wait as may";
                return Err(ServiceError::conflict("too_many_jobs", message));
            }
            this.changes.send_replace(());
            Ok(())
        })
        .await?;
        Ok(job)
    }

    /// Jobs by the moment they were asked for.
    ///
    /// # Errors
    /// The store's.
    pub async fn list(&self, filter: &JobFilter, order: Order, page: Pagination) -> Result<Listing<Job>> {
        Ok(self.jobs.list_jobs(filter, order, page).await?)
    }

    /// One job.
    ///
    /// # Errors
    /// Not found; the store's.
    pub async fn get(&self, id: JobId) -> Result<Job> {
        self.jobs.job(id).await?.ok_or(ServiceError::NotFound)
    }

    /// Holds a job, lets it go on, or ends it.
    ///
    /// # Errors
    /// Not found; conflict `job_action_conflict` when its state does not permit it; the store's.
    pub async fn act(&self, id: JobId, action: JobAction) -> Result<Job> {
        let this = self.clone();
        run_to_completion(&self.context.tasks, "job-act", async move {
            let (from, to) = action.transition();
            let now = this.context.now();
            let moved = this.jobs.move_job(id, from, to, now).await?;
            let job = this.get(id).await?;
            if !moved {
                let message = format!("the job is {}", job.status.as_str());
                return Err(ServiceError::conflict("job_action_conflict", message));
            }
            this.changes.send_replace(());
            if to == JobStatus::Cancelled {
                this.events.publish(|| told::completed(&job, to));
            }
            Ok(job)
        })
        .await
    }
}
