//! The parallel threads of a scan.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Nice value of the parallel threads, so that requests precede scans. An idle machine scans at full speed.
const NICE: i32 = 10;

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
