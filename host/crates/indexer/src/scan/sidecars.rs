//! What lies around the media files of one directory: the files beside them that plugins may read, and whose they are.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::scan::ignore_rules::is_ignored;
use crate::scan::roots::ScanRoot;
use svc_domain::path::{RelativePath, extension, name_to_text, stem};
use svc_plugin_host::Sidecars;

/// Directories below a film's own that hold its subtitles.
const SUBTITLE_FOLDERS: [&str; 3] = ["subs", "subtitles", "sub"];
/// Files beside that are kept of one directory: more are no sidecars.
const MAX_SIDECARS: usize = 20_000;

/// A file beside a media file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SidecarFile {
    /// As seen from the media file's directory: `movie.nfo`, `Subs/en.srt`, `../tvshow.nfo`.
    pub(super) name: String,
    pub(super) size: u64,
    pub(super) mtime_ns: i64,
}

/// Whether a directory of this name holds subtitles of the files beside it.
pub(super) fn holds_subtitles(name: &str) -> bool {
    SUBTITLE_FOLDERS.contains(&name.to_lowercase().as_str())
}

/// The surroundings of a directory's media files.
#[derive(Debug)]
pub(super) struct FolderSidecars {
    root: Arc<ScanRoot>,
    path: RelativePath,
    related: Vec<SidecarFile>,
    /// Places in `related` by the stem of the media file that they bear the name of.
    own: HashMap<String, Vec<usize>>,
    /// Places of those that bear nobody's name.
    common: Vec<usize>,
}

impl FolderSidecars {
    /// The surroundings of these media files, from the files beside them.
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
            // The longest stem that the name begins with, at the end of a word.
            let ends = name.match_indices(['.', '-', '_', ' ']).map(|(end, _)| end);
            let owner = ends.rev().find_map(|end| stems.get(name.get(..end)?));
            match owner {
                Some(owner) => self.own.entry((*owner).to_owned()).or_default().push(at),
                None => self.common.push(at),
            }
        }
    }

    /// What it takes to see a change of the files beside `name`; `None` if there are none.
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

    /// All files beside the media files, for the directory's own stamp.
    pub(super) fn related(&self) -> &[SidecarFile] {
        &self.related
    }

    /// Those that bear nobody's name: what directories below may look at.
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

/// The surroundings of one media file.
#[derive(Debug)]
pub(super) struct FileSidecars {
    pub(super) folder: Arc<FolderSidecars>,
    pub(super) name: String,
}

impl FileSidecars {
    /// The names of the files beside it.
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

/// Lists what lies around the media files of a directory, for a reading outside of the walk.
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
        related.extend(above.common().into_iter().map(from_above));
    }
    let names = media.iter().map(String::as_str);
    Ok(FolderSidecars::new(
        Arc::clone(root),
        path.clone(),
        names,
        related,
    ))
}

/// The same file as seen from a directory below.
pub(super) fn from_above(file: SidecarFile) -> SidecarFile {
    SidecarFile {
        name: format!("../{}", file.name),
        ..file
    }
}

/// The files of a directory that plugins may read beside media files, with `prefix` before their names.
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
    /// Whether plugins may read a file of this name beside a media file.
    pub(super) fn is_sidecar(&self, name: &str) -> bool {
        !self.related.is_empty() && self.related.contains(&*extension(name))
    }

    /// Whether a plugin reads files of this name.
    pub(super) fn is_media(&self, name: &str) -> bool {
        self.extractors.contains_key(&*extension(name))
    }
}
