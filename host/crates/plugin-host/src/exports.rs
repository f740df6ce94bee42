//! The functions that the host calls: where a component has them, and those of an instance.

use wasmtime::Store;
use wasmtime::component::{Component, ComponentExportIndex, Instance, TypedFunc};

use crate::bindings::exports::svc::plugin::{pages, thumbnailer, waveform};
use crate::bindings::svc::plugin::types::{ExtractError, Extraction};
use crate::call::CallState;
use crate::interface::InterfaceVersion;

/// Defines both types from one list: the name of a function here, its interface and name there, its parameter and the
/// result of a call that does not fail.
macro_rules! functions {
    ($($field:ident: $interface:literal, $function:literal, ($($parameter:ty)?) -> $result:ty;)*) => {
        /// Where a component has each function; `None` for those whose interface it does not export.
        pub(super) struct ExportIndices {
            $(pub(super) $field: Option<ComponentExportIndex>,)*
        }

        /// The functions of an instance.
        pub(super) struct Exports {
            $(pub(super) $field: Option<TypedFunc<($($parameter,)?), (Result<$result, ExtractError>,)>>,)*
        }

        impl ExportIndices {
            /// Looks up the functions under the names of a version.
            pub(super) fn new(component: &Component, version: InterfaceVersion) -> wasmtime::Result<Self> {
                Ok(Self { $($field: find(component, version, $interface, $function)?,)* })
            }

            /// The functions of an instance of the component; fails if one has other types.
            pub(super) fn load(&self, store: &mut Store<CallState>, instance: &Instance) -> wasmtime::Result<Exports> {
                Ok(Exports {
                    $($field: match &self.$field {
                        Some(index) => Some(instance.get_typed_func(&mut *store, index)?),
                        None => None,
                    },)*
                })
            }
        }
    };
}

functions! {
    extract: "extractor", "extract", () -> Option<Extraction>;
    read_picture: "artwork", "read", (u32) -> Vec<u8>;
    list_pages: "pages", "list", () -> Vec<pages::Page>;
    read_page: "pages", "read", (u32) -> Vec<u8>;
    render: "thumbnailer", "render", (Vec<thumbnailer::Bounds>) -> Vec<thumbnailer::Image>;
    analyze: "waveform", "analyze", (u32) -> waveform::Summary;
}

fn find(
    component: &Component,
    version: InterfaceVersion,
    interface: &str,
    function: &str,
) -> wasmtime::Result<Option<ComponentExportIndex>> {
    let interface = version.name_of(interface);
    let Some(instance) = component.get_export_index(None, &interface) else {
        return Ok(None);
    };
    let found = component.get_export_index(Some(&instance), function);
    found
        .map(Some)
        .ok_or_else(|| wasmtime::Error::msg(format!("`{interface}` has no function `{function}`")))
}
