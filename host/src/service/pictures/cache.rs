//! Drawn pictures on disk: whole or not there, the longest unused removed first when the quota is full.
//!
//! A file's name is the digest of what it was drawn from; its modification time is the time of its last use, to the hour.
//! It ends in eight bytes that say how long the picture is: a file that a power cut left shorter is noticed without a sync
//! for each picture. Nothing is kept in memory but the sum of all sizes.

use std::fs::{self, DirBuilder, File, FileTimes, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::{PictureCacheOptions, limits};
use crate::domain::rendering::{ImageFormat, RenderedImage};
use crate::domain::time::Clock;

const UNFINISHED_SUFFIX: &str = "unfinished";
/// Bytes behind the picture: the length of what is before them.
const TRAILER_BYTES: u64 = 8;

/// The directory of drawn pictures.
#[derive(Debug)]
pub(super) struct ThumbnailCache {
    directory: PathBuf,
    quota: u64,
    clock: Arc<dyn Clock>,
    /// Bytes on disk; `None` before the first picture is kept.
    total: Mutex<Option<u64>>,
    drafts: AtomicU64,
}

/// A picture of the cache.
#[derive(Debug)]
pub(super) struct CachedPicture {
    pub(super) file: File,
    pub(super) length: u64,
    pub(super) format: ImageFormat,
}

impl ThumbnailCache {
    /// Nothing is touched before it is needed.
    pub(super) fn new(options: PictureCacheOptions, clock: Arc<dyn Clock>) -> Self {
        Self {
            directory: options.directory,
            quota: options.quota,
            clock,
            total: Mutex::default(),
            drafts: AtomicU64::new(0),
        }
    }

    /// The picture of this name, if it is there and whole. Counts as a use.
    pub(super) fn get(&self, key: &str) -> Option<CachedPicture> {
        let path = self.directory.join(key);
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    tracing::warn!(path = %path.display(), %error, "a drawn picture cannot be read");
                }
                return None;
            }
        };
        match self.read(file) {
            Ok(picture) => Some(picture),
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "a drawn picture is broken; it is drawn again");
                drop(fs::remove_file(&path));
                None
            }
        }
    }

    /// Whether there is a picture of this name.
    pub(super) fn holds(&self, key: &str) -> bool {
        self.directory.join(key).exists()
    }

    fn read(&self, file: File) -> io::Result<CachedPicture> {
        let broken = |what| io::Error::new(io::ErrorKind::InvalidData, what);
        let metadata = file.metadata()?;
        let length = metadata
            .len()
            .checked_sub(TRAILER_BYTES)
            .ok_or_else(|| broken("it is too short"))?;
        let mut trailer = [0; TRAILER_BYTES as usize];
        file.read_exact_at(&mut trailer, length)?;
        if u64::from_le_bytes(trailer) != length {
            return Err(broken("it is cut off"));
        }
        let mut start = [0; 12];
        file.read_exact_at(&mut start, 0)?;
        let format = ImageFormat::ALL.into_iter().find(|format| format.begins(&start));
        let format = format.ok_or_else(|| broken("it is no picture"))?;
        let now = self.now();
        let used = metadata.modified()?;
        // Also one from the future, after the clock was set back.
        if now.duration_since(used).is_ok_and(|age| age > limits::STAMP_AGE) || used > now {
            // Without it the picture is only removed earlier.
            drop(file.set_times(FileTimes::new().set_modified(now)));
        }
        Ok(CachedPicture { file, length, format })
    }

    /// Keeps a picture, if it is not larger than all that is kept.
    pub(super) fn put(&self, key: &str, picture: &RenderedImage) -> io::Result<()> {
        let length = picture.bytes.len() as u64;
        let size = on_disk(length + TRAILER_BYTES);
        if size > self.quota {
            return Ok(());
        }
        let mut total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
        let before = match *total {
            Some(total) => total,
            None => self.open()?,
        };
        // Counted before it is written: what goes wrong in between counts too much, never too little.
        *total = Some(before.saturating_add(size));
        if before.saturating_add(size) > self.quota {
            *total = Some(self.evict(size)?.saturating_add(size));
        }
        drop(total);
        let path = self.directory.join(key);
        let number = self.drafts.fetch_add(1, Ordering::Relaxed);
        let draft = path.with_extension(format!("{number}.{UNFINISHED_SUFFIX}"));
        let written = self
            .write(&draft, picture, length)
            .and_then(|()| fs::rename(&draft, &path));
        if written.is_err() {
            drop(fs::remove_file(&draft));
        }
        written
    }

    fn write(&self, draft: &Path, picture: &RenderedImage, length: u64) -> io::Result<()> {
        let mut file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(draft)?;
        file.write_all(&picture.bytes)?;
        file.write_all(&length.to_le_bytes())?;
        file.set_times(FileTimes::new().set_modified(self.now()))
    }

    /// Removes everything.
    pub(super) fn clear(&self) -> io::Result<()> {
        let mut total = self.total.lock().unwrap_or_else(PoisonError::into_inner);
        *total = None;
        match fs::remove_dir_all(&self.directory) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Makes the directory, removes what another process left unfinished, and says how much there is.
    fn open(&self) -> io::Result<u64> {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.directory)?;
        let mut total: u64 = 0;
        for entry in fs::read_dir(&self.directory)? {
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

    /// Makes room for so many bytes, and says how much is left.
    fn evict(&self, room: u64) -> io::Result<u64> {
        let mut kept = Vec::new();
        let mut total: u64 = 0;
        for entry in fs::read_dir(&self.directory)? {
            let entry = entry?;
            // Gone meanwhile: another thread found it broken.
            let Ok(metadata) = entry.metadata() else { continue };
            let path = entry.path();
            let size = on_disk(metadata.len());
            total = total.saturating_add(size);
            if path.extension().is_none() {
                kept.push((metadata.modified().unwrap_or(UNIX_EPOCH), path, size));
            }
        }
        kept.sort();
        let target = (self.quota / 100 * limits::EVICT_TO_PERCENT).saturating_sub(room);
        let mut removed = 0_u32;
        for (_, path, size) in kept {
            if total <= target {
                break;
            }
            fs::remove_file(&path)?;
            total = total.saturating_sub(size);
            removed += 1;
        }
        tracing::debug!(removed, left = total, "drawn pictures were removed to make room");
        Ok(total)
    }

    fn now(&self) -> SystemTime {
        let millis = self.clock.now().millis();
        UNIX_EPOCH + Duration::from_millis(u64::try_from(millis).unwrap_or(0))
    }
}

fn on_disk(length: u64) -> u64 {
    length.next_multiple_of(limits::BLOCK_BYTES)
}
