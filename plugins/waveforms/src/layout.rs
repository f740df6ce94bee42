//! What lies around the sound in a file and would mislead a decoder: tags in Wave, AIFF and FLAC files, MPEG audio that
//! is wrapped up as Wave, and the beginning that MP4 files leave out.

use svc_plugin_api::isobmff::{BoxSpan, Boxes};
use svc_plugin_api::{ExtractError, Source};

use crate::stream::Patch;

/// Chunks and metadata blocks that are looked at.
const PARTS: usize = 4096;
/// MPEG Layer 3 in a Wave file.
const WAVE_MP3: [u8; 2] = [0x55, 0];
/// A size that nobody knew when it was written, or that is in another place.
const UNKNOWN: u32 = u32::MAX;
/// Chunks that lie behind the sound.
const FOLLOWERS: [&[u8; 4]; 7] = [b"LIST", b"id3 ", b"ID3 ", b"fact", b"cue ", b"smpl", b"bext"];
/// Bytes of an iTunes entry that is looked at.
const ENTRY_BYTES: usize = 512;

/// How a file is to be read.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Where the decoder begins.
    pub(crate) start: u64,
    /// Hides tags, by saying that they are something to pass over.
    pub(crate) patches: Vec<Patch>,
    /// What is left out at the beginning.
    pub(crate) priming: Option<Priming>,
}

/// How much the encoder put in front of the sound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Priming {
    units: u64,
    /// Units in a second; none if they are frames.
    timescale: Option<u32>,
}

impl Priming {
    pub(crate) fn frames(self, sample_rate: u32) -> u64 {
        let Some(timescale) = self.timescale.filter(|scale| *scale > 0) else {
            return self.units;
        };
        let frames = u128::from(self.units) * u128::from(sample_rate) / u128::from(timescale);
        u64::try_from(frames).unwrap_or(u64::MAX)
    }
}

/// Looks at the headers of a file.
pub(crate) fn find(source: &mut Source) -> Result<Layout, ExtractError> {
    let head = source.bytes_at(0, 12)?;
    match head.as_slice() {
        [b'f', b'L', b'a', b'C', ..] => flac(source),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E']
        | [b'R', b'F', b'6', b'4', _, _, _, _, b'W', b'A', b'V', b'E']
        | [b'B', b'W', b'6', b'4', _, _, _, _, b'W', b'A', b'V', b'E'] => wave(source),
        [b'F', b'O', b'R', b'M', _, _, _, _, b'A', b'I', b'F', b'F' | b'C'] => {
            chunks(source, u32::from_be_bytes, &[*b"ID3 ", *b"id3 "])
        }
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => Ok(Layout {
            priming: priming(source)?,
            ..Layout::default()
        }),
        _ => Ok(Layout::default()),
    }
}

/// Hides all metadata of a FLAC file but the first block: the rest says nothing about the sound.
fn flac(source: &mut Source) -> Result<Layout, ExtractError> {
    const PADDING: u8 = 1;
    const LAST: u8 = 0x80;
    let mut layout = Layout::default();
    let mut offset = 4_u64;
    for _ in 0..PARTS {
        let Some([kind, size @ ..]) = source.array_at::<4>(offset)? else {
            break;
        };
        if kind & !LAST != 0 {
            layout.patches.push(Patch {
                offset,
                bytes: vec![kind & LAST | PADDING],
            });
        }
        if kind & LAST != 0 {
            break;
        }
        offset += 4 + size.iter().fold(0, |size, byte| size << 8 | u64::from(*byte));
    }
    Ok(layout)
}

/// Hides tags of a Wave file, and says sizes in a way that the decoder understands: a recorder that was cut off leaves
/// 0, and files of more than 4 GiB have another name and their sizes in a chunk of their own.
fn wave(source: &mut Source) -> Result<Layout, ExtractError> {
    let mut layout = chunks(source, u32::from_le_bytes, &[*b"id3 ", *b"ID3 ", *b"LIST"])?;
    if layout.start > 0 {
        return Ok(layout);
    }
    layout.patches.push(Patch {
        offset: 0,
        bytes: [b"RIFF".as_slice(), &UNKNOWN.to_le_bytes()].concat(),
    });
    let long = match source.array_at::<36>(12)? {
        Some(
            [
                b'd',
                b's',
                b'6',
                b'4',
                _,
                _,
                _,
                _,
                _,
                _,
                _,
                _,
                _,
                _,
                _,
                _,
                size @ ..,
            ],
        ) => size.first_chunk().copied().map(u64::from_le_bytes),
        _ => None,
    };
    if let Some((body, size)) = sound(source)? {
        let left = source.size().saturating_sub(body);
        let size = match (size, long) {
            (0, _) => left,
            (UNKNOWN, Some(size)) => size.min(left),
            _ => return Ok(layout),
        };
        layout.patches.push(Patch {
            offset: body - 4,
            bytes: u32::try_from(size).unwrap_or(UNKNOWN).to_le_bytes().to_vec(),
        });
    }
    Ok(layout)
}

