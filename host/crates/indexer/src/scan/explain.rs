//! Explains why a file is or is not indexed, by applying the rules of a run to one file.

use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::scan::ignore_rules::{IgnoreRules, NO_MEDIA, RULES, is_ignored};
use crate::scan::roots::{KindExtractors, ScanRoot};
use crate::scan::sidecars::FileSidecars;
use svc_domain::extraction::ExtractOutcome;
use svc_domain::path::{RelativePath, text_to_os};
use svc_domain::scan::Directory;
use svc_platform::media_root::MediaRoot;
use svc_plugin_host::{PluginHandle, Plugins, SourceFile, Worker};
use svc_store::PluginVersion;

/// Why a run skips a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skipped {
    /// The media directory is unavailable.
    RootUnavailable(String),
    /// The file does not exist.
    NotFound,
    /// A component of the path is hidden or reserved by other software.
    IgnoredName(String),
    /// An ignore file excludes it.
    IgnoredByRule,
    /// A parent directory contains `.nomedia`.
    NoMedia,
    /// A directory, device or fifo, or a symbolic link out of the root.
    NotAFile(String),
    /// The plugin of the media kind is missing or not active.
    KindUnavailable(String),
    /// No plugin supports the file extension.
    NoPlugin(String),
    /// All plugins for the file extension are quarantined.
    PluginQuarantined(String),
}

impl Skipped {
    /// The code in the API.
    pub fn code(&self) -> &'static str {
        match self {
            Self::RootUnavailable(_) => "root_unavailable",
            Self::NotFound => "not_found",
            Self::IgnoredName(_) => "ignored_name",
            Self::IgnoredByRule => "ignored_by_rule",
            Self::NoMedia => "no_media",
            Self::NotAFile(_) => "not_a_file",
            Self::KindUnavailable(_) => "kind_unavailable",
            Self::NoPlugin(_) => "no_plugin",
            Self::PluginQuarantined(_) => "plugin_quarantined",
        }
    }

    /// A sentence for people.
    pub fn message(&self) -> String {
        match self {
            Self::RootUnavailable(reason) => format!("the media directory is not available: {reason}"),
            Self::NotFound => "there is no such file".to_owned(),
            Self::IgnoredName(name) => format!("`{name}` is hidden or belongs to other software"),
            Self::IgnoredByRule => format!("a rule in a `{RULES}` file excludes it"),
            Self::NoMedia => format!("a parent directory contains a `{NO_MEDIA}` file"),
            Self::NotAFile(reason) => format!("it cannot be opened: {reason}"),
            Self::KindUnavailable(reason) => reason.clone(),
            Self::NoPlugin(extension) => {
                format!("no plugin of this kind reads `.{extension}` files")
            }
            Self::PluginQuarantined(plugin) => {
                format!("the plugin `{plugin}` is quarantined after too many faults")
            }
        }
    }
}

/// The result of a run for one file.
#[derive(Debug)]
pub struct Explanation {
    /// Size in bytes, if the file exists.
    pub size: Option<u64>,
    /// Modification time in nanoseconds since 1970, if the file exists.
    pub mtime_ns: Option<i64>,
    /// Its sidecars.
    pub related: Vec<String>,
    /// Why a run skips it, if it does.
    pub skipped: Option<Skipped>,
    /// The plugin that read it and the outcome.
    pub read: Option<(PluginVersion, ExtractOutcome)>,
}

impl Explanation {
    fn skipped(reason: Skipped) -> Self {
        Self {
            size: None,
            mtime_ns: None,
            related: Vec::new(),
            skipped: Some(reason),
            read: None,
        }
    }
}

