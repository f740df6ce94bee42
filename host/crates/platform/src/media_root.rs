//! Opens media files below their root: read-only, regular files only, never outside of the root.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use cap_std::fs::{Dir, Metadata, MetadataExt as _, OpenOptions, OpenOptionsExt as _};
use rustix::fs::OFlags;

use svc_domain::path::RelativePath;

/// An opened root of media.
#[derive(Debug)]
pub struct MediaRoot {
    directory: Dir,
    path: PathBuf,
}

/// A media file, opened for reading.
#[derive(Debug)]
pub struct OpenedFile {
    /// The file.
    pub file: File,
    /// Bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
}

/// A directory entry: a directory or regular file, or a link to one below the same root.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// False for a file.
    pub is_directory: bool,
    /// In bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
}

impl Entry {
    fn of(metadata: &Metadata) -> Self {
        Self {
            is_directory: metadata.is_dir(),
            size: metadata.len(),
            mtime_ns: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
        }
    }
}

impl MediaRoot {
    /// Opens the root at `path`.
    ///
    /// # Errors
    /// The system's, such as not found or not a directory.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            directory: Dir::open_ambient_dir(path, cap_std::ambient_authority())?,
            path: path.to_owned(),
        })
    }

    /// Opens the file at `relative`. Follows symbolic links only while they stay below the root.
    ///
    /// # Errors
    /// The system's; `PermissionDenied` for a link that leaves the root and for anything but a regular file.
    pub fn open_file(&self, relative: &RelativePath) -> io::Result<OpenedFile> {
        let mut options = OpenOptions::new();
        // With NONBLOCK, opening a FIFO does not wait for a writer; it does not affect regular files.
        let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
        options.read(true).custom_flags(flags.bits().cast_signed());
        let file = self
            .inside(relative, |root, path| root.open_with(path, &options))?
            .into_std();
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "not a regular file",
            ));
        }
        Ok(OpenedFile {
            size: metadata.len(),
            mtime_ns: mtime_ns(&metadata),
            file,
        })
    }

    /// Whether `relative` exists. Follows symbolic links only while they stay below the root.
    pub fn has(&self, relative: &RelativePath) -> bool {
        self.metadata(relative).is_ok()
    }

    /// Size and time of the file or directory at `relative`. Follows symbolic links only while they stay below the root.
    ///
    /// # Errors
    /// The system's; `PermissionDenied` for a link that leaves the root.
    pub fn entry(&self, relative: &RelativePath) -> io::Result<Entry> {
        self.metadata(relative).map(|metadata| Entry::of(&metadata))
    }

    /// Calls `each` for the entries of the directory at `relative` whose names are `wanted`, in no order, until it
    /// breaks. Skips links that leave the root, dangle, or point to a parent directory; FIFOs, sockets and devices.
    ///
    /// # Errors
    /// The system's; `PermissionDenied` for a link that leaves the root.
    pub fn read_dir(
        &self,
        relative: &RelativePath,
        wanted: impl Fn(&OsStr) -> bool,
        mut each: impl FnMut(&OsStr, Entry) -> ControlFlow<()>,
    ) -> io::Result<()> {
        for entry in self.inside(relative, |root, path| root.read_dir(path))? {
            let entry = entry?;
            let name = entry.file_name();
            if !wanted(&name) {
                continue;
            }
            // Removed in the meantime, or a link that is not followed: skipped.
            let metadata = entry.metadata();
            let Ok(metadata) = metadata.and_then(|metadata| self.follow(metadata, relative, &name)) else {
                continue;
            };
            if !metadata.is_dir() && !metadata.is_file() {
                continue;
            }
            if each(&name, Entry::of(&metadata)).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Metadata of the entry `name` of the directory at `path`, or of the target of a link.
    fn follow(&self, entry: Metadata, path: &RelativePath, name: &OsStr) -> io::Result<Metadata> {
        if !entry.is_symlink() {
            return Ok(entry);
        }
        let target = self.metadata(&path.join(name))?;
        if target.is_dir() {
            let identity = |metadata: &Metadata| (metadata.dev(), metadata.ino());
            for above in std::iter::successors(Some(path.clone()), RelativePath::parent) {
                if identity(&self.metadata(&above)?) == identity(&target) {
                    return Err(io::Error::other("a link to a parent directory"));
                }
            }
        }
        Ok(target)
    }

    fn metadata(&self, relative: &RelativePath) -> io::Result<Metadata> {
        self.inside(relative, |root, path| root.metadata(path))
    }

    /// Calls `open` with the path below the root. `Dir` rejects every absolute link, even one that points below the
    /// root: `open` is then called again with the resolved path.
    fn inside<T>(
        &self,
        relative: &RelativePath,
        open: impl Fn(&Dir, &Path) -> io::Result<T>,
    ) -> io::Result<T> {
        let or_root = |path: PathBuf| {
            if path.as_os_str().is_empty() {
                ".".into()
            } else {
                path
            }
        };
        match open(&self.directory, &or_root(relative.to_os())) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                open(&self.directory, &or_root(self.resolve(relative)?))
            }
            other => other,
        }
    }

    /// The real path of `relative`, below the root. A path that leaves the root on its way is rejected even if it
    /// leads back: it would reveal what exists outside.
    fn resolve(&self, relative: &RelativePath) -> io::Result<PathBuf> {
        let root = self.path.canonicalize()?;
        let outside = || io::Error::new(io::ErrorKind::PermissionDenied, "a link that leaves the root");
        let mut above = relative.parent();
        while let Some(path) = above.filter(|path| *path != RelativePath::root()) {
            if !path.below(&self.path).canonicalize()?.starts_with(&root) {
                return Err(outside());
            }
            above = path.parent();
        }
        let target = relative.below(&self.path).canonicalize()?;
        target
            .strip_prefix(&root)
            .map(Path::to_owned)
            .map_err(|_| outside())
    }
}

/// The modification time in nanoseconds since 1970.
pub fn mtime_ns(metadata: &fs::Metadata) -> i64 {
    nanoseconds(metadata.mtime(), metadata.mtime_nsec())
}

fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}

#[cfg(test)]
#[path = "media_root_tests.rs"]
mod tests;
