//! By when a handler must have answered: its own time, without what the client takes to send its body.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The deadline of one request. Clones are one.
#[derive(Debug, Clone)]
pub struct Deadline(Arc<Mutex<Instant>>);

impl Deadline {
    /// At this moment, as long as nothing moves it.
    pub fn new(at: Instant) -> Self {
        Self(Arc::new(Mutex::new(at)))
    }

    /// When it is, as of now: it may move.
    pub fn at(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves it later.
    pub fn extend(&self, time: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += time;
    }

    /// Waits for the client, at most `patience`, which does not count. `None` when that was too short.
    pub async fn wait_for_client<T>(&self, patience: Duration, wait: impl Future<Output = T>) -> Option<T> {
        let started = Instant::now();
        self.extend(patience);
        let outcome = tokio::time::timeout(patience, wait).await.ok();
        let unused = patience.saturating_sub(started.elapsed());
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) -= unused;
        outcome
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn time_of_the_client_does_not_count() {
        let deadline = Deadline::new(Instant::now() + Duration::from_secs(60));
        let before = deadline.at();
        let patience = Duration::from_millis(20);
        assert_eq!(deadline.wait_for_client(patience, async { 1 }).await, Some(1));
        assert!(deadline.at() < before + patience);
        let never = deadline.wait_for_client(patience, std::future::pending::<()>());
        assert_eq!(never.await, None);
        assert!(deadline.at() >= before + patience);
    }
}
