//! Which run is asked for, and what that comes to on disk.

use std::path::PathBuf;

use crate::indexing::Indexing;
use crate::scan::Target;
use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_domain::scan::{Directory, RunOptions, RunType};
use svc_domain::time::Timestamp;
use svc_identity::error::{FieldError, ServiceError};
use svc_platform::media_root::MediaRoot;

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

/// What is wrong with a kind without a configured directory.
fn unconfigured(directories: &[Directory], path: String, kind: &MediaKind) -> Option<FieldError> {
    let is_configured = directories.iter().any(|directory| directory.kind == *kind);
    let message = || format!("no directory of kind `{kind}` is configured");
    (!is_configured).then(|| FieldError::new(path, message()))
}

/// Whether there is anything at a path below one of these directories; for one that is away it cannot be said.
fn may_be_on_disk(directories: &[PathBuf], path: &RelativePath) -> bool {
    directories
        .iter()
        .any(|directory| MediaRoot::open(directory).map_or(true, |root| root.has(path)))
}

impl Indexing {
    /// Whether there are directories of this kind, and whether this path is known in them or can be found there. What
    /// is wrong is told of the fields of these paths.
    ///
    /// # Errors
    /// Unknown; the store's.
    pub async fn require_known(
        &self,
        (kind_field, kind): (&str, &MediaKind),
        (path_field, path): (&str, &RelativePath),
    ) -> Result<(), ServiceError> {
        let known = &self.scanner.directories;
        let directories = known.list_directories().await?;
        if let Some(unknown) = unconfigured(&directories, kind_field.to_owned(), kind) {
            return Err(ServiceError::Unknown(vec![unknown]));
        }
        if path.as_str().is_empty() || known.has_path(kind, path).await? {
            return Ok(());
        }
        let of_kind = directories
            .into_iter()
            .filter(|directory| directory.kind == *kind);
        let roots: Vec<PathBuf> = of_kind.map(|directory| directory.path).collect();
        let looked_for = path.clone();
        let found = tokio::task::spawn_blocking(move || may_be_on_disk(&roots, &looked_for)).await;
        if found.map_err(ServiceError::internal)? {
            Ok(())
        } else {
            Err(ServiceError::unknown(
                path_field,
                "there is no such file or folder",
            ))
        }
    }
}

/// The directories, and parts of them, that these options speak of.
pub(super) fn targets(
    directories: Vec<Directory>,
    options: &RunOptions,
) -> Result<Vec<Target>, ServiceError> {
    let kinds = options.media_kinds.iter().enumerate();
    let kinds = kinds.map(|(index, kind)| (format!("mediaKinds[{index}]"), kind));
    let roots = options.paths.iter().enumerate();
    let roots = roots.map(|(index, part)| (format!("paths[{index}].rootDir"), &part.root_dir));
    let unknown = kinds
        .chain(roots)
        .filter_map(|(path, kind)| unconfigured(&directories, path, kind));
    let unknown: Vec<FieldError> = unknown.collect();
    if !unknown.is_empty() {
        return Err(ServiceError::Unknown(unknown));
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
