//! The plugin host: loads WebAssembly components and calls them. The only crate that uses wasmtime.
//!
//! It checks manifests, compiles and caches components, and limits the time, memory, reads and output of each call
//! (`limits.rs`). May use only `svc-domain`.
//!
//! To add a host interface: a WIT interface in `wit/`, one module `host_<interface>.rs` with its state and limits, its
//! `Host` implementation in `call.rs`, its functions in `host_functions.rs`, and a hostile guest with a test.

mod backtrace;
mod bindings;
mod budget;
mod cache;
mod call;
mod checks;
pub mod cloud;
mod compile;
mod compile_child;
mod convert;
mod deadline;
mod engine;
mod exports;
mod granted_limits;
mod host_functions;
mod host_log;
mod host_related;
mod host_source;
mod inspect;
mod instance;
mod interface;
mod keys;
mod kind_claims;
mod kinds;
mod limits;
mod loader;
mod machine_code;
mod manifest;
mod memory;
mod native;
mod plugin;
mod plugin_dir;
mod plugin_index;
mod plugin_set;
mod quarantine;
mod registry;
mod served;
mod settings;
mod signature;
mod stats;
mod status;
mod stop_reason;
mod terms;
mod ticker;
mod validate;
mod validate_audio;
mod validate_images;
mod validate_pages;
mod worker;

#[cfg(test)]
mod tests;

pub use compile::{CompileError, Compiler};
pub use compile_child::run_compile_child;
pub use granted_limits::GrantedLimits;
pub use host_source::{Sidecars, SourceBytes, SourceFile};
pub use inspect::{InspectError, Inspection, inspect};
pub use interface::{OFFERED, OFFERED_TO_CLOUD};
pub use kinds::{DefinedKind, KindState};
pub use limits::{COMPONENT_BYTES, Caps, LimitCaps, PAGE_BYTES as MAX_PAGE_BYTES};
pub use manifest::{
    Manifest, ManifestError, ManifestFiles, ManifestKind, ManifestProblem, ManifestSetting, RequestedLimits,
    SettingType, SettingValue,
};
pub use plugin::PluginHandle;
pub use plugin_dir::DirectoryState;
pub use registry::{ExaminedPlugin, Plugins};
pub use served::{INTERFACE_VERSION, served_versions};
pub use settings::{
    BuiltIn, Component, Isolation, IsolationPolicy, PluginChoices, PluginHostError, PluginSettings,
    UploadedPlugin,
};
pub use signature::{PluginSignature, signature_path, signed_message};
pub use stats::PluginStats;
pub use status::{PluginOrigin, PluginState, PluginStatus};
pub use worker::Worker;
