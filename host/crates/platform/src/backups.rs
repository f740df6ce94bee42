//! Backups in the data directory: each is a directory with the database, the keys and the instance id. Incomplete
//! backups have a different name.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::data_dir::DataDir;
use svc_domain::time::Timestamp;

/// File name of the database, as in a data directory.
const DATABASE: &str = "svc.db";
/// Name of the directory of an incomplete backup.
const DRAFT: &str = "unfinished";

/// The directory that contains the backups.
#[derive(Debug)]
pub struct Backups {
    path: PathBuf,
}

/// An incomplete backup.
#[derive(Debug)]
pub struct UnfinishedBackup {
    backups: PathBuf,
    path: PathBuf,
    database: PathBuf,
    name: String,
}

/// A complete backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedBackup {
    /// Name of its directory.
    pub name: String,
    /// Total size of its files.
    pub bytes: u64,
}

fn make_private(path: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(path)
}

fn new_private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
}

/// Copies a file readable only by its owner and syncs the copy to disk.
fn copy_private(from: &Path, to: &Path) -> io::Result<u64> {
    let mut copy = new_private_file(to)?;
    let bytes = io::copy(&mut File::open(from)?, &mut copy)?;
    copy.sync_all()?;
    Ok(bytes)
}

fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

impl Backups {
    /// The backups of a data directory.
    ///
    /// # Errors
    /// Their directory cannot be created.
    pub fn open(data_dir: &DataDir) -> io::Result<Self> {
        let path = data_dir.backups().map_err(io::Error::other)?;
        Ok(Self { path })
    }

    /// Starts a backup with an empty file for the database. Removes the remains of an earlier incomplete one.
    ///
    /// # Errors
    /// The file system's.
    pub fn begin(&self, now: Timestamp) -> io::Result<UnfinishedBackup> {
        let path = self.path.join(DRAFT);
        match std::fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        make_private(&path)?;
        let database = path.join(DATABASE);
        new_private_file(&database)?;
        Ok(UnfinishedBackup {
            backups: self.path.clone(),
            path,
            database,
            // Without colons, which some file systems do not allow.
            name: now.to_iso().replace(':', "-"),
        })
    }

    /// Names of the complete backups, oldest first.
    ///
    /// # Errors
    /// The file system's.
    pub fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            let name = entry?.file_name();
            // Any other directory is not from this server.
            if let Some(name) = name.to_str().filter(|name| is_backup(name)) {
                names.push(name.to_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Removes the oldest backups until `keep` are left.
    ///
    /// # Errors
    /// The file system's.
    pub fn prune(&self, keep: usize) -> io::Result<()> {
        let names = self.list()?;
        let surplus = names.len().saturating_sub(keep.max(1));
        for name in names.iter().take(surplus) {
            std::fs::remove_dir_all(self.path.join(name))?;
        }
        Ok(())
    }
}

/// Whether a name is a timestamp as [`Backups::begin`] formats it: `2026-11-21T16-02-03.456Z`.
fn is_backup(name: &str) -> bool {
    let pattern = "0000-00-00T00-00-00.000Z";
    name.len() == pattern.len()
        && name
            .chars()
            .zip(pattern.chars())
            .all(|(letter, wanted)| match wanted {
                '0' => letter.is_ascii_digit(),
                _ => letter == wanted,
            })
}

impl UnfinishedBackup {
    /// The empty file to copy the database to.
    pub fn database(&self) -> &Path {
        &self.database
    }

    /// Copies keys and instance id and completes the backup. All files are synced before the directory gets its final
    /// name.
    ///
    /// # Errors
    /// The file system's.
    pub fn finish(self, data_dir: &DataDir) -> io::Result<FinishedBackup> {
        let database = File::open(&self.database)?;
        database.sync_all()?;
        let mut bytes = database.metadata()?.len();
        let keys = self.path.join("keys");
        make_private(&keys)?;
        for entry in std::fs::read_dir(data_dir.keys().map_err(io::Error::other)?)? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                bytes += copy_private(&entry.path(), &keys.join(entry.file_name()))?;
            }
        }
        let marker = data_dir.instance_marker_file();
        bytes += copy_private(&marker, &self.path.join(marker.file_name().unwrap_or_default()))?;
        sync_directory(&keys)?;
        sync_directory(&self.path)?;
        std::fs::rename(&self.path, self.backups.join(&self.name))?;
        sync_directory(&self.backups)?;
        Ok(FinishedBackup {
            name: self.name,
            bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn backup_is_private_and_complete_and_oldest_are_pruned() {
        let dir = tempfile::tempdir().unwrap();
        let data = DataDir::open(dir.path()).unwrap();
        data.set_instance_marker(&["abc"]).unwrap();
        std::fs::write(data.keys().unwrap().join("signing.key"), b"secret").unwrap();
        let backups = Backups::open(&data).unwrap();
        // A directory of another origin, and one that a crash left incomplete.
        std::fs::create_dir_all(dir.path().join("backups/mine")).unwrap();
        drop(backups.begin(Timestamp::from_millis(5)).unwrap());
        assert!(backups.list().unwrap().is_empty());
        for second in 0..3 {
            let draft = backups.begin(Timestamp::from_millis(second * 1000)).unwrap();
            std::fs::write(draft.database(), b"rows").unwrap();
            let done = draft.finish(&data).unwrap();
            assert_eq!(done.bytes, 4 + 6 + 4);
            backups.prune(2).unwrap();
        }
        let names = ["1970-01-01T00-00-01.000Z", "1970-01-01T00-00-02.000Z"];
        assert_eq!(backups.list().unwrap(), names);
        let last = dir.path().join("backups").join(names[1]);
        for (file, content) in [
            ("svc.db", "rows"),
            ("keys/signing.key", "secret"),
            ("instance-id", "abc\n"),
        ] {
            let file = last.join(file);
            assert_eq!(std::fs::read_to_string(&file).unwrap(), content);
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        }
        for directory in [dir.path().join("backups"), last.clone(), last.join("keys")] {
            assert_eq!(directory.metadata().unwrap().permissions().mode() & 0o777, 0o700);
        }
        assert!(dir.path().join("backups/mine").is_dir());
        assert!(!dir.path().join("backups/unfinished").exists());
    }
}
