//! Backups in the data directory: each a folder with what a data directory needs, complete or not there at all.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::data_dir::DataDir;
use svc_domain::time::Timestamp;

/// The database in a backup, called as in a data directory.
const DATABASE: &str = "svc.db";
/// How the folder of a backup that is being made is called.
const DRAFT: &str = "unfinished";

/// The folder with the backups.
#[derive(Debug)]
pub struct Backups {
    path: PathBuf,
}

/// A backup that is being made.
#[derive(Debug)]
pub struct Draft {
    backups: PathBuf,
    path: PathBuf,
    database: PathBuf,
    name: String,
}

/// A backup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedBackup {
    /// Its folder.
    pub name: String,
    /// All it holds.
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

/// Copies a file so that only its owner can read it; on disk when this returns.
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
    /// Those of a data directory.
    ///
    /// # Errors
    /// When their folder cannot be made.
    pub fn open(data_dir: &DataDir) -> io::Result<Self> {
        let path = data_dir.backups().map_err(io::Error::other)?;
        Ok(Self { path })
    }

    /// Begins one, with an empty file for the database. What an earlier one left unfinished is removed.
    ///
    /// # Errors
    /// The disk's.
    pub fn begin(&self, now: Timestamp) -> io::Result<Draft> {
        let path = self.path.join(DRAFT);
        match std::fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        make_private(&path)?;
        let database = path.join(DATABASE);
        new_private_file(&database)?;
        Ok(Draft {
            backups: self.path.clone(),
            path,
            database,
            // No colons: some file systems that backups are copied to take none.
            name: now.to_iso().replace(':', "-"),
        })
    }

    /// The names of those that are complete, oldest first.
    ///
    /// # Errors
    /// The disk's.
    pub fn list(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in std::fs::read_dir(&self.path)? {
            let name = entry?.file_name();
            // Only what is called as a backup is: other things in there are somebody's.
            if let Some(name) = name.to_str().filter(|name| is_backup(name)) {
                names.push(name.to_owned());
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Removes the oldest, so that no more than `keep` are left.
    ///
    /// # Errors
    /// The disk's.
    pub fn prune(&self, keep: usize) -> io::Result<()> {
        let names = self.list()?;
        let surplus = names.len().saturating_sub(keep.max(1));
        for name in names.iter().take(surplus) {
            std::fs::remove_dir_all(self.path.join(name))?;
        }
        Ok(())
    }
}

/// Whether a name is a moment as [`Backups::begin`] writes it: `2026-11-21T16-02-03.456Z`.
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

impl Draft {
    /// The empty file that the database is to be copied to.
    pub fn database(&self) -> &Path {
        &self.database
    }

    /// Adds the keys and the installation's name, and makes it a backup: all of it is on disk before it has its name.
    ///
    /// # Errors
    /// The disk's.
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
    fn backup_is_private_whole_and_the_oldest_give_way() {
        let dir = tempfile::tempdir().unwrap();
        let data = DataDir::open(dir.path()).unwrap();
        data.set_instance_marker(&["abc"]).unwrap();
        std::fs::write(data.keys().unwrap().join("signing.key"), b"secret").unwrap();
        let backups = Backups::open(&data).unwrap();
        // Somebody else's, and one that a crash cut off.
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
