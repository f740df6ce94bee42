//! The traits that plugins implement, the functions that run them, and the macro that exports a component.

use crate::{Bounds, ExtractError, Extraction, Image, IoError, Source, Summary};

/// The most bytes that [`Artwork::read`], or all images of one [`Thumbnailer::render`], may have: 16 MiB.
pub const MAX_PICTURE_BYTES: usize = 16 * 1024 * 1024;

/// Extracts the metadata of files.
pub trait Extractor {
    /// Reads one file, in any order. Returns `Ok(None)` for a valid file without metadata.
    ///
    /// # Errors
    /// `Refused` for a file of another format (the host tries the next plugin), `Invalid` for one that is damaged
    /// beyond use, `Unsupported` for a valid one with a feature that this version does not support, `Io` for a failed
    /// read.
    fn extract(source: &mut Source) -> Result<Option<Extraction>, ExtractError>;
}

/// Returns the pictures that the extraction lists as `PictureData::OnRequest`.
pub trait Artwork {
    /// The bytes of the picture at this index of the extraction's list, at most [`MAX_PICTURE_BYTES`].
    ///
    /// # Errors
    /// As for [`Extractor::extract`]; also `Invalid` for an index that the list does not have.
    fn read(source: &mut Source, index: u32) -> Result<Vec<u8>, ExtractError>;
}

/// Renders thumbnails.
pub trait Thumbnailer {
    /// Renders one image for each of the sizes, in their order. An image is upright, has the aspect ratio of the
    /// source, and is as large as fits into the box but never larger than the source. All images together have at
    /// most [`MAX_PICTURE_BYTES`].
    ///
    /// # Errors
    /// As for [`Extractor::extract`].
    fn render(source: &mut Source, sizes: &[Bounds]) -> Result<Vec<Image>, ExtractError>;
}

/// Analyzes the waveforms of audio files.
pub trait WaveformAnalyzer {
    /// Divides the frames into `bins` (at least 1) bins and measures them: bin `i` starts with frame `i * frames /
    /// bins`.
    ///
    /// # Errors
    /// As for [`Extractor::extract`].
    fn analyze(source: &mut Source, bins: u32) -> Result<Summary, ExtractError>;
}

/// Runs an extractor as the exported component does.
///
/// # Errors
/// The error of the extractor. If a read of the source failed, that failure takes precedence, even over a result: an
/// extraction of an incompletely read file must not be stored.
pub fn run<E: Extractor>(source: &mut Source) -> Result<Option<Extraction>, ExtractError> {
    let result = E::extract(source);
    source.take_failure().map_or(result, failed)
}

/// Reads a picture as the exported component does.
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

/// Renders thumbnails as the exported component does.
///
/// # Errors
/// As for [`run`].
pub fn render<T: Thumbnailer>(source: &mut Source, sizes: &[Bounds]) -> Result<Vec<Image>, ExtractError> {
    let result = T::render(source, sizes);
    source.take_failure().map_or(result, failed)
}

/// Analyzes a waveform as the exported component does. `bins` is raised to 1.
///
/// # Errors
/// As for [`run`].
pub fn analyze<T: WaveformAnalyzer>(source: &mut Source, bins: u32) -> Result<Summary, ExtractError> {
    let result = T::analyze(source, bins.max(1));
    source.take_failure().map_or(result, failed)
}

pub(crate) fn failed<T>(failure: IoError) -> Result<T, ExtractError> {
    Err(ExtractError::Io(failure))
}

