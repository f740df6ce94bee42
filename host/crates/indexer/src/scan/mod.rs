//! The pipeline of a run; `README.md` in this directory describes its phases and invariants.

mod control;
mod diff;
mod directory_digest;
mod entries;
mod error;
mod explain;
mod extract;
mod fingerprint;
mod ignore_rules;
mod kept_readings;
mod mark_missing;
mod moves;
mod persist;
mod progress;
mod roots;
mod run;
mod run_log;
mod sidecars;
mod stale_files;
mod threads;
mod walk;
mod watch;
mod work;

pub use control::{InvalidTransition, Phase, RunTransition, ScanControl};
pub use error::ScanError;
pub use explain::{Explanation, Skipped, explain, read_with};
pub use ignore_rules::is_ignored;
pub use progress::Progress;
pub use run::{ScanEnd, ScanRequest, Scanner, Target};
pub use sidecars::sidecars_of;
pub use watch::{ChangedPaths, DirectoryWatch, WatchState};
