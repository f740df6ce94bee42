//! A disk cache of computed data with a quota; entries are complete or absent, and the least recently used are
//! evicted first.
//!
//! The name of a file is the digest of its inputs; its modification time is the time of its last use, with a
//! precision of an hour. It ends with the length of the content in eight bytes: truncation by a power failure is
//! detected without a sync per file. Every entry can be computed again. Only the total size is in memory.

use std::fmt;
use std::fs::{self, DirBuilder, File, FileTimes, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use svc_domain::time::Clock;

/// The time of last use is written again only if it is older than this, not on each access.
const LAST_USE_PRECISION: Duration = Duration::from_secs(60 * 60);
/// Eviction stops at this percentage of the quota, so that the directory is not listed for each new entry.
const EVICT_TO_PERCENT: u64 = 90;
/// The size of a file on disk is rounded up to this.
const BLOCK_BYTES: u64 = 4096;
/// Bytes after the content: its length.
const TRAILER_BYTES: u64 = 8;
const UNFINISHED_SUFFIX: &str = "unfinished";

/// The digest of all inputs of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CacheKey(String);

impl CacheKey {
    /// From inputs with any content.
    pub fn of(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            // With its length, so that different lists never produce the same bytes.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Self(HEXLOWER.encode(hash.finalize().get(..20).unwrap_or_default()))
    }
}

impl fmt::Display for CacheKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A cache in a directory of its own. Clones share it.
#[derive(Debug, Clone)]
pub struct DiskCache(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    directory: PathBuf,
    quota: u64,
    clock: Arc<dyn Clock>,
    /// Bytes on disk; `None` until the first entry is stored.
    total: Mutex<Option<u64>>,
    drafts: AtomicU64,
}

/// An entry, opened.
#[derive(Debug)]
pub struct CachedFile {
    /// Its content starts at byte 0.
    pub file: File,
    /// Length of the content in bytes.
    pub length: u64,
}

impl CachedFile {
    /// Reads the content.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(self.length).map_err(io::Error::other)?];
        self.file.read_exact_at(&mut bytes, 0)?;
        Ok(bytes)
    }
}

