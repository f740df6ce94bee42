//! Before a handler: who calls, and whether they may. Runs for the route that was matched, never by the text of
//! the URL, and before any input is read.

use std::sync::Arc;

use salvo::http::body::Body as _;
use salvo::http::header::{
    AUTHORIZATION, ETAG, HeaderValue, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_UNMODIFIED_SINCE,
    ORIGIN, RANGE,
};
use salvo::http::{Method, StatusCode};
use salvo::{Depot, FlowCtrl, Handler, Request, Response, async_trait};
use url::form_urlencoded;

use crate::access::Access;
use crate::api_error::ApiError;
use crate::body::receive;
use crate::csrf::{CsrfOriginCheck, check_csrf_origin, own_addresses, require_plain_host};
use crate::request_context::RequestContext;
use crate::response::is_not_modified;
use crate::response_cache::{CacheKeyRef, Cacheable};
use crate::route::{CachePolicy, Route};
use crate::routes::events::SUBSCRIBE;
use crate::state::AppState;
use svc_domain::kind::CachePartition;
use svc_identity::credential;
use svc_identity::credential::{Credential, PresentedCredentials};
use svc_identity::error::ServiceError;
use svc_library::media_version::MediaVersion;

/// The guard of one route.
#[derive(Debug)]
pub struct Authorize {
    access: Access,
    path: &'static str,
    body_bytes: usize,
    cache_policy: CachePolicy,
    partition: Option<CachePartition>,
}

impl Authorize {
    /// For this route.
    pub fn new(route: &Route) -> Self {
        Self {
            access: route.access,
            path: route.path,
            body_bytes: route.body_bytes,
            cache_policy: route.cache_policy,
            partition: cache_partition_of(route.path),
        }
    }

    fn request_credential(&self, req: &Request) -> Option<Credential> {
        credential_in(req, self.path == SUBSCRIBE)
    }

    async fn authorize(&self, req: &Request, depot: &mut Depot) -> Result<(), ApiError> {
        match self.access {
            Access::Public => return Ok(()),
            Access::Dev if !is_local(req) => return Err(unknown_route()),
            Access::Dev => return require_own_page(req, RequestContext::of(depot)?),
            _ => {}
        }
        let context = RequestContext::of_mut(depot)?;
        let state = &context.state;
        let actor = match (self.request_credential(req), self.access) {
            (Some(Credential::ItemLink(token)), Access::Link(capability)) => {
                let path = req.uri().path();
                state
                    .authentication
                    .actor_of_link(&token, path, capability)
                    .await?
            }
            (credential, _) => state.authentication.actor(credential).await?,
        };
        if self.access.requires_session() && !actor.is_signed_in() {
            return Err(ServiceError::TokenNotPermitted.into());
        }
        if !self.access.allows(&actor) {
            return Err(ApiError::forbidden());
        }
        context.actor = Some(actor);
        Ok(())
    }
}

impl Authorize {
    /// Lets a caller in, and again once the body is there: what was taken from them while they sent it is taken.
    async fn authorize_with_body(&self, req: &mut Request, depot: &mut Depot) -> Result<(), ApiError> {
        self.authorize(req, depot).await?;
        if self.access == Access::Public || reads_only(req) || req.body().is_end_stream() {
            return Ok(());
        }
        receive(req, RequestContext::of(depot)?).await?;
        self.authorize(req, depot).await
    }
}

/// The part of the media that answers below this path are made of, if it is one alone.
fn cache_partition_of(path: &str) -> Option<CachePartition> {
    match path.trim_start_matches("/api/v1/").split('/').next() {
        Some("music") => Some(CachePartition::Music),
        Some("photos" | "photo-albums") => Some(CachePartition::Photos),
        Some("movies" | "tv") => Some(CachePartition::Video),
        _ => None,
    }
}

/// Asks for a part, or for nothing unless something holds: such a question is the handler's.
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

/// As for a path that does not exist.
fn unknown_route() -> ApiError {
    ApiError::of_status(StatusCode::NOT_FOUND)
}

/// Whether a request comes from this machine, and not through a proxy on it.
fn is_local(req: &Request) -> bool {
    let peer = req.remote_addr().ip();
    let forwarded = ["forwarded", "x-forwarded-for", "x-real-ip"]
        .iter()
        .any(|name| req.headers().contains_key(*name));
    peer.is_some_and(|peer| peer.to_canonical().is_loopback()) && !forwarded
}

/// What a browser on this machine sends for a page of somebody else's is not asked for by who runs the server: neither
/// from another origin, nor from a name that its owner has made to lead here.
fn require_own_page(req: &Request, context: &RequestContext) -> Result<(), ApiError> {
    let state = &context.state;
    let base_url = state.proxy_config.base_url.as_ref();
    require_plain_host(req, base_url)?;
    let origins = req.headers().get_all(ORIGIN);
    let mut origins = origins.iter().filter_map(|origin| origin.to_str().ok());
    let is_listed =
        origins.next().is_some_and(|origin| state.origins.allows(origin)) && origins.next().is_none();
    if is_listed
        || check_csrf_origin(req.headers(), &own_addresses(req, false, base_url)) == CsrfOriginCheck::SameSite
    {
        Ok(())
    } else {
        Err(ApiError::new(
            StatusCode::FORBIDDEN,
            "pages of this origin may not call this",
        ))
    }
}

