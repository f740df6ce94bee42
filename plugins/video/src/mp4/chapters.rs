//! Chapters: Nero's list, and QuickTime's text track.

use std::io::Result;

use svc_plugin_api::Source;

use super::samples;
use super::track::Track;
use crate::video::{Chapter, MAX_CHAPTERS};
use containers::bytes::{Bytes, text, utf16_be};

/// The most bytes of Nero's list: 255 chapters with titles of 255 bytes.
pub(super) const MAX_LIST_BYTES: usize = 128 * 1024;
/// The most bytes of a sample table, and of a text.
const MAX_TABLE_BYTES: usize = 16 + MAX_CHAPTERS * 12;
const MAX_TEXT_BYTES: usize = 1024;
/// Nero's unit is 100 ns.
const UNITS_PER_MS: u64 = 10_000;

/// Parses `chpl`: start times and titles.
pub(super) fn list(bytes: &[u8]) -> Vec<Chapter> {
    let mut bytes = Bytes(bytes);
    let version = bytes.be32().unwrap_or(0) >> 24;
    if version > 0 {
        bytes.skip(4);
    }
    let count = bytes.u8().unwrap_or(0);
    let chapter = |_| {
        let start = bytes.be64()?;
        let length = bytes.u8()?;
        Some(Chapter {
            start_ms: start / UNITS_PER_MS,
            end_ms: None,
            title: Some(text(bytes.take(length.into())?)),
        })
    };
    (0..count).map_while(chapter).collect()
}

/// Chapters from a text track: each sample is a title, and lasts as long as its chapter.
pub(super) fn track(source: &mut Source, track: &Track) -> Result<Vec<Chapter>> {
    let Some(table) = &track.table else {
        return Ok(Vec::new());
    };
    let (mut times, mut sizes, mut chunks, mut runs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut parts = table.children();
    while let Some(part) = parts.next(source)? {
        let is_long = part.name == *b"co64";
        match &part.name {
            b"stts" => times = samples::times(&part.bytes(source, MAX_TABLE_BYTES)?).collect(),
            b"stsz" => sizes = samples::sizes(&part.bytes(source, MAX_TABLE_BYTES)?, MAX_CHAPTERS),
            b"stco" | b"co64" => chunks = samples::chunks(&part.bytes(source, MAX_TABLE_BYTES)?, is_long),
            b"stsc" => runs = samples::runs(&part.bytes(source, MAX_TABLE_BYTES)?),
            _ => {}
        }
    }
    let mut places = places(&sizes, &chunks, &runs).into_iter();
    let mut chapters = Vec::new();
    let mut time = 0_u64;
    for (count, each) in times {
        for _ in 0..count {
            let Some((offset, size)) = places.next() else {
                return Ok(chapters);
            };
            let next = time.saturating_add(each.into());
            chapters.push(Chapter {
                start_ms: ms(time, track.timescale),
                end_ms: Some(ms(next, track.timescale)),
                title: title(source, offset, size)?,
            });
            time = next;
        }
    }
    Ok(chapters)
}

fn ms(time: u64, timescale: u32) -> u64 {
    super::milliseconds(time, timescale).unwrap_or(0)
}

/// The offset and size of each sample; the samples of a chunk are contiguous.
fn places(sizes: &[u32], chunks: &[u64], runs: &[(usize, usize)]) -> Vec<(u64, u32)> {
    let mut places = Vec::with_capacity(sizes.len());
    let mut sizes = sizes.iter();
    for (chunk, offset) in chunks.iter().enumerate() {
        let run = runs.iter().take_while(|(first, _)| *first <= chunk).last();
        let mut offset = *offset;
        for _ in 0..run.map_or(1, |(_, count)| *count) {
            let Some(size) = sizes.next() else {
                return places;
            };
            places.push((offset, *size));
            offset = offset.saturating_add((*size).into());
        }
    }
    places
}

/// The text of a sample: its length, then UTF-8, or UTF-16 with a mark.
fn title(source: &mut Source, offset: u64, size: u32) -> Result<Option<String>> {
    let size = usize::try_from(size).unwrap_or(usize::MAX).min(MAX_TEXT_BYTES);
    let bytes = source.bytes_at(offset, size)?;
    let mut bytes = Bytes(&bytes);
    let length = bytes.be16().unwrap_or(0);
    let kept = bytes.0.len().min(length.into());
    Ok(bytes.take(kept).map(|letters| match letters {
        [0xfe, 0xff, rest @ ..] => utf16_be(rest),
        letters => text(letters),
    }))
}
