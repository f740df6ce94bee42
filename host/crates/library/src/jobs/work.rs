//! What a type of job does. Most go through a list of items: such a one says what the items are and does one of them
//! ([`ItemWork`]), and [`ItemJob`] does the rest.

use std::fmt::Debug;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};

use svc_domain::id::FileId;
use svc_domain::job::JobProgress;
use svc_identity::error::Result;

/// Items asked for in one go.
const ITEMS_PER_QUERY: u32 = 256;
/// Failures that are named in the result; the number of all is told in any case.
const FAILURES: usize = 100;

/// How far a job has come, as its work says it and others look at it. What was said last is stored from time to time,
/// and the work begins there when it is taken up again.
#[derive(Debug, Clone)]
pub struct Progress(Arc<Mutex<JobProgress>>);

impl Progress {
    /// From where the job was.
    pub fn new(progress: JobProgress) -> Self {
        Self(Arc::new(Mutex::new(progress)))
    }

    fn lock(&self) -> MutexGuard<'_, JobProgress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As of now.
    pub fn get(&self) -> JobProgress {
        self.lock().clone()
    }

    /// Changes it.
    pub fn update(&self, change: impl FnOnce(&mut JobProgress)) {
        change(&mut self.lock());
    }
}

/// What a type of job does.
pub trait JobWork: Debug + Send + Sync {
    /// Whether it can be done with these parameters, which are sound one by one.
    ///
    /// # Errors
    /// Invalid; unknown, for what they name; the store's.
    fn check<'a>(&'a self, _parameters: &'a Value) -> BoxFuture<'a, Result<()>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Does the work, from where `progress` says it is. Given up at any moment, it goes on from what it said last.
    ///
    /// # Errors
    /// What made it fail.
    fn run<'a>(&'a self, parameters: &'a Value, progress: &'a Progress) -> BoxFuture<'a, Result<()>>;
}

/// What became of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemOutcome {
    /// It is done, or there was nothing to do.
    Done,
    /// It cannot be done, for a reason that may be shown. The job goes on.
    Failed(String),
}

/// Work on one item after the other.
pub trait ItemWork: Debug + Send + Sync {
    /// How many items there are.
    ///
    /// # Errors
    /// Fails the job.
    fn count<'a>(&'a self, parameters: &'a Value) -> BoxFuture<'a, Result<u64>>;

    /// The next items after the number `after`, in rising order.
    ///
    /// # Errors
    /// Fails the job.
    fn list<'a>(&'a self, parameters: &'a Value, after: i64, take: u32) -> BoxFuture<'a, Result<Vec<i64>>>;

    /// Does one. It may be done a second time after a crash.
    ///
    /// # Errors
    /// Fails the job; what is wrong with this item alone is an outcome.
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

/// Notes an item that could not be done.
fn note_failure(result: &mut Value, item: i64, reason: &str) {
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
    async fn go_through(&self, parameters: &Value, progress: &Progress) -> Result<()> {
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
                        note_failure(&mut progress.result, item, reason);
                    }
                });
                // Whoever else wants to do something goes first.
                tokio::task::yield_now().await;
            }
        }
    }
}

impl<W: ItemWork> JobWork for ItemJob<W> {
    fn run<'a>(&'a self, parameters: &'a Value, progress: &'a Progress) -> BoxFuture<'a, Result<()>> {
        self.go_through(parameters, progress).boxed()
    }
}
