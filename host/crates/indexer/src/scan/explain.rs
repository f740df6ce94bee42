//! Why a file is in the index or not: what a run would make of it now.

use std::io;
use std::path::Path;
use std::sync::Arc;

use crate::scan::ignore_rules::{IgnoreRules, NO_MEDIA, RULES, is_ignored};
use crate::scan::roots::{KindExtractors, ScanRoot};
use crate::scan::sidecars;
use crate::scan::sidecars::FileSidecars;
use svc_domain::extraction::ExtractOutcome;
use svc_domain::path::{RelativePath, text_to_os};
use svc_domain::scan::Directory;
use svc_platform::media_root::MediaRoot;
use svc_plugin_host::{Plugins, SourceFile};
use svc_store::PluginVersion;

/// Why a run passes a file over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skipped {
    /// The media directory is away.
    RootUnavailable(String),
    /// There is no such file.
    NotFound,
    /// A part of the path is hidden, or of other software.
    IgnoredName(String),
    /// A rule of an ignore file says so.
    IgnoredByRule,
    /// A directory on the way says that it holds no media.
    NoMedia,
    /// A directory, a device, a fifo, or a link that leaves the root.
    NotAFile(String),
    /// No plugin reads files that end so.
    NoPlugin(String),
    /// All plugins for it are shut off.
    PluginQuarantined(String),
}

impl Skipped {
    /// The word for it in the API.
    pub fn code(&self) -> &'static str {
        match self {
            Self::RootUnavailable(_) => "root_unavailable",
            Self::NotFound => "not_found",
            Self::IgnoredName(_) => "ignored_name",
            Self::IgnoredByRule => "ignored_by_rule",
            Self::NoMedia => "no_media",
            Self::NotAFile(_) => "not_a_file",
            Self::NoPlugin(_) => "no_plugin",
            Self::PluginQuarantined(_) => "plugin_shut_off",
        }
    }

    /// In words.
    pub fn message(&self) -> String {
        match self {
            Self::RootUnavailable(reason) => format!("the media directory is not available: {reason}"),
            Self::NotFound => "there is no such file".to_owned(),
            Self::IgnoredName(name) => format!("`{name}` is hidden or belongs to other software"),
            Self::IgnoredByRule => format!("a rule of a `{RULES}` file on the way leaves it out"),
            Self::NoMedia => format!("a directory on the way holds a file `{NO_MEDIA}`"),
            Self::NotAFile(reason) => format!("it is not opened: {reason}"),
            Self::NoPlugin(extension) => {
                format!("no plugin reads files of this kind that end in `.{extension}`")
            }
            Self::PluginQuarantined(plugin) => {
                format!("the plugin `{plugin}` is shut off after too many failures")
            }
        }
    }
}

/// What a run would make of a file.
#[derive(Debug)]
pub struct Explanation {
    /// Bytes, if it is there.
    pub size: Option<u64>,
    /// Modification time in nanoseconds since 1970, if it is there.
    pub mtime_ns: Option<i64>,
    /// The files beside it that the plugin may read.
    pub related: Vec<String>,
    /// Why a run passes it over, if it does.
    pub skipped: Option<Skipped>,
    /// The plugin that read it, and what that came to.
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

/// Looks at a file the way a run does, and has it read. Blocks.
pub fn explain(plugins: &Plugins, directory: Directory, path: &RelativePath) -> Explanation {
    let kind = directory.kind.clone();
    let root = MediaRoot::open(&directory.path).and_then(|files| {
        let extractors = KindExtractors {
            by_extension: plugins.by_extension(&kind),
            related: plugins.related_extensions(&kind),
        };
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
    let folder = path.parent().unwrap_or_default();
    let sidecars = sidecars::list(&root, &folder).ok().map(Arc::new);
    let file_around = sidecars.map(|folder| FileSidecars {
        folder,
        name: name.clone(),
    });
    let mut explanation = Explanation {
        size: Some(opened.size),
        mtime_ns: Some(opened.mtime_ns),
        related: file_around.as_ref().map(FileSidecars::names).unwrap_or_default(),
        skipped: None,
        read: None,
    };
    let extension = svc_domain::path::extension(&name);
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

/// Why a run does not come by this path, if it does not.
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
        // What cannot be read ignores nothing; the run warns of it.
        rules = rules.enter(&here).unwrap_or_default();
        here.push(text_to_os(name));
        if rules.ignores(|| &here, at + 1 < names.len()) {
            return Some(Skipped::IgnoredByRule);
        }
    }
    None
}
