//! Requests for runs, and their resolution to directories on disk.

use std::path::PathBuf;

use crate::indexing::Indexing;
use crate::scan::Target;
use svc_domain::kind::MediaKind;
use svc_domain::path::RelativePath;
use svc_domain::scan::{Directory, RunOptions, RunType};
use svc_domain::time::Timestamp;
use svc_identity::error::{FieldError, ServiceError};
use svc_platform::media_root::MediaRoot;

/// An action on the active run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexAction {
    /// Pause before the next file.
    Pause,
    /// Resume a paused run.
    Resume,
    /// Stop before the next file.
    Stop,
}

/// A request for a run.
#[derive(Debug, Clone)]
pub struct StartRun {
    /// Quick or full.
    pub run_type: RunType,
    /// Scope, mode and trigger.
    pub options: RunOptions,
    /// Files missing since before this time are purged.
    pub purge_before: Option<Timestamp>,
}

impl StartRun {
    /// A run over all directories.
    pub fn of_all(run_type: RunType) -> Self {
        Self {
            run_type,
            options: RunOptions::default(),
            purge_before: None,
        }
    }
}

/// The error for a kind without a configured directory.
fn unconfigured(directories: &[Directory], path: String, kind: &MediaKind) -> Option<FieldError> {
    let is_configured = directories.iter().any(|directory| directory.kind == *kind);
    let message = || {
        format!("no directory of the kind `{kind}` is configured; the server's option is `--root {kind}=DIR`")
    };
    (!is_configured).then(|| FieldError::new(path, message()))
}

/// Whether the path exists below one of these directories; also true if a directory is unavailable.
fn may_be_on_disk(directories: &[PathBuf], path: &RelativePath) -> bool {
    directories
        .iter()
        .any(|directory| MediaRoot::open(directory).map_or(true, |root| root.has(path)))
}

impl Indexing {
    /// Checks that the kind has directories and that the path is indexed or exists on disk. Errors name the fields of
    /// the request.
    ///
    /// # Errors
    /// Unknown; database errors.
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

/// Resolves the options to directories and parts of them.
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
        // A part below another one is covered by it.
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
