//! The configured cloud: calls its plugin, checks what the plugin answers, and sends what the plugin asks for.
//!
//! May use `svc-domain`, `svc-platform`, `svc-store`, `svc-identity` and `svc-plugin-host`. To add a function of the cloud:
//! one in `wit/v0.1/cloud.wit`, a call in `plugin-host/src/cloud/calls.rs`, the check of its answer in `answers.rs`.
//!
//! - [`PluginCloud`] is the cloud of a loaded plugin.
//! - [`EgressClient`] sends requests under the rules of `egress.rs`; `breaker.rs` suspends servers that fail,
//!   `exchange.rs` and `tls.rs` are the connection.
//! - [`SealedState`] keeps the state of a plugin.

mod answers;
mod breaker;
mod client;
mod discovery;
mod egress;
mod exchange;
mod http_client;
mod limits;
mod lookup;
mod state;
#[cfg(test)]
mod tests;
mod tls;

pub use client::PluginCloud;
pub use egress::{EgressError, EgressOptions, is_loopback};
pub use http_client::EgressClient;
pub use state::SealedState;
