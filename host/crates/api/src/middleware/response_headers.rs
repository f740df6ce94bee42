//! Headers on every response: CORS for the origins that may call, and those that protect browsers.

use salvo::http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_METHOD, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HOST, HeaderName, HeaderValue,
    ORIGIN, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS,
};
use salvo::http::{Method, StatusCode};
use salvo::{Request, Response};

use svc_http_io::headers::single_value;
use svc_http_io::limits::PREFLIGHT_MAX_AGE;
use svc_identity::origins::Origins;

const METHODS: &str = "GET, HEAD, POST, PUT, PATCH, DELETE";
const HEADERS: &str =
    "authorization, content-type, svc-app, svc-cloud-token, range, if-range, if-none-match, if-match";
const EXPOSED: &str = "content-range, accept-ranges, content-length, etag, link, retry-after";
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const PRIVATE_NETWORK: HeaderName = HeaderName::from_static("access-control-allow-private-network");

/// The headers that protect browsers; a handler may set other values.
const PROTECTIVE: [(HeaderName, &str); 4] = [
    (CACHE_CONTROL, "no-store"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; frame-ancestors 'none'",
    ),
];

/// The relation of an origin to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OriginClass {
    /// The server's own pages.
    SameOrigin,
    /// Allowed by the operator.
    Listed,
    /// Any other.
    Foreign,
}

/// Classifies the `Origin` header of a request by its exact text.
fn origin_class(origin: &str, host: Option<&str>, is_listed: impl Fn(&str) -> bool) -> OriginClass {
    let authority = origin
        .strip_prefix("http://")
        .or_else(|| origin.strip_prefix("https://"));
    if authority.is_some() && authority == host {
        OriginClass::SameOrigin
    } else if is_listed(origin) {
        OriginClass::Listed
    } else {
        OriginClass::Foreign
    }
}

/// Adds the protective headers to a response, also to an error, which nobody may cache.
pub(super) fn protect(res: &mut Response) {
    let status = res.status_code.unwrap_or(StatusCode::OK);
    let headers = res.headers_mut();
    for (name, value) in PROTECTIVE {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if status.is_client_error() || status.is_server_error() {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
}

/// Whether a browser asks for permission to send the real request.
pub(super) fn is_preflight(req: &Request) -> bool {
    req.method() == Method::OPTIONS
        && req.headers().contains_key(ORIGIN)
        && req.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
}

/// The CORS headers of one response, also of an error: browsers must be able to read those.
#[derive(Debug)]
pub(super) struct CorsHeaders {
    origin: Option<HeaderValue>,
    origin_class: OriginClass,
    is_preflight: bool,
}

impl CorsHeaders {
    /// Determined before the handler runs.
    pub(super) fn of(req: &Request, origins: &Origins) -> Self {
        let headers = req.headers();
        let origin = single_value(headers, &ORIGIN);
        let origin_class = origin.map_or(OriginClass::Foreign, |origin| {
            let host = single_value(headers, &HOST)
                .or_else(|| req.uri().authority().map(|authority| authority.as_str()));
            origin_class(origin, host, |origin| origins.allows(origin))
        });
        Self {
            origin: headers
                .get(ORIGIN)
                .filter(|_| origin_class != OriginClass::Foreign)
                .cloned(),
            origin_class,
            is_preflight: is_preflight(req),
        }
    }

    /// Adds the headers to the response.
    pub(super) fn apply(&self, res: &mut Response) {
        let headers = res.headers_mut();
        headers.append(VARY, HeaderValue::from_static("Origin"));
        let policy = match self.origin_class {
            OriginClass::Listed => "cross-origin",
            OriginClass::SameOrigin | OriginClass::Foreign => "same-site",
        };
        headers.insert(RESOURCE_POLICY, HeaderValue::from_static(policy));
        let Some(origin) = &self.origin else { return };
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
        if self.origin_class == OriginClass::SameOrigin {
            headers.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
        }
        if self.is_preflight {
            headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(HEADERS));
            headers.insert(
                ACCESS_CONTROL_MAX_AGE,
                HeaderValue::from(PREFLIGHT_MAX_AGE.as_secs()),
            );
            headers.insert(PRIVATE_NETWORK, HeaderValue::from_static("true"));
        }
    }
}

#[cfg(test)]
mod tests {
    use svc_covers::covers;

    use super::*;

    #[covers("T13")]
    #[test]
    fn origins_are_allowed_by_their_exact_text() {
        let listed = |origin: &str| origin == "https://good.example";
        let host = Some("media.local:8080");
        for (origin, expected) in [
            ("https://good.example", OriginClass::Listed),
            ("http://media.local:8080", OriginClass::SameOrigin),
            ("https://media.local:8080", OriginClass::SameOrigin),
            ("http://media.local", OriginClass::Foreign),
            ("https://good.example.evil", OriginClass::Foreign),
            ("https://evil-good.example", OriginClass::Foreign),
            ("https://good.example:444", OriginClass::Foreign),
            ("https://good.example.", OriginClass::Foreign),
            ("https://good.example/", OriginClass::Foreign),
            ("https://GOOD.example", OriginClass::Foreign),
            ("https://user@good.example", OriginClass::Foreign),
            ("http://good.example", OriginClass::Foreign),
            ("null", OriginClass::Foreign),
            ("*", OriginClass::Foreign),
            ("", OriginClass::Foreign),
        ] {
            assert_eq!(origin_class(origin, host, listed), expected, "{origin:?}");
        }
        assert_eq!(origin_class("null", None, listed), OriginClass::Foreign);
    }
}
