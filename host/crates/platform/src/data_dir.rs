//! The data directory: its lock and its layout.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// File with the id of the installation.
const INSTANCE_MARKER: &str = "instance-id";

/// The data directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataDirError {
    /// Another process holds the lock.
    #[error("data directory {}: in use by another svc process", .0.display())]
    InUse(PathBuf),
    /// A file in it cannot be read or written.
    #[error("{}: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
}

/// The data directory, locked while this value exists.
#[derive(Debug)]
pub struct DataDir {
    path: PathBuf,
    _lock: File,
}

impl DataDir {
    /// Locks the directory for this process.
    ///
    /// # Errors
    /// In use, or not writable.
    pub fn open(path: &Path) -> Result<Self, DataDirError> {
        let lock_path = path.join("lock");
        let wrong = |error| DataDirError::File {
            path: lock_path.clone(),
            error,
        };
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&lock_path)
            .map_err(wrong)?;
        match lock.try_lock() {
            Ok(()) => Ok(Self {
                path: path.to_owned(),
                _lock: lock,
            }),
            Err(TryLockError::WouldBlock) => Err(DataDirError::InUse(path.to_owned())),
            Err(TryLockError::Error(error)) => Err(wrong(error)),
        }
    }

    /// Whether `path` contains the data of an installation. Does not lock it, so it works while a server is running.
    pub fn holds_installation(path: &Path) -> bool {
        path.join(INSTANCE_MARKER).is_file()
    }

    /// The directory of secret keys; readable by this user only; created if absent, as below.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn keys(&self) -> Result<PathBuf, DataDirError> {
        self.private_directory("keys")
    }

    /// The cache of compiled plugins.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn plugin_cache(&self) -> Result<PathBuf, DataDirError> {
        self.private_directory("plugin-cache")
    }

    /// A temporary file without a name, removed when it is closed.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn nameless_file(&self) -> io::Result<File> {
        tempfile::tempfile_in(&self.path)
    }

    /// The thumbnail cache; created with the first thumbnail.
    pub fn pictures(&self) -> PathBuf {
        self.path.join("pictures")
    }

    /// The waveform cache.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn waveform_cache(&self) -> Result<PathBuf, DataDirError> {
        self.private_directory("waveform-cache")
    }

    /// The directory of backups.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn backups(&self) -> Result<PathBuf, DataDirError> {
        self.private_directory("backups")
    }

    /// Path of the file that [`DataDir::instance_marker`] reads.
    pub fn instance_marker_file(&self) -> PathBuf {
        self.path.join(INSTANCE_MARKER)
    }

    fn private_directory(&self, name: &str) -> Result<PathBuf, DataDirError> {
        let path = self.path.join(name);
        match std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&path)
        {
            Ok(()) => Ok(path),
            Err(error) => Err(DataDirError::File { path, error }),
        }
    }

    /// The ids that the installation may have: one; two during a factory reset; none before the first start. Stored
    /// apart from the database, so that a lost database is detected instead of replaced by an empty one.
    ///
    /// # Errors
    /// The file exists but cannot be read.
    pub fn instance_marker(&self) -> Result<Vec<String>, DataDirError> {
        let path = self.path.join(INSTANCE_MARKER);
        match std::fs::read_to_string(&path) {
            Ok(text) => Ok(text.split_whitespace().map(str::to_owned).collect()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(DataDirError::File { path, error }),
        }
    }

    /// Stores the ids that the installation may have.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn set_instance_marker(&self, instance_ids: &[&str]) -> Result<(), DataDirError> {
        let path = self.path.join(INSTANCE_MARKER);
        let text = instance_ids.join("\n") + "\n";
        replace_file(&path, text.as_bytes()).map_err(|error| DataDirError::File { path, error })
    }

    /// Path of the key that signs access tokens.
    ///
    /// # Errors
    /// As [`DataDir::keys`].
    pub fn signing_key(&self) -> Result<PathBuf, DataDirError> {
        Ok(self.keys()?.join("signing.key"))
    }
}

/// Replaces a file atomically; content and name are synced to disk on return.
fn replace_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let draft = path.with_extension("new");
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(&draft)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&draft, path)?;
    match path.parent() {
        Some(parent) => File::open(parent)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn second_process_is_rejected() {
        let dir = tempfile::tempdir().unwrap();
        let held = DataDir::open(dir.path()).unwrap();
        assert!(matches!(DataDir::open(dir.path()), Err(DataDirError::InUse(_))));
        drop(held);
        assert!(DataDir::open(dir.path()).is_ok());
    }

    #[test]
    fn instance_marker_round_trips() {
        let dir = tempfile::tempdir().unwrap();
        let data = DataDir::open(dir.path()).unwrap();
        assert!(data.instance_marker().unwrap().is_empty());
        assert!(!DataDir::holds_installation(dir.path()));
        for ids in [&["abc"][..], &["abc", "def"], &["def"]] {
            data.set_instance_marker(ids).unwrap();
            assert!(DataDir::holds_installation(dir.path()));
            assert_eq!(data.instance_marker().unwrap(), ids);
        }
    }
}
