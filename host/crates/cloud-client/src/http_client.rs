//! Sends the requests of one plugin under the rules of `egress`, each within its time, a few at a time, and none to a
//! server that keeps failing.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use sha2::{Digest, Sha256};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};
use url::Host;

use crate::breaker::{Breakers, Outcome};
use crate::discovery::Discovery;
use crate::egress::{CheckedRequest, EgressError, EgressOptions, OriginKind, Rules, Target};
use crate::exchange::{self, Exchange};
use crate::limits;
use crate::lookup::{Lookup, SystemLookup};
use crate::tls;
use svc_platform::single_flight::SingleFlight;
use svc_platform::tasks::Tasks;
use svc_plugin_host::cloud::{HostFuture, HttpClient, HttpError, HttpRequest, HttpResponse};

type Sent = Result<Arc<HttpResponse>, HttpError>;

/// Times of a request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) connect: Duration,
    pub(crate) total: Duration,
}

impl Default for Times {
    fn default() -> Self {
        Self {
            connect: limits::CONNECT,
            total: limits::TOTAL,
        }
    }
}

/// Sends the requests of one plugin. Clones share limits and breakers, which are those of this process.
#[derive(Debug, Clone)]
pub struct EgressClient(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    rules: Rules,
    times: Times,
    lookup: Arc<dyn Lookup>,
    tls: Arc<ClientConfig>,
    permits: Arc<Semaphore>,
    breakers: Arc<Breakers>,
    discovery: Discovery,
    flights: SingleFlight<[u8; 32], Sent>,
    tasks: Tasks,
}

impl EgressClient {
    /// # Errors
    /// A configured URL is no origin that the rules allow; the certificates cannot be read.
    pub fn new(options: &EgressOptions, tasks: Tasks) -> Result<Self, EgressError> {
        let lookup = Arc::new(SystemLookup::default());
        Self::with_times(options, tasks, lookup, Times::default())
    }

    pub(crate) fn with_times(
        options: &EgressOptions,
        tasks: Tasks,
        lookup: Arc<dyn Lookup>,
        times: Times,
    ) -> Result<Self, EgressError> {
        Ok(Self(Arc::new(Shared {
            rules: Rules::new(options)?,
            times,
            lookup,
            tls: tls::client_config(options.ca_certificates.as_deref())?,
            permits: Arc::new(Semaphore::new(limits::IN_FLIGHT)),
            breakers: Arc::default(),
            discovery: Discovery::default(),
            flights: SingleFlight::default(),
            tasks,
        })))
    }

    #[cfg(test)]
    pub(crate) fn status(&self) -> Vec<crate::breaker::OriginStatus> {
        self.0.breakers.status(Instant::now().into_std())
    }
}

impl HttpClient for EgressClient {
    fn send(&self, request: HttpRequest) -> HostFuture<'_, Result<HttpResponse, HttpError>> {
        Box::pin(async move {
            let flight = request.flight.as_ref().map(|key| flight_key(key, &request));
            let request = self.0.rules.check(request)?;
            let Some(key) = flight else {
                return self.0.send(request).await.map(Arc::unwrap_or_clone);
            };
            let shared = Arc::clone(&self.0);
            // Continues when the call that started it is given up: others may wait for it.
            let joined = self.0.flights.join_or_start(key, |completion| {
                let tasks = shared.tasks.clone();
                tasks.spawn("cloud request", async move {
                    completion.complete(shared.send(request).await);
                });
                Ok::<(), Infallible>(())
            });
            let Ok(in_flight) = joined;
            let sent = in_flight.result().await.unwrap_or(Err(HttpError::Unreachable));
            sent.map(Arc::unwrap_or_clone)
        })
    }
}

impl Shared {
    async fn send(&self, request: CheckedRequest) -> Sent {
        let deadline = Instant::now() + self.times.total;
        if request.target.origin_kind == OriginKind::Related {
            // Others may be reading the document, one after the other if none succeeds.
            let discovered = timeout_at(deadline, self.ensure_discovered(&request.target, deadline)).await;
            discovered.unwrap_or(Err(HttpError::Timeout))?;
        }
        self.send_allowed(request, deadline).await
    }

