//! Pages of Ogg: a header of 27 bytes, a table of segment sizes, and a body with parts of packets.

use crate::bytes::Bytes;

/// Bytes of a page's header without the table.
pub const HEADER_BYTES: usize = 27;
/// The most bytes of a header with its table.
pub const MAX_HEADER_BYTES: usize = HEADER_BYTES + 255;
/// The position of a page on which no packet ends.
pub const NO_POSITION: u64 = u64::MAX;
const BEGINS_STREAM: u8 = 2;

/// One page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page<'a> {
    /// Whether it is the first page of its logical stream.
    pub begins_stream: bool,
    /// The granule position at the end of the page, in units of the codec, or [`NO_POSITION`].
    pub position: u64,
    /// The serial number of the logical stream.
    pub serial: u32,
    /// Sizes of the segments; one below 255 ends a packet.
    pub segments: &'a [u8],
    /// The body, or its beginning where the bytes end before it.
    pub body: &'a [u8],
    /// Bytes of header and body, as stated.
    pub length: usize,
}

impl<'a> Page<'a> {
    /// The page at the start of these bytes; `None` if its header is not whole.
    pub fn parse(bytes: &'a [u8]) -> Option<Self> {
        let mut rest = Bytes(bytes);
        rest.array().filter(|magic| magic == b"OggS")?;
        let [_version, flags] = rest.array()?;
        let (position, serial) = (rest.le64()?, rest.le32()?);
        // Page number and checksum.
        rest.skip(8)?;
        let count = rest.u8()?;
        let segments = rest.take(count.into())?;
        let size: usize = segments.iter().copied().map(usize::from).sum();
        Some(Self {
            begins_stream: flags & BEGINS_STREAM != 0,
            position,
            serial,
            segments,
            body: rest.0.get(..size).unwrap_or(rest.0),
            length: HEADER_BYTES + segments.len() + size,
        })
    }

    /// Bytes of header and table.
    pub fn header_length(&self) -> usize {
        HEADER_BYTES + self.segments.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_with_a_cut_body_keeps_its_stated_length() {
        let mut bytes = b"OggS\0\x02".to_vec();
        bytes.extend(7_u64.to_le_bytes());
        bytes.extend(9_u32.to_le_bytes());
        bytes.extend([0; 8]);
        bytes.extend([2, 255, 1]);
        bytes.extend(b"body");
        let page = Page::parse(&bytes).unwrap();
        assert_eq!((page.position, page.serial, page.begins_stream), (7, 9, true));
        assert_eq!((page.body, page.length), (b"body".as_slice(), 29 + 256));
        assert_eq!(Page::parse(&bytes[..28]), None);
        assert_eq!(Page::parse(b"oggs"), None);
    }
}
