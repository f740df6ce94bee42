//! The interfaces of job work. Most types process a list of items: they implement [`ItemWork`], and [`ItemJob`] adds
//! the loop.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use svc_domain::id::FileId;
use svc_domain::job::JobProgress;
use svc_identity::error::Result;

const ITEMS_PER_QUERY: u32 = 256;
/// Maximum of failures in the result; the count is complete.
const FAILURES: usize = 100;

/// Progress of a job, updated by its work and read by the runner. It is saved periodically, and resumed work starts
/// from the saved progress.
#[derive(Debug, Clone)]
pub struct Progress(Arc<Mutex<JobProgress>>);

impl Progress {
    /// Starts from saved progress.
    pub fn new(progress: JobProgress) -> Self {
        Self(Arc::new(Mutex::new(progress)))
    }

    fn lock(&self) -> MutexGuard<'_, JobProgress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The current progress.
    pub fn get(&self) -> JobProgress {
        self.lock().clone()
    }

    /// Updates the progress.
    pub fn update(&self, change: impl FnOnce(&mut JobProgress)) {
        change(&mut self.lock());
    }
}

/// The work of a job type.
pub trait JobWork: Debug + Send + Sync {
    /// Checks parameters that are valid individually.
    ///
    /// # Errors
    /// Invalid; unknown, for something that they name; conflict, if its state does not allow the work; database errors.
    fn check<'a>(&'a self, _parameters: &'a Value) -> BoxFuture<'a, Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Does the work from `progress`. It may be aborted at any time and resumes from its last progress.
    ///
    /// # Errors
    /// The job fails.
    fn run<'a>(&'a self, parameters: &'a Value, progress: &'a Progress) -> BoxFuture<'a, Result<()>>;
}

/// Result of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemOutcome {
    /// Done, or nothing to do.
    Done,
    /// Failed for a reason that users may read. The job continues.
    Failed(String),
}

/// Work on one item at a time.
pub trait ItemWork: Debug + Send + Sync {
    /// Number of items.
    ///
    /// # Errors
    /// The job fails.
    fn count<'a>(&'a self, parameters: &'a Value) -> BoxFuture<'a, Result<u64>>;

    /// The next items with an id greater than `after`, in ascending order.
    ///
    /// # Errors
    /// The job fails.
    fn list<'a>(&'a self, parameters: &'a Value, after: i64, take: u32) -> BoxFuture<'a, Result<Vec<i64>>>;

    /// Processes an item. It may run twice after a crash.
    ///
    /// # Errors
    /// The job fails; a problem of this item alone is an [`ItemOutcome`].
    fn work<'a>(&'a self, parameters: &'a Value, item: i64) -> BoxFuture<'a, Result<ItemOutcome>>;
}

impl<W: ItemWork> ItemWork for Arc<W> {
    fn count<'a>(&'a self, parameters: &'a Value) -> BoxFuture<'a, Result<u64>> {
        (**self).count(parameters)
    }

    fn list<'a>(&'a self, parameters: &'a Value, after: i64, take: u32) -> BoxFuture<'a, Result<Vec<i64>>> {
        (**self).list(parameters, after, take)
    }

    fn work<'a>(&'a self, parameters: &'a Value, item: i64) -> BoxFuture<'a, Result<ItemOutcome>> {
        (**self).work(parameters, item)
    }
}

/// A job over items.
#[derive(Debug)]
pub struct ItemJob<W>(pub W);

/// Adds a failed item to the result.
fn record_failure(result: &mut Value, item: i64, reason: &str) {
    if !result.is_object() {
        *result = json!({});
    }
    if let Some(result) = result.as_object_mut() {
        let failures = result.entry("failures").or_insert_with(|| json!([]));
        if let Some(failures) = failures.as_array_mut().filter(|noted| noted.len() < FAILURES) {
            failures.push(json!({"id": FileId::from(item), "reason": reason}));
        }
    }
}

impl<W: ItemWork> ItemJob<W> {
    async fn process_items(&self, parameters: &Value, progress: &Progress) -> Result<()> {
        let total = i64::try_from(self.0.count(parameters).await?).ok();
        progress.update(|progress| progress.total = total);
        loop {
            let after = progress.get().cursor;
            let items = self.0.list(parameters, after, ITEMS_PER_QUERY).await?;
            if items.is_empty() {
                return Ok(());
            }
            for item in items {
                let outcome = self.0.work(parameters, item).await?;
                progress.update(|progress| {
                    progress.cursor = item;
                    progress.completed += 1;
                    if let ItemOutcome::Failed(reason) = &outcome {
                        progress.failed += 1;
                        record_failure(&mut progress.result, item, reason);
                    }
                });
                // Other tasks take precedence.
                tokio::task::yield_now().await;
            }
        }
    }
}

impl<W: ItemWork> JobWork for ItemJob<W> {
    fn run<'a>(&'a self, parameters: &'a Value, progress: &'a Progress) -> BoxFuture<'a, Result<()>> {
        self.process_items(parameters, progress).boxed()
    }
}
