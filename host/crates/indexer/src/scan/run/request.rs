//! What a run scans and how it ends.

use svc_domain::id::RunId;
use svc_domain::path::RelativePath;
use svc_domain::scan::{Directory, RunType};
use svc_domain::time::Timestamp;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanEnd {
    /// It processed everything.
    Completed,
    /// It was stopped on request.
    Stopped,
}

/// A root directory to scan.
#[derive(Debug, Clone)]
pub struct Target {
    /// The media directory.
    pub directory: Directory,
    /// The parts to scan, none of them below another; the root itself for all.
    pub parts: Vec<RelativePath>,
}

/// Parameters of a run.
#[derive(Debug, Clone)]
pub struct ScanRequest {
    /// Id of the run.
    pub run: RunId,
    /// Quick or full.
    pub run_type: RunType,
    /// What to scan.
    pub targets: Vec<Target>,
    /// Store nothing; count and log what would be done.
    pub dry_run: bool,
    /// Mark missing files however many they are.
    pub accept_missing: bool,
    /// Purge files missing since before this time.
    pub purge_before: Option<Timestamp>,
}
