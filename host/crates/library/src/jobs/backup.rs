//! `backup`: copies the database and the keys. How to restore one is in `docs/operating.md`.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use crate::jobs::work::{JobWork, Progress};
use svc_identity::Context;
use svc_identity::error::{Result, STORAGE_FULL, ServiceError};
use svc_platform::backups::Backups;
use svc_platform::data_dir::DataDir;
use svc_store::Database;

/// Default number of backups to keep.
const KEEP: u64 = 7;

/// The work of the job type.
#[derive(Debug)]
pub(super) struct Backup {
    context: Context,
    database: Database,
    data_dir: Arc<DataDir>,
}

impl Backup {
    pub(super) fn new(context: Context, database: Database, data_dir: Arc<DataDir>) -> Self {
        Self {
            context,
            database,
            data_dir,
        }
    }

    async fn back_up(&self, keep: usize, progress: &Progress) -> Result<()> {
        progress.update(|progress| progress.total = Some(1));
        let (now, data_dir) = (self.context.now(), Arc::clone(&self.data_dir));
        let begin = move || Backups::open(&data_dir)?.begin(now);
        let draft = on_disk(begin).await?;
        if !self.database.copy_to(draft.database()).await? {
            return Err(no_file());
        }
        let data_dir = Arc::clone(&self.data_dir);
        let done = on_disk(move || {
            let done = draft.finish(&data_dir)?;
            Backups::open(&data_dir)?.prune(keep)?;
            Ok(done)
        })
        .await?;
        progress.update(|progress| {
            progress.completed = 1;
            progress.result = json!({"name": done.name, "bytes": done.bytes});
        });
        Ok(())
    }
}

fn no_file() -> ServiceError {
    let message = "the database is PostgreSQL: back it up with pg_dump, and the data directory's folder keys";
    ServiceError::invalid("type", message)
}

async fn on_disk<T: Send + 'static>(work: impl FnOnce() -> std::io::Result<T> + Send + 'static) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    let done = done.map_err(ServiceError::internal)?;
    done.map_err(|error| match error.kind() {
        std::io::ErrorKind::StorageFull => STORAGE_FULL.into(),
        _ => ServiceError::internal(error),
    })
}

impl JobWork for Backup {
    fn check<'a>(&'a self, _parameters: &'a Value) -> BoxFuture<'a, Result<()>> {
        let file = self.database.database_file().map(drop).ok_or_else(no_file);
        std::future::ready(file).boxed()
    }

    fn run<'a>(&'a self, parameters: &'a Value, progress: &'a Progress) -> BoxFuture<'a, Result<()>> {
        let keep = parameters.get("keep").and_then(Value::as_u64).unwrap_or(KEEP);
        self.back_up(usize::try_from(keep).unwrap_or(usize::MAX), progress)
            .boxed()
    }
}
