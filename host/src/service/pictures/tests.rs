//! What is given out of the cache of drawn pictures.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex};

use super::drawing::kept;
use super::*;
use crate::disk_cache::CacheKey;
use crate::domain::time::SystemClock;

/// Every thread that draws and every place in their queue, taken until this is dropped.
pub(crate) struct Occupied(Arc<(Mutex<bool>, Condvar)>);

impl Drop for Occupied {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap() = true;
        self.0.1.notify_all();
    }
}

impl Pictures {
    /// Fills the queue to its last place.
    pub(crate) fn occupy(&self) -> Occupied {
        let occupied = Occupied(Arc::default());
        let begun = Arc::new(AtomicUsize::new(0));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        loop {
            let (gate, begun_by) = (Arc::clone(&occupied.0), Arc::clone(&begun));
            let is_waiting = self.studio.threads().spawn(move || {
                begun_by.fetch_add(1, Ordering::SeqCst);
                let held = gate.0.lock().unwrap();
                drop(gate.1.wait_while(held, |free| !*free).unwrap());
            });
            // Once every thread has taken one, a queue that is full stays full.
            let all_busy = begun.load(Ordering::SeqCst) == cores.min(limits::THREADS);
            match (is_waiting, all_busy) {
                (false, true) => return occupied,
                (false, false) => std::thread::yield_now(),
                (true, _) => {}
            }
        }
    }
}

#[test]
fn kept_file_that_is_no_picture_is_thrown_away() {
    let directory = tempfile::tempdir().unwrap();
    let cache = DiskCache::new(directory.path().join("pictures"), 1 << 20, Arc::new(SystemClock));
    let key = CacheKey::of(&["a"]);
    let jpeg = [&[0xff, 0xd8, 0xff, 0xe0][..], &[7; 100]].concat();
    cache.put(&key, &jpeg).unwrap();
    let (format, picture) = kept(&cache, &key).unwrap();
    assert_eq!((format, picture.read().unwrap()), (ImageFormat::Jpeg, jpeg));
    for broken in [&b"<script>alert(1)</script>"[..], b"", &[0xff, 0xd8]] {
        cache.put(&key, broken).unwrap();
        assert!(kept(&cache, &key).is_none(), "{broken:?}");
        assert!(!cache.holds(&key));
    }
}
