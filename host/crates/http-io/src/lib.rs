//! HTTP as bytes: connections and their limits, HTTP/1 and HTTP/2, ranges, file bodies, event streams.
//!
//! The only crate that knows hyper. May use `svc-domain` and `svc-platform`. Knows no route and no rule of the API.
//!
//! To add a limit: a constant in `limits.rs`, with its reason.

mod activity;
mod connection_limiter;
pub mod connection;
pub mod event_stream;
pub mod file_body;
pub mod limits;
pub mod proxy;
pub mod range;
pub mod malformed_request;
mod request_service;
pub mod server;
mod transport;
pub mod send_buffer;
