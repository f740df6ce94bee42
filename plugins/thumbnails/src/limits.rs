//! Limits of the picture size, checked before decoding. A picture beyond a limit is `Unsupported`, while exceeding
//! the host's limits would count as a failure of the plugin.

use svc_plugin_api::ExtractError;

/// Maximum pixels of each side.
const MAX_SIDE: u32 = 16_384;
/// Maximum pixels of a picture.
const MAX_PIXELS: u64 = 100_000_000;
/// The most bytes of a decoder, including the decoded pixels. The host grants 256 MiB; the rest is for scaling and
/// for buffers of decoders.
pub(crate) const MAX_DECODER_BYTES: u64 = 160 * 1024 * 1024;

/// Rejects a picture that is too large.
pub(crate) fn check_size(width: u32, height: u32) -> Result<(), ExtractError> {
    if width == 0 || height == 0 {
        return Err(ExtractError::invalid(None, format!("{width} x {height} pixels")));
    }
    if width > MAX_SIDE || height > MAX_SIDE || u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(ExtractError::Unsupported(format!(
            "{width} x {height} pixels; at most {MAX_SIDE} a side and {MAX_PIXELS} in all"
        )));
    }
    Ok(())
}

/// Rejects a picture whose decoding needs too much memory.
pub(crate) fn check_memory(bytes: u64) -> Result<(), ExtractError> {
    if bytes > MAX_DECODER_BYTES {
        return Err(ExtractError::Unsupported(format!(
            "decoding takes {bytes} bytes of memory; at most {MAX_DECODER_BYTES}"
        )));
    }
    Ok(())
}