/// The credential that a request shows.
pub fn request_credential(req: &Request) -> Option<Credential> {
    credential_in(req, false)
}

/// The same, perhaps with the old parameter.
fn credential_in(req: &Request, takes_old_parameter: bool) -> Option<Credential> {
    let authorization: Vec<_> = req
        .headers()
        .get_all(AUTHORIZATION)
        .iter()
        .map(|value| value.as_bytes())
        .collect();
    // Not from salvo's table of parameters, which would be made for this alone.
    let query = form_urlencoded::parse(req.uri().query().unwrap_or_default().as_bytes());
    let is_credential = |name: &str| name == "token" || (takes_old_parameter && name == "authorization");
    let pairs: Vec<_> = query.filter(|(name, _)| is_credential(name)).collect();
    let values_of = |wanted: &str| -> Vec<&str> {
        let found = pairs.iter().filter(|(name, _)| name == wanted);
        found.map(|(_, value)| value.as_ref()).collect()
    };
    credential::find(PresentedCredentials {
        authorization: &authorization,
        token: &values_of("token"),
        authorization_parameter: &values_of("authorization"),
        reads_only: reads_only(req),
    })
}

fn reads_only(req: &Request) -> bool {
    [Method::GET, Method::HEAD].contains(req.method())
}

#[async_trait]
impl Handler for Authorize {
    async fn handle(&self, req: &mut Request, depot: &mut Depot, res: &mut Response, ctrl: &mut FlowCtrl) {
        if let Ok(context) = RequestContext::of_mut(depot) {
            context.route = Some(self.path);
            context.body_bytes = self.body_bytes;
            let limits = &context.limits;
            let more = limits.time_of(self.path).saturating_sub(limits.handler_time);
            if !more.is_zero() {
                context.deadline.extend(more);
            }
        }
        if let Err(problem) = self.authorize_with_body(req, depot).await {
            problem.render(res);
            ctrl.skip_rest();
            return;
        }
        if self.cache_policy == CachePolicy::Never {
            return;
        }
        let Ok(RequestContext {
            state,
            actor: Some(actor),
            ..
        }) = RequestContext::of(depot)
        else {
            return;
        };
        // Read before the answer is made, so that no answer is older than the state that it is kept for.
        let (state, now) = (Arc::clone(state), state.media_version.of(actor, self.partition));
        self.answer(&state, now, (req, depot, res, ctrl)).await;
    }
}

/// What a handler is called with.
type Call<'a> = (&'a mut Request, &'a mut Depot, &'a mut Response, &'a mut FlowCtrl);

impl Authorize {
    /// Answers from memory where that is possible, and lets the handler answer elsewhere.
    async fn answer(&self, state: &AppState, now: MediaVersion, (req, depot, res, ctrl): Call<'_>) {
        let key = CacheKeyRef::new(now, req);
        let is_settled = match self.cache_policy {
            CachePolicy::Never => true,
            CachePolicy::ByHandler => is_conditional(req),
            CachePolicy::ByVersion => {
                let tag = state.response_cache.tag(&key);
                // `*` asks whether there is any such thing, which the handler knows.
                let asks_for_any = req.headers().get(IF_NONE_MATCH).is_some_and(|tags| tags == "*");
                let is_known = !asks_for_any && is_not_modified(req.headers(), &tag);
                if is_known {
                    res.status_code(StatusCode::NOT_MODIFIED);
                    ctrl.skip_rest();
                }
                if let Ok(tag) = HeaderValue::try_from(tag) {
                    res.headers_mut().insert(ETAG, tag);
                }
                asks_for_any || is_known
            }
        };
        if is_settled || req.method() != Method::GET {
            return;
        }
        if state.response_cache.respond(&key, res) {
            ctrl.skip_rest();
            return;
        }
        let key = key.to_owned_key();
        ctrl.call_next(req, depot, res).await;
        if self.cache_policy == CachePolicy::ByVersion || depot.remove_typed::<Cacheable>().is_ok() {
            state.response_cache.insert(key, res);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_that_mix_media_are_of_no_single_part() {
        for (path, partition) in [
            ("/api/v1/music/tracks/{musicTrackId}", Some(CachePartition::Music)),
            ("/api/v1/photos", Some(CachePartition::Photos)),
            (
                "/api/v1/photo-albums/{photoAlbumId}",
                Some(CachePartition::Photos),
            ),
            ("/api/v1/movies", Some(CachePartition::Video)),
            ("/api/v1/tv/shows", Some(CachePartition::Video)),
            ("/api/v1/search", None),
            ("/api/v1/history", None),
            ("/api/v1/ratings", None),
            ("/api/v1/cinema/next-up", None),
        ] {
            assert_eq!(cache_partition_of(path), partition, "{path}");
        }
    }
}
