//! Limits of the picture size, checked before decoding. A picture beyond a limit is `Unsupported`, while exceeding
//! the host's limits would count as a failure of the plugin.

use svc_plugin_api::ExtractError;

/// Pixels of the longer side.
const SIDE: u32 = 16_384;
/// Pixels of a picture.
const PIXELS: u64 = 100_000_000;
/// The most bytes of a decoder, including the decoded pixels. The host grants 256 MiB; the rest is for scaling and
/// for buffers of decoders.
pub(crate) const DECODER_BYTES: u64 = 160 * 1024 * 1024;

/// Rejects a picture that is too large.
pub(crate) fn check_size(width: u32, height: u32) -> Result<(), ExtractError> {
    if width == 0 || height == 0 {
        return Err(ExtractError::invalid(None, format!("{width} x {height} pixels")));
    }
    if width > SIDE || height > SIDE || u64::from(width) * u64::from(height) > PIXELS {
        return Err(ExtractError::Unsupported(format!(
            "{width} x {height} pixels; at most {SIDE} a side and {PIXELS} in all"
        )));
    }
    Ok(())
}

/// Rejects a picture whose decoding needs too much memory.
pub(crate) fn check_memory(bytes: u64) -> Result<(), ExtractError> {
    if bytes > DECODER_BYTES {
        return Err(ExtractError::Unsupported(format!(
            "decoding takes {bytes} bytes of memory; at most {DECODER_BYTES}"
        )));
    }
    Ok(())
}
