//! Computed things on disk, under a quota: what was not asked for the longest goes first. Every entry can be made again,
//! so nothing here is synced, and an entry that cannot be read is as if it were not there.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, utimensat};
use sha2::{Digest, Sha256};

use crate::random::to_hex;

/// The name of a file that is being written.
const DRAFT: &str = "draft";

/// What an entry is of: all that the result depends on, hashed.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CacheKey(String);

impl CacheKey {
    /// From parts that may hold anything.
    pub fn of(parts: &[&str]) -> Self {
        let mut hash = Sha256::new();
        for part in parts {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Self(to_hex(hash.finalize().get(..20).unwrap_or_default()))
    }
}

/// A cache in a directory of its own. Cheap to clone: the clones are one.
#[derive(Debug, Clone)]
pub struct DiskCache(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    directory: PathBuf,
    /// Bytes of all entries.
    quota: u64,
    /// Bytes in use; none until somebody has counted.
    used: Mutex<Option<u64>>,
    drafts: AtomicU64,
}

struct Entry {
    path: PathBuf,
    bytes: u64,
    /// When it was last asked for or written.
    used_ns: i128,
}

impl DiskCache {
    /// In this directory, which may be missing; it is looked at when there is something to keep.
    pub fn new(directory: PathBuf, quota: u64) -> Self {
        Self(Arc::new(Inner {
            directory,
            quota,
            used: Mutex::default(),
            drafts: AtomicU64::new(0),
        }))
    }

    /// An entry's bytes, as they were put. Whoever reads them checks them: a crash may have left half of them.
    pub fn get(&self, key: &CacheKey) -> Option<Vec<u8>> {
        let path = self.path(key);
        let bytes = fs::read(&path).ok()?;
        let now = |tv_nsec| Timespec { tv_sec: 0, tv_nsec };
        let times = Timestamps {
            last_access: now(UTIME_OMIT),
            last_modification: now(UTIME_NOW),
        };
        // Only the order of leaving depends on it.
        let _ = utimensat(CWD, &path, &times, AtFlags::empty());
        Some(bytes)
    }

    /// Keeps an entry, in place of an older one, and makes room if there is too much.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn put(&self, key: &CacheKey, bytes: &[u8]) -> io::Result<()> {
        let inner = &*self.0;
        let path = self.path(key);
        if let Some(parent) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(parent)?;
        }
        let mut used = inner.used.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match *used {
            Some(used) => used,
            None => entries(&inner.directory)?.iter().map(|entry| entry.bytes).sum(),
        };
        let replaced = fs::metadata(&path).map_or(0, |old| old.len());
        let number = inner.drafts.fetch_add(1, Ordering::Relaxed);
        let draft = inner
            .directory
            .join(format!("{DRAFT}-{}-{number}", std::process::id()));
        let written = write_new(&draft, bytes).and_then(|()| fs::rename(&draft, &path));
        if let Err(error) = written {
            let _ = fs::remove_file(&draft);
            return Err(error);
        }
        let after = (before + bytes.len() as u64).saturating_sub(replaced);
        *used = Some(if after > inner.quota {
            make_room(&inner.directory, inner.quota)?
        } else {
            after
        });
        Ok(())
    }

    /// Forgets everything.
    pub fn clear(&self) -> io::Result<()> {
        let mut used = self.0.used.lock().unwrap_or_else(PoisonError::into_inner);
        *used = None;
        match fs::remove_dir_all(&self.0.directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    fn path(&self, key: &CacheKey) -> PathBuf {
        let (folder, name) = key.0.split_at_checked(2).unwrap_or(("", &key.0));
        self.0.directory.join(folder).join(name)
    }
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(bytes)
}

/// All entries, and on the way the drafts that an earlier process left are removed.
fn entries(directory: &Path) -> io::Result<Vec<Entry>> {
    let own_drafts = format!("{DRAFT}-{}-", std::process::id());
    let mut entries = Vec::new();
    for folder in fs::read_dir(directory)? {
        let folder = folder?;
        let name = folder.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(DRAFT) {
            if !name.starts_with(&own_drafts) {
                fs::remove_file(folder.path())?;
            }
            continue;
        }
        for entry in fs::read_dir(folder.path())? {
            let entry = entry?;
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            entries.push(Entry {
                path: entry.path(),
                bytes: metadata.len(),
                used_ns: i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec()),
            });
        }
    }
    Ok(entries)
}

