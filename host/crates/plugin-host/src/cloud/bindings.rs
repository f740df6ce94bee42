//! Generated bindings of the world `cloud-client` of `svc:plugin@0.1.0`: a call of the guest is a future, and so is what
//! the guest waits for in the host.

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
    world: "svc:plugin/cloud-client",
    imports: {
        "svc:plugin/http.send": async | trappable,
        "svc:plugin/state.get": async | trappable,
        "svc:plugin/state.set": async | trappable,
        default: trappable,
    },
    exports: { default: async },
    with: {
        "svc:plugin/types": crate::bindings::svc::plugin::types,
        "svc:plugin/settings": crate::bindings::svc::plugin::settings,
        "svc:plugin/log": crate::bindings::svc::plugin::log,
    },
});
