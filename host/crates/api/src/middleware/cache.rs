//! Cached responses and entity tags of media, by the route's [`CachePolicy`].

use salvo::http::header::{
    ETAG, HeaderValue, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_UNMODIFIED_SINCE, RANGE,
};
use salvo::http::{Method, StatusCode};
use salvo::{Depot, Request, Response};

use crate::request_context::RequestContext;
use crate::response::is_not_modified;
use crate::response_cache::{CacheKey, CacheKeyRef, Cacheable};
use crate::route::CachePolicy;

/// What the cache knows about a request.
#[derive(Debug)]
pub(super) enum Lookup {
    /// The response is complete.
    Responded,
    /// The handler's response is to be [stored](store).
    Missing(CacheKey),
    /// The handler responds, and nothing is stored.
    NotCacheable,
}

/// Responds from the cache where it can.
pub(super) fn look_up(req: &Request, depot: &Depot, res: &mut Response) -> Lookup {
    let Ok(RequestContext {
        state,
        route: Some(route),
        actor: Some(actor),
        ..
    }) = RequestContext::of(depot)
    else {
        return Lookup::NotCacheable;
    };
    let (is_by_version, partition) = match route.cache_policy {
        CachePolicy::Never => return Lookup::NotCacheable,
        CachePolicy::ByVersion(partition) => (true, partition),
        CachePolicy::ByHandler(partition) => (false, partition),
    };
    // Read before the response is built: a response is never older than the version it is cached under.
    let version = state.media_version.of(actor, partition);
    let cache = &state.response_cache;
    let key = CacheKeyRef::new(version, req);
    let is_for_handler = if is_by_version {
        let tag = cache.tag(&key);
        // `*` asks whether the item exists, which the handler knows.
        let is_wildcard = req.headers().get(IF_NONE_MATCH).is_some_and(|tags| tags == "*");
        let is_current = !is_wildcard && is_not_modified(req.headers(), &tag);
        if let Ok(tag) = HeaderValue::try_from(tag) {
            res.headers_mut().insert(ETAG, tag);
        }
        if is_current {
            res.status_code(StatusCode::NOT_MODIFIED);
            return Lookup::Responded;
        }
        is_wildcard
    } else {
        is_conditional(req)
    };
    if is_for_handler || req.method() != Method::GET {
        Lookup::NotCacheable
    } else if cache.respond(&key, res) {
        Lookup::Responded
    } else {
        Lookup::Missing(key.to_owned_key())
    }
}

/// Stores the handler's response, if the route's policy or the handler allows it.
pub(super) fn store(key: CacheKey, depot: &mut Depot, res: &mut Response) {
    let by_handler = depot.remove_typed::<Cacheable>().is_ok();
    let Ok(RequestContext {
        state,
        route: Some(route),
        ..
    }) = RequestContext::of(depot)
    else {
        return;
    };
    if by_handler || matches!(route.cache_policy, CachePolicy::ByVersion(_)) {
        state.response_cache.insert(key, res);
    }
}

/// Ranges and preconditions are evaluated by the handler.
fn is_conditional(req: &Request) -> bool {
    let names = [
        RANGE,
        IF_NONE_MATCH,
        IF_MATCH,
        IF_MODIFIED_SINCE,
        IF_UNMODIFIED_SINCE,
    ];
    names.iter().any(|name| req.headers().contains_key(name))
}
