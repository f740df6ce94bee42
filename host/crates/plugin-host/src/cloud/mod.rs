//! Plugins of the world `cloud-client`, which talk to a service that vouches for accounts.

mod host_http;
mod host_state;

pub use host_http::{HostFuture, HttpClient, HttpError, HttpHeader, HttpRequest, HttpResponse};
pub use host_state::{StateError, StateStore};
