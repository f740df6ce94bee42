//! Single flight: concurrent callers with the same key share one computation.
//!
//! A waiter may be cancelled at any time; the computation continues for the others, and without any. The entry of a key
//! exists while its computation is queued or running; results are not cached here.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

/// Why a computation has no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Abandoned {
    /// Its [`Completion`] was dropped without a result.
    #[error("the computation was dropped before it ran")]
    NotRun,
    /// It panicked.
    #[error("the computation panicked")]
    Panicked,
}

/// The computations in flight, by key. `C` is data that all callers of one computation share. Clones share one map.
pub struct SingleFlight<K, V, C = ()>(Arc<Flights<K, V, C>>);

type Flights<K, V, C> = Mutex<HashMap<K, InFlight<V, C>>>;

/// A computation in flight, to wait for. Clones wait for the same one.
pub struct InFlight<V, C = ()> {
    result: watch::Receiver<Option<Result<V, Abandoned>>>,
    context: Arc<C>,
}

/// Completes a computation. Dropping it removes the entry, and the waiters receive [`Abandoned`].
pub struct Completion<K: Eq + Hash, V, C = ()> {
    flights: Arc<Flights<K, V, C>>,
    key: K,
    sender: watch::Sender<Option<Result<V, Abandoned>>>,
    context: Arc<C>,
}

impl<K, V, C> Default for SingleFlight<K, V, C> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<K, V, C> Clone for SingleFlight<K, V, C> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<V, C> Clone for InFlight<V, C> {
    fn clone(&self) -> Self {
        Self {
            result: self.result.clone(),
            context: Arc::clone(&self.context),
        }
    }
}

impl<K, V, C> fmt::Debug for SingleFlight<K, V, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SingleFlight")
    }
}

impl<V, C> fmt::Debug for InFlight<V, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InFlight")
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<K: Clone + Eq + Hash, V, C: Default> SingleFlight<K, V, C> {
    /// Joins the computation of `key`; calls `start` to queue one if none is in flight.
    ///
    /// # Errors
    /// Those of `start`, which drops the completion: callers that joined in the meantime receive [`Abandoned::NotRun`].
    pub fn join_or_start<E>(
        &self,
        key: K,
        start: impl FnOnce(Completion<K, V, C>) -> Result<(), E>,
    ) -> Result<InFlight<V, C>, E> {
        let (sender, result) = watch::channel(None);
        let in_flight = InFlight {
            result,
            context: Arc::default(),
        };
        {
            let mut flights = lock(&self.0);
            if let Some(existing) = flights.get(&key) {
                return Ok(existing.clone());
            }
            flights.insert(key.clone(), in_flight.clone());
        }
        start(Completion {
            flights: Arc::clone(&self.0),
            key,
            sender,
            context: Arc::clone(&in_flight.context),
        })?;
        Ok(in_flight)
    }
}

impl<V: Clone, C> InFlight<V, C> {
    /// Waits for the result.
    ///
    /// # Errors
    /// The computation was dropped or panicked.
    pub async fn result(&self) -> Result<V, Abandoned> {
        let mut result = self.result.clone();
        let completed = result.wait_for(Option::is_some).await;
        completed.map_or(Err(Abandoned::NotRun), |completed| {
            completed.clone().unwrap_or(Err(Abandoned::NotRun))
        })
    }

    /// Waits for the result, for no longer than `timeout`. `None` if the computation continues after that.
    pub async fn result_within(&self, timeout: Duration) -> Option<Result<V, Abandoned>> {
        tokio::time::timeout(timeout, self.result()).await.ok()
    }

    /// The result, if the computation has completed.
    pub fn result_now(&self) -> Option<Result<V, Abandoned>> {
        self.result.borrow().clone()
    }

    /// The data that all callers share.
    pub fn context(&self) -> &C {
        &self.context
    }
}

impl<K: Eq + Hash, V, C> Completion<K, V, C> {
    /// Passes the result to all callers. Returns the data that they share.
    pub fn complete(self, result: V) -> Arc<C> {
        self.finish(Ok(result));
        Arc::clone(&self.context)
    }

    /// The entry is removed first: a caller that comes after the result starts a new computation or finds the result in
    /// the caller's own cache.
    fn finish(&self, result: Result<V, Abandoned>) {
        let removed = lock(&self.flights).remove(&self.key);
        drop(removed);
        self.sender.send_replace(Some(result));
    }
}

impl<K: Eq + Hash, V, C> Drop for Completion<K, V, C> {
    fn drop(&mut self) {
        if self.sender.borrow().is_none() {
            self.finish(Err(if std::thread::panicking() {
                Abandoned::Panicked
            } else {
                Abandoned::NotRun
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    type Flight = SingleFlight<&'static str, u32, AtomicUsize>;
    type TestCompletion = Completion<&'static str, u32, AtomicUsize>;

    /// Joins `key`; the completion is returned if this call started the computation.
    fn join(flight: &Flight, key: &'static str) -> (InFlight<u32, AtomicUsize>, Option<TestCompletion>) {
        let mut started = None;
        let in_flight = flight.join_or_start(key, |completion| {
            started = Some(completion);
            Ok::<(), ()>(())
        });
        (in_flight.unwrap(), started)
    }

    #[tokio::test]
    async fn callers_of_one_key_share_one_computation_and_its_context() {
        let flight = Flight::default();
        let (first, completion) = join(&flight, "a");
        let (second, again) = join(&flight, "a");
        let (_other, other) = join(&flight, "b");
        assert!(again.is_none() && other.is_some());
        second.context().fetch_add(3, Ordering::SeqCst);
        let context = completion.unwrap().complete(7);
        assert_eq!(context.load(Ordering::SeqCst), 3);
        assert_eq!((first.result().await, second.result().await), (Ok(7), Ok(7)));
        assert!(join(&flight, "a").1.is_some(), "a completed entry is gone");
    }

    #[tokio::test]
    async fn cancelled_and_late_waiters_leave_the_computation_in_flight() {
        let flight = Flight::default();
        let (waiter, completion) = join(&flight, "a");
        assert_eq!(waiter.result_within(Duration::from_millis(1)).await, None);
        assert_eq!(waiter.result_now(), None);
        drop(waiter);
        let (waiter, started) = join(&flight, "a");
        assert!(started.is_none());
        completion.unwrap().complete(7);
        assert_eq!(waiter.result_now(), Some(Ok(7)));
    }

    #[tokio::test]
    async fn dropped_computation_is_reported_and_can_be_started_again() {
        let flight = Flight::default();
        let (waiter, completion) = join(&flight, "a");
        drop(completion);
        assert_eq!(waiter.result().await, Err(Abandoned::NotRun));
        let (waiter, completion) = join(&flight, "a");
        let panicked = catch_unwind(AssertUnwindSafe(move || {
            let _completion = completion;
            panic!("the computation fails");
        }));
        assert!(panicked.is_err());
        assert_eq!(waiter.result().await, Err(Abandoned::Panicked));
    }

    #[tokio::test]
    async fn failed_start_is_returned_and_leaves_no_entry() {
        let flight = Flight::default();
        let failed = flight.join_or_start("a", |_| Err("full"));
        assert_eq!(failed.map(drop), Err("full"));
        assert!(join(&flight, "a").1.is_some());
    }
}
