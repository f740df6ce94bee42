//! A response, as handlers make it.

use bytes::Bytes;
use maud::Markup;
use salvo::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY, RETRY_AFTER, SET_COOKIE,
    X_CONTENT_TYPE_OPTIONS,
};
use salvo::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde::Serialize;

use crate::error::{Error, Refusal};

/// What the pages may load and where their forms may go.
const PAGE_POLICY: &str =
    "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// How long a response may be cached.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cache {
    Never,
    /// For an hour, by the client alone.
    Private,
    /// For an hour, by anyone.
    Public,
}

/// A response.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Reply {
    fn new(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        let headers = [
            (CONTENT_TYPE, content_type),
            (CACHE_CONTROL, "no-store"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            // `no-referrer` would also take the `Origin` from the forms of the pages.
            (REFERRER_POLICY, "same-origin"),
        ];
        let headers = headers
            .into_iter()
            .map(|(name, value)| (name, HeaderValue::from_static(value)));
        Self {
            status,
            headers: headers.collect(),
            body: body.into(),
        }
    }

    /// A JSON object.
    pub(crate) fn json(status: StatusCode, cache: Cache, body: &impl Serialize) -> Result<Self, Error> {
        let body = serde_json::to_vec(body).map_err(std::io::Error::from)?;
        let mut reply = Self::new(status, "application/json", body);
        match cache {
            Cache::Never => {}
            Cache::Private => reply.set(CACHE_CONTROL, HeaderValue::from_static("private, max-age=3600")),
            Cache::Public => reply.set(CACHE_CONTROL, HeaderValue::from_static("public, max-age=3600")),
        }
        Ok(reply)
    }

    /// A page.
    pub(crate) fn page(status: StatusCode, page: Markup) -> Self {
        let mut reply = Self::new(status, "text/html; charset=utf-8", page.into_string());
        reply.set(CONTENT_SECURITY_POLICY, HeaderValue::from_static(PAGE_POLICY));
        reply
    }

    /// A style sheet.
    pub(crate) fn css(text: &'static str) -> Self {
        Self::new(StatusCode::OK, "text/css; charset=utf-8", text)
    }

    /// Sends a browser to a path of the cloud.
    pub(crate) fn see_other(path: &str) -> Self {
        let mut reply = Self::new(StatusCode::SEE_OTHER, "text/plain", "");
        if let Ok(path) = HeaderValue::from_str(path) {
            reply.set(LOCATION, path);
        }
        reply
    }

    /// A redirect or a body that the protocol does not know, for failure switches.
    pub(crate) fn odd(status: StatusCode, content_type: &'static str, body: impl Into<Bytes>) -> Self {
        Self::new(status, content_type, body)
    }

    /// The response to a request that failed. Only refusals say why.
    pub(crate) fn of_error(error: &Error) -> Self {
        let Error::Refused(refusal) = error else {
            return Self::refusal(500, "internal_error", "the cloud has failed");
        };
        let (status, code, message) = refusal.parts();
        let mut reply = Self::refusal(status, code, message);
        if let Refusal::TooManyRequests(seconds) = refusal {
            reply.set(RETRY_AFTER, HeaderValue::from(*seconds));
        }
        reply
    }

    /// A refusal with any code.
    pub(crate) fn refusal(status: u16, code: &str, message: &str) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::json!({ "code": code, "message": message });
        Self::new(status, "application/json", body.to_string())
    }

    /// The same with a cookie.
    pub(crate) fn with_cookie(mut self, cookie: &cookie::Cookie<'_>) -> Self {
        if let Ok(value) = HeaderValue::from_str(&cookie.to_string()) {
            self.set(SET_COOKIE, value);
        }
        self
    }

    pub(crate) fn set(&mut self, name: HeaderName, value: HeaderValue) {
        self.headers.insert(name, value);
    }
}
