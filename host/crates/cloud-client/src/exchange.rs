//! One request and its response, over a connection to addresses that were checked. Blocks.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use ureq::config::{AutoHeaderValue, Config};
use ureq::http::{HeaderValue, Request, Response, Uri, header};
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{Connector as _, NextTimeout, TcpConnector};
use ureq::{Agent, Body, Error};

use crate::egress::CheckedRequest;
use crate::limits;
use crate::tls::TlsConnector;
use svc_plugin_host::cloud::{HttpError, HttpHeader, HttpResponse};

/// Addresses that are tried, in this order. They share the time for connecting.
const ADDRESSES: usize = 8;

/// The addresses that were checked, whatever the host: its name is not looked up again.
#[derive(Debug)]
struct CheckedAddresses(Vec<SocketAddr>);

impl Resolver for CheckedAddresses {
    fn resolve(&self, _: &Uri, _: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Error> {
        let mut addresses = self.empty();
        for address in self.0.iter().take(ADDRESSES) {
            addresses.push(*address);
        }
        Ok(addresses)
    }
}

/// A connection for one request. Dropping it ends a request that another thread waits for.
#[derive(Debug)]
pub(crate) struct Exchange(Agent);

impl Exchange {
    /// `total` is the time for all of the request.
    pub(crate) fn new(
        addresses: Vec<SocketAddr>,
        tls: &Arc<ClientConfig>,
        connect: Duration,
        total: Duration,
    ) -> Self {
        let config = Agent::config_builder()
            // Those of the environment are for downloads of people.
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .max_idle_connections(0)
            .max_response_header_size(limits::RESPONSE_HEADER_BYTES)
            .accept_encoding(AutoHeaderValue::None)
            .user_agent(concat!("svc/", env!("CARGO_PKG_VERSION")))
            .timeout_connect(Some(connect))
            .timeout_global(Some(total))
            .build();
        let connector = TcpConnector::default().chain(TlsConnector(Arc::clone(tls)));
        Self(Agent::with_parts(
            config,
            ().chain(connector),
            CheckedAddresses(addresses),
        ))
    }

    /// The same connection, for the thread that sends.
    pub(crate) fn agent(&self) -> Agent {
        self.0.clone()
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.0.clone().shutdown();
    }
}

/// Sends the request and receives all of the response.
pub(crate) fn send(agent: &Agent, request: CheckedRequest) -> Result<HttpResponse, HttpError> {
    let uri: Uri = match request.target.url.as_str().parse() {
        // Both parsers agree about the server.
        Ok(uri) if agrees(&uri, &request.target.url) => uri,
        _ => return Err(HttpError::Denied("the URL is invalid".to_owned())),
    };
    let mut sent = Request::new(());
    *sent.method_mut() = request.method;
    *sent.uri_mut() = uri;
    *sent.headers_mut() = request.headers;
    sent.headers_mut()
        .insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    let origin = &request.target.origin;
    let outcome = match request.body {
        Some(body) => agent.run(sent.map(|()| body)),
        None => agent.run(sent),
    };
    outcome.and_then(receive).map_err(|error| {
        let error = typed(error);
        match error {
            HttpError::TooLarge => tracing::warn!(%origin, "the response of the cloud is too large"),
            _ => tracing::debug!(%origin, %error, "cloud request failed"),
        }
        error
    })
}

fn agrees(uri: &Uri, url: &url::Url) -> bool {
    uri.scheme_str() == Some(url.scheme())
        && uri.host() == url.host_str()
        && uri.port_u16() == url.port()
        && uri
            .authority()
            .is_some_and(|authority| !authority.as_str().contains('@'))
}

fn receive(mut response: Response<Body>) -> Result<HttpResponse, Error> {
    let limit = limits::RESPONSE_BYTES as u64;
    let length = response.body().content_length();
    if length.is_some_and(|length| length > limit) {
        return Err(Error::BodyExceedsLimit(limit));
    }
    // One byte more: the reader refuses a body that is as long as its limit.
    let body = response.body_mut().with_config().limit(limit + 1).read_to_vec()?;
    if body.len() as u64 > limit {
        return Err(Error::BodyExceedsLimit(limit));
    }
    let header = |(name, value): (&ureq::http::HeaderName, &HeaderValue)| {
        Some(HttpHeader {
            name: name.as_str().to_owned(),
            value: value.to_str().ok()?.to_owned(),
        })
    };
    Ok(HttpResponse {
        status: response.status().as_u16(),
        headers: response.headers().iter().filter_map(header).collect(),
        body,
    })
}

/// The error for the plugin. Neither it nor the log contains anything of the exchange.
fn typed(error: Error) -> HttpError {
    match error {
        Error::Timeout(_) => HttpError::Timeout,
        Error::BodyExceedsLimit(_) | Error::LargeResponseHeader(..) => HttpError::TooLarge,
        Error::Tls(_) | Error::Rustls(_) => HttpError::Tls,
        Error::Io(error) if is_tls(&error) => HttpError::Tls,
        _ => HttpError::Unreachable,
    }
}

fn is_tls(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|source| source.is::<rustls::Error>())
}
