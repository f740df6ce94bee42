//! Requests over HTTP to the origins that the administrator configured. The host resolves names, checks addresses, limits
//! time and size, and follows no redirect.

pub use super::message::{Header, HttpError, Request, Response, header};

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
