//! The bindings of `wit/v0.1`: the values that cross the boundary, the imports, and one module per ability
//! whose `export!` [`export_plugin!`](crate::export_plugin) calls.
//!
//! The modules share the types of the first. The description of an export goes into a component only where
//! `export!` is called, so a plugin carries its own abilities and no other.

/// World `media-extractor`.
pub mod extractor {
    #![allow(
        missing_docs,
        unsafe_code,
        clippy::all,
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::panic
    )]
    wit_bindgen::generate!({
        path: "../wit/v0.1",
        world: "media-extractor",
        pub_export_macro: true,
        default_bindings_module: "svc_plugin_api::bindings::extractor",
        export_macro_name: "export_extractor",
        additional_derives: [PartialEq],
    });
    pub use export_extractor as export;
}

/// What `media-extractor-with-artwork` has beyond `media-extractor`. Together they make that world: a component
/// that exports from both carries the description of both, and they are merged when it is put together.
pub mod artwork {
    #![allow(
        missing_docs,
        unsafe_code,
        clippy::all,
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::panic
    )]
    wit_bindgen::generate!({
        path: "../wit/v0.1",
        inline: "package svc:sdk; world artwork { export svc:plugin/artwork@0.1.0; }",
        world: "svc:sdk/artwork",
        pub_export_macro: true,
        default_bindings_module: "svc_plugin_api::bindings::artwork",
        export_macro_name: "export_artwork",
        with: { "svc:plugin/types@0.1.0": super::extractor::svc::plugin::types },
    });
    pub use export_artwork as export;
}

/// World `image-thumbnailer`.
pub mod thumbnailer {
    #![allow(
        missing_docs,
        unsafe_code,
        clippy::all,
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::panic
    )]
    wit_bindgen::generate!({
        path: "../wit/v0.1",
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
    #![allow(
        missing_docs,
        unsafe_code,
        clippy::all,
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::panic
    )]
    wit_bindgen::generate!({
        path: "../wit/v0.1",
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

/// The import of `media-extractor-with-related`. A component that never asks does not import it.
pub(crate) mod related {
    #![allow(
        missing_docs,
        unsafe_code,
        unreachable_pub,
        dead_code,
        clippy::all,
        clippy::indexing_slicing,
        clippy::unwrap_used,
        clippy::panic
    )]
    wit_bindgen::generate!({
        path: "../wit/v0.1",
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

pub(crate) use extractor::svc::plugin::log;
#[cfg(target_arch = "wasm32")]
pub(crate) use extractor::svc::plugin::source;
pub use extractor::svc::plugin::types::{
    ExtractError, Extraction, Field, IoError, Malformed, PartialDate, Picture, PictureData, Rational, Span,
    Value,
};
pub use related::RelatedFile;
pub use thumbnailer::exports::svc::plugin::thumbnailer::{Bounds, Image};
pub use waveform::exports::svc::plugin::waveform::Summary;

impl ExtractError {
    /// The file is of this plugin's kind but broken beyond use, with where that was seen, in bytes.
    pub fn invalid(offset: Option<u64>, reason: impl Into<String>) -> Self {
        Self::Invalid(Malformed {
            offset,
            reason: reason.into(),
        })
    }
}

impl Extraction {
    /// The value of the first field with this key.
    pub fn value(&self, key: &str) -> Option<&Value> {
        let field = self.fields.iter().find(|field| field.key == key);
        field.map(|field| &field.value)
    }
}

/// A failed read on the way through [`std::io`]. An early end is a matter of the file, not of the storage;
/// what the storage itself said is kept by the [`Source`](crate::Source) and wins in [`run`](crate::run).
impl From<std::io::Error> for ExtractError {
    fn from(error: std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::UnexpectedEof | std::io::ErrorKind::InvalidData => {
                Self::invalid(None, error.to_string())
            }
            _ => Self::Io(IoError::Failed(error.to_string())),
        }
    }
}
