//! The threads of a scan.

use std::sync::Arc;

use futures_util::FutureExt as _;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

use crate::scan::control::ScanControl;
use crate::scan::error::ScanError;
use crate::scan::progress::Progress;
use crate::scan::run::{ScanEnd, ScanRequest, Scanner};
use svc_platform::tasks;

/// Nice value of the parallel threads, so that requests precede scans. An idle machine scans at full speed.
const NICE: i32 = 10;

impl Scanner {
    /// As [`Scanner::run`], on a dedicated thread.
    ///
    /// # Errors
    /// As there, and if the scan panics.
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

/// A rayon thread pool of low priority.
pub(super) fn thread_pool(name: &'static str, threads: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(move |number| format!("{name}-{number}"))
        // On Linux, setpriority applies to the calling thread. If it fails, the scan runs at normal priority.
        .start_handler(|_| {
            let _ = rustix::process::nice(NICE);
        })
        // By default rayon aborts the process.
        .panic_handler(|_| tracing::error!(target: "svc::scan", "a scan thread panicked"))
        .build()
}