/// Removes the entries that were not used the longest, until a tenth of the quota is free; gives what is left.
fn make_room(directory: &Path, quota: u64) -> io::Result<u64> {
    let mut entries = entries(directory)?;
    entries.sort_unstable_by_key(|entry| entry.used_ns);
    let mut used: u64 = entries.iter().map(|entry| entry.bytes).sum();
    for entry in entries {
        if used <= quota / 10 * 9 {
            break;
        }
        match fs::remove_file(&entry.path) {
            Ok(()) => used -= entry.bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => used -= entry.bytes,
            Err(error) => return Err(error),
        }
    }
    Ok(used)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(quota: u64) -> (tempfile::TempDir, DiskCache) {
        let directory = tempfile::tempdir().unwrap();
        let cache = DiskCache::new(directory.path().join("cache"), quota);
        (directory, cache)
    }

    fn key(number: u32) -> CacheKey {
        CacheKey::of(&[&number.to_string()])
    }

    /// Makes an entry as old as this many seconds.
    fn age(cache: &DiskCache, key: &CacheKey, seconds: i64) {
        let now = fs::metadata(cache.path(key)).unwrap().mtime();
        let time = Timespec {
            tv_sec: now - seconds,
            tv_nsec: 0,
        };
        let times = Timestamps {
            last_access: time,
            last_modification: time,
        };
        utimensat(CWD, cache.path(key), &times, AtFlags::empty()).unwrap();
    }

    #[test]
    fn entry_is_given_back_until_it_is_replaced() {
        let (_directory, cache) = cache(1000);
        assert_eq!(cache.get(&key(1)), None);
        cache.put(&key(1), b"one").unwrap();
        cache.put(&key(2), b"two").unwrap();
        cache.put(&key(1), b"uno").unwrap();
        assert_eq!(cache.get(&key(1)).as_deref(), Some(&b"uno"[..]));
        assert_eq!(cache.get(&key(2)).as_deref(), Some(&b"two"[..]));
        assert_eq!(*cache.0.used.lock().unwrap(), Some(6));
    }

    #[test]
    fn cleared_cache_is_empty_and_takes_new_entries() {
        let (_directory, cache) = cache(1 << 20);
        cache.put(&key(1), b"one").unwrap();
        cache.clear().unwrap();
        assert_eq!(cache.get(&key(1)), None);
        cache.clear().unwrap();
        cache.put(&key(2), b"two").unwrap();
        assert_eq!(cache.get(&key(2)).as_deref(), Some(&b"two"[..]));
    }

    #[test]
    fn keys_tell_their_parts_apart() {
        assert_ne!(CacheKey::of(&["a", "bc"]), CacheKey::of(&["ab", "c"]));
        assert_ne!(CacheKey::of(&["a"]), CacheKey::of(&["a", ""]));
    }

    #[test]
    fn quota_lets_go_what_was_not_asked_for_the_longest() {
        let (_directory, cache) = cache(100);
        for number in 0..10 {
            cache.put(&key(number), &[0; 10]).unwrap();
            age(&cache, &key(number), 1000 - i64::from(number));
        }
        // Asked for, so it stays.
        assert!(cache.get(&key(0)).is_some());
        cache.put(&key(10), &[0; 10]).unwrap();
        let left: Vec<u32> = (0..11)
            .filter(|number| cache.get(&key(*number)).is_some())
            .collect();
        assert_eq!(left, [0, 3, 4, 5, 6, 7, 8, 9, 10]);
    }

    #[test]
    fn cache_of_an_earlier_process_counts_and_its_drafts_go() {
        let (directory, first) = cache(100);
        first.put(&key(1), &[0; 90]).unwrap();
        let draft = directory.path().join("cache").join("draft-0-0");
        fs::write(&draft, [0; 500]).unwrap();
        age(&first, &key(1), 10);
        let second = DiskCache::new(first.0.directory.clone(), 100);
        second.put(&key(2), &[0; 20]).unwrap();
        assert!(!draft.exists());
        assert_eq!(
            (second.get(&key(1)), second.get(&key(2))),
            (None, Some(vec![0; 20]))
        );
    }
}
