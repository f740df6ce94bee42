//! Opens media files below their root: read only, regular files only, and never outside of the root.

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

/// An opened root directory of media.
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

/// An entry of a directory: a directory or a regular file, or a link to one below the same root.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// A directory, not a file.
    pub is_directory: bool,
    /// Bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970.
    pub mtime_ns: i64,
}

/// For reading, and opening a fifo must not wait for a writer. NONBLOCK changes nothing for regular files.
const READ: OFlags = OFlags::RDONLY
    .union(OFlags::CLOEXEC)
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY);
/// For looking only: nothing happens to what is opened.
const LOOK: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);

impl MediaRoot {
    /// Opens the directory at `path`.
    ///
    /// # Errors
    /// As the system reports them, such as not found or not a directory.
    pub fn open(path: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self {
            directory: rustix::fs::openat(CWD, path, flags, Mode::empty())?,
            path: path.to_owned(),
        })
    }

    /// Opens the file at `relative`, following symbolic links only while they stay below the root.
    ///
    /// # Errors
    /// As the system reports them; a link that leaves the root is `PermissionDenied`, and so is anything that is not
    /// a regular file.
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

    /// Whether there is anything at `relative`, links followed as far as they stay below the root.
    pub fn has(&self, relative: &RelativePath) -> bool {
        self.open_inside(relative, LOOK).is_ok()
    }

    /// Calls `each` for the entries of the directory at `relative` whose names are `wanted`, in no order, until it
    /// breaks. Left out are links that leave the root, lead nowhere, or lead back up; fifos, sockets and devices.
    ///
    /// # Errors
    /// As the system reports them; a link that leaves the root is `PermissionDenied`.
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
            // Gone since, or a link that is not to be followed: as if it had not been listed.
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

    /// What an entry of an opened directory is, or what it links to.
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
                    return Err(io::Error::other("a link to a directory above it"));
                }
            }
        }
        Ok(target)
    }

    /// Opens what is at `relative`, following symbolic links only while they stay below the root.
    fn open_inside(&self, relative: &RelativePath, flags: OFlags) -> io::Result<OwnedFd> {
        if relative.as_str().is_empty() && flags != READ {
            return self.directory.try_clone();
        }
        match self.open_beneath(&relative.to_os(), flags) {
            // An absolute link is refused as a whole, even one that points back below the root.
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
                // The kernel asks to try again when a rename elsewhere raced with the lookup.
                Err(rustix::io::Errno::AGAIN) => {}
                // Kernels before 5.6, and sandboxes that filter the call.
                Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {
                    return self.open_stepwise(path, flags);
                }
                other => return other,
            }
        }
    }

    /// One component after the other, following no link at all.
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

    /// Where `relative` really is, below the root. A path that leaves the root on its way is refused as well, though
    /// it may lead back: it would tell what lies outside.
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
