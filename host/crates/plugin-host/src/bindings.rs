//! Generated bindings of the newest version of `svc:plugin`, from its folder in `wit/`. They serve all versions: `served.rs`.

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
