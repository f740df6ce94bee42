//! Locates tags at the end of a file: ID3v1, APE, Lyrics3 and ID3v2 with a footer, in any order.

use std::io::Result;

use svc_plugin_api::Source;

const ID3V1_BYTES: u64 = 128;
const FOOTER_BYTES: u64 = 32;
const ID3V2_FOOTER_BYTES: u64 = 10;
/// `LYRICS200` and the six digits before it.
const LYRICS_BYTES: u64 = 15;
/// The most consecutive tags.
const MAX_TAGS: usize = 8;
/// The most bytes before a footer that are searched for the header, if the size in the footer is wrong.
const MAX_SEARCH: u64 = 16 * 1024;
const APE: &[u8; 8] = b"APETAGEX";
/// The flag of an APE tag with a header.
const HAS_HEADER: u32 = 1 << 31;

/// The position of an APE tag's items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApeTag {
    /// Of the first item.
    pub start: u64,
    /// Of the last item.
    pub end: u64,
}

/// The tags after the audio, as offsets in the file.
#[derive(Debug, Clone, Default)]
pub struct Tail {
    pub id3v1: Option<u64>,
    pub ape: Option<ApeTag>,
    /// Tags with a footer.
    pub id3v2: Vec<u64>,
    /// Where the tags begin.
    pub start: u64,
}

impl Tail {
    /// Locates the tags between `head` and the end of the file.
    ///
    /// # Errors
    /// If a read failed.
    pub fn find(source: &mut Source, head: u64) -> Result<Self> {
        let mut tail = Self {
            start: source.size(),
            ..Self::default()
        };
        for _ in 0..MAX_TAGS {
            let start = tail.before(source, head)?;
            match start.filter(|start| (head..tail.start).contains(start)) {
                Some(start) => tail.start = start,
                None => break,
            }
        }
        Ok(tail)
    }

    /// The start of the last tag before those that are known.
    fn before(&mut self, source: &mut Source, head: u64) -> Result<Option<u64>> {
        let end = self.start;
        if let Some(start) = end.checked_sub(ID3V1_BYTES)
            && source.array_at::<3>(start)? == Some(*b"TAG")
        {
            self.id3v1 = self.id3v1.or(Some(start));
            return Ok(Some(start));
        }
        if let Some(footer) = end.checked_sub(FOOTER_BYTES)
            && let Some(bytes) = source.array_at::<32>(footer)?
            && bytes.starts_with(APE)
        {
            let (tag, start) = ape(source, footer, &bytes, head)?;
            self.ape = self.ape.or(Some(tag));
            return Ok(Some(start));
        }
        if let Some(footer) = end.checked_sub(ID3V2_FOOTER_BYTES)
            && let Some([b'3', b'D', b'I', _, _, _, size @ ..]) = source.array_at::<10>(footer)?
        {
            let size = size
                .iter()
                .fold(0, |sum, byte| (sum << 7) | u64::from(byte & 0x7f));
            let start = footer.checked_sub(size + ID3V2_FOOTER_BYTES);
            self.id3v2.extend(start);
            return Ok(start);
        }
        if let Some(lyrics) = end.checked_sub(LYRICS_BYTES)
            && let Some([digits @ .., b'L', b'Y', b'R', b'I', b'C', b'S', b'2', b'0', b'0']) =
                source.array_at::<15>(lyrics)?
        {
            let size = std::str::from_utf8(&digits)
                .ok()
                .and_then(|size| size.parse().ok());
            return Ok(size.and_then(|size: u64| lyrics.checked_sub(size)));
        }
        Ok(None)
    }
}

/// The tag with this footer, and its start.
fn ape(source: &mut Source, footer: u64, bytes: &[u8; 32], head: u64) -> Result<(ApeTag, u64)> {
    let number = |at: usize| {
        bytes
            .get(at..)
            .and_then(|bytes| bytes.first_chunk())
            .map_or(0, |bytes| u32::from_le_bytes(*bytes))
    };
    let size = u64::from(number(12));
    let start = (footer + FOOTER_BYTES)
        .checked_sub(size)
        .filter(|start| *start <= footer);
    let start = start.filter(|start| *start >= head);
    if let Some(start) = start {
        let header = start.saturating_sub(FOOTER_BYTES);
        let has_header = source.array_at::<8>(header)? == Some(*APE);
        // The flag is unreliable, and a wrong size does not lead to a header.
        if has_header || number(20) & HAS_HEADER == 0 {
            let tag = ApeTag { start, end: footer };
            return Ok((tag, if has_header { header } else { start }));
        }
    }
    // The size or the flag is wrong: search for the header.
    let from = footer.saturating_sub(MAX_SEARCH).max(head);
    let before = source.bytes_at(from, usize::try_from(footer - from).unwrap_or(0))?;
    let header = before.windows(APE.len()).rposition(|window| window == APE);
    let found = header.map(|at| from + at as u64);
    let start = found
        .map(|header| header + FOOTER_BYTES)
        .or(start)
        .unwrap_or(from);
    let tag = ApeTag { start, end: footer };
    Ok((tag, found.unwrap_or(start)))
}

/// An APE tag before the audio.
///
/// # Errors
/// If a read failed.
pub fn ape_in_front(source: &mut Source, offset: u64) -> Result<Option<ApeTag>> {
    let Some(header) = source
        .array_at::<32>(offset)?
        .filter(|header| header.starts_with(APE))
    else {
        return Ok(None);
    };
    let size = header.get(12..).and_then(|bytes| bytes.first_chunk());
    let size = size.map_or(0, |size| u64::from(u32::from_le_bytes(*size)));
    let start = offset + FOOTER_BYTES;
    Ok(Some(ApeTag {
        start,
        end: start.saturating_add(size).min(source.size()),
    }))
}
