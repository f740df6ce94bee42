//! Opens media files below their root: read-only, regular files only, never outside of the root.

use std::ffi::OsStr;
use std::fs::{File, Metadata};
use std::io;
use std::ops::ControlFlow;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};

use svc_domain::path::RelativePath;

/// An opened root of media.
#[derive(Debug)]
pub struct MediaRoot {
    directory: OwnedFd,
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

/// For reading. With NONBLOCK, opening a FIFO does not wait for a writer; it does not affect regular files.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);
/// For metadata only: has no effect on what is opened.
const LOOK: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

impl MediaRoot {
    /// Opens the root at `path`.
    ///
    /// # Errors
    /// The system's, such as not found or not a directory.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self {
            directory: rustix::fs::openat(CWD, path, flags, Mode::empty())?,
            path: path.to_owned(),
        })
    }

    /// Opens the file at `relative`. Follows symbolic links only while they stay below the root.
    ///
    /// # Errors
    /// The system's; `PermissionDenied` for a link that leaves the root and for anything but a regular file.
    pub fn open_file(&self, relative: &RelativePath) -> io::Result<OpenedFile> {
        let fd = self.open_inside(relative, READ)?;
        let file = File::from(fd);
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
        self.open_inside(relative, LOOK).is_ok()
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
        let directory = self.open_inside(relative, READ | OFlags::DIRECTORY)?;
        for entry in rustix::fs::Dir::read_from(&directory)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." || !wanted(name) {
                continue;
            }
            // Removed in the meantime, or a link that is not followed: skipped.
            let Ok(metadata) = self.look(&directory, relative, name) else {
                continue;
            };
            if !metadata.is_dir() && !metadata.is_file() {
                continue;
            }
            let entry = Entry {
                is_directory: metadata.is_dir(),
                size: metadata.len(),
                mtime_ns: mtime_ns(&metadata),
            };
            if each(name, entry).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// Metadata of a directory entry, or of the target of a link.
    fn look(&self, directory: &OwnedFd, path: &RelativePath, name: &OsStr) -> io::Result<Metadata> {
        let entry = rustix::fs::openat(directory, name, LOOK | OFlags::NOFOLLOW, Mode::empty())?;
        let metadata = File::from(entry).metadata()?;
        if !metadata.is_symlink() {
            return Ok(metadata);
        }
        let target = File::from(self.open_inside(&path.join(name), LOOK)?).metadata()?;
        if target.is_dir() {
            let identity = |metadata: &Metadata| (metadata.dev(), metadata.ino());
            for above in std::iter::successors(Some(path.clone()), RelativePath::parent) {
                let above = File::from(self.open_inside(&above, LOOK)?).metadata()?;
                if identity(&above) == identity(&target) {
                    return Err(io::Error::other("a link to a parent directory"));
                }
            }
        }
        Ok(target)
    }

    /// Opens `relative`. Follows symbolic links only while they stay below the root.
    fn open_inside(&self, relative: &RelativePath, flags: OFlags) -> io::Result<OwnedFd> {
        if relative.as_str().is_empty() && flags != READ {
            return self.directory.try_clone();
        }
        match self.open_beneath(&relative.to_os(), flags) {
            // `BENEATH` rejects every absolute link, even one that points below the root.
            Err(rustix::io::Errno::XDEV) => {
                let target = self.resolve(relative)?;
                if target.as_os_str().is_empty() {
                    return self.directory.try_clone();
                }
                Ok(self.open_beneath(&target, flags)?)
            }
            other => Ok(other?),
        }
    }

    fn open_beneath(&self, path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        loop {
            match rustix::fs::openat2(&self.directory, path, flags, Mode::empty(), resolve) {
                // The kernel requests a retry when a rename raced with the lookup.
                Err(rustix::io::Errno::AGAIN) => {}
                // Kernels before 5.6, and sandboxes that filter the call.
                Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {
                    return self.open_stepwise(path, flags);
                }
                other => return other,
            }
        }
    }

    /// Opens one component after the other without following links.
    fn open_stepwise(&self, path: &Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        let mut parent = self.directory.try_clone().map_err(|_| rustix::io::Errno::MFILE)?;
        let mut names = path.components().peekable();
        while let Some(name) = names.next() {
            let last = names.peek().is_none();
            let flags = if last { flags } else { LOOK | OFlags::DIRECTORY };
            let std::path::Component::Normal(name) = name else {
                return Err(rustix::io::Errno::XDEV);
            };
            parent = rustix::fs::openat(&parent, name, flags | OFlags::NOFOLLOW, Mode::empty())?;
        }
        Ok(parent)
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
pub fn mtime_ns(metadata: &Metadata) -> i64 {
    metadata
        .mtime()
        .saturating_mul(1_000_000_000)
        .saturating_add(metadata.mtime_nsec())
}

#[cfg(test)]
#[path = "media_root_tests.rs"]
mod tests;
