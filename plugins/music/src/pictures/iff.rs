//! ID3v2 tags in chunks of RIFF (little-endian) and AIFF (big-endian).

use std::io::Result;

use svc_plugin_api::Source;

use super::{Found, id3v2};

/// The most chunks that are walked.
const MAX_CHUNKS: usize = 4096;

/// Adds the pictures of a file.
pub(super) fn find(source: &mut Source, is_riff: bool, found: &mut Vec<Found>) -> Result<()> {
    let mut offset = 12;
    for _ in 0..MAX_CHUNKS {
        let Some([i, d, three, space, size @ ..]) = source.array_at::<8>(offset)? else {
            break;
        };
        let size = u64::from(if is_riff {
            u32::from_le_bytes(size)
        } else {
            u32::from_be_bytes(size)
        });
        if matches!(&[i, d, three, space], b"ID3 " | b"id3 ") {
            id3v2::find(source, offset + 8, found)?;
        }
        // Chunks begin at even offsets.
        offset += 8 + size + (size & 1);
    }
    Ok(())
}
