//! Limits of what plugins of the cloud may send, receive and keep, with reasons.

use std::time::Duration;

pub(crate) use svc_plugin_host::cloud::{REQUEST_BYTES, RESPONSE_BYTES};

/// Bytes of a URL: sign-in redirects carry long parameters, and servers refuse more.
pub(crate) const URL: usize = 8 << 10;
/// Headers of a request.
pub(crate) const REQUEST_HEADERS: usize = 64;
/// Bytes of all headers of a request: one token of a few KiB, and what servers accept at most.
pub(crate) const REQUEST_HEADER_BYTES: usize = 16 << 10;
/// Bytes of all headers of a response, its status line included.
pub(crate) const RESPONSE_HEADER_BYTES: usize = 64 << 10;
/// Name lookup, and then connection with TLS handshake, each: three lost packets.
pub(crate) const CONNECT: Duration = Duration::from_secs(3);
/// A request from its start to the end of the response. Below the 9.5 s of a call, so that the plugin can still answer.
pub(crate) const TOTAL: Duration = Duration::from_secs(8);
/// Requests in flight, each of which occupies a thread.
pub(crate) const IN_FLIGHT: usize = 8;
/// Failures in a row that open the breaker.
pub(crate) const FAILURES: u32 = 5;
/// How long the breaker stays open the first time. It doubles each time the server fails again.
pub(crate) const OPEN_FIRST: Duration = Duration::from_secs(30);
/// The longest time that the breaker stays open: how long after its recovery a server may be thought to be away.
pub(crate) const OPEN_LONGEST: Duration = Duration::from_secs(600);
/// How long a provider's discovery document names further origins before it is read again.
pub(crate) const DISCOVERY: Duration = Duration::from_secs(600);
/// Origins that a discovery document may name.
pub(crate) const DISCOVERED_ORIGINS: usize = 16;
/// Bytes of all keys and values of a plugin's state.
pub(crate) const STATE: usize = 64 << 10;
/// Bytes of a key of a plugin's state.
pub(crate) const STATE_KEY: usize = 256;
