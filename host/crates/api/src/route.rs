//! A route as data: how it is reached, who may call it, which handler runs, and how its requests are treated.

use std::sync::Arc;
use std::time::Duration;

use salvo::Handler;
use salvo::http::Method;
use svc_domain::kind::CachePartition;
use svc_http_io::limits::{BODY_BYTES, Limits};
use svc_identity::actor::Actor;
use svc_identity::capability::Capability;

use crate::binary_content::BinaryContent;
use crate::tag::Tag;

/// Who may call a route. There is no default, so that no route can be added without one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anyone, without a credential.
    Public,
    /// Every authenticated caller.
    SignedIn,
    /// Callers with this capability.
    Capability(Capability),
    /// Callers with this capability, or with a signed link to this path that a user with this capability created.
    Link(Capability),
    /// Callers with this capability and a signed-in session; personal access tokens are refused.
    Session(Capability),
    /// Clients on the same machine, in development mode; for all others the route does not exist.
    Dev,
    /// Callers with any of these; the handler checks the one that its input requires.
    AnyCapability(&'static [Capability]),
}

impl Access {
    /// Whether an authenticated caller may call the route.
    pub fn allows(self, actor: &Actor) -> bool {
        match self {
            Self::Public | Self::SignedIn | Self::Dev => true,
            Self::Capability(capability) | Self::Link(capability) | Self::Session(capability) => {
                actor.may(capability)
            }
            Self::AnyCapability(capabilities) => capabilities.iter().any(|&capability| actor.may(capability)),
        }
    }

    /// Whether the route requires a signed-in session.
    pub fn requires_session(self) -> bool {
        matches!(self, Self::Session(_))
    }

    /// In words, for the API's description.
    pub fn describe(self) -> String {
        match self {
            Self::Public => "Public.".to_owned(),
            Self::SignedIn => "Requires a signed-in user.".to_owned(),
            Self::Capability(capability) => format!("Requires the capability `{capability}`."),
            Self::Link(capability) => {
                format!(
                    "Requires the capability `{capability}`, or a signed link to the item (`POST /api/v1/links`)."
                )
            }
            Self::Session(capability) => format!(
                "Requires the capability `{capability}`, and a signed-in session: a personal access token is refused."
            ),
            Self::Dev => "For tests on the same machine, in development mode.".to_owned(),
            Self::AnyCapability(capabilities) => {
                let names: Vec<_> = capabilities
                    .iter()
                    .map(|capability| format!("`{capability}`"))
                    .collect();
                format!("Requires one of the capabilities {}.", names.join(", "))
            }
        }
    }
}

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
    /// [`Limits::plugin_time`], for handlers that compile plugins or call them for many files.
    Plugins,
}

impl Timeout {
    /// The time for the body to arrive.
    pub fn body_time(self, limits: &Limits) -> Duration {
        match self {
            Self::Handler | Self::SignIn => limits.body_time,
            Self::Plugins => limits.plugin_time,
        }
    }

    /// The time for the handler.
    pub fn handler_time(self, limits: &Limits) -> Duration {
        match self {
            Self::Handler => limits.handler_time,
            Self::SignIn => limits.sign_in_time,
            Self::Plugins => limits.plugin_time,
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
    /// The bytes that it responds with; `None` if it responds with no media file.
    pub binary: Option<BinaryContent>,
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
            binary: None,
            tag: Tag::Server,
            handler: Arc::new(handler),
        }
    }

    /// A GET route. Its credential may be in the URL.
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

    /// The same route with a media file as response.
    #[must_use]
    pub fn binary(self, content: BinaryContent) -> Self {
        Self {
            binary: Some(content),
            ..self
        }
    }

    /// Its method; for GET, HEAD as well.
    pub(crate) fn methods(&self) -> impl Iterator<Item = Method> {
        let head = (self.method == Method::GET).then_some(Method::HEAD);
        std::iter::once(self.method.clone()).chain(head)
    }
}
