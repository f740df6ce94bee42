//! The configured cloud: calls its plugin, checks what the plugin answers, and sends what the plugin asks for.
//!
//! May use `svc-domain`, `svc-platform`, `svc-identity` and `svc-plugin-host`. To add a function of the cloud: one in
//! `wit/v0.1/cloud.wit`, a call in `plugin-host/src/cloud/calls.rs`, the check of its answer in `answers.rs`.

mod answers;
mod client;

pub use client::PluginCloud;
