//! The bindings of `wit/v0.1`: the values, the imports, and one module per ability with the `export!` macro that
//! [`export_plugin!`](crate::export_plugin) calls.
//!
//! The modules share the types of the first one. The type of an export is embedded into a component only where
//! `export!` is called, so a component declares only the abilities that its plugin lists.
#![allow(
    missing_docs,
    unsafe_code,
    unreachable_pub,
    dead_code,
    clippy::all,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    reason = "generated"
)]

/// World `media-extractor`.
pub mod extractor {
    wit_bindgen::generate!({
        path: "wit/v0.1",
        world: "media-extractor",
        pub_export_macro: true,
        default_bindings_module: "svc_plugin_api::bindings::extractor",
        export_macro_name: "export_extractor",
        additional_derives: [PartialEq],
    });
    pub use export_extractor as export;
}

/// The part of world `media-extractor-with-artwork` that `media-extractor` does not have. A component that exports
/// from both modules carries both descriptions, and `wit-component` merges them into that world.
pub mod artwork {
    wit_bindgen::generate!({
        path: "wit/v0.1",
        inline: "package svc:sdk; world artwork { export svc:plugin/artwork@0.1.0; }",
        world: "svc:sdk/artwork",
        pub_export_macro: true,
        default_bindings_module: "svc_plugin_api::bindings::artwork",
        export_macro_name: "export_artwork",
        with: { "svc:plugin/types@0.1.0": super::extractor::svc::plugin::types },
    });
    pub use export_artwork as export;
}

/// The part of world `media-extractor-with-pages` that `media-extractor` does not have.
pub mod pages {
    wit_bindgen::generate!({
        path: "wit/v0.1",
        inline: "package svc:sdk; world pages { export svc:plugin/pages@0.1.0; }",
        world: "svc:sdk/pages",
        pub_export_macro: true,
        default_bindings_module: "svc_plugin_api::bindings::pages",
        export_macro_name: "export_pages",
        additional_derives: [PartialEq],
        with: { "svc:plugin/types@0.1.0": super::extractor::svc::plugin::types },
    });
    pub use export_pages as export;
}

/// World `image-thumbnailer`.
pub mod thumbnailer {
    wit_bindgen::generate!({
        path: "wit/v0.1",
        inline: "package svc:sdk; world thumbnailer { export svc:plugin/thumbnailer@0.1.0; }",
        world: "svc:sdk/thumbnailer",
        pub_export_macro: true,
        default_bindings_module: "svc_plugin_api::bindings::thumbnailer",
        export_macro_name: "export_thumbnailer",
        additional_derives: [PartialEq],
        with: { "svc:plugin/types@0.1.0": super::extractor::svc::plugin::types },
    });
    pub use export_thumbnailer as export;
}

/// World `waveform-analyzer`.
pub mod waveform {
    wit_bindgen::generate!({
        path: "wit/v0.1",
        inline: "package svc:sdk; world waveform { export svc:plugin/waveform@0.1.0; }",
        world: "svc:sdk/waveform",
        pub_export_macro: true,
        default_bindings_module: "svc_plugin_api::bindings::waveform",
        export_macro_name: "export_waveform",
        additional_derives: [PartialEq],
        with: { "svc:plugin/types@0.1.0": super::extractor::svc::plugin::types },
    });
    pub use export_waveform as export;
}

/// The import of world `media-extractor-with-related`. A component that does not call these functions does not import
/// them.
pub(crate) mod related {
    wit_bindgen::generate!({
        path: "wit/v0.1",
        inline: "package svc:sdk; world related { import svc:plugin/related@0.1.0; }",
        world: "svc:sdk/related",
        with: {
            "svc:plugin/types@0.1.0": super::extractor::svc::plugin::types,
            "svc:plugin/related@0.1.0": generate,
        },
    });
    pub use self::svc::plugin::related::RelatedFile;
    #[cfg(target_arch = "wasm32")]
    pub(crate) use self::svc::plugin::related::{files, folders, read_at};
}

/// The import of world `media-extractor-with-settings`. A component that does not call the function does not import it.
#[cfg(target_arch = "wasm32")]
pub(crate) mod settings {
    wit_bindgen::generate!({
        path: "wit/v0.1",
        inline: "package svc:sdk; world settings { import svc:plugin/settings@0.1.0; }",
        world: "svc:sdk/settings",
        with: {
            "svc:plugin/types@0.1.0": super::extractor::svc::plugin::types,
            "svc:plugin/settings@0.1.0": generate,
        },
    });
    pub(crate) use self::svc::plugin::settings::get;
}

/// World `cloud-client`, without the imports that it shares with other worlds. A component that does not call a function
/// of an import does not import it.
pub mod cloud {
    wit_bindgen::generate!({
        path: "wit/v0.1",
        inline: "package svc:sdk; world cloud {
            import svc:plugin/http@0.1.0;
            import svc:plugin/clock@0.1.0;
            import svc:plugin/state@0.1.0;
            export svc:plugin/cloud@0.1.0;
        }",
        world: "svc:sdk/cloud",
        pub_export_macro: true,
        default_bindings_module: "svc_plugin_api::bindings::cloud",
        export_macro_name: "export_cloud",
        additional_derives: [PartialEq],
        generate_all,
    });
    pub use export_cloud as export;
}

pub(crate) use extractor::svc::plugin::log;
#[cfg(target_arch = "wasm32")]
pub(crate) use extractor::svc::plugin::source;
pub use extractor::svc::plugin::types::{
    ExtractError, Extraction, Field, IoError, Malformed, PartialDate, Picture, PictureData, Rational, Span,
    Value,
};
pub use pages::exports::svc::plugin::pages::{Page, PageData, PageSize};
pub use related::RelatedFile;
pub use thumbnailer::exports::svc::plugin::thumbnailer::{Bounds, Image};
pub use waveform::exports::svc::plugin::waveform::Summary;