/// Applies the rules of a run to a file and extracts it. Blocks.
pub fn explain(plugins: &Plugins, directory: Directory, path: &RelativePath) -> Explanation {
    let kind = directory.kind.clone();
    let state = plugins.kind_state(&kind);
    let root = MediaRoot::open(&directory.path).and_then(|files| {
        let extractors = KindExtractors::of(plugins, &kind);
        ScanRoot::new(directory, files, extractors, Vec::new())
    });
    let root = match root {
        Ok(root) => Arc::new(root),
        Err(error) => return Explanation::skipped(Skipped::RootUnavailable(error.to_string())),
    };
    if let Some(reason) = ignored(&root.directory.path, path) {
        return Explanation::skipped(reason);
    }
    let opened = match root.files.open_file(path) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Explanation::skipped(Skipped::NotFound);
        }
        Err(error) => return Explanation::skipped(Skipped::NotAFile(error.to_string())),
    };
    let name = path.file_name().to_owned();
    let file_around = FileSidecars::of(&root, path).ok();
    let mut explanation = Explanation {
        size: Some(opened.size),
        mtime_ns: Some(opened.mtime_ns),
        related: file_around.as_ref().map(FileSidecars::names).unwrap_or_default(),
        skipped: None,
        read: None,
    };
    let extension = svc_domain::path::extension(&name);
    if let Some(reason) = state.reason() {
        explanation.skipped = Some(Skipped::KindUnavailable(reason.to_owned()));
        return explanation;
    }
    let Some(extractors) = root.extractors.get(&*extension) else {
        explanation.skipped = Some(Skipped::NoPlugin(extension.into_owned()));
        return explanation;
    };
    let source = SourceFile::new(opened.file, name, opened.size);
    let source = Arc::new(match file_around {
        Some(sidecars) => source.with_sidecars(Arc::new(sidecars)),
        None => source,
    });
    let mut worker = plugins.worker();
    for extractor in extractors.iter().filter(|extractor| extractor.plugin.is_active()) {
        let outcome = worker.explain(&extractor.plugin, &source);
        let refused = matches!(outcome, Err(svc_domain::extraction::ExtractFailure::Refused(_)));
        explanation.read = Some(((*extractor.version).clone(), outcome));
        if !refused {
            break;
        }
    }
    if explanation.read.is_none() {
        let plugin = extractors.first().map(|extractor| extractor.version.id.clone());
        explanation.skipped = Some(Skipped::PluginQuarantined(plugin.unwrap_or_default()));
    }
    explanation
}

/// Reads a file with each of these plugins, whatever a run would do with it. Blocks.
///
/// # Errors
/// The file cannot be opened.
pub fn read_with(
    worker: &mut Worker,
    plugins: &Plugins,
    directory: Directory,
    path: &RelativePath,
    readers: &[&PluginHandle],
) -> io::Result<Vec<ExtractOutcome>> {
    let files = MediaRoot::open(&directory.path)?;
    let extractors = KindExtractors::of(plugins, &directory.kind);
    let root = Arc::new(ScanRoot::new(directory, files, extractors, Vec::new())?);
    let opened = root.files.open_file(path)?;
    let source = SourceFile::new(opened.file, path.file_name(), opened.size);
    let source = match FileSidecars::of(&root, path) {
        Ok(sidecars) => source.with_sidecars(Arc::new(sidecars)),
        Err(_) => source,
    };
    let source = Arc::new(source);
    let outcomes = readers.iter().map(|reader| worker.explain(reader, &source));
    Ok(outcomes.collect())
}

/// Why the walk does not reach this path, if it does not.
fn ignored(root: &Path, path: &RelativePath) -> Option<Skipped> {
    let names: Vec<&str> = path.as_str().split('/').collect();
    if let Some(name) = names.iter().find(|name| is_ignored(&text_to_os(name))) {
        return Some(Skipped::IgnoredName((*name).to_owned()));
    }
    let mut here = root.to_owned();
    let mut rules = IgnoreRules::default();
    for (at, name) in names.iter().enumerate() {
        if here.join(NO_MEDIA).exists() {
            return Some(Skipped::NoMedia);
        }
        // An unreadable ignore file excludes nothing; the run logs a warning.
        rules = rules.enter(&here).unwrap_or_default();
        here.push(text_to_os(name));
        if rules.ignores(|| &here, at + 1 < names.len()) {
            return Some(Skipped::IgnoredByRule);
        }
    }
    None
}
