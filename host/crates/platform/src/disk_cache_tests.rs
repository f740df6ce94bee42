//! Tests of the disk cache.

use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::AtomicI64;

use super::*;
use svc_covers::covers;
use svc_domain::time::Timestamp;

#[derive(Debug, Default)]
struct TestClock(AtomicI64);

impl TestClock {
    fn advance(&self, by: Duration) {
        let millis = i64::try_from(by.as_millis()).unwrap();
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_700_000_000_000 + self.0.load(Ordering::SeqCst))
    }
}

struct Fixture {
    directory: tempfile::TempDir,
    clock: Arc<TestClock>,
}

impl Fixture {
    fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            clock: Arc::default(),
        }
    }

    fn path(&self) -> PathBuf {
        self.directory.path().join("cache")
    }

    fn cache(&self, quota: u64) -> DiskCache {
        DiskCache::new(self.path(), quota, Arc::clone(&self.clock) as Arc<dyn Clock>)
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
fn keys_separate_their_parts() {
    assert_ne!(CacheKey::of(&["a", "bc"]), CacheKey::of(&["ab", "c"]));
    assert_ne!(CacheKey::of(&["a"]), CacheKey::of(&["a", ""]));
}

#[test]
fn entry_is_private_and_survives_a_restart() {
    let fixture = Fixture::new();
    let cache = fixture.cache(1 << 20);
    assert_eq!(content(&cache, "a"), None);
    assert!(!fixture.path().exists());
    cache.put(&key("a"), &[7; 100]).unwrap();
    let mode = |path: PathBuf| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(fixture.path()), 0o700);
    assert_eq!(mode(fixture.path().join("a")), 0o600);
    let again = fixture.cache(1 << 20);
    assert_eq!(content(&again, "a"), Some(vec![7; 100]));
    assert!(again.holds(&key("a")) && !again.holds(&key("b")));
    again.put(&key("a"), b"new").unwrap();
    assert_eq!(content(&again, "a").as_deref(), Some(&b"new"[..]));
}

#[test]
fn cleared_cache_is_empty_and_accepts_new_entries() {
    let fixture = Fixture::new();
    let cache = fixture.cache(1 << 20);
    cache.put(&key("a"), b"one").unwrap();
    cache.clear().unwrap();
    assert_eq!(content(&cache, "a"), None);
    cache.clear().unwrap();
    cache.put(&key("b"), b"two").unwrap();
    assert_eq!(content(&cache, "b").as_deref(), Some(&b"two"[..]));
}

#[test]
fn truncated_and_incomplete_entries_are_removed() {
    let fixture = Fixture::new();
    let cache = fixture.cache(1 << 20);
    for broken in [&b""[..], b"\xff\xd8\xff", &[7; 80], &[7; 100]] {
        cache.put(&key("a"), &[7; 100]).unwrap();
        fs::write(fixture.path().join("a"), broken).unwrap();
        assert_eq!(content(&cache, "a"), None, "{broken:?}");
        assert!(!cache.holds(&key("a")));
    }
    fs::write(fixture.path().join("b.3.unfinished"), b"half").unwrap();
    fixture.cache(1 << 20).put(&key("c"), b"whole").unwrap();
    assert_eq!(fixture.names(), "c");
}

#[covers("T45")]
#[test]
fn least_recently_used_entries_are_evicted_within_the_quota() {
    let fixture = Fixture::new();
    // Ten entries of one block.
    let cache = fixture.cache(10 * BLOCK_BYTES);
    for name in "abcdefghij".chars() {
        cache.put(&key(name), &[7; 1000]).unwrap();
        fixture.clock.advance(2 * LAST_USE_PRECISION);
    }
    assert_eq!(fixture.names(), "a b c d e f g h i j");
    // A use makes an entry recent, also across a restart.
    assert!(cache.get(&key("a")).is_some());
    fixture.clock.advance(LAST_USE_PRECISION);
    let cache = fixture.cache(10 * BLOCK_BYTES);
    cache.put(&key("k"), &[7; 1000]).unwrap();
    assert_eq!(fixture.names(), "a e f g h i j k");
    // An entry of two blocks takes the space of two.
    cache.put(&key("l"), &[7; 5000]).unwrap();
    assert_eq!(fixture.names(), "a e f g h i j k l");
    cache.put(&key("n"), &[7; 1000]).unwrap();
    assert_eq!(fixture.names(), "a h i j k l n");
    // An entry beyond the quota is not stored.
    cache.put(&key("m"), &[7; 50_000]).unwrap();
    assert!(!cache.holds(&key("m")) && cache.holds(&key("l")));
}

#[test]
fn quota_of_zero_stores_nothing() {
    let fixture = Fixture::new();
    let cache = fixture.cache(0);
    cache.put(&key("a"), &[7; 10]).unwrap();
    assert_eq!(content(&cache, "a"), None);
}
