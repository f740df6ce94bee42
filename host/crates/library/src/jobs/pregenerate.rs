//! Work that generates thumbnails or waveforms of all items in advance.

use std::fmt;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::Value;
use tokio::time::sleep;

use crate::jobs::work::{ItemOutcome, ItemWork};
use svc_identity::error::{ErrorCode, Result, RetryReason, ServiceError, TryLater};
use svc_store::{JobItems, JobRepository};

/// Maximum delay before a retry when the generator's queue is full; it usually has room soon.
const BUSY_WAIT: Duration = Duration::from_millis(500);

/// Generates the result for one item id; does nothing if it exists.
type PregenerateFn = Box<dyn Fn(i64) -> BoxFuture<'static, Result<()>> + Send + Sync>;

/// Processes all items of a type in sequence.
pub struct Pregenerate {
    jobs: JobRepository,
    items: JobItems,
    make: PregenerateFn,
}

impl fmt::Debug for Pregenerate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pregenerate")
            .field("items", &self.items)
            .finish_non_exhaustive()
    }
}

impl Pregenerate {
    /// Creates the work for these items.
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
                // Deleted since it was listed, or without artwork.
                Err(
                    ServiceError::NotFound
                    | ServiceError::Absent {
                        code: ErrorCode::ArtworkMissing,
                        ..
                    },
                ) => Ok(ItemOutcome::Done),
                // A full queue or an exhausted budget must not fail the item.
                Err(ServiceError::TryLater(TryLater {
                    reason: RetryReason::Busy,
                    retry_after,
                    ..
                })) => {
                    sleep(retry_after.unwrap_or(BUSY_WAIT).min(BUSY_WAIT)).await;
                    continue;
                }
                // Concerns every other item as well, so the job fails.
                Err(
                    error @ ServiceError::TryLater(TryLater {
                        reason: RetryReason::DatabaseUnavailable | RetryReason::StorageFull,
                        ..
                    }),
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
