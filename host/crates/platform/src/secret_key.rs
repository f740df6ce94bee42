//! A secret key of the server: a file with 32 random bytes that only its owner can read. One key signs access tokens,
//! another authenticates compiled plugins. The keys are stored outside of the database, so that a copy of the
//! database is not enough to forge either.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest, Sha256};

use crate::random::Random;

const LENGTH: usize = 32;

/// Why the key cannot be used. The server must not start without it.
#[derive(Debug, thiserror::Error)]
pub enum SecretKeyError {
    /// The file cannot be created or read.
    #[error("secret key {}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file has the wrong length.
    #[error("secret key {}: {length} bytes instead of {LENGTH}; restore it, or delete it to sign everyone out", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Its length in bytes.
        length: usize,
    },
    /// Other users can read or write the file.
    #[error("secret key {}: mode {mode:o} allows access by others; run `chmod 600`", path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
}

/// A secret key. `Debug` prints only its id.
#[derive(Clone)]
pub struct SecretKey([u8; LENGTH]);

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SecretKey({})", self.id())
    }
}

impl SecretKey {
    /// Loads the key from `path`; creates file and key if there is none.
    ///
    /// # Errors
    /// The file cannot be created or read, has the wrong length, or is accessible to other users.
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
            // Another process created the file first; its key is used.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Self::load(path),
            outcome => outcome.map(|()| Self(key)).map_err(failed),
        }
    }

    /// Replaces the key in the file by a new one, which invalidates everything that the old one signed.
    ///
    /// # Errors
    /// The new file cannot be created; the old key is unchanged then.
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
        // Left by a crash.
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

    /// A key from its bytes.
    pub fn from_bytes(bytes: [u8; LENGTH]) -> Self {
        Self(bytes)
    }

    /// Derives a key for one purpose, which does not reveal this key.
    pub fn derive(&self, purpose: &str) -> [u8; LENGTH] {
        Hmac::<Sha256>::new_from_slice(&self.0)
            .map(|mac| mac.chain_update(purpose).finalize().into_bytes().into())
            .unwrap_or(self.0)
    }

    /// The secret bytes.
    pub fn bytes(&self) -> &[u8; LENGTH] {
        &self.0
    }

    /// The public id in tokens: the first 8 bytes of the SHA-256, in hexadecimal.
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

/// Writes a complete draft under another name and then links it, so that a crash never leaves a partial key.
fn create(path: &Path, key: &[u8; LENGTH]) -> io::Result<()> {
    let directory = directory_of(path);
    let mut name = path.as_os_str().to_owned();
    // The name contains the key's id: concurrent drafts do not collide.
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
    // If the draft cannot be removed, it has the same permissions as the key.
    let _ = std::fs::remove_file(&draft);
    written?;
    File::open(directory)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::SystemRandom;

    #[test]
    fn secret_key_is_created_once_and_reused() {
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
    fn secret_key_of_wrong_length_or_permissions_is_rejected() {
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
