//! Answers about media that were given before, kept in memory while all that they are made of is unchanged: a home page
//! or a grid of covers is asked for again and again.

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

/// A guess at what headers, key and the places of an entry take beside the body.
const ENTRY_OVERHEAD_BYTES: u64 = 1024;

/// Answers of the size of a page that fit. The cache is divided into parts for 32 of them each, which leaves the largest
/// answer room in its part.
const EXPECTED_ENTRIES: usize = 256;

/// Who asks for what, and the state of all that the answer is made of. Equal questions have equal answers.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct CacheKeyRef<'a> {
    state: MediaVersion,
    target: Cow<'a, str>,
}

/// The same, as it is kept.
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

/// An answer with status 200.
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

/// Put by a handler beside an answer that may be given again to the same question.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cacheable;

/// The answers that are kept, and what their entity tags are made with.
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
    /// What this request asks for, in this state.
    pub(super) fn new(state: MediaVersion, req: &'a Request) -> Self {
        let target = req.uri().path_and_query().map_or("", PathAndQuery::as_str);
        Self {
            state,
            target: without_token(target),
        }
    }

    /// The same without what it borrows from the request.
    pub(super) fn to_owned_key(&self) -> CacheKey {
        CacheKey {
            state: self.state,
            target: self.target.as_ref().into(),
        }
    }
}

/// The target of a request as it was written, without the token in it.
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
    /// The entity tag of the answer; holds for this start of the server.
    pub(super) fn tag(&self, key: &CacheKeyRef<'_>) -> String {
        let hash = HEXLOWER.encode(&self.tags.hash_one(key).to_be_bytes());
        ["W/\"", &hash, "\""].concat()
    }

    /// Answers as before, if the question was answered before.
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

    /// Keeps the answer to this question, if it is a whole one and not too large.
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

    /// Forgets all that is kept.
    pub(super) fn clear(&self) {
        self.entries.clear();
    }

    /// How many are kept.
    pub fn len(&self) -> usize {
        self.entries.len()
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
    fn what_is_kept_is_bounded_one_by_one_and_in_all() {
        let memory = ResponseCache::default();
        let key = |number| CacheKey {
            state: MediaVersion {
                user: UserId::from(1),
                capabilities: CapabilitySet::default(),
                identity: 1,
                media: number,
                personal: 0,
            },
            target: "/a".into(),
        };
        let response = |length| {
            let mut res = Response::new();
            res.status_code(StatusCode::OK);
            res.replace_body(ResBody::Once(vec![0; length].into()));
            res
        };
        memory.insert(key(0), &response(CACHED_RESPONSE_BYTES + 1));
        assert_eq!(memory.len(), 0);
        for number in 0..300 {
            memory.insert(key(number), &response(CACHED_RESPONSE_BYTES));
        }
        assert!(memory.len() > 16, "{}", memory.len());
        assert!(memory.entries.weight() <= RESPONSE_CACHE_BYTES);
    }

    #[test]
    fn token_is_no_part_of_what_is_asked_for() {
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
