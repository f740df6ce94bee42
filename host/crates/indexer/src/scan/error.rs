//! Why a run breaks off.

use svc_store::StoreError;

/// Why a run broke off.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system gave no threads.
    #[error("cannot start the scan's threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The system gave not even one.
    #[error("cannot start the scan's thread: {0}")]
    Spawn(#[from] std::io::Error),
    /// A thread of the scan panicked.
    #[error("a thread of the scan failed")]
    Thread(#[from] tokio::task::JoinError),
    /// The scan itself did.
    #[error("the scan failed")]
    Panicked,
}
