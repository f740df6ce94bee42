//! The sidecars of one directory and the media files to which they belong.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::scan::ignore_rules::is_ignored;
use crate::scan::roots::{KindExtractors, ScanRoot};
use svc_domain::id::DirectoryId;
use svc_domain::path::{RelativePath, extension, name_to_text, stem};
use svc_domain::scan::Directory;
use svc_platform::media_root::MediaRoot;
use svc_plugin_host::{Plugins, Sidecars};
use svc_store::MediaFile;

/// Names of subdirectories with subtitles for a movie.
const SUBTITLE_FOLDERS: [&str; 3] = ["subs", "subtitles", "sub"];
/// Maximum of sidecars per directory.
const MAX_SIDECARS: usize = 20_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SidecarFile {
    /// Relative to the directory of the media file: `movie.nfo`, `Subs/en.srt`, `../tvshow.nfo`.
    pub(super) name: String,
    pub(super) size: u64,
    pub(super) mtime_ns: i64,
}

/// Whether a subdirectory of this name contains subtitles.
pub(super) fn holds_subtitles(name: &str) -> bool {
    SUBTITLE_FOLDERS.contains(&name.to_lowercase().as_str())
}

#[derive(Debug)]
pub(super) struct FolderSidecars {
    root: Arc<ScanRoot>,
    path: RelativePath,
    related: Vec<SidecarFile>,
    /// Indexes in `related` by the stem of the media file whose name they share.
    own: HashMap<String, Vec<usize>>,
    /// Indexes of sidecars that share no media file's name.
    common: Vec<usize>,
}

impl FolderSidecars {
    /// Assigns sidecars to media files.
    pub(super) fn new<'n>(
        root: Arc<ScanRoot>,
        path: RelativePath,
        media: impl Iterator<Item = &'n str>,
        mut related: Vec<SidecarFile>,
    ) -> Self {
        related.truncate(MAX_SIDECARS);
        related.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let mut sidecars = Self {
            root,
            path,
            related,
            own: HashMap::new(),
            common: Vec::new(),
        };
        if !sidecars.related.is_empty() {
            sidecars.assign(media.map(stem).collect());
        }
        sidecars
    }

    fn assign(&mut self, stems: HashSet<&str>) {
        for (at, file) in self.related.iter().enumerate() {
            let name = file.name.rsplit('/').next().unwrap_or_default();
            // The longest stem that is a prefix of the name up to a separator.
            let ends = name.match_indices(['.', '-', '_', ' ']).map(|(end, _)| end);
            let owner = ends.rev().find_map(|end| stems.get(name.get(..end)?));
            match owner {
                Some(owner) => self.own.entry((*owner).to_owned()).or_default().push(at),
                None => self.common.push(at),
            }
        }
    }

    /// A digest that changes with the sidecars of `name`; `None` if it has none.
    pub(super) fn digest(&self, name: &str) -> Option<i64> {
        let mut digest = Sha256::new();
        let mut any = false;
        for file in self.sidecars_of(name) {
            any = true;
            digest.update(file.name.as_bytes());
            digest.update([0]);
            digest.update(file.size.to_le_bytes());
            digest.update(file.mtime_ns.to_le_bytes());
        }
        let (bytes, _) = digest
            .finalize()
            .split_first_chunk::<8>()
            .map(|(first, _)| (*first, ()))?;
        any.then(|| i64::from_le_bytes(bytes) & i64::MAX)
    }

    /// All sidecars, for the directory digest.
    pub(super) fn related(&self) -> &[SidecarFile] {
        &self.related
    }

    /// Sidecars that share no media file's name; they also apply to subdirectories.
    pub(super) fn common(&self) -> Vec<SidecarFile> {
        let own = |at: &usize| self.related.get(*at).filter(|file| !file.name.contains('/'));
        self.common.iter().filter_map(own).cloned().collect()
    }

    fn sidecars_of<'s>(&'s self, name: &str) -> impl Iterator<Item = &'s SidecarFile> + use<'s> {
        let own = self.own.get(stem(name)).map(Vec::as_slice).unwrap_or_default();
        own.iter()
            .chain(&self.common)
            .filter_map(|at| self.related.get(*at))
    }
}

#[derive(Debug)]
pub(super) struct FileSidecars {
    pub(super) folder: Arc<FolderSidecars>,
    pub(super) name: String,
}

impl FileSidecars {
    /// Those of a file outside of a walk.
    pub(super) fn of(root: &Arc<ScanRoot>, path: &RelativePath) -> io::Result<Self> {
        let folder = path.parent().unwrap_or_default();
        let folder = if root.related.is_empty() {
            FolderSidecars::new(Arc::clone(root), folder, std::iter::empty(), Vec::new())
        } else {
            list(root, &folder)?
        };
        Ok(Self {
            folder: Arc::new(folder),
            name: path.file_name().to_owned(),
        })
    }

