//! How large a picture may be. Checked before anything is decoded: what is over a limit is an answer, while running into
//! the host's limits would count as a fault of this plugin.

use svc_plugin_api::ExtractError;

/// Pixels of a side.
const SIDE: u32 = 16_384;
/// Pixels of a picture.
const PIXELS: u64 = 100_000_000;
/// Bytes that a decoder may hold at once, the decoded pixels included. The host gives 256 MiB; the rest is for scaling
/// and for what decoders need beside the pixels.
pub(crate) const DECODER_BYTES: u64 = 160 * 1024 * 1024;

/// Refuses a picture that is too large.
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

/// Refuses what would take too much memory to decode.
pub(crate) fn check_memory(bytes: u64) -> Result<(), ExtractError> {
    if bytes > DECODER_BYTES {
        return Err(ExtractError::Unsupported(format!(
            "decoding takes {bytes} bytes of memory; at most {DECODER_BYTES}"
        )));
    }
    Ok(())
}