    /// Sends a request whose origin is allowed.
    async fn send_allowed(&self, request: CheckedRequest, deadline: Instant) -> Sent {
        let permit = timeout_at(deadline, Arc::clone(&self.permits).acquire_owned()).await;
        let permit = permit
            .map_err(|_| HttpError::Timeout)?
            .map_err(|_| HttpError::Unreachable)?;
        let attempt = self
            .breakers
            .admit(&request.target.origin, Instant::now().into_std());
        let attempt = attempt.ok_or(HttpError::Unreachable)?;
        let exchanged = timeout_at(deadline, self.exchange(request, permit, deadline)).await;
        let sent = exchanged.unwrap_or(Err(HttpError::Timeout));
        attempt.finish(match &sent {
            Ok(response) if response.status >= 500 => Outcome::Failed,
            Ok(_) => Outcome::Answered,
            Err(HttpError::Denied(_)) => Outcome::Unknown,
            Err(_) => Outcome::Failed,
        });
        sent.map(Arc::new)
    }

    async fn exchange(
        &self,
        request: CheckedRequest,
        permit: OwnedSemaphorePermit,
        deadline: Instant,
    ) -> Result<HttpResponse, HttpError> {
        let addresses = self.checked_addresses(&request.target).await?;
        let total = deadline.saturating_duration_since(Instant::now());
        let exchange = Exchange::new(addresses, &self.tls, self.times.connect, total);
        let agent = exchange.agent();
        let sent = tokio::task::spawn_blocking(move || {
            // Held by the thread, which may outlive the call for a moment.
            let _permit = permit;
            exchange::send(&agent, request)
        });
        let sent = sent.await;
        drop(exchange);
        sent.unwrap_or_else(|error| {
            tracing::error!(%error, "cloud request ended unexpectedly");
            Err(HttpError::Unreachable)
        })
    }

    /// The addresses of the host, all of which the rules allow. The connection uses no others.
    async fn checked_addresses(&self, target: &Target) -> Result<Vec<SocketAddr>, HttpError> {
        let addresses = match &target.host {
            Host::Ipv4(address) => vec![IpAddr::V4(*address)],
            Host::Ipv6(address) => vec![IpAddr::V6(*address)],
            Host::Domain(name) => {
                let found = timeout(self.times.connect, self.lookup.addresses(name)).await;
                found
                    .unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
                    .map_err(|error| {
                        tracing::debug!(host = name, %error, "cloud host not found");
                        HttpError::Unreachable
                    })?
            }
        };
        for address in &addresses {
            self.rules.check_address(&target.host, *address)?;
        }
        if addresses.is_empty() {
            return Err(HttpError::Unreachable);
        }
        let with_port = |address| SocketAddr::new(address, target.port);
        Ok(addresses.into_iter().map(with_port).collect())
    }

    /// Whether the issuer's discovery document names the origin.
    async fn ensure_discovered(&self, target: &Target, deadline: Instant) -> Result<(), HttpError> {
        let read = async |request: HttpRequest| self.send_allowed(self.rules.check(request)?, deadline).await;
        if self.discovery.names(&self.rules, &target.origin, read).await? {
            return Ok(());
        }
        Err(HttpError::Denied(format!(
            "{} is neither configured nor named by the issuer",
            target.origin
        )))
    }
}

/// The same key is shared by equal requests only: with another token the same key must not return the same account.
fn flight_key(key: &str, request: &HttpRequest) -> [u8; 32] {
    let mut digest = Sha256::new();
    let mut add = |part: &[u8]| {
        digest.update((part.len() as u64).to_be_bytes());
        digest.update(part);
    };
    for part in [key, &request.method, &request.url] {
        add(part.as_bytes());
    }
    for header in &request.headers {
        add(header.name.as_bytes());
        add(header.value.as_bytes());
    }
    // An absent body differs from an empty one by the number of parts.
    if let Some(body) = &request.body {
        add(body);
    }
    digest.finalize().into()
}
