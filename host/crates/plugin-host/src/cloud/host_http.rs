//! The host interface `http`: requests of a plugin, their responses, and the trait that sends them. `Debug` shows nothing
//! of a request: address, headers and body may contain tokens.

use std::fmt;
use std::pin::Pin;

/// The future of a host function.
pub type HostFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One header.
#[derive(Clone, PartialEq, Eq)]
pub struct HttpHeader {
    /// Compared without case.
    pub name: String,
    /// As the plugin or the server sent it.
    pub value: String,
}

/// A request as the plugin made it, of which nothing is verified but that the body has at most 1 MiB.
#[derive(Clone)]
pub struct HttpRequest {
    /// `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
    pub method: String,
    /// Absolute.
    pub url: String,
    /// In the order of the plugin.
    pub headers: Vec<HttpHeader>,
    /// At most 1 MiB.
    pub body: Option<Vec<u8>>,
    /// Requests of this plugin with the same key that are in flight at once are sent once.
    pub flight: Option<String>,
}

/// The response of a server.
#[derive(Clone)]
pub struct HttpResponse {
    /// Status code, 100 to 599; a redirect is one like any other.
    pub status: u16,
    /// In the order of the server.
    pub headers: Vec<HttpHeader>,
    /// At most 4 MiB.
    pub body: Vec<u8>,
}

/// Why there is no response. The texts are for the plugin, and contain nothing of the request but names of hosts. The call
/// that sent the request logs a refusal, because it knows the secrets that the plugin may have used as such a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HttpError {
    /// The rules refuse the request.
    #[error("the request is refused: {0}")]
    Denied(String),
    /// The server cannot be reached, or too many requests to it have failed lately.
    #[error("the server cannot be reached")]
    Unreachable,
    /// The server did not answer in time.
    #[error("the server did not answer in time")]
    Timeout,
    /// The request is longer than 1 MiB or the response longer than 4 MiB.
    #[error("the request or the response is too large")]
    TooLarge,
    /// The certificate of the server is not valid for it.
    #[error("the certificate of the server is not valid for it")]
    Tls,
}

/// Sends the requests of one plugin, under rules of its own: origins, addresses, times, sizes, numbers.
pub trait HttpClient: fmt::Debug + Send + Sync {
    /// Sends a request. Dropping the future gives the response up.
    fn send(&self, request: HttpRequest) -> HostFuture<'_, Result<HttpResponse, HttpError>>;
}

impl fmt::Debug for HttpRequest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HttpRequest").finish_non_exhaustive()
    }
}

impl fmt::Debug for HttpResponse {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut response = formatter.debug_struct("HttpResponse");
        response.field("status", &self.status).finish_non_exhaustive()
    }
}
