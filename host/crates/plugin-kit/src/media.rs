//! Media files of the author: opened for reading only, with their folder's sidecars.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use svc_domain::path::extension;
use svc_plugin_host::{Manifest, Sidecars, SourceBytes, SourceFile};

use crate::error::KitError;

/// A media file.
#[derive(Debug, Clone)]
pub(crate) struct Media {
    pub(crate) path: PathBuf,
    /// Without its folders.
    pub(crate) name: String,
    /// In bytes.
    pub(crate) size: u64,
    pub(crate) bytes: Arc<dyn SourceBytes>,
    sidecars: Arc<dyn Sidecars>,
}

impl Media {
    /// Opens a file. Folders are those between `root` and the file.
    pub(crate) fn open(path: &Path, root: &Path, manifest: &Manifest) -> Result<Self, KitError> {
        let file = File::open(path).map_err(KitError::file(path))?;
        let metadata = file.metadata().map_err(KitError::file(path))?;
        if !metadata.is_file() {
            return Err(KitError::Argument {
                what: format!("{} is not a file", path.display()),
                next: "name media files, not folders".to_owned(),
            });
        }
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let sidecars = Siblings::of(path, root, manifest);
        Ok(Self {
            path: path.to_owned(),
            name,
            size: metadata.len(),
            bytes: Arc::new(OpenFile(file)),
            sidecars: Arc::new(sidecars),
        })
    }

    /// Bytes that are not a file, under a file name.
    pub(crate) fn in_memory(name: &str, bytes: Vec<u8>) -> Self {
        Self {
            path: PathBuf::from(name),
            name: name.to_owned(),
            size: bytes.len() as u64,
            bytes: Arc::new(Memory(bytes)),
            sidecars: Arc::new(Siblings::default()),
        }
    }

    /// As a source for a plugin.
    pub(crate) fn source(&self) -> Arc<SourceFile> {
        self.source_of(Arc::clone(&self.bytes), self.size)
    }

    /// As a source with other bytes.
    pub(crate) fn source_of(&self, bytes: Arc<dyn SourceBytes>, size: u64) -> Arc<SourceFile> {
        let source = SourceFile::provided(bytes, self.name.clone(), size);
        Arc::new(source.with_sidecars(Arc::clone(&self.sidecars)))
    }
}

struct OpenFile(File);

impl fmt::Debug for OpenFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OpenFile")
    }
}

impl SourceBytes for OpenFile {
    fn read_at(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        let mut filled = 0;
        while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.0.read_at(rest, offset.saturating_add(filled as u64)) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        bytes.truncate(filled);
        Ok(bytes)
    }
}

#[derive(Debug)]
struct Memory(Vec<u8>);

impl SourceBytes for Memory {
    fn read_at(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.0.len());
        let end = start.saturating_add(length).min(self.0.len());
        Ok(self.0.get(start..end).unwrap_or_default().to_vec())
    }
}

/// The files beside a media file, with an extension that the manifest lists as `related`.
#[derive(Debug, Default)]
struct Siblings {
    folders: Vec<String>,
    files: Vec<(String, u64)>,
    folder: PathBuf,
}

impl Siblings {
    fn of(path: &Path, root: &Path, manifest: &Manifest) -> Self {
        let folder = path.parent().unwrap_or(Path::new(""));
        let below = folder.strip_prefix(root).unwrap_or(Path::new(""));
        let folders = below
            .components()
            .map(|part| part.as_os_str().to_string_lossy().into_owned());
        let related: Vec<&String> = manifest.kinds.iter().flat_map(|kind| &kind.related).collect();
        let listed = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let entries = fs::read_dir(listed).into_iter().flatten().flatten();
        let mut files: Vec<(String, u64)> = entries
            .filter(|entry| Some(entry.file_name().as_os_str()) != path.file_name())
            .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.metadata().ok()?)))
            .filter(|(name, metadata)| {
                metadata.is_file() && related.iter().any(|known| **known == extension(name))
            })
            .map(|(name, metadata)| (name, metadata.len()))
            .collect();
        let stem = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        files.sort_by_key(|(name, _)| (!name.starts_with(&stem), name.clone()));
        Self {
            folders: folders.collect(),
            files,
            folder: folder.to_owned(),
        }
    }
}

impl Sidecars for Siblings {
    fn folders(&self) -> Vec<String> {
        self.folders.clone()
    }

    fn files(&self) -> Vec<(String, u64)> {
        self.files.clone()
    }

    fn open(&self, name: &str) -> io::Result<File> {
        let is_listed = self.files.iter().any(|(known, _)| known == name);
        if !is_listed {
            return Err(io::Error::from(io::ErrorKind::NotFound));
        }
        File::open(self.folder.join(name))
    }
}
