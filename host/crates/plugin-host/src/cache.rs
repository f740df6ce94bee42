//! The cache of compiled code on disk. A process that can write machine code here could run it in the server;
//! therefore each file has an authentication code, under a key of the installation that is stored elsewhere, which is
//! verified before use.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use data_encoding::HEXLOWER;
use hmac::{Hmac, KeyInit, Mac};
use rustix::fs::OFlags;
use sha2::{Digest, Sha256};

use crate::limits;
use crate::native::NativeCode;

/// Separates these authentication codes from others with the same key.
const PURPOSE: &[u8] = b"svc compiled plugin, form 1";
const CODE_SUFFIX: &str = "native";
const REJECTED_SUFFIX: &str = "rejected";
const UNFINISHED_SUFFIX: &str = "unfinished";
const MAC_BYTES: usize = 32;

/// The directory of compiled code.
#[derive(Debug)]
pub(super) struct CodeCache {
    dir: PathBuf,
    /// Padded with zeros to the block size of SHA-256, as HMAC does with shorter keys.
    key: [u8; 64],
    /// Fingerprint of the engine: part of each file's name.
    engine: String,
}

/// SHA-256 of a component in hexadecimal.
pub(super) fn digest(component: &[u8]) -> String {
    HEXLOWER.encode(Sha256::digest(component).as_slice())
}

impl CodeCache {
    /// Opens the directory and restricts it to the server's user.
    pub(super) fn open(dir: &Path, key: [u8; 32], engine: String) -> io::Result<Self> {
        DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
        let metadata = fs::metadata(dir)?;
        if metadata.uid() != rustix::process::geteuid().as_raw() {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "it belongs to another user",
            ));
        }
        if metadata.mode() & 0o077 != 0 {
            fs::set_permissions(dir, fs::Permissions::from_mode(0o700))?;
        }
        let mut block = [0; 64];
        for (to, from) in block.iter_mut().zip(key) {
            *to = from;
        }
        Ok(Self {
            dir: dir.to_owned(),
            key: block,
            engine,
        })
    }

    /// The code of the component with this digest, if it is cached and authentic. Any other file is moved away.
    pub(super) fn get(&self, digest: &str) -> Option<NativeCode> {
        let path = self.path(digest);
        let problem = match read_private(&path) {
            Ok(bytes) => match self.verify(digest, bytes) {
                Some(code) => return Some(code),
                None => "its authentication code is wrong".to_owned(),
            },
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => error.to_string(),
        };
        self.quarantine(digest, &problem);
        None
    }

    /// Moves an unusable file away.
    pub(super) fn quarantine(&self, digest: &str, problem: &str) {
        let path = self.path(digest);
        tracing::warn!(path = %path.display(), "cached code rejected; the plugin is compiled again: {problem}");
        if fs::rename(&path, path.with_extension(REJECTED_SUFFIX)).is_err() {
            drop(fs::remove_file(&path));
        }
    }

    /// Stores code atomically for the next start.
    pub(super) fn put(&self, digest: &str, code: &NativeCode) -> io::Result<()> {
        let path = self.path(digest);
        let unfinished = path.with_extension(format!("{}.{UNFINISHED_SUFFIX}", std::process::id()));
        // Left by a killed server with the same process id, as happens in containers.
        drop(fs::remove_file(&unfinished));
        let written = (|| {
            let mut file = OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(&unfinished)?;
            file.write_all(self.mac(digest, code.bytes()).finalize().into_bytes().as_slice())?;
            file.write_all(code.bytes())?;
            fs::rename(&unfinished, &path)
        })();
        if written.is_err() {
            drop(fs::remove_file(&unfinished));
        }
        written
    }

    /// Removes rejected and incomplete files. Above the quota, removes the oldest code that belongs to none of these
    /// components.
    pub(super) fn prune(&self, in_use: &BTreeSet<String>) -> io::Result<()> {
        let live: BTreeSet<_> = in_use.iter().map(|digest| self.path(digest)).collect();
        let mut total = 0;
        let mut old = Vec::new();
        for entry in fs::read_dir(&self.dir)? {
            let entry = entry?;
            let (path, metadata) = (entry.path(), entry.metadata()?);
            if live.contains(&path) {
                total += metadata.len();
            } else if path.extension().is_some_and(|suffix| suffix == CODE_SUFFIX) {
                total += metadata.len();
                old.push((
                    metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH),
                    path,
                    metadata.len(),
                ));
            } else if is_ours(&path) {
                fs::remove_file(&path)?;
            }
        }
        old.sort();
        for (_, path, size) in old {
            if total <= limits::CACHE_BYTES {
                break;
            }
            fs::remove_file(&path)?;
            total -= size;
        }
        Ok(())
    }

    fn path(&self, digest: &str) -> PathBuf {
        // Half of the fingerprint is enough to distinguish engines; all of it is authenticated.
        let engine = self.engine.get(..32).unwrap_or(&self.engine);
        self.dir.join(format!("{digest}-{engine}.{CODE_SUFFIX}"))
    }

    fn verify(&self, digest: &str, mut bytes: Vec<u8>) -> Option<NativeCode> {
        let (mac, code) = bytes.split_at_checked(MAC_BYTES)?;
        self.mac(digest, code).verify_slice(mac).ok()?;
        bytes.drain(..MAC_BYTES);
        Some(NativeCode::trusted(bytes))
    }

    /// Binds the code to the component and the engine: an authentic file with another name is rejected.
    fn mac(&self, digest: &str, code: &[u8]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new(&self.key.into());
        for part in [PURPOSE, digest.as_bytes(), self.engine.as_bytes(), code] {
            mac.update(&(part.len() as u64).to_le_bytes());
            mac.update(part);
        }
        mac
    }
}

fn is_ours(path: &Path) -> bool {
    path.extension()
        .is_some_and(|suffix| suffix == REJECTED_SUFFIX || suffix == UNFINISHED_SUFFIX)
}

/// Reads a regular file that only the server's user can access, without following links. Read once, so that the
/// verified bytes are the ones that are used.
fn read_private(path: &Path) -> io::Result<Vec<u8>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    let problem = if !metadata.is_file() {
        "it is not a regular file"
    } else if metadata.uid() != rustix::process::geteuid().as_raw() {
        "it belongs to another user"
    } else if metadata.mode() & 0o077 != 0 {
        "others can read or write it"
    } else {
        return read_limited(&file);
    };
    Err(io::Error::new(io::ErrorKind::PermissionDenied, problem))
}

fn read_limited(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limits::COMPILED_BYTES + MAC_BYTES as u64)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}
