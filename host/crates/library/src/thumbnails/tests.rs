//! A cached file that is not a picture is discarded, not served.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::renderer::cached_thumbnail;
use super::*;
use svc_domain::rendering::ImageFormat;
use svc_domain::time::SystemClock;
use svc_platform::disk_cache::CacheKey;

#[test]
fn cached_file_that_is_no_picture_is_discarded() {
    let directory = tempfile::tempdir().unwrap();
    let cache = DiskCache::new(directory.path().join("pictures"), 1 << 20, Arc::new(SystemClock));
    let key = CacheKey::of(&["a"]);
    let jpeg = [&[0xff, 0xd8, 0xff, 0xe0][..], &[7; 100]].concat();
    cache.put(&key, &jpeg).unwrap();
    let (format, picture) = cached_thumbnail(&cache, &key).unwrap();
    assert_eq!((format, picture.read().unwrap()), (ImageFormat::Jpeg, jpeg));
    for broken in [&b"<script>alert(1)</script>"[..], b"", &[0xff, 0xd8]] {
        cache.put(&key, broken).unwrap();
        assert!(cached_thumbnail(&cache, &key).is_none(), "{broken:?}");
        assert!(!cache.holds(&key));
    }
}
