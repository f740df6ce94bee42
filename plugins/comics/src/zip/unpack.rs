//! The bytes of a file in an archive. The size that the archive states is the most that is unpacked.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::inflate_flags::{
    TINFL_FLAG_HAS_MORE_INPUT, TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF,
};
use miniz_oxide::inflate::core::{DecompressorOxide, decompress};
use svc_plugin_api::{ExtractError, MAX_PAGE_BYTES, Source};

use super::{Entry, Method};

/// Packed bytes that are read at a time, at most; and at least, so that the start of a small page takes one read.
const MAX_STEP_BYTES: usize = 64 * 1024;
const MIN_STEP_BYTES: usize = 16 * 1024;

/// The whole file; its size and checksum have to be as the archive states them.
///
/// # Errors
/// `Invalid` if they are not, or the bytes are damaged; `Unsupported` for another method, and for a file that is larger
/// than a page may be; `Io` if a read failed.
pub fn unpack(source: &mut Source, entry: &Entry) -> Result<Vec<u8>, ExtractError> {
    if entry.size > MAX_PAGE_BYTES as u64 {
        return Err(ExtractError::Unsupported(format!(
            "{} has {} bytes",
            entry.name, entry.size
        )));
    }
    let size = usize::try_from(entry.size).unwrap_or(MAX_PAGE_BYTES);
    let at = entry.data_offset(source)?;
    let bytes = match entry.method {
        Method::Stored if entry.packed != entry.size => {
            return Err(entry.damaged("is stored and has two sizes"));
        }
        Method::Stored => source.bytes_at(at, size)?,
        Method::Deflated => {
            let mut bytes = vec![0; size];
            match inflate(source, at, entry.packed, &mut bytes)? {
                Inflated {
                    length,
                    is_whole: true,
                } if length == size => bytes,
                _ => return Err(entry.damaged("is not as large as stated, or damaged")),
            }
        }
        Method::Other => return Err(ExtractError::Unsupported(other(entry))),
    };
    if bytes.len() != size || crc32fast::hash(&bytes) != entry.crc {
        return Err(entry.damaged("has another checksum than stated"));
    }
    Ok(bytes)
}

/// Up to `length` bytes from the start of the file, unverified.
///
/// # Errors
/// As for [`unpack`].
pub fn prefix(source: &mut Source, entry: &Entry, length: usize) -> Result<Vec<u8>, ExtractError> {
    let at = entry.data_offset(source)?;
    let length = length.min(usize::try_from(entry.size).unwrap_or(length));
    match entry.method {
        Method::Stored => Ok(source.bytes_at(at, length)?),
        Method::Deflated => {
            let mut bytes = vec![0; length];
            let Inflated { length, .. } = inflate(source, at, entry.packed, &mut bytes)?;
            bytes.truncate(length);
            Ok(bytes)
        }
        Method::Other => Err(ExtractError::Unsupported(other(entry))),
    }
}

fn other(entry: &Entry) -> String {
    format!("{} is encrypted, or packed in an unknown way", entry.name)
}

struct Inflated {
    length: usize,
    /// The packed bytes end here, and nothing is missing.
    is_whole: bool,
}

/// Fills the buffer from the packed bytes, as far as both go.
fn inflate(source: &mut Source, at: u64, packed: u64, to: &mut [u8]) -> Result<Inflated, ExtractError> {
    let mut inflater = Box::new(DecompressorOxide::new());
    let mut spare = Vec::new();
    let most = to.len().clamp(MIN_STEP_BYTES, MAX_STEP_BYTES);
    let (mut read, mut length) = (0_u64, 0_usize);
    loop {
        let step = most.min(usize::try_from(packed - read).unwrap_or(most));
        let input = source.slice_at(at + read, step, &mut spare)?;
        let is_last = read + input.len() as u64 >= packed || input.is_empty();
        let more = if is_last { 0 } else { TINFL_FLAG_HAS_MORE_INPUT };
        let flags = more | TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
        let (status, consumed, written) = decompress(&mut inflater, input, to, length, flags);
        read += consumed as u64;
        length += written;
        match status {
            TINFLStatus::Done => {
                let is_whole = read == packed;
                return Ok(Inflated { length, is_whole });
            }
            TINFLStatus::NeedsMoreInput if !is_last && consumed > 0 => {}
            // Damaged, cut off, or larger than the buffer.
            _ => {
                return Ok(Inflated {
                    length,
                    is_whole: false,
                });
            }
        }
    }
}