/// Where the sound of a Wave file begins, and how long it is said to be. A size of 0 is meant where a chunk follows.
fn sound(source: &mut Source) -> Result<Option<(u64, u32)>, ExtractError> {
    let mut offset = 12_u64;
    for _ in 0..PARTS {
        let Some([a, b, c, d, size @ ..]) = source.array_at::<8>(offset)? else {
            break;
        };
        let (body, size) = (offset + 8, u32::from_le_bytes(size));
        if [a, b, c, d] == *b"data" {
            let next = source.array_at::<4>(body)?;
            let is_empty = size == 0 && next.is_some_and(|name| FOLLOWERS.contains(&&name));
            return Ok((!is_empty).then_some((body, size)));
        }
        offset = body.saturating_add(size.into()).saturating_add((size & 1).into());
    }
    Ok(None)
}

/// Hides chunks of a Wave or AIFF file.
fn chunks(
    source: &mut Source,
    size_of: fn([u8; 4]) -> u32,
    hidden: &[[u8; 4]],
) -> Result<Layout, ExtractError> {
    let mut layout = Layout::default();
    let mut offset = 12_u64;
    let mut is_mp3 = false;
    for _ in 0..PARTS {
        let Some([a, b, c, d, size @ ..]) = source.array_at::<8>(offset)? else {
            break;
        };
        let (name, size) = ([a, b, c, d], u64::from(size_of(size)));
        let body = offset + 8;
        if name == *b"fmt " {
            is_mp3 = source.array_at(body)? == Some(WAVE_MP3);
        }
        if name == *b"data" && is_mp3 {
            return Ok(Layout {
                start: body,
                ..Layout::default()
            });
        }
        if hidden.contains(&name) {
            layout.patches.push(Patch {
                offset,
                bytes: b"JUNK".to_vec(),
            });
        }
        offset = body.saturating_add(size).saturating_add(size & 1);
    }
    Ok(layout)
}

/// What the edit list of an MP4 file's first sound leaves out, or what iTunes says about it.
fn priming(source: &mut Source) -> Result<Option<Priming>, ExtractError> {
    let Some(movie) = Boxes::of_file(source).find(source, b"moov")? else {
        return Ok(None);
    };
    let mut tracks = movie.children();
    while let Some(track) = tracks.find(source, b"trak")? {
        let Some(media) = track.children().find(source, b"mdia")? else {
            continue;
        };
        let handler = inside(source, media, &[b"hdlr"])?;
        let handler = handler.map(|handler| handler.bytes(source, 12)).transpose()?;
        if handler.is_none_or(|handler| !handler.ends_with(b"soun")) {
            continue;
        }
        return match inside(source, track, &[b"edts", b"elst"])? {
            Some(edits) => edited(source, edits, media),
            None => itunes(source, movie),
        };
    }
    Ok(None)
}

fn inside(source: &mut Source, parent: BoxSpan, path: &[&[u8; 4]]) -> Result<Option<BoxSpan>, ExtractError> {
    let mut found = parent;
    for name in path {
        let Some(child) = found.children().find(source, name)? else {
            return Ok(None);
        };
        found = child;
    }
    Ok(Some(found))
}

/// Where the first edit that is no pause begins.
fn edited(source: &mut Source, edits: BoxSpan, media: BoxSpan) -> Result<Option<Priming>, ExtractError> {
    const ENTRIES: usize = 16;
    let list = edits.bytes(source, 8 + ENTRIES * 20)?;
    let (is_wide, entries) = match list.split_first_chunk::<8>() {
        Some(([version, ..], entries)) => (*version == 1, entries),
        None => return Ok(None),
    };
    let starts = entries
        .chunks_exact(if is_wide { 20 } else { 12 })
        .filter_map(|entry| {
            // After the length, as wide as it.
            if is_wide {
                entry
                    .get(8..16)?
                    .first_chunk()
                    .map(|start| i64::from_be_bytes(*start))
            } else {
                let start = entry.get(4..8)?.first_chunk()?;
                Some(i64::from(i32::from_be_bytes(*start)))
            }
        });
    let Some(units) = starts.map(u64::try_from).find_map(Result::ok) else {
        return Ok(None);
    };
    let header = inside(source, media, &[b"mdhd"])?;
    let header = header
        .map(|header| header.bytes(source, 32))
        .transpose()?
        .unwrap_or_default();
    let at = if header.first() == Some(&1) { 20 } else { 12 };
    let timescale = header.get(at..).and_then(|bytes| bytes.first_chunk());
    Ok(Some(Priming {
        units,
        timescale: timescale.map(|scale| u32::from_be_bytes(*scale)),
    }))
}

/// The delay of iTunes' entry `iTunSMPB`: its second number, hexadecimal frames.
fn itunes(source: &mut Source, movie: BoxSpan) -> Result<Option<Priming>, ExtractError> {
    let Some(meta) = inside(source, movie, &[b"udta", b"meta"])? else {
        return Ok(None);
    };
    // Behind version and flags.
    let Some(list) = Boxes::between(meta.start.saturating_add(4), meta.end).find(source, b"ilst")? else {
        return Ok(None);
    };
    let mut entries = list.children();
    while let Some(entry) = entries.find(source, b"----")? {
        let bytes = entry.bytes(source, ENTRY_BYTES)?;
        let text = String::from_utf8_lossy(&bytes);
        let Some((_, numbers)) = text.split_once("iTunSMPB") else {
            continue;
        };
        let delay = numbers
            .split(' ')
            .nth(2)
            .and_then(|delay| u64::from_str_radix(delay, 16).ok());
        return Ok(delay.map(|units| Priming {
            units,
            timescale: None,
        }));
    }
    Ok(None)
}
