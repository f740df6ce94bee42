//! Errors that abort a run.

use svc_store::StoreError;

/// Why a run was aborted.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The thread pool could not be created.
    #[error("cannot start the scan threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
    /// The dedicated thread could not be created.
    #[error("cannot start the scan thread: {0}")]
    Spawn(#[from] std::io::Error),
    /// A thread of the scan panicked.
    #[error("a scan thread panicked")]
    Thread(#[from] tokio::task::JoinError),
    /// The dedicated thread panicked.
    #[error("the scan panicked")]
    Panicked,
}
