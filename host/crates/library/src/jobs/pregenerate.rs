//! Work that makes something of items before anybody asks for it: smaller pictures, waveforms.

use std::fmt;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::time::sleep;

use crate::jobs::work::{ItemOutcome, ItemWork};
use svc_identity::error::{Result, ServiceError};
use svc_store::{JobItems, JobRepository};

/// How long to wait at most when whoever makes it has its hands full: a queue that moves has room soon after.
const BUSY_WAIT: Duration = Duration::from_millis(500);

/// Makes something of one item, by its number; does nothing where it is made already.
type Make = Box<dyn Fn(i64) -> BoxFuture<'static, Result<()>> + Send + Sync>;

/// Makes something of all items of a type, one after the other.
pub struct Pregenerate {
    jobs: JobRepository,
    items: JobItems,
    make: Make,
}

impl fmt::Debug for Pregenerate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prepare")
            .field("items", &self.items)
            .finish_non_exhaustive()
    }
}

impl Pregenerate {
    /// Of these items, by this function.
    pub fn new<F: Future<Output = Result<()>> + Send + 'static>(
        jobs: JobRepository,
        items: JobItems,
        make: impl Fn(i64) -> F + Send + Sync + 'static,
    ) -> Self {
        Self {
            jobs,
            items,
            make: Box::new(move |item| make(item).boxed()),
        }
    }

    async fn make(&self, item: i64) -> Result<ItemOutcome> {
        loop {
            return match (self.make)(item).await {
                Ok(()) => Ok(ItemOutcome::Done),
                // Gone since it was listed, or without anything to make it of.
                Err(
                    ServiceError::NotFound
                    | ServiceError::Absent {
                        code: "artwork_missing",
                        ..
                    },
                ) => Ok(ItemOutcome::Done),
                // A full queue or a spent budget fails no item: it waits for its turn.
                Err(ServiceError::Overloaded(later)) => {
                    sleep(later.retry_after.min(BUSY_WAIT)).await;
                    continue;
                }
                // What every other item would meet as well.
                Err(
                    error @ ServiceError::Unavailable {
                        code: "database_unavailable" | "storage_full",
                        ..
                    },
                ) => Err(error),
                Err(error @ ServiceError::Internal(_)) => {
                    tracing::warn!(target: "svc::jobs", item, %error, "item could not be pregenerated");
                    Ok(ItemOutcome::Failed("the server's log has the reason".to_owned()))
                }
                Err(error) => Ok(ItemOutcome::Failed(error.to_string())),
            };
        }
    }
}

impl ItemWork for Pregenerate {
    fn count<'a>(&'a self, _parameters: &'a Value) -> BoxFuture<'a, Result<u64>> {
        async { Ok(self.jobs.count_job_items(self.items).await?) }.boxed()
    }

    fn list<'a>(&'a self, _: &'a Value, after: i64, take: u32) -> BoxFuture<'a, Result<Vec<i64>>> {
        async move { Ok(self.jobs.job_items(self.items, after, take).await?) }.boxed()
    }

    fn work<'a>(&'a self, _parameters: &'a Value, item: i64) -> BoxFuture<'a, Result<ItemOutcome>> {
        self.make(item).boxed()
    }
}
