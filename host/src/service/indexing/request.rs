//! Which run is asked for, and what that comes to on disk.

use crate::domain::kind::MediaKind;
use crate::domain::path::RelativePath;
use crate::domain::scan::{Directory, RunOptions, RunType};
use crate::domain::time::Timestamp;
use crate::scan::Target;
use crate::service::error::ServiceError;

/// What a user asks of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexAction {
    /// Hold it before the next file.
    Pause,
    /// Go on.
    Resume,
    /// End it before the next file.
    Stop,
}

/// Which run to start.
#[derive(Debug, Clone)]
pub struct StartRun {
    /// Quick or full.
    pub run_type: RunType,
    /// Where, how, and why.
    pub options: RunOptions,
    /// Files that have been missing since before this moment are forgotten.
    pub purge_before: Option<Timestamp>,
}

impl StartRun {
    /// A run over everything.
    pub fn of_all(run_type: RunType) -> Self {
        Self {
            run_type,
            options: RunOptions::default(),
            purge_before: None,
        }
    }
}

/// The directories, and parts of them, that these options speak of.
pub(super) fn targets(
    directories: Vec<Directory>,
    options: &RunOptions,
) -> Result<Vec<Target>, ServiceError> {
    let unknown = |field, kind: &MediaKind| {
        ServiceError::invalid(field, format!("no directory of kind `{kind}` is configured"))
    };
    let is_configured = |kind: &MediaKind| directories.iter().any(|directory| directory.kind == *kind);
    if let Some(kind) = options.media_kinds.iter().find(|kind| !is_configured(kind)) {
        return Err(unknown("mediaKinds", kind));
    }
    if let Some(part) = options.paths.iter().find(|part| !is_configured(&part.root_dir)) {
        return Err(unknown("paths", &part.root_dir));
    }
    let parts_of = |kind: &MediaKind| {
        if options.paths.is_empty() {
            return vec![RelativePath::root()];
        }
        let parts = options.paths.iter().filter(|part| part.root_dir == *kind);
        let mut parts: Vec<RelativePath> = parts.map(|part| part.path.clone()).collect();
        parts.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
        // What lies below another part is looked at with that.
        let mut outermost: Vec<RelativePath> = Vec::new();
        for part in parts {
            if !outermost.iter().any(|above| part.is_below(above)) {
                outermost.push(part);
            }
        }
        outermost
    };
    let wanted = |kind: &MediaKind| options.media_kinds.is_empty() || options.media_kinds.contains(kind);
    let targets = directories
        .into_iter()
        .filter(|directory| wanted(&directory.kind));
    let targets = targets.map(|directory| Target {
        parts: parts_of(&directory.kind),
        directory,
    });
    Ok(targets.filter(|target| !target.parts.is_empty()).collect())
}