impl DiskCache {
    /// A cache in `directory` with a quota in bytes. The directory is created with the first entry.
    pub fn new(directory: PathBuf, quota: u64, clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(Inner {
            directory,
            quota,
            clock,
            total: Mutex::default(),
            drafts: AtomicU64::new(0),
        }))
    }

    /// The entry, if it exists and is complete. Updates its time of last use.
    pub fn get(&self, key: &CacheKey) -> Option<CachedFile> {
        let file = match File::open(self.path(key)) {
            Ok(file) => file,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(path = %self.path(key).display(), %error, "cache entry cannot be read");
                }
                return None;
            }
        };
        match self.check(&file) {
            Ok(length) => Some(CachedFile { file, length }),
            Err(error) => {
                self.discard(key, &error.to_string());
                None
            }
        }
    }

    /// Whether the entry exists, complete or not.
    pub fn holds(&self, key: &CacheKey) -> bool {
        self.path(key).exists()
    }

    /// Removes a corrupt entry and logs `problem`.
    pub fn discard(&self, key: &CacheKey, problem: &str) {
        let path = self.path(key);
        tracing::warn!(path = %path.display(), problem, "corrupt cache entry removed");
        drop(fs::remove_file(path));
    }

    /// Returns the length of the content, or an error if the file is incomplete.
    fn check(&self, file: &File) -> io::Result<u64> {
        let broken = |what| io::Error::new(io::ErrorKind::InvalidData, what);
        let metadata = file.metadata()?;
        let length = metadata.len().checked_sub(TRAILER_BYTES);
        let length = length.ok_or_else(|| broken("it has no trailer"))?;
        let mut trailer = [0; TRAILER_BYTES as usize];
        file.read_exact_at(&mut trailer, length)?;
        if u64::from_le_bytes(trailer) != length {
            return Err(broken("it is truncated"));
        }
        let (now, used) = (self.now(), metadata.modified()?);
        // Or in the future, after the clock was set back.
        if now.duration_since(used).is_ok_and(|age| age > LAST_USE_PRECISION) || used > now {
            // If this fails, the entry is only evicted earlier.
            drop(file.set_times(FileTimes::new().set_modified(now)));
        }
        Ok(length)
    }

    /// Stores an entry or replaces it. Does nothing if it exceeds the quota.
    ///
    /// # Errors
    /// The entry cannot be written.
    pub fn put(&self, key: &CacheKey, bytes: &[u8]) -> io::Result<()> {
        let inner = &*self.0;
        let size = on_disk(bytes.len() as u64 + TRAILER_BYTES);
        if size > inner.quota {
            return Ok(());
        }
        let mut total = inner.total.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match *total {
            Some(total) => total,
            None => self.open()?,
        };
        // Counted before it is written: an error in between makes the total too large, never too small.
        *total = Some(before.saturating_add(size));
        if before.saturating_add(size) > inner.quota {
            *total = Some(self.evict(size)?.saturating_add(size));
        }
        drop(total);
        let path = self.path(key);
        let number = inner.drafts.fetch_add(1, Ordering::Relaxed);
        let draft = path.with_extension(format!("{number}.{UNFINISHED_SUFFIX}"));
        let written = self.write(&draft, bytes).and_then(|()| fs::rename(&draft, &path));
        if written.is_err() {
            drop(fs::remove_file(&draft));
        }
        written
    }

    fn write(&self, draft: &Path, bytes: &[u8]) -> io::Result<()> {
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(draft)?;
        file.write_all(bytes)?;
        file.write_all(&(bytes.len() as u64).to_le_bytes())?;
        file.set_times(FileTimes::new().set_modified(self.now()))
    }

    /// Removes all entries.
    ///
    /// # Errors
    /// Files cannot be removed.
    pub fn clear(&self) -> io::Result<()> {
        let mut total = self.0.total.lock().unwrap_or_else(PoisonError::into_inner);
        *total = None;
        match fs::remove_dir_all(&self.0.directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Creates the directory, removes incomplete files of an earlier process, and returns the size of all entries.
    fn open(&self) -> io::Result<u64> {
        let directory = &self.0.directory;
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        let mut total: u64 = 0;
        for entry in fs::read_dir(directory)? {
            let entry = entry?;
            let path = entry.path();
            if path.extension().is_some_and(|suffix| suffix == UNFINISHED_SUFFIX) {
                drop(fs::remove_file(&path));
            } else if let Ok(metadata) = entry.metadata() {
                total = total.saturating_add(on_disk(metadata.len()));
            }
        }
        Ok(total)
    }

    /// Evicts entries until `room` bytes fit, and returns the size of the others.
    fn evict(&self, room: u64) -> io::Result<u64> {
        let mut kept = Vec::new();
        let mut total: u64 = 0;
        for entry in fs::read_dir(&self.0.directory)? {
            let entry = entry?;
            // Another thread has removed a corrupt entry.
            let Ok(metadata) = entry.metadata() else { continue };
            let path = entry.path();
            let size = on_disk(metadata.len());
            total = total.saturating_add(size);
            if path.extension().is_none() {
                kept.push((metadata.modified().unwrap_or(UNIX_EPOCH), path, size));
            }
        }
        kept.sort();
        let target = (self.0.quota / 100 * EVICT_TO_PERCENT).saturating_sub(room);
        let mut removed = 0_u32;
        for (_, path, size) in kept {
            if total <= target {
                break;
            }
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            total = total.saturating_sub(size);
            removed += 1;
        }
        let directory = self.0.directory.display();
        tracing::debug!(%directory, removed, left = total, "cache entries evicted");
        Ok(total)
    }

    fn path(&self, key: &CacheKey) -> PathBuf {
        self.0.directory.join(&key.0)
    }

    fn now(&self) -> SystemTime {
        let millis = self.0.clock.now().millis();
        UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or(0))
    }
}

fn on_disk(length: u64) -> u64 {
    length.next_multiple_of(BLOCK_BYTES)
}

#[cfg(test)]
#[path = "disk_cache_tests.rs"]
mod tests;
