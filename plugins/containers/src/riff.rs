//! Chunks of RIFF (WAV, AVI, WebP) and of IFF (AIFF): a name of four letters, a 32-bit size, a body, and a byte of
//! padding after an odd size.

use std::io::Result;

use svc_plugin_api::Source;

/// The offset of the first chunk of a file: after `RIFF`, a size and the form's name.
pub const FIRST_CHUNK: u64 = 12;
/// The size that stands for one that was unknown when it was written, or that needs 64 bits.
pub const UNKNOWN_SIZE: u32 = u32::MAX;
const HEADER_BYTES: u64 = 8;

/// The byte order of sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ByteOrder {
    /// RIFF.
    Little,
    /// IFF.
    Big,
}

/// The position of a chunk, in bytes of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunk {
    /// Four letters, not always printable.
    pub name: [u8; 4],
    /// Of the header.
    pub offset: u64,
    /// Of the body.
    pub start: u64,
    /// The end of the body, clamped to the parent's.
    pub end: u64,
    /// As stated, which may be more than the parent has.
    pub size: u32,
}

impl Chunk {
    /// The chunk whose header is at `offset`; its end is not clamped.
    ///
    /// # Errors
    /// If a read failed.
    pub fn at(source: &mut Source, offset: u64, order: ByteOrder) -> Result<Option<Self>> {
        let Some([n0, n1, n2, n3, size @ ..]) = source.array_at::<8>(offset)? else {
            return Ok(None);
        };
        let size = match order {
            ByteOrder::Little => u32::from_le_bytes(size),
            ByteOrder::Big => u32::from_be_bytes(size),
        };
        let start = offset.saturating_add(HEADER_BYTES);
        Ok(Some(Self {
            name: [n0, n1, n2, n3],
            offset,
            start,
            end: start.saturating_add(size.into()),
            size,
        }))
    }

    /// The first `most` bytes of the body.
    ///
    /// # Errors
    /// If a read failed.
    pub fn bytes(&self, source: &mut Source, most: usize) -> Result<Vec<u8>> {
        let length = usize::try_from(self.end.saturating_sub(self.start)).unwrap_or(usize::MAX);
        source.bytes_at(self.start, length.min(most))
    }

    /// Turns a `LIST` or `RIFF` chunk into its list: named by the list's type, with the body after it.
    ///
    /// # Errors
    /// If a read failed.
    pub fn into_list(self, source: &mut Source) -> Result<Self> {
        Ok(Self {
            name: source.array_at::<4>(self.start)?.unwrap_or_default(),
            start: (self.start + 4).min(self.end),
            ..self
        })
    }
}

/// Walks the chunks of one parent.
#[derive(Debug, Clone)]
pub struct Chunks {
    offset: u64,
    end: u64,
    left: usize,
    order: ByteOrder,
}

impl Chunks {
    /// The first `most` chunks between two offsets.
    pub fn between(start: u64, end: u64, order: ByteOrder, most: usize) -> Self {
        Self {
            offset: start,
            end,
            left: most,
            order,
        }
    }

    /// The first `most` chunks of a whole file. The size in the file's own header is ignored: recorders that were
    /// interrupted leave it wrong.
    pub fn of_file(source: &Source, order: ByteOrder, most: usize) -> Self {
        Self::between(FIRST_CHUNK, source.size(), order, most)
    }

    /// # Errors
    /// If a read failed.
    pub fn next(&mut self, source: &mut Source) -> Result<Option<Chunk>> {
        if self.left == 0 || self.offset.saturating_add(HEADER_BYTES) > self.end {
            return Ok(None);
        }
        let Some(chunk) = Chunk::at(source, self.offset, self.order)? else {
            return Ok(None);
        };
        self.left -= 1;
        let end = chunk.end.min(self.end);
        self.offset = end.saturating_add(u64::from(chunk.size & 1));
        Ok(Some(Chunk { end, ..chunk }))
    }
}

/// Whether a file that starts with these bytes is WAV: RIFF, or RF64 and BW64 for more than 4 GiB.
pub fn is_wave(head: &[u8]) -> bool {
    let is_riff = [b"RIFF", b"RF64", b"BW64"]
        .iter()
        .any(|name| head.starts_with(*name));
    is_riff && head.get(8..12) == Some(b"WAVE")
}

/// Whether a file that starts with these bytes is AIFF or AIFF-C.
pub fn is_aiff(head: &[u8]) -> bool {
    head.starts_with(b"FORM") && matches!(head.get(8..12), Some(b"AIFF" | b"AIFC"))
}

/// The size in bytes of the `data` chunk according to a `ds64` chunk at `offset`, which RF64 and BW64 files begin with.
///
/// # Errors
/// If a read failed.
pub fn long_data_size(source: &mut Source, offset: u64) -> Result<Option<u64>> {
    let chunk = source.array_at::<36>(offset)?;
    let chunk = chunk.filter(|chunk| chunk.starts_with(b"ds64"));
    // After the chunk's header and the size of the whole file.
    let size = chunk.and_then(|chunk| chunk.get(16..24)?.first_chunk().copied());
    Ok(size.map(u64::from_le_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(bytes: Vec<u8>, order: ByteOrder) -> Vec<([u8; 4], u64)> {
        let mut source = Source::from_bytes("a", bytes);
        let mut chunks = Chunks::between(0, source.size(), order, 3);
        let mut names = Vec::new();
        while let Some(chunk) = chunks.next(&mut source).unwrap() {
            names.push((chunk.name, chunk.end - chunk.start));
        }
        names
    }

    #[test]
    fn chunks_of_odd_size_are_padded() {
        let little = b"fmt \x01\0\0\0a\0data\x02\0\0\0bcLIST\x09\0\0\0d".to_vec();
        assert_eq!(
            names(little, ByteOrder::Little),
            [(*b"fmt ", 1), (*b"data", 2), (*b"LIST", 1)]
        );
        let big = b"COMM\0\0\0\x01a\0SSND\0\0\0\x02bc".to_vec();
        assert_eq!(names(big, ByteOrder::Big), [(*b"COMM", 1), (*b"SSND", 2)]);
    }

    #[test]
    fn chunks_beyond_the_limit_and_a_cut_header_are_left_out() {
        let empty = b"JUNK\0\0\0\0";
        assert_eq!(names(empty.repeat(9), ByteOrder::Little).len(), 3);
        let cut = [empty.as_slice(), b"JUNK\0\0"].concat();
        assert_eq!(names(cut, ByteOrder::Little).len(), 1);
    }

    #[test]
    fn long_data_size_is_read_from_ds64_only() {
        let size = |bytes: &[u8]| long_data_size(&mut Source::from_bytes("a", bytes.to_vec()), 0).unwrap();
        let mut chunk = b"ds64\x1c\0\0\0".to_vec();
        chunk.extend(
            [7_u64, 5_000_000_000, 1]
                .iter()
                .flat_map(|size| size.to_le_bytes()),
        );
        chunk.extend([0; 4]);
        assert_eq!(size(&chunk), Some(5_000_000_000));
        assert_eq!(size(&chunk[..35]), None);
        assert_eq!(size(&[0; 36]), None);
    }
}
