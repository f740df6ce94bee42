//! The plugin host: loads WebAssembly components, keeps them within their limits, and turns what they say into
//! the server's own types. The only place that knows wasmtime.
//!
//! | File | What lives there |
//! |---|---|
//! | `limits` | every limit of this module, with its reason |
//! | `manifest`, `inspect` | what a component says about itself, read without compiling or running it |
//! | `engine`, `ticker` | wasmtime's configuration; the clock that interrupts guests |
//! | `compile`, `compile_child` | bytes to machine code, in a limited child process |
//! | `cache`, `native` | compiled code on disk, authenticated; the one unsafe call |
//! | `bindings` | the interface `svc:plugin@0.1.0` as Rust |
//! | `host_source`, `host_related`, `host_log` | the host interfaces with their budgets |
//! | `call`, `deadline`, `memory` | what a store knows of its current call, and what ends the call |
//! | `instance`, `worker` | one warm instance; a thread's set of them |
//! | `convert`, `validate`, `keys` | an answer of the guest to a checked `domain::extraction` |
//! | `validate_images`, `validate_audio` | the same for rendered images and measured sounds |
//! | `loader`, `registry`, `routes` | from bytes to a plugin ready to run; all plugins; which one is asked for which file |
//! | `plugin`, `status`, `stats`, `breaker` | one loaded plugin, how it is reported, what it did, when it is shut off |
//!
//! Blocking by design: call it from rayon or `spawn_blocking`. Nothing here reads the environment or is global.

mod bindings;
mod breaker;
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
mod registry;
mod routes;
mod stats;
mod status;
mod ticker;
mod validate;
mod validate_audio;
mod validate_images;
mod worker;

#[cfg(test)]
pub(crate) mod tests;

pub use compile::{CompileError, Compiler};
pub use compile_child::run_compile_child;
pub use host_related::Around;
pub use host_source::SourceFile;
pub use limits::{Caps, LimitCaps};
pub use manifest::{Manifest, ManifestError};
pub use plugin::PluginHandle;
pub use registry::{BuiltIn, Isolation, IsolationPolicy, PluginHostError, PluginSettings, Plugins};
pub use stats::PluginStats;
pub use status::{PluginOrigin, PluginState, PluginStatus};
pub use worker::Worker;