    pub(super) fn names(&self) -> Vec<String> {
        let files = self.folder.sidecars_of(&self.name);
        files.map(|file| file.name.clone()).collect()
    }
}

impl Sidecars for FileSidecars {
    fn folders(&self) -> Vec<String> {
        let path = self.folder.path.as_str();
        path.split('/')
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect()
    }

    fn files(&self) -> Vec<(String, u64)> {
        let files = self.folder.sidecars_of(&self.name);
        files.map(|file| (file.name.clone(), file.size)).collect()
    }

    fn open(&self, name: &str) -> io::Result<File> {
        let not_found = || io::Error::from(io::ErrorKind::NotFound);
        if !self.folder.sidecars_of(&self.name).any(|file| file.name == name) {
            return Err(not_found());
        }
        let folder = &self.folder.path;
        let path = match name.strip_prefix("../") {
            Some(name) => folder.parent().ok_or_else(not_found)?.join_text(name),
            None => folder.join_text(name),
        };
        Ok(self.folder.root.files.open_file(&path)?.file)
    }
}

/// The folders and sidecars of an indexed file, as a run gives them to its plugin. Blocks.
///
/// # Errors
/// The root or the folder cannot be opened.
pub fn sidecars_of(plugins: &Plugins, media: &MediaFile) -> io::Result<Arc<dyn Sidecars>> {
    // Sidecars are found by kind and path; the rest is for runs.
    let directory = Directory {
        id: DirectoryId::from(0),
        kind: media.kind.clone(),
        path: media.root.clone(),
        available: media.available,
        last_seen_at: None,
        file_count: 0,
    };
    let files = MediaRoot::open(&directory.path)?;
    let extractors = KindExtractors::of(plugins, &directory.kind);
    let root = Arc::new(ScanRoot::new(directory, files, extractors, Vec::new())?);
    Ok(Arc::new(FileSidecars::of(&root, &media.path)?))
}

/// Lists the sidecars of a directory outside of a walk.
pub(super) fn list(root: &Arc<ScanRoot>, path: &RelativePath) -> io::Result<FolderSidecars> {
    let mut media = Vec::new();
    let mut related = Vec::new();
    let mut subtitles = Vec::new();
    root.files.read_dir(
        path,
        |name| !is_ignored(name),
        |name, entry| {
            let name = name_to_text(name);
            if entry.is_directory {
                if holds_subtitles(&name) {
                    subtitles.push(name);
                }
            } else if root.is_sidecar(&name) {
                related.push(SidecarFile {
                    name,
                    size: entry.size,
                    mtime_ns: entry.mtime_ns,
                });
            } else if root.is_media(&name) {
                media.push(name);
            }
            ControlFlow::Continue(())
        },
    )?;
    for folder in subtitles {
        related.extend(list_sidecars(
            root,
            &path.join_text(&folder),
            &format!("{folder}/"),
        )?);
    }
    if let Some(above) = path.parent() {
        let mut names = Vec::new();
        root.files.read_dir(
            &above,
            |name| !is_ignored(name),
            |name, entry| {
                let name = name_to_text(name);
                if !entry.is_directory && root.is_media(&name) {
                    names.push(name);
                }
                ControlFlow::Continue(())
            },
        )?;
        let sidecars = list_sidecars(root, &above, "")?;
        let above = FolderSidecars::new(
            Arc::clone(root),
            above,
            names.iter().map(String::as_str),
            sidecars,
        );
        related.extend(above.common().into_iter().map(from_parent_directory));
    }
    let names = media.iter().map(String::as_str);
    Ok(FolderSidecars::new(
        Arc::clone(root),
        path.clone(),
        names,
        related,
    ))
}

/// The path of a sidecar relative to a subdirectory.
pub(super) fn from_parent_directory(file: SidecarFile) -> SidecarFile {
    SidecarFile {
        name: format!("../{}", file.name),
        ..file
    }
}

/// Lists the sidecars in a directory; `prefix` precedes their names.
pub(super) fn list_sidecars(
    root: &ScanRoot,
    path: &RelativePath,
    prefix: &str,
) -> io::Result<Vec<SidecarFile>> {
    let mut related = Vec::new();
    root.files.read_dir(
        path,
        |name| !is_ignored(name),
        |name, entry| {
            let name = name_to_text(name);
            if !entry.is_directory && root.is_sidecar(&name) {
                let name = format!("{prefix}{name}");
                related.push(SidecarFile {
                    name,
                    size: entry.size,
                    mtime_ns: entry.mtime_ns,
                });
            }
            ControlFlow::Continue(())
        },
    )?;
    Ok(related)
}

impl ScanRoot {
    /// Whether a file of this name is a sidecar.
    pub(super) fn is_sidecar(&self, name: &str) -> bool {
        !self.related.is_empty() && self.related.contains(&*extension(name))
    }

    /// Whether a plugin reads files of this name.
    pub(super) fn is_media(&self, name: &str) -> bool {
        self.extractors.contains_key(&*extension(name))
    }
}
