//! Requests over HTTP to the origins that the administrator configured. The host resolves names, checks addresses, limits
//! time and size, and follows no redirect.

pub use crate::bindings::cloud::svc::plugin::http::{Header, HttpError, Request, Response};

/// A header.
pub fn header(name: impl Into<String>, value: impl Into<String>) -> Header {
    Header {
        name: name.into(),
        value: value.into(),
    }
}

/// Sends a request. Each error means that there is no response.
///
/// # Errors
/// The rules of the host refuse it, or the service cannot be reached, is too slow, answers too much, or has no valid
/// certificate.
pub fn send(request: &Request) -> Result<Response, HttpError> {
    exchange(request)
}

#[cfg(target_arch = "wasm32")]
fn exchange(request: &Request) -> Result<Response, HttpError> {
    crate::bindings::cloud::svc::plugin::http::send(request)
}

#[cfg(not(target_arch = "wasm32"))]
fn exchange(request: &Request) -> Result<Response, HttpError> {
    crate::cloud::simulate::answer(request)
}

impl Response {
    /// The value of the first header of this name, in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let header = self
            .headers
            .iter()
            .find(|header| header.name.eq_ignore_ascii_case(name));
        header.map(|header| header.value.as_str())
    }
}
