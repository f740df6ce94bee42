//! Generated bindings of `svc:plugin@0.1.0`, from `wit/v0.1`.

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
    // A world with all interfaces; the exports of a component are looked up one by one.
    inline: "package svc:host; world everything {
        include svc:plugin/media-extractor-with-artwork@0.1.0;
        include svc:plugin/media-extractor-with-related@0.1.0;
        include svc:plugin/media-extractor-with-pages@0.1.0;
        include svc:plugin/media-extractor-with-settings@0.1.0;
        include svc:plugin/image-thumbnailer@0.1.0;
        include svc:plugin/waveform-analyzer@0.1.0;
    }",
    world: "svc:host/everything",
    imports: { default: trappable },
});

/// Name of the package, without version.
pub(super) const PACKAGE: &str = "svc:plugin";
/// Version of these bindings.
pub const VERSION: &str = "0.1.0";
/// The interfaces that plugins may import. `types` has no functions and needs no permission.
pub const OFFERED: [&str; 4] = ["source", "related", "settings", "log"];
/// The interfaces that plugins of world `cloud-client` may import.
pub const OFFERED_TO_CLOUD: [&str; 5] = ["http", "clock", "state", "settings", "log"];
