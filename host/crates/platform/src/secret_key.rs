//! A secret of the server: a file of 32 random bytes that nobody else may read. One signs access tokens, one
//! authenticates compiled plugins. They lie beside the database, not in it, so that a copy of it forges nothing.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest, Sha256};

use crate::random::Random;

const LENGTH: usize = 32;

/// Why there is no key. The server must not start then.
#[derive(Debug, thiserror::Error)]
pub enum SecretKeyError {
    /// The file cannot be made or read.
    #[error("secret key {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The file has another length.
    #[error("secret key {}: {length} bytes instead of {LENGTH}; restore it, or delete it to sign everyone out", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// The length it has.
        length: usize,
    },
    /// Others may read or write the file.
    #[error("secret key {}: mode {mode:o} allows access by others; run `chmod 600`", path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
}

/// The key.
#[derive(Clone)]
pub struct SecretKey([u8; LENGTH]);

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SecretKey({})", self.id())
    }
}

impl SecretKey {
    /// The key in the file `path`; makes both if there is no file.
    ///
    /// # Errors
    /// If the file cannot be made or read, is of another length, or is open to others.
    pub fn load_or_create(path: &Path, random: &dyn Random) -> Result<Self, SecretKeyError> {
        let failed = |source| SecretKeyError::Io {
            path: path.to_owned(),
            source,
        };
        match Self::load(path) {
            Err(SecretKeyError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => {}
            loaded => return loaded,
        }
        let mut key = [0; LENGTH];
        random.fill(&mut key).map_err(failed)?;
        match create(path, &key) {
            // Another process was faster; its key counts.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Self::load(path),
            outcome => outcome.map(|()| Self(key)).map_err(failed),
        }
    }

    /// Makes a new key in place of the one in the file: what the old one signed counts no more.
    ///
    /// # Errors
    /// If the file cannot be made; the old key is untouched then.
    pub fn replace(path: &Path, random: &dyn Random) -> Result<Self, SecretKeyError> {
        let failed = |source| SecretKeyError::Io {
            path: path.to_owned(),
            source,
        };
        let mut key = [0; LENGTH];
        random.fill(&mut key).map_err(failed)?;
        let mut next = path.as_os_str().to_owned();
        next.push(".next");
        let next = PathBuf::from(next);
        // One that a crash left behind.
        let _ = std::fs::remove_file(&next);
        create(&next, &key)
            .and_then(|()| std::fs::rename(&next, path))
            .and_then(|()| File::open(directory_of(path))?.sync_all())
            .map_err(failed)?;
        Ok(Self(key))
    }

    fn load(path: &Path) -> Result<Self, SecretKeyError> {
        let failed = |source| SecretKeyError::Io {
            path: path.to_owned(),
            source,
        };
        let file = OpenOptions::new()
            .read(true)
            .custom_flags(nofollow())
            .open(path)
            .map_err(failed)?;
        let mode = file.metadata().map_err(failed)?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(SecretKeyError::Exposed {
                path: path.to_owned(),
                mode,
            });
        }
        let mut bytes = Vec::with_capacity(LENGTH);
        file.take(LENGTH as u64 + 1)
            .read_to_end(&mut bytes)
            .map_err(failed)?;
        let length = bytes.len();
        bytes.try_into().map(Self).map_err(|_| SecretKeyError::Length {
            path: path.to_owned(),
            length,
        })
    }

    /// The key of these bytes.
    pub fn from_bytes(bytes: [u8; LENGTH]) -> Self {
        Self(bytes)
    }

    /// A key for one purpose, from which this one cannot be found.
    pub fn derive(&self, purpose: &str) -> [u8; LENGTH] {
        Hmac::<Sha256>::new_from_slice(&self.0)
            .map(|mac| mac.chain_update(purpose).finalize().into_bytes().into())
            .unwrap_or(self.0)
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8; LENGTH] {
        &self.0
    }

    /// The name under which tokens refer to it: the first 8 bytes of its SHA-256, in hexadecimal.
    pub fn id(&self) -> String {
        HEXLOWER.encode(Sha256::digest(self.0).get(..8).unwrap_or_default())
    }
}

fn directory_of(path: &Path) -> &Path {
    path.parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

fn nofollow() -> i32 {
    i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or(0)
}

/// Written whole under another name and only then linked to its own, so that a crash leaves no half of a key.
fn create(path: &Path, key: &[u8; LENGTH]) -> io::Result<()> {
    let directory = directory_of(path);
    let mut name = path.as_os_str().to_owned();
    // Named after the key: two that are made at once do not meet.
    name.push(format!(".{}.new", SecretKey(*key).id()));
    let draft = PathBuf::from(name);
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&draft)
        .and_then(|mut file| {
            file.write_all(key)?;
            file.sync_all()?;
            std::fs::hard_link(&draft, path)
        });
    // The draft goes in any case; if it cannot go, it is as well protected as the key.
    let _ = std::fs::remove_file(&draft);
    written?;
    File::open(directory)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SystemRandom;

    #[test]
    fn secret_key_is_made_once_and_kept() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("signing.key");
        let first = SecretKey::load_or_create(&path, &SystemRandom).unwrap();
        let second = SecretKey::load_or_create(&path, &SystemRandom).unwrap();
        assert_eq!(first.0, second.0);
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
        assert_eq!(first.id().len(), 16);
    }

    #[test]
    fn secret_key_of_other_length_or_open_to_others_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("signing.key");
        for length in [0, 31, 33, 4096] {
            std::fs::write(&path, vec![1; length]).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
            let refused = SecretKey::load_or_create(&path, &SystemRandom).unwrap_err();
            assert!(matches!(refused, SecretKeyError::Length { .. }), "{length}");
        }
        std::fs::write(&path, [1; 32]).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        let refused = SecretKey::load_or_create(&path, &SystemRandom).unwrap_err();
        assert!(matches!(refused, SecretKeyError::Exposed { mode: 0o640, .. }));
    }

    #[test]
    fn secret_key_in_a_missing_directory_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("absent/signing.key");
        assert!(SecretKey::load_or_create(&path, &SystemRandom).is_err());
    }

    #[test]
    fn parallel_starts_agree_on_one_key() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("signing.key");
        let keys: Vec<_> = std::thread::scope(|scope| {
            let starts: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| SecretKey::load_or_create(&path, &SystemRandom)))
                .collect();
            starts
                .into_iter()
                .filter_map(|start| start.join().unwrap().ok())
                .map(|key| key.0)
                .collect()
        });
        assert!(!keys.is_empty() && keys.iter().all(|key| *key == keys[0]));
    }
}
