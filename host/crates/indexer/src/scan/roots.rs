//! The state of a root directory at the start of a run.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use svc_domain::id::FolderId;
use svc_domain::item_kind::KindSchema;
use svc_domain::kind::MediaKind;
use svc_domain::path::{RelativePath, extension};
use svc_domain::scan::{Directory, DirectoryDigest, Folder};
use svc_platform::media_root::MediaRoot;
use svc_plugin_host::{PluginHandle, Plugins};
use svc_store::PluginVersion;

/// A folder with a row in the database, and whether the walk reached it.
#[derive(Debug)]
pub(super) struct KnownFolder {
    pub(super) id: FolderId,
    pub(super) digest: Option<DirectoryDigest>,
    pub(super) file_count: i64,
    seen: AtomicBool,
}

/// A plugin with its row id.
#[derive(Debug, Clone)]
pub(super) struct Extractor {
    pub(super) plugin: PluginHandle,
    pub(super) version: Arc<PluginVersion>,
}

impl Extractor {
    fn new(plugin: PluginHandle) -> Self {
        let (id, version, digest) = (plugin.id(), plugin.version(), plugin.digest());
        let version = PluginVersion {
            id: id.to_owned(),
            version: version.to_owned(),
            digest: digest.to_owned(),
            component: plugin.component_digest().to_owned(),
        };
        Self {
            plugin,
            version: Arc::new(version),
        }
    }
}

/// A root directory in a run.
#[derive(Debug)]
pub(super) struct ScanRoot {
    pub(super) directory: Directory,
    pub(super) files: MediaRoot,
    /// The plugins for each file extension of this kind, in the order of calls.
    pub(super) extractors: HashMap<String, Vec<Extractor>>,
    /// File extensions of sidecars.
    pub(super) related: HashSet<String>,
    /// What a plugin defines of the kind; `None` for a built-in kind.
    pub(super) schema: Option<Arc<KindSchema>>,
    /// Device and inode of the root at the start of the run.
    identity: (u64, u64),
    folders: HashMap<RelativePath, KnownFolder>,
    /// Directories that could not be listed; files below them are not missing.
    unreadable: Mutex<Vec<RelativePath>>,
    /// Ignored directories; files below them are marked missing, however many they are.
    ignored: Mutex<Vec<RelativePath>>,
    /// Numbers of indexed files that no plugin reads now, by file extension.
    unclaimed: Mutex<BTreeMap<String, usize>>,
}

/// The extractors and sidecar extensions of a kind.
#[derive(Debug, Default)]
pub(super) struct KindExtractors {
    pub(super) by_extension: HashMap<String, Vec<PluginHandle>>,
    pub(super) related: HashSet<String>,
    pub(super) schema: Option<Arc<KindSchema>>,
}

impl KindExtractors {
    /// Those that are loaded.
    pub(super) fn of(plugins: &Plugins, kind: &MediaKind) -> Self {
        Self {
            by_extension: plugins.by_extension(kind),
            related: plugins.related_extensions(kind),
            schema: plugins.kind_schema(kind),
        }
    }
}

/// Folders that the walk did not reach, by reason.
#[derive(Debug, Default)]
pub(super) struct VanishedFolders {
    /// No longer on disk.
    pub(super) lost: Vec<(FolderId, RelativePath)>,
    /// Excluded by an ignore rule.
    pub(super) ignored: Vec<(FolderId, RelativePath)>,
}

impl ScanRoot {
    pub(super) fn new(
        directory: Directory,
        files: MediaRoot,
        plugins: KindExtractors,
        folders: Vec<Folder>,
    ) -> io::Result<Self> {
        let identity = identity_of(&directory)?;
        let extractors = plugins
            .by_extension
            .into_iter()
            .map(|(extension, plugins)| (extension, plugins.into_iter().map(Extractor::new).collect()))
            .collect();
        let folders = folders.into_iter().map(|folder| {
            let known = KnownFolder {
                id: folder.id,
                digest: folder.digest,
                file_count: folder.file_count,
                seen: AtomicBool::new(false),
            };
            (folder.path, known)
        });
        Ok(Self {
            directory,
            files,
            extractors,
            related: plugins.related,
            schema: plugins.schema,
            identity,
            folders: folders.collect(),
            unreadable: Mutex::default(),
            ignored: Mutex::default(),
            unclaimed: Mutex::default(),
        })
    }

    /// Whether the root is the directory of the run's start. After an unmount it is gone or is the empty mount point.
    pub(super) fn is_still_there(&self) -> bool {
        identity_of(&self.directory).is_ok_and(|identity| identity == self.identity)
    }

    /// Marks the stored folder at this path as seen and returns it.
    pub(super) fn mark_seen(&self, path: &RelativePath) -> Option<&KnownFolder> {
        let known = self.folders.get(path)?;
        known.seen.store(true, Ordering::Relaxed);
        Some(known)
    }

    /// Records a directory that could not be listed.
    pub(super) fn mark_unreadable(&self, path: RelativePath) {
        self.unreadable
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(path);
    }

    /// Records an ignored directory.
    pub(super) fn ignore(&self, path: RelativePath) {
        let mut ignored = self.ignored.lock().unwrap_or_else(PoisonError::into_inner);
        ignored.push(path);
    }

    /// Records an indexed file whose extension no plugin reads. It stays as it is: the plugin may come back.
    pub(super) fn keep_unclaimed(&self, name: &str) {
        let mut unclaimed = self.unclaimed.lock().unwrap_or_else(PoisonError::into_inner);
        *unclaimed.entry(extension(name).into_owned()).or_default() += 1;
    }

    /// A sentence about each extension of such files.
    pub(super) fn unclaimed_warnings(&self) -> Vec<String> {
        let unclaimed = self.unclaimed.lock().unwrap_or_else(PoisonError::into_inner);
        let warning = |(extension, count): (&String, &usize)| {
            let root = self.directory.path.display();
            format!(
                "{root}: no plugin reads `.{extension}` files any more; {count} indexed ones stay as they are"
            )
        };
        unclaimed.iter().map(warning).collect()
    }

    /// Number of files in the database below this root.
    pub(super) fn known_files(&self) -> i64 {
        self.folders.values().map(|folder| folder.file_count).sum()
    }

    /// Stored folders with files below one of `parts` that the walk did not reach although their parents were readable.
    pub(super) fn vanished_folders(&self, parts: &[RelativePath]) -> VanishedFolders {
        let unreadable = self.unreadable.lock().unwrap_or_else(PoisonError::into_inner);
        let ignored = self.ignored.lock().unwrap_or_else(PoisonError::into_inner);
        let below =
            |path: &RelativePath, above: &[RelativePath]| above.iter().any(|above| path.is_below(above));
        let mut vanished = VanishedFolders::default();
        for (path, folder) in &self.folders {
            let gone = folder.file_count > 0 && !folder.seen.load(Ordering::Relaxed);
            if !gone || !below(path, parts) || below(path, &unreadable) {
                continue;
            }
            let list = if below(path, &ignored) {
                &mut vanished.ignored
            } else {
                &mut vanished.lost
            };
            list.push((folder.id, path.clone()));
        }
        vanished
    }
}

fn identity_of(directory: &Directory) -> io::Result<(u64, u64)> {
    let metadata = std::fs::metadata(&directory.path)?;
    Ok((metadata.dev(), metadata.ino()))
}
