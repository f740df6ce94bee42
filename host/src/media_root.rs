//! Opens media files below their root: read only, regular files only, and never outside of the root.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};

use crate::domain::path::RelativePath;

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
        let fd = match self.open_beneath(&relative.to_os()) {
            // An absolute link is refused as a whole, even one that points back below the root.
            Err(rustix::io::Errno::XDEV) => self.open_beneath(&self.resolve(relative)?)?,
            other => other?,
        };
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

    fn open_beneath(&self, path: &Path) -> rustix::io::Result<OwnedFd> {
        // NONBLOCK: opening a fifo must not wait for a writer. It changes nothing for regular files.
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        loop {
            match rustix::fs::openat2(&self.directory, path, flags, Mode::empty(), resolve) {
                // The kernel asks to try again when a rename elsewhere raced with the lookup.
                Err(rustix::io::Errno::AGAIN) => {}
                // Kernels before 5.6, and sandboxes that filter the call.
                Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => return self.open_stepwise(path),
                other => return other,
            }
        }
    }

    /// One component after the other, following no link at all.
    fn open_stepwise(&self, path: &Path) -> rustix::io::Result<OwnedFd> {
        let mut parent = self.directory.try_clone().map_err(|_| rustix::io::Errno::MFILE)?;
        let mut names = path.components().peekable();
        while let Some(name) = names.next() {
            let last = names.peek().is_none();
            let kind = if last {
                OFlags::NONBLOCK | OFlags::NOCTTY
            } else {
                OFlags::DIRECTORY
            };
            let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | kind;
            let std::path::Component::Normal(name) = name else {
                return Err(rustix::io::Errno::XDEV);
            };
            parent = rustix::fs::openat(&parent, name, flags, Mode::empty())?;
        }
        Ok(parent)
    }

    /// Where `relative` really is, below the root.
    fn resolve(&self, relative: &RelativePath) -> io::Result<PathBuf> {
        let root = self.path.canonicalize()?;
        let target = relative.below(&self.path).canonicalize()?;
        target
            .strip_prefix(&root)
            .map(Path::to_owned)
            .map_err(|_| io::Error::new(io::ErrorKind::PermissionDenied, "a link that leaves the root"))
    }
}

/// The modification time in nanoseconds since 1970.
pub fn mtime_ns(metadata: &std::fs::Metadata) -> i64 {
    metadata
        .mtime()
        .saturating_mul(1_000_000_000)
        .saturating_add(metadata.mtime_nsec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn path(text: &str) -> RelativePath {
        RelativePath::from_stored(text.to_owned())
    }

    #[test]
    fn open_file_follows_links_inside_the_root_only() {
        let dir = tempfile::tempdir().unwrap();
        let root_path = dir.path().join("root");
        std::fs::create_dir_all(root_path.join("a")).unwrap();
        std::fs::write(root_path.join("a/song"), b"inside").unwrap();
        std::fs::write(dir.path().join("secret"), b"outside").unwrap();
        symlink("a/song", root_path.join("relative")).unwrap();
        symlink(root_path.join("a/song"), root_path.join("absolute")).unwrap();
        symlink("../secret", root_path.join("escape")).unwrap();
        symlink(dir.path(), root_path.join("up")).unwrap();
        symlink("loop", root_path.join("loop")).unwrap();

        let root = MediaRoot::open(&root_path).unwrap();
        for inside in ["a/song", "relative", "absolute"] {
            assert_eq!(root.open_file(&path(inside)).unwrap().size, 6, "{inside}");
        }
        for outside in ["escape", "up/secret", "../secret", "loop", "a", ""] {
            assert!(root.open_file(&path(outside)).is_err(), "{outside:?}");
        }
    }

    #[test]
    fn open_file_refuses_a_fifo_without_waiting() {
        let dir = tempfile::tempdir().unwrap();
        rustix::fs::mknodat(
            CWD,
            dir.path().join("pipe"),
            rustix::fs::FileType::Fifo,
            Mode::RWXU,
            0,
        )
        .unwrap();
        let root = MediaRoot::open(dir.path()).unwrap();
        assert!(root.open_file(&path("pipe")).is_err());
    }

    #[test]
    fn open_stepwise_opens_plain_paths_and_no_links() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("a")).unwrap();
        std::fs::write(dir.path().join("a/song"), b"x").unwrap();
        symlink("a", dir.path().join("link")).unwrap();
        let root = MediaRoot::open(dir.path()).unwrap();
        assert!(root.open_stepwise(Path::new("a/song")).is_ok());
        assert!(root.open_stepwise(Path::new("link/song")).is_err());
        assert!(root.open_stepwise(Path::new("../x")).is_err());
    }
}
