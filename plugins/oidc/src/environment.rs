//! What the client needs from its host: requests, the time, and a small store.

use crate::error::{Endpoint, Outage, Result};

/// Bytes of a response: a userinfo with all groups that count, several times. The server receives up to 4 MiB, which as
/// JSON could exceed the memory of the plugin.
pub const MAX_RESPONSE: usize = 512 * 1024;

/// A request to the provider.
#[derive(Debug, Clone, Default)]
pub struct Request {
    pub method: &'static str,
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Option<Vec<u8>>,
    /// Requests with the same key that are in flight at once are sent once.
    pub flight: Option<&'static str>,
}

/// The response of the provider.
#[derive(Debug, Clone)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Response {
    /// The value of a header without parameters, in lower case.
    pub fn content_type(&self) -> String {
        let header = self
            .headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        let value = header.map_or("", |(_, value)| value.as_str());
        value
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .to_ascii_lowercase()
    }
}

/// The host. In the component it is the imported interfaces, in tests a table of responses.
pub trait Environment {
    /// Sends a request; the error says why there is no response.
    ///
    /// # Errors
    /// The reason, for the log.
    fn send(&self, request: Request) -> std::result::Result<Response, String>;

    /// Seconds since 1970.
    fn now(&self) -> i64;

    /// The stored value of a key.
    fn load(&self, key: &str) -> Option<Vec<u8>>;

    /// Stores a value. A value that does not fit is not stored, and requested again the next time.
    fn store(&self, key: &str, value: &[u8]);
}

/// Sends a request, and returns any response that is not too large.
///
/// # Errors
/// There is no response, or a larger one.
pub fn respond(environment: &impl Environment, endpoint: Endpoint, request: Request) -> Result<Response> {
    let response = environment
        .send(request)
        .map_err(|reason| Outage::Transport { endpoint, reason })?;
    if response.body.len() > MAX_RESPONSE {
        return Err(Outage::TooLarge { endpoint }.into());
    }
    Ok(response)
}
