//! The traits of a plugin, how a call runs, and the macro that exports a component.

use crate::{Bounds, ExtractError, Extraction, Image, IoError, Source, Summary};

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

/// Draws a picture in smaller sizes.
pub trait Thumbnailer {
    /// One image for each of the sizes, in their order: upright, in the proportions of the source, as large as fits into
    /// the box and never larger than the source. At most [`MAX_PICTURE_BYTES`] together.
    ///
    /// # Errors
    /// As for [`Extractor::extract`].
    fn render(source: &mut Source, sizes: &[Bounds]) -> Result<Vec<Image>, ExtractError>;
}

/// Sums up the sound of an audio file.
pub trait WaveformAnalyzer {
    /// Divides the frames into this many bins: bin `i` begins with frame `i * frames / bins`. `bins` is at least 1.
    ///
    /// # Errors
    /// As for [`Extractor::extract`].
    fn analyze(source: &mut Source, bins: u32) -> Result<Summary, ExtractError>;
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

/// Draws a picture the way the exported component does.
///
/// # Errors
/// As for [`run`].
pub fn render<T: Thumbnailer>(source: &mut Source, sizes: &[Bounds]) -> Result<Vec<Image>, ExtractError> {
    let result = T::render(source, sizes);
    source.take_failure().map_or(result, failed)
}

/// Sums up a sound the way the exported component does.
///
/// # Errors
/// As for [`run`].
pub fn analyze<T: WaveformAnalyzer>(source: &mut Source, bins: u32) -> Result<Summary, ExtractError> {
    let result = T::analyze(source, bins.max(1));
    source.take_failure().map_or(result, failed)
}

fn failed<T>(failure: IoError) -> Result<T, ExtractError> {
    Err(ExtractError::Io(failure))
}

/// Exports a type as the component's plugin, and puts the manifest into it.
///
/// `abilities` lists what the type implements: `extractor` ([`Extractor`](crate::Extractor)), `artwork`
/// ([`Artwork`](crate::Artwork)), `thumbnailer` ([`Thumbnailer`](crate::Thumbnailer)), `waveform`
/// ([`WaveformAnalyzer`](crate::WaveformAnalyzer)). Without it the type is an extractor; `artwork` alone adds that ability.
///
/// The manifest's path is relative to the plugin's `Cargo.toml`; its bytes become the custom section `svc:manifest`, which
/// the host reads without running or compiling anything.
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

/// One ability of [`export_plugin!`].
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
