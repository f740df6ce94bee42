//! Holds the answer of a scripted service back while a test does something else.

use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;

/// Open at first.
#[derive(Debug, Default)]
pub(crate) struct Gate {
    is_closed: AtomicBool,
    reached: Notify,
    opened: Notify,
}

impl Gate {
    /// Holds the next request.
    pub(crate) fn close(&self) {
        self.is_closed.store(true, Ordering::SeqCst);
    }

    /// What a request does before it is answered.
    pub(crate) async fn pass(&self) {
        if self.is_closed.swap(false, Ordering::SeqCst) {
            self.reached.notify_one();
            self.opened.notified().await;
        }
    }

    /// Waits until a request is held.
    pub(crate) async fn reached(&self) {
        self.reached.notified().await;
    }

    /// Lets the request go on.
    pub(crate) fn open(&self) {
        self.opened.notify_one();
    }
}
