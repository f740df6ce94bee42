//! Keeps runs from starting while something else changes the index.

use std::sync::Arc;

use tokio::sync::watch;

use super::Indexing;

/// No run starts before it is dropped.
#[derive(Debug)]
pub struct RunHold(Arc<watch::Sender<bool>>);

impl Drop for RunHold {
    fn drop(&mut self) {
        self.0.send_replace(false);
    }
}

impl Indexing {
    /// Keeps runs from starting, after waiting for an active one to end.
    pub async fn hold_runs(&self) -> RunHold {
        loop {
            if let Some(hold) = self.try_hold() {
                return hold;
            }
            self.wait_until_idle().await;
        }
    }

    fn try_hold(&self) -> Option<RunHold> {
        // Locked, so that no run starts in between.
        let current = self.current();
        let is_free = current.is_none() && !self.is_held();
        if is_free {
            self.held.send_replace(true);
        }
        drop(current);
        is_free.then(|| RunHold(Arc::clone(&self.held)))
    }

    pub(super) fn is_held(&self) -> bool {
        *self.held.borrow()
    }
}
