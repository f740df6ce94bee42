//! Metadata blocks of FLAC: a type of 7 bits with a flag on the last block, a 24-bit size and a body.

use std::io::Result;

use svc_plugin_api::Source;

/// The flag of the last block, in the byte of the type.
pub const LAST: u8 = 0x80;
/// Bytes of the signature `fLaC`, after which the blocks begin.
const SIGNATURE_BYTES: u64 = 4;

/// The position of a block, in bytes of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Block {
    /// The block's type, such as 4 for comments.
    pub kind: u8,
    /// Whether the audio follows.
    pub is_last: bool,
    /// Of the header.
    pub offset: u64,
    /// Of the body.
    pub start: u64,
    /// The end of the body, as stated.
    pub end: u64,
}

/// Walks the metadata blocks of one stream.
#[derive(Debug, Clone)]
pub struct Blocks {
    offset: u64,
    left: usize,
}

impl Blocks {
    /// The first `most` blocks of the stream whose signature is at `start`.
    pub fn of_stream(start: u64, most: usize) -> Self {
        Self {
            offset: start.saturating_add(SIGNATURE_BYTES),
            left: most,
        }
    }

    /// # Errors
    /// If a read failed.
    pub fn next(&mut self, source: &mut Source) -> Result<Option<Block>> {
        if self.left == 0 {
            return Ok(None);
        }
        let Some([kind, s2, s1, s0]) = source.array_at::<4>(self.offset)? else {
            return Ok(None);
        };
        let start = self.offset.saturating_add(4);
        let block = Block {
            kind: kind & !LAST,
            is_last: kind & LAST != 0,
            offset: self.offset,
            start,
            end: start.saturating_add(u32::from_be_bytes([0, s2, s1, s0]).into()),
        };
        self.left = if block.is_last { 0 } else { self.left - 1 };
        self.offset = block.end;
        Ok(Some(block))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_end_with_the_last_one() {
        let bytes = b"fLaC\0\0\0\x02ab\x84\0\0\x01c\x01\0\0\0".to_vec();
        let mut source = Source::from_bytes("a.flac", bytes);
        let mut blocks = Blocks::of_stream(0, 9);
        let mut found = Vec::new();
        while let Some(block) = blocks.next(&mut source).unwrap() {
            found.push((block.kind, block.start, block.end));
        }
        assert_eq!(found, [(0, 8, 10), (4, 14, 15)]);
    }
}
