//! Picture blocks of FLAC.

use std::io::Result;

use containers::flac::Blocks;
use svc_plugin_api::Source;

use super::{Found, add_at, purpose};

const PICTURE_BLOCK: u8 = 6;
/// The most metadata blocks that are read.
const MAX_BLOCKS: usize = 1024;
/// Blocks with a longer media type or description are ignored, in bytes.
const MAX_TEXT: u32 = 64 * 1024;

pub(super) fn find(source: &mut Source, start: u64, found: &mut Vec<Found>) -> Result<()> {
    let mut blocks = Blocks::of_stream(start, MAX_BLOCKS);
    while let Some(block) = blocks.next(source)? {
        if block.kind == PICTURE_BLOCK {
            picture(source, block.start, found)?;
        }
    }
    Ok(())
}

/// A picture block: type, media type, description, four numbers, length, picture.
fn picture(source: &mut Source, body: u64, found: &mut Vec<Found>) -> Result<()> {
    let mut number =
        |offset: u64| Ok::<_, std::io::Error>(source.array_at::<4>(offset)?.map(u32::from_be_bytes));
    let (Some(kind), Some(type_length)) = (number(body)?, number(body + 4)?) else {
        return Ok(());
    };
    let type_offset = body + 8;
    let description = type_offset + u64::from(type_length);
    let Some(description_length) = number(description)? else {
        return Ok(());
    };
    if type_length > MAX_TEXT || description_length > MAX_TEXT {
        return Ok(());
    }
    let length_offset = description + 4 + u64::from(description_length) + 16;
    let Some(length) = number(length_offset)? else {
        return Ok(());
    };
    let stated = source.bytes_at(type_offset, type_length.min(64) as usize)?;
    let stated = String::from_utf8_lossy(&stated);
    add_at(
        source,
        (length_offset + 4, u64::from(length)),
        purpose(kind),
        &stated,
        found,
    )
}
