//! In-memory cache of responses about media. A response is cached until the data it was built from changes.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use bytes::Bytes;
use data_encoding::HEXLOWER;
use quick_cache::sync::Cache;
use quick_cache::{Equivalent, Weighter};
use salvo::http::uri::PathAndQuery;
use salvo::http::{HeaderMap, ResBody, StatusCode};
use salvo::{Request, Response};

use svc_http_io::limits::{CACHED_RESPONSE_BYTES, RESPONSE_CACHE_BYTES};
use svc_library::media_version::MediaVersion;

/// Estimate of the memory that an entry takes in addition to its body: headers, key, table slots.
const ENTRY_OVERHEAD_BYTES: u64 = 1024;

/// Number of responses with a typical page of a list that fit. The cache has one shard for every 32 of them, so that the
/// largest response fits into a shard.
const EXPECTED_ENTRIES: usize = 256;

/// The key of a request: its target, and the versions of the caller's permissions and of the media. Requests with equal
/// keys have equal responses.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct CacheKeyRef<'a> {
    state: MediaVersion,
    target: Cow<'a, str>,
}

/// A [`CacheKeyRef`] that owns its target.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CacheKey {
    state: MediaVersion,
    target: Box<str>,
}

impl Equivalent<CacheKey> for CacheKeyRef<'_> {
    fn equivalent(&self, other: &CacheKey) -> bool {
        self.state == other.state && *self.target == *other.target
    }
}

/// A response with status 200.
#[derive(Debug)]
struct CachedResponse {
    headers: HeaderMap,
    body: Bytes,
}

#[derive(Debug, Clone)]
struct ByteWeighter;

impl Weighter<CacheKey, Arc<CachedResponse>> for ByteWeighter {
    fn weight(&self, key: &CacheKey, response: &Arc<CachedResponse>) -> u64 {
        ENTRY_OVERHEAD_BYTES + (key.target.len() + response.body.len()) as u64
    }
}

/// Marker that a handler puts into the depot: the response may be cached.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cacheable;

/// The cached responses, and the hash key of their entity tags.
#[derive(Debug)]
pub struct ResponseCache {
    tags: RandomState,
    entries: Cache<CacheKey, Arc<CachedResponse>, ByteWeighter>,
}

impl Default for ResponseCache {
    fn default() -> Self {
        Self {
            tags: RandomState::new(),
            entries: Cache::with_weighter(EXPECTED_ENTRIES, RESPONSE_CACHE_BYTES, ByteWeighter),
        }
    }
}

impl<'a> CacheKeyRef<'a> {
    /// The key of this request, with the current versions.
    pub(super) fn new(state: MediaVersion, req: &'a Request) -> Self {
        let target = req.uri().path_and_query().map_or("", PathAndQuery::as_str);
        Self {
            state,
            target: without_token(target),
        }
    }

    /// A copy that does not borrow from the request.
    pub(super) fn to_owned_key(&self) -> CacheKey {
        CacheKey {
            state: self.state,
            target: self.target.as_ref().into(),
        }
    }
}

/// The target of a request without its `token` parameter.
fn without_token(target: &str) -> Cow<'_, str> {
    match target.split_once('?') {
        Some((path, query)) if query.contains("token=") => {
            let others = query.split('&').filter(|part| !part.starts_with("token="));
            Cow::Owned(format!("{path}?{}", others.collect::<Vec<_>>().join("&")))
        }
        _ => Cow::Borrowed(target),
    }
}

impl ResponseCache {
    /// The entity tag of the response; valid until the server restarts.
    pub(super) fn tag(&self, key: &CacheKeyRef<'_>) -> String {
        let hash = HEXLOWER.encode(&self.tags.hash_one(key).to_be_bytes());
        ["W/\"", &hash, "\""].concat()
    }

    /// Sends the cached response of this key. Returns `false` if there is none.
    pub(super) fn respond(&self, key: &CacheKeyRef<'_>, res: &mut Response) -> bool {
        let Some(cached) = self.entries.get(key) else {
            return false;
        };
        res.status_code(StatusCode::OK);
        res.headers_mut().extend(
            cached
                .headers
                .iter()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
        res.replace_body(ResBody::Once(cached.body.clone()));
        true
    }

    /// Caches a response with status 200 of at most [`CACHED_RESPONSE_BYTES`]; ignores others.
    pub(super) fn insert(&self, key: CacheKey, res: &Response) {
        let ResBody::Once(body) = &res.body else { return };
        if res.status_code != Some(StatusCode::OK) || body.len() > CACHED_RESPONSE_BYTES {
            return;
        }
        let response = CachedResponse {
            headers: res.headers().clone(),
            body: body.clone(),
        };
        self.entries.insert(key, Arc::new(response));
    }

    /// Removes all responses.
    pub(super) fn clear(&self) {
        self.entries.clear();
    }

    /// The number of cached responses.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is cached.
    pub fn is_empty(&self) -> bool {
        self.entries.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use svc_covers::covers;
    use svc_domain::id::UserId;
    use svc_identity::capability::CapabilitySet;

    use super::*;

    #[covers("limit RESPONSE_CACHE_BYTES", "limit CACHED_RESPONSE_BYTES")]
    #[test]
    fn cache_bounds_each_response_and_their_sum() {
        let cache = ResponseCache::default();
        let key = |number| CacheKey {
            state: MediaVersion {
                user: UserId::from(1),
                capabilities: CapabilitySet::default(),
                identity: 1,
                media: number,
                personal: 0,
                plugins: 0,
            },
            target: "/a".into(),
        };
        let response = |length| {
            let mut res = Response::new();
            res.status_code(StatusCode::OK);
            res.replace_body(ResBody::Once(vec![0; length].into()));
            res
        };
        cache.insert(key(0), &response(CACHED_RESPONSE_BYTES + 1));
        assert_eq!(cache.len(), 0);
        for number in 0..300 {
            cache.insert(key(number), &response(CACHED_RESPONSE_BYTES));
        }
        assert!(cache.len() > 16, "{}", cache.len());
        assert!(cache.entries.weight() <= RESPONSE_CACHE_BYTES);
    }

    #[test]
    fn token_is_no_part_of_the_key() {
        for (target, expected) in [
            ("/a", "/a"),
            ("/a?b=1&c=2", "/a?b=1&c=2"),
            ("/a?token=x", "/a?"),
            ("/a?b=1&token=x&c=2", "/a?b=1&c=2"),
            ("/a?b=token=1", "/a?b=token=1"),
        ] {
            assert_eq!(without_token(target), expected, "{target}");
        }
    }
}
