//! The cache of drawn pictures.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::AtomicI64;
use std::time::Duration;

use super::*;
use crate::domain::rendering::RenderedImage;
use crate::domain::time::Timestamp;

#[derive(Debug, Default)]
struct Hands(AtomicI64);

impl Hands {
    fn forward(&self, by: Duration) {
        let millis = i64::try_from(by.as_millis()).unwrap();
        self.0.fetch_add(millis, std::sync::atomic::Ordering::SeqCst);
    }
}

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        let millis = self.0.load(std::sync::atomic::Ordering::SeqCst);
        Timestamp::from_millis(1_700_000_000_000 + millis)
    }
}

struct Bench {
    directory: tempfile::TempDir,
    hands: Arc<Hands>,
}

impl Bench {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            hands: Arc::default(),
        }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("pictures")
    }

    fn cache(&self, quota: u64) -> ThumbnailCache {
        let options = PictureCacheOptions {
            directory: self.path(),
            quota,
        };
        ThumbnailCache::new(options, Arc::clone(&self.hands) as Arc<dyn Clock>)
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

fn jpeg(length: usize) -> RenderedImage {
    let mut bytes = vec![0xff, 0xd8, 0xff, 0xe0];
    bytes.resize(length, 7);
    RenderedImage {
        width: 1,
        height: 1,
        format: ImageFormat::Jpeg,
        bytes,
    }
}

#[test]
fn drawn_picture_is_kept_privately_and_over_a_restart() {
    let bench = Bench::new();
    let cache = bench.cache(1 << 20);
    assert!(cache.get("a").is_none());
    assert!(!bench.path().exists());
    cache.put("a", &jpeg(100)).unwrap();
    let mode = |path: PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(bench.path()), 0o700);
    assert_eq!(mode(bench.path().join("a")), 0o600);
    let again = bench.cache(1 << 20);
    let found = again.get("a").unwrap();
    assert_eq!((found.length, found.format), (100, ImageFormat::Jpeg));
    assert!(again.holds("a") && !again.holds("b"));
    again.clear().unwrap();
    assert!(again.get("a").is_none());
    again.put("a", &jpeg(50)).unwrap();
    assert_eq!(again.get("a").unwrap().length, 50);
}

#[test]
fn drawn_picture_that_is_cut_off_or_replaced_is_thrown_away() {
    let bench = Bench::new();
    let cache = bench.cache(1 << 20);
    for broken in [
        &b""[..],
        b"\xff\xd8\xff",
        &[0xff, 0xd8, 0xff, 0xe0].repeat(20),
        b"<script>\x08\0\0\0\0\0\0\0",
    ] {
        cache.put("a", &jpeg(100)).unwrap();
        std::fs::write(bench.path().join("a"), broken).unwrap();
        assert!(cache.get("a").is_none(), "{broken:?}");
        assert!(!cache.holds("a"));
    }
    std::fs::write(bench.path().join("b.3.unfinished"), b"half").unwrap();
    bench.cache(1 << 20).put("c", &jpeg(10)).unwrap();
    assert_eq!(bench.names(), ["c"]);
}

#[test]
fn quota_holds_and_the_longest_unused_goes_first() {
    let bench = Bench::new();
    // Room for ten pictures of one block.
    let cache = bench.cache(10 * limits::BLOCK_BYTES);
    for name in "abcdefghij".chars() {
        cache.put(&name.to_string(), &jpeg(1000)).unwrap();
        bench.hands.forward(2 * limits::STAMP_AGE);
    }
    assert_eq!(bench.names().len(), 10);
    // Used again: not the oldest any more, also after a restart.
    assert!(cache.get("a").is_some());
    bench.hands.forward(limits::STAMP_AGE);
    let cache = bench.cache(10 * limits::BLOCK_BYTES);
    cache.put("k", &jpeg(1000)).unwrap();
    assert_eq!(bench.names(), ["a", "e", "f", "g", "h", "i", "j", "k"]);
    // A picture of two blocks takes the room of two.
    cache.put("l", &jpeg(5000)).unwrap();
    assert_eq!(bench.names(), ["a", "e", "f", "g", "h", "i", "j", "k", "l"]);
    cache.put("n", &jpeg(1000)).unwrap();
    assert_eq!(bench.names(), ["a", "h", "i", "j", "k", "l", "n"]);
    // One that is larger than all that is kept is not kept.
    cache.put("m", &jpeg(50_000)).unwrap();
    assert!(!cache.holds("m") && cache.holds("l"));
}

#[test]
fn quota_of_nothing_keeps_nothing() {
    let bench = Bench::new();
    let cache = bench.cache(0);
    cache.put("a", &jpeg(10)).unwrap();
    assert!(cache.get("a").is_none());
}
