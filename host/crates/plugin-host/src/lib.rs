//! The plugin host: loads WebAssembly components and calls them. The only crate that uses wasmtime.
//!
//! It checks manifests, compiles and caches components, and limits the time, memory, reads and output of each call
//! (`limits.rs`). May use only `svc-domain`.
//!
//! To add a host interface: a WIT interface in `wit/`, one module `host_<interface>.rs` with its state, limits and
//! `Host` implementation, a line in `loader.rs`, and a hostile guest with a test.

mod bindings;
mod budget;
mod cache;
mod call;
mod compile;
mod compile_child;
mod convert;
mod deadline;
mod engine;
mod host_log;
mod host_related;
mod host_source;
mod inspect;
mod instance;
mod keys;
mod limits;
mod loader;
mod manifest;
mod memory;
mod native;
mod plugin;
mod plugin_index;
mod quarantine;
mod registry;
mod settings;
mod stats;
mod status;
mod ticker;
mod validate;
mod validate_audio;
mod validate_images;
mod worker;

#[cfg(test)]
mod tests;

pub use compile::{CompileError, Compiler};
pub use compile_child::run_compile_child;
pub use host_related::Sidecars;
pub use host_source::SourceFile;
pub use limits::{Caps, LimitCaps};
pub use manifest::{Manifest, ManifestError};
pub use plugin::PluginHandle;
pub use registry::Plugins;
pub use settings::{BuiltIn, Component, Isolation, IsolationPolicy, PluginHostError, PluginSettings};
pub use stats::PluginStats;
pub use status::{PluginOrigin, PluginState, PluginStatus};
pub use worker::Worker;
