//! The two traits of a plugin, how a call runs, and the macro that exports a component.

use crate::{ExtractError, Extraction, IoError, Source};

/// The most bytes that [`Artwork::read`] may hand out: 16 MiB.
pub const MAX_PICTURE_BYTES: usize = 16 * 1024 * 1024;

/// Reads what a file says about itself.
pub trait Extractor {
    /// Reads one file, which it may do in any order. `Ok(None)`: a sound file that says nothing.
    ///
    /// # Errors
    /// `Refused` for a file of another kind (the next plugin may try it), `Invalid` for one that is broken
    /// beyond use, `Unsupported` for a sound one with a feature that this version does not read, `Io` for a
    /// read that failed.
    fn extract(source: &mut Source) -> Result<Option<Extraction>, ExtractError>;
}

/// Hands out pictures that the extraction listed as `PictureData::OnRequest`.
pub trait Artwork {
    /// The bytes of the picture at this position of the extraction's list, at most [`MAX_PICTURE_BYTES`].
    ///
    /// # Errors
    /// As for [`Extractor::extract`]; `Invalid` too for a position that the file has not.
    fn read(source: &mut Source, index: u32) -> Result<Vec<u8>, ExtractError>;
}

/// Runs an extractor over a source the way the exported component does.
///
/// # Errors
/// What the extractor says; but when a read of the source failed, then that failure, even if the
/// extractor carried on without the bytes: a record made from half a file must not be kept.
pub fn run<E: Extractor>(source: &mut Source) -> Result<Option<Extraction>, ExtractError> {
    let result = E::extract(source);
    source.take_failure().map_or(result, failed)
}

/// Reads a picture the way the exported component does.
///
/// # Errors
/// As for [`run`]; `Unsupported` for a picture of more than [`MAX_PICTURE_BYTES`].
pub fn read_picture<A: Artwork>(source: &mut Source, index: u32) -> Result<Vec<u8>, ExtractError> {
    let result = A::read(source, index);
    match source.take_failure().map_or(result, failed)? {
        bytes if bytes.len() > MAX_PICTURE_BYTES => Err(ExtractError::Unsupported(format!(
            "a picture of {} bytes",
            bytes.len()
        ))),
        bytes => Ok(bytes),
    }
}

fn failed<T>(failure: IoError) -> Result<T, ExtractError> {
    Err(ExtractError::Io(failure))
}

/// Exports a type as the component's plugin, and puts the manifest into it.
///
/// The type implements [`Extractor`](crate::Extractor), and [`Artwork`](crate::Artwork) if the macro is
/// told `artwork`. The manifest's path is relative to the plugin's `Cargo.toml`; its bytes become the custom
/// section `svc:manifest`, which the host reads without running or compiling anything.
///
/// ```
/// # use svc_plugin_api::{Artwork, ExtractError, Extraction, Extractor, Source};
/// struct Music;
/// # impl Extractor for Music {
/// #     fn extract(_: &mut Source) -> Result<Option<Extraction>, ExtractError> { Ok(None) }
/// # }
/// # impl Artwork for Music {
/// #     fn read(_: &mut Source, _: u32) -> Result<Vec<u8>, ExtractError> { Ok(Vec::new()) }
/// # }
/// # mod with { use super::Music;
/// svc_plugin_api::export_plugin!(Music, manifest = "Cargo.toml", artwork);
/// # }
/// # mod without { use super::Music;
/// svc_plugin_api::export_plugin!(Music, manifest = "Cargo.toml");
/// # }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! export_plugin {
    ($plugin:ty, manifest = $manifest:literal, artwork $(,)?) => {
        $crate::export_plugin!($plugin, manifest = $manifest);

        #[allow(unsafe_code, reason = "the generated exports")]
        const _: () = {
            #[allow(dead_code, reason = "only the component's exports use it")]
            struct Component;

            impl $crate::bindings::artwork::exports::svc::plugin::artwork::Guest for Component {
                fn read(index: u32) -> Result<Vec<u8>, $crate::ExtractError> {
                    $crate::read_picture::<$plugin>(&mut $crate::Source::of_this_call(), index)
                }
            }

            #[cfg(target_arch = "wasm32")]
    $crate::bindings::artwork::export!(Component with_types_in $crate::bindings::artwork);
        };
    };
    ($plugin:ty, manifest = $manifest:literal $(,)?) => {
        #[allow(unsafe_code, reason = "the generated exports and the custom section")]
        const _: () = {
            #[allow(dead_code, reason = "only the component's exports use it")]
            struct Component;

            impl $crate::bindings::extractor::exports::svc::plugin::extractor::Guest for Component {
                fn extract() -> Result<Option<$crate::Extraction>, $crate::ExtractError> {
                    $crate::run::<$plugin>(&mut $crate::Source::of_this_call())
                }
            }

            #[cfg(target_arch = "wasm32")]
    $crate::bindings::extractor::export!(Component with_types_in $crate::bindings::extractor);

            #[allow(dead_code, reason = "only the component has the section")]
            const MANIFEST: &[u8] = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $manifest));

            #[cfg(target_arch = "wasm32")]
            #[used]
            #[unsafe(link_section = "svc:manifest")]
            static MANIFEST_SECTION: [u8; MANIFEST.len()] =
                *include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/", $manifest));
        };
    };
}
