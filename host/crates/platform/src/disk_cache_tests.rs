//! Tests of the cache on disk.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::AtomicI64;

use super::*;
use svc_covers::covers;
use svc_domain::time::Timestamp;

#[derive(Debug, Default)]
struct Hands(AtomicI64);

impl Hands {
    fn forward(&self, by: Duration) {
        let millis = i64::try_from(by.as_millis()).unwrap();
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for Hands {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000 + self.0.load(Ordering::SeqCst))
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
        self.directory.path().join("cache")
    }

    fn cache(&self, quota: u64) -> DiskCache {
        DiskCache::new(self.path(), quota, Arc::clone(&self.hands) as Arc<dyn Clock>)
    }

    fn names(&self) -> String {
        let entries = fs::read_dir(self.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names.join(" ")
    }
}

fn key(name: impl ToString) -> CacheKey {
    CacheKey(name.to_string())
}

fn content(cache: &DiskCache, name: &str) -> Option<Vec<u8>> {
    cache.get(&key(name)).map(|found| found.read().unwrap())
}

#[test]
fn keys_tell_their_parts_apart() {
    assert_ne!(CacheKey::of(&["a", "bc"]), CacheKey::of(&["ab", "c"]));
    assert_ne!(CacheKey::of(&["a"]), CacheKey::of(&["a", ""]));
}

#[test]
fn entry_is_kept_privately_and_over_a_restart_until_it_is_replaced() {
    let bench = Bench::new();
    let cache = bench.cache(1 << 20);
    assert_eq!(content(&cache, "a"), None);
    assert!(!bench.path().exists());
    cache.put(&key("a"), &[7; 100]).unwrap();
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(bench.path()), 0o700);
    assert_eq!(mode(bench.path().join("a")), 0o600);
    let again = bench.cache(1 << 20);
    assert_eq!(content(&again, "a"), Some(vec![7; 100]));
    assert!(again.holds(&key("a")) && !again.holds(&key("b")));
    again.put(&key("a"), b"new").unwrap();
    assert_eq!(content(&again, "a").as_deref(), Some(&b"new"[..]));
}

#[test]
fn cleared_cache_is_empty_and_takes_new_entries() {
    let bench = Bench::new();
    let cache = bench.cache(1 << 20);
    cache.put(&key("a"), b"one").unwrap();
    cache.clear().unwrap();
    assert_eq!(content(&cache, "a"), None);
    cache.clear().unwrap();
    cache.put(&key("b"), b"two").unwrap();
    assert_eq!(content(&cache, "b").as_deref(), Some(&b"two"[..]));
}

#[test]
fn entry_that_is_cut_off_is_thrown_away_and_so_is_what_was_left_unfinished() {
    let bench = Bench::new();
    let cache = bench.cache(1 << 20);
    for broken in [&b""[..], b"\xff\xd8\xff", &[7; 80], &[7; 100]] {
        cache.put(&key("a"), &[7; 100]).unwrap();
        fs::write(bench.path().join("a"), broken).unwrap();
        assert_eq!(content(&cache, "a"), None, "{broken:?}");
        assert!(!cache.holds(&key("a")));
    }
    fs::write(bench.path().join("b.3.unfinished"), b"half").unwrap();
    bench.cache(1 << 20).put(&key("c"), b"whole").unwrap();
    assert_eq!(bench.names(), "c");
}

#[covers("T45")]
#[test]
fn quota_holds_and_the_longest_unused_goes_first() {
    let bench = Bench::new();
    // Room for ten entries of one block.
    let cache = bench.cache(10 * BLOCK_BYTES);
    for name in "abcdefghij".chars() {
        cache.put(&key(name), &[7; 1000]).unwrap();
        bench.hands.forward(2 * LAST_USE_PRECISION);
    }
    assert_eq!(bench.names(), "a b c d e f g h i j");
    // Used again: not the oldest any more, also after a restart.
    assert!(cache.get(&key("a")).is_some());
    bench.hands.forward(LAST_USE_PRECISION);
    let cache = bench.cache(10 * BLOCK_BYTES);
    cache.put(&key("k"), &[7; 1000]).unwrap();
    assert_eq!(bench.names(), "a e f g h i j k");
    // An entry of two blocks takes the room of two.
    cache.put(&key("l"), &[7; 5000]).unwrap();
    assert_eq!(bench.names(), "a e f g h i j k l");
    cache.put(&key("n"), &[7; 1000]).unwrap();
    assert_eq!(bench.names(), "a h i j k l n");
    // One that is larger than all that is kept is not kept.
    cache.put(&key("m"), &[7; 50_000]).unwrap();
    assert!(!cache.holds(&key("m")) && cache.holds(&key("l")));
}

#[test]
fn quota_of_nothing_keeps_nothing() {
    let bench = Bench::new();
    let cache = bench.cache(0);
    cache.put(&key("a"), &[7; 10]).unwrap();
    assert_eq!(content(&cache, "a"), None);
}
