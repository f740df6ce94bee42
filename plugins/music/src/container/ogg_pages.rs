//! Counts the samples of an Ogg stream by the positions of its pages. Chained streams are added up.

use std::io::Result;

use containers::ogg::{MAX_HEADER_BYTES, NO_POSITION, Page};
use svc_plugin_api::Source;

/// The number of bytes at the end that are searched for the last page, in steps.
const TAIL_BYTES: [u64; 3] = [32 * 1024, 128 * 1024, 1024 * 1024];
/// The most bytes that are read page by page.
const MAX_WALKED: u64 = 40 * 1024 * 1024;
const CHUNK_BYTES: usize = 1024 * 1024;
/// The most interleaved streams.
const MAX_STREAMS: usize = 16;

/// The fields of a page without borrowing its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    begins_stream: bool,
    position: u64,
    serial: u32,
    length: usize,
    /// The first bytes of the first packet.
    magic: [u8; 4],
}

/// The page at the start of these bytes, if they contain its whole header.
fn entry(bytes: &[u8]) -> Option<Entry> {
    let page = Page::parse(bytes)?;
    let mut magic = [0; 4];
    magic.iter_mut().zip(page.body).for_each(|(to, from)| *to = *from);
    Some(Entry {
        begins_stream: page.begins_stream,
        position: page.position,
        serial: page.serial,
        length: page.length,
        magic,
    })
}

/// The samples of the first stream at `start`, plus those of streams of the same codec that are chained to it.
///
/// # Errors
/// If a read failed.
pub fn samples(source: &mut Source, start: u64) -> Result<u64> {
    let interleaved = beginnings(source, start)?;
    let Some(first) = interleaved.first().copied() else {
        return Ok(0);
    };
    let mut last = None;
    for length in TAIL_BYTES {
        let from = source.size().saturating_sub(length).max(start);
        let tail = source.bytes_at(from, usize::try_from(length).unwrap_or(0))?;
        last = last.or_else(|| backwards(&tail).next());
        let is_chained = last.is_some_and(|last| interleaved.iter().all(|page| page.serial != last.serial));
        if is_chained {
            return walk(source, start, first.magic);
        }
        let found = backwards(&tail).find(|page| page.serial == first.serial && page.position != NO_POSITION);
        if let Some(found) = found {
            return Ok(found.position.saturating_sub(first_position(&first)));
        }
        if from == start {
            break;
        }
    }
    walk(source, start, first.magic)
}

/// The pages in these bytes, last one first.
fn backwards(bytes: &[u8]) -> impl Iterator<Item = Entry> {
    let places = (0..bytes.len())
        .rev()
        .filter(move |at| bytes.get(*at) == Some(&b'O'));
    places.filter_map(move |at| entry(bytes.get(at..)?))
}

fn first_position(page: &Entry) -> u64 {
    if page.position == NO_POSITION {
        0
    } else {
        page.position
    }
}

/// The first pages of the interleaved streams at `at`.
fn beginnings(source: &mut Source, mut at: u64) -> Result<Vec<Entry>> {
    let mut pages: Vec<Entry> = Vec::new();
    while pages.len() < MAX_STREAMS {
        let bytes = source.bytes_at(at, MAX_HEADER_BYTES + 4)?;
        match entry(&bytes) {
            Some(page) if page.begins_stream || pages.is_empty() => {
                at += page.length as u64;
                pages.push(page);
            }
            _ => break,
        }
    }
    Ok(pages)
}

/// Adds up the chained streams whose first packet starts with `magic`.
fn walk(source: &mut Source, start: u64, magic: [u8; 4]) -> Result<u64> {
    let until = source.size().min(start.saturating_add(MAX_WALKED));
    let (mut at, mut total, mut link) = (start, 0_u64, 0);
    let mut serial = None;
    let mut begins = false;
    while at < until {
        let bytes = source.bytes_at(at, CHUNK_BYTES)?;
        let mut rest = bytes.as_slice();
        while let Some(page) = entry(rest) {
            if page.begins_stream && !begins {
                total = total.saturating_add(std::mem::take(&mut link));
                serial = None;
            }
            begins = page.begins_stream;
            if page.begins_stream && serial.is_none() && page.magic == magic {
                serial = Some(page.serial);
            }
            if serial == Some(page.serial) && page.position != NO_POSITION {
                link = page.position;
            }
            let length = page.length.min(rest.len());
            at += page.length as u64;
            rest = rest.get(length..).unwrap_or_default();
        }
        // A page that the chunk contains only in part starts the next chunk. Without any page this is the end or
        // junk.
        let walked = bytes.len() - rest.len();
        if walked == 0 {
            let next = bytes.windows(4).skip(1).position(|window| window == b"OggS");
            match next {
                Some(next) => at += next as u64 + 1,
                None => break,
            }
        }
    }
    Ok(total.saturating_add(link))
}
