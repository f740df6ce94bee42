//! HTTP transport: connections and their limits, HTTP/1 and HTTP/2, forwarding headers, ranges, JSON and file bodies, event
//! streams.
//!
//! The only crate that uses hyper. Depends on no other crate of the host. Knows no routes and no rules of the API.
//!
//! To add a limit: a constant in `limits.rs`, with its reason.

mod activity;
pub mod connection;
mod connection_limiter;
pub mod event_stream;
pub mod file_body;
pub mod forwarded;
mod frame_poll;
pub mod headers;
mod http2_body;
pub mod json_body;
pub mod limits;
pub mod malformed_request;
pub mod proxy;
pub mod range;
mod request_service;
pub mod send_buffer;
pub mod server;
mod transport;
