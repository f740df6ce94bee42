//! The interface `svc:plugin@0.1.0` as Rust types and calls, generated from `wit/v0.1`.

#![allow(missing_docs, unreachable_pub, reason = "generated")]
#![allow(unsafe_code, reason = "generated: wasmtime's own lifting and lowering")]
#![allow(clippy::all, reason = "generated")]
#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "generated"
)]

wasmtime::component::bindgen!({
    path: "../../../wit/v0.1",
    // The world with everything: what a component exports of it is looked up interface by interface.
    inline: "package svc:host; world everything {
        include svc:plugin/media-extractor-with-artwork@0.1.0;
        include svc:plugin/media-extractor-with-related@0.1.0;
        include svc:plugin/image-renderer@0.1.0;
        include svc:plugin/audio-measurer@0.1.0;
    }",
    world: "svc:host/everything",
    imports: { default: trappable },
});

/// The package's name without version.
pub(super) const PACKAGE: &str = "svc:plugin";
/// The version that these bindings speak.
pub(super) const VERSION: &str = "0.1.0";
