//! The threads of a scan.

use std::sync::Arc;

use futures_util::FutureExt as _;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::scan::control::ScanControl;
use crate::scan::error::ScanError;
use crate::scan::progress::Progress;
use crate::scan::run::{ScanEnd, ScanRequest, Scanner};
use svc_platform::tasks;

/// How much the threads that work in parallel step back behind answers to clients: a nice value. Without anything else to
/// do it costs nothing.
const NICE: i32 = 10;

impl Scanner {
    /// As [`Scanner::run`], on a thread of its own.
    ///
    /// # Errors
    /// As there, and when the scan panics.
    pub async fn run_on_dedicated_thread(
        &self,
        request: ScanRequest,
        control: &Arc<ScanControl>,
        progress: &Arc<Progress>,
    ) -> Result<ScanEnd, ScanError> {
        let (scanner, control, progress) = (self.clone(), Arc::clone(control), Arc::clone(progress));
        let scan = async move { scanner.run(request, &control, &progress).await };
        tasks::spawn_dedicated_thread("scan", scan.boxed())?
            .await
            .map_err(|_| ScanError::Panicked)?
    }
}

/// Threads that work in parallel.
pub(super) fn thread_pool(name: &'static str, threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(move |number| format!("{name}-{number}"))
        // On Linux the niceness of the process is that of the calling thread. Without it a scan is as fast as the rest.
        .start_handler(|_| {
            let _ = rustix::process::nice(NICE);
        })
        // rayon's default is to abort the process.
        .panic_handler(|_| tracing::error!(target: "svc::scan", "a thread of the scan panicked"))
        .build()
}
