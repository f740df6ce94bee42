//! A route as data: how it is reached, who may call it, which handler runs, and how its requests are treated.

use std::sync::Arc;
use std::time::Duration;

use salvo::Handler;
use salvo::http::Method;
use svc_domain::kind::CachePartition;
use svc_http_io::limits::{BODY_BYTES, Limits};

use crate::access::Access;
use crate::tag::Tag;

/// Whether responses of a route may be cached, and which version counter invalidates them: that of a partition of the
/// media, or of all media for `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CachePolicy {
    /// Never.
    Never,
    /// Until the media or the caller's permissions change. The entity tag is derived from their version.
    ByVersion(Option<CachePartition>),
    /// As before, when the handler marks the response as [`Cacheable`](crate::response_cache::Cacheable). The handler sets
    /// the entity tag.
    ByHandler(Option<CachePartition>),
}

/// The time that a handler has to produce the head of its response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Timeout {
    /// [`Limits::handler_time`].
    Handler,
    /// [`Limits::sign_in_time`], for handlers that hash passwords or call the cloud.
    SignIn,
}

impl Timeout {
    /// Its length under these limits.
    pub fn of(self, limits: &Limits) -> Duration {
        match self {
            Self::Handler => limits.handler_time,
            Self::SignIn => limits.sign_in_time,
        }
    }
}

/// Which query parameters may carry a credential, for clients that cannot set headers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UrlCredential {
    /// None.
    Refused,
    /// `token`.
    Token,
    /// `token`, or the deprecated `authorization` with an access token.
    TokenOrAuthorization,
}

/// One endpoint.
#[derive(Clone)]
pub struct Route {
    /// Method. A GET route also serves HEAD.
    pub method: Method,
    /// Path with parameters, such as `/api/v1/photos/{photoId}`.
    pub path: &'static str,
    /// Who may call it.
    pub access: Access,
    /// Largest request body in bytes.
    pub body_bytes: usize,
    /// Time for the handler.
    pub timeout: Timeout,
    /// Caching of responses.
    pub cache_policy: CachePolicy,
    /// Credentials in the URL.
    pub url_credential: UrlCredential,
    /// Group in the API's description.
    pub tag: Tag,
    pub(crate) handler: Arc<dyn Handler>,
}

impl std::fmt::Debug for Route {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {} {:?}", self.method, self.path, self.access)
    }
}

impl Route {
    fn new(method: Method, path: &'static str, access: Access, handler: impl Handler) -> Self {
        Self {
            method,
            path,
            access,
            body_bytes: BODY_BYTES,
            timeout: Timeout::Handler,
            cache_policy: CachePolicy::Never,
            url_credential: UrlCredential::Refused,
            tag: Tag::Server,
            handler: Arc::new(handler),
        }
    }

    /// A GET route. Its credential may stand in the URL.
    pub fn get(path: &'static str, access: Access, handler: impl Handler) -> Self {
        Self {
            url_credential: UrlCredential::Token,
            ..Self::new(Method::GET, path, access, handler)
        }
    }

    /// A POST route.
    pub fn post(path: &'static str, access: Access, handler: impl Handler) -> Self {
        Self::new(Method::POST, path, access, handler)
    }

    /// A PUT route.
    pub fn put(path: &'static str, access: Access, handler: impl Handler) -> Self {
        Self::new(Method::PUT, path, access, handler)
    }

    /// A PATCH route.
    pub fn patch(path: &'static str, access: Access, handler: impl Handler) -> Self {
        Self::new(Method::PATCH, path, access, handler)
    }

    /// A DELETE route.
    pub fn delete(path: &'static str, access: Access, handler: impl Handler) -> Self {
        Self::new(Method::DELETE, path, access, handler)
    }

    /// The same route for larger or smaller bodies.
    #[must_use]
    pub fn body(self, body_bytes: usize) -> Self {
        Self { body_bytes, ..self }
    }

    /// The same route with another timeout.
    #[must_use]
    pub fn timeout(self, timeout: Timeout) -> Self {
        Self { timeout, ..self }
    }

    /// The same route with cached responses.
    #[must_use]
    pub fn cached(self, cache_policy: CachePolicy) -> Self {
        Self { cache_policy, ..self }
    }

    /// The same route with other credentials in the URL.
    #[must_use]
    pub fn url_credential(self, url_credential: UrlCredential) -> Self {
        Self {
            url_credential,
            ..self
        }
    }

    /// Its method, and HEAD beside GET.
    pub(crate) fn methods(&self) -> impl Iterator<Item = Method> {
        let head = (self.method == Method::GET).then_some(Method::HEAD);
        std::iter::once(self.method.clone()).chain(head)
    }
}
