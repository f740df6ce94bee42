//! Cached responses and entity tags of media, by the route's [`CachePolicy`].

use std::sync::Arc;

use salvo::http::header::{
    ETAG, HeaderValue, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_UNMODIFIED_SINCE, RANGE,
};
use salvo::http::{Method, StatusCode};
use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};

use crate::request_context::RequestContext;
use crate::response::is_not_modified;
use crate::response_cache::{CacheKeyRef, Cacheable};
use crate::route::CachePolicy;

/// Responds from the cache where it can, and caches what the handler responds.
#[derive(Debug)]
pub struct Cache;

#[async_trait]
impl Handler for Cache {
    async fn handle(&self, req: &mut Request, depot: &mut Depot, res: &mut Response, ctrl: &mut FlowCtrl) {
        let Ok(RequestContext {
            state,
            route: Some(route),
            actor: Some(actor),
            ..
        }) = RequestContext::of(depot)
        else {
            return;
        };
        let (is_by_version, partition) = match route.cache_policy {
            CachePolicy::Never => return,
            CachePolicy::ByVersion(partition) => (true, partition),
            CachePolicy::ByHandler(partition) => (false, partition),
        };
        // Read before the response is built: a response is never older than the version it is cached under.
        let version = state.media_version.of(actor, partition);
        let state = Arc::clone(state);
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
                ctrl.skip_rest();
                return;
            }
            is_wildcard
        } else {
            is_conditional(req)
        };
        if is_for_handler || req.method() != Method::GET {
            return;
        }
        if cache.respond(&key, res) {
            ctrl.skip_rest();
            return;
        }
        let key = key.to_owned_key();
        ctrl.call_next(req, depot, res).await;
        if is_by_version || depot.remove_typed::<Cacheable>().is_ok() {
            cache.insert(key, res);
        }
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