/// Exports a type as a plugin and embeds the manifest.
///
/// `abilities` lists the traits that the type implements: `extractor` ([`Extractor`](crate::Extractor)), `artwork`
/// ([`Artwork`](crate::Artwork)), `pages` ([`Pages`](crate::Pages)), `thumbnailer` ([`Thumbnailer`](crate::Thumbnailer)), `waveform`
/// ([`WaveformAnalyzer`](crate::WaveformAnalyzer)); or `cloud` ([`Cloud`](crate::cloud::Cloud)) alone. The default is `extractor`; `artwork` as the third argument
/// stands for `extractor` and `artwork`.
///
/// The path of the manifest is relative to the plugin's `Cargo.toml`. Its bytes become the custom section
/// `svc:manifest`, which the host reads without compiling or running the component.
///
/// ```
/// # use svc_plugin_api::{Artwork, Bounds, ExtractError, Extraction, Extractor, Image, Source, Thumbnailer};
/// struct Music;
/// # impl Extractor for Music {
/// #     fn extract(_: &mut Source) -> Result<Option<Extraction>, ExtractError> { Ok(None) }
/// # }
/// # impl Artwork for Music {
/// #     fn read(_: &mut Source, _: u32) -> Result<Vec<u8>, ExtractError> { Ok(Vec::new()) }
/// # }
/// # impl Thumbnailer for Music {
/// #     fn render(_: &mut Source, _: &[Bounds]) -> Result<Vec<Image>, ExtractError> { Ok(Vec::new()) }
/// # }
/// # mod with { use super::Music;
/// svc_plugin_api::export_plugin!(Music, manifest = "Cargo.toml", artwork);
/// # }
/// # mod without { use super::Music;
/// svc_plugin_api::export_plugin!(Music, manifest = "Cargo.toml");
/// # }
/// # mod other { use super::Music;
/// svc_plugin_api::export_plugin!(Music, manifest = "Cargo.toml", abilities = [thumbnailer]);
/// # }
/// # fn main() {}
/// ```
#[macro_export]
macro_rules! export_plugin {
    ($plugin:ty, manifest = $manifest:literal $(,)?) => {
        $crate::export_plugin!($plugin, manifest = $manifest, abilities = [extractor]);
    };
    ($plugin:ty, manifest = $manifest:literal, artwork $(,)?) => {
        $crate::export_plugin!($plugin, manifest = $manifest, abilities = [extractor, artwork]);
    };
    ($plugin:ty, manifest = $manifest:literal, abilities = [$($ability:ident),+ $(,)?] $(,)?) => {
        $($crate::export_ability!($ability, $plugin);)+

        #[allow(unsafe_code, reason = "the custom section")]
        const _: () = {
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

/// Exports one ability for [`export_plugin!`].
#[doc(hidden)]
#[macro_export]
macro_rules! export_ability {
    (extractor, $plugin:ty) => {
        $crate::export_ability!(@export extractor {
            impl $crate::bindings::extractor::exports::svc::plugin::extractor::Guest for Component {
                fn extract() -> Result<Option<$crate::Extraction>, $crate::ExtractError> {
                    $crate::run::<$plugin>(&mut $crate::Source::of_this_call())
                }
            }
        });
    };
    (artwork, $plugin:ty) => {
        $crate::export_ability!(@export artwork {
            impl $crate::bindings::artwork::exports::svc::plugin::artwork::Guest for Component {
                fn read(index: u32) -> Result<Vec<u8>, $crate::ExtractError> {
                    $crate::read_picture::<$plugin>(&mut $crate::Source::of_this_call(), index)
                }
            }
        });
    };
    (pages, $plugin:ty) => {
        $crate::export_ability!(@export pages {
            impl $crate::bindings::pages::exports::svc::plugin::pages::Guest for Component {
                fn list() -> Result<Vec<$crate::Page>, $crate::ExtractError> {
                    $crate::list_pages::<$plugin>(&mut $crate::Source::of_this_call())
                }

                fn read(index: u32) -> Result<Vec<u8>, $crate::ExtractError> {
                    $crate::read_page::<$plugin>(&mut $crate::Source::of_this_call(), index)
                }
            }
        });
    };
    (thumbnailer, $plugin:ty) => {
        $crate::export_ability!(@export thumbnailer {
            impl $crate::bindings::thumbnailer::exports::svc::plugin::thumbnailer::Guest for Component {
                fn render(sizes: Vec<$crate::Bounds>) -> Result<Vec<$crate::Image>, $crate::ExtractError> {
                    $crate::render::<$plugin>(&mut $crate::Source::of_this_call(), &sizes)
                }
            }
        });
    };
    (waveform, $plugin:ty) => {
        $crate::export_ability!(@export waveform {
            impl $crate::bindings::waveform::exports::svc::plugin::waveform::Guest for Component {
                fn analyze(bins: u32) -> Result<$crate::Summary, $crate::ExtractError> {
                    $crate::analyze::<$plugin>(&mut $crate::Source::of_this_call(), bins)
                }
            }
        });
    };
    (cloud, $plugin:ty) => {
        $crate::export_ability!(@export cloud {
            $crate::cloud_guest!($plugin);
        });
    };
    (@export $ability:ident { $($guest:item)+ }) => {
        #[allow(unsafe_code, reason = "the generated exports")]
        const _: () = {
            #[allow(dead_code, reason = "only the component's exports use it")]
            struct Component;

            $($guest)+

            #[cfg(target_arch = "wasm32")]
            $crate::bindings::$ability::export!(Component with_types_in $crate::bindings::$ability);
        };
    };
}
