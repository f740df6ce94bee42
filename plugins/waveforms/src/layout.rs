//! Prepares a file for symphonia: hides tags of WAV, AIFF and FLAC files, corrects unknown sizes, unwraps MPEG audio
//! in WAV, and finds the priming of MP4.

use containers::flac;
use containers::isobmff::{BoxSpan, Boxes};
use containers::riff::{self, ByteOrder, Chunks, FIRST_CHUNK, UNKNOWN_SIZE};
use svc_plugin_api::{ExtractError, Source};

use crate::stream::Patch;

/// The most chunks or metadata blocks that are read.
const PARTS: usize = 4096;
/// The format tag of MPEG Layer 3 in WAV.
const WAVE_MP3: [u8; 2] = [0x55, 0];
/// Chunks that may follow the audio.
const FOLLOWERS: [&[u8; 4]; 7] = [b"LIST", b"id3 ", b"ID3 ", b"fact", b"cue ", b"smpl", b"bext"];
/// The most bytes of an iTunes entry that are read.
const ENTRY_BYTES: usize = 512;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The offset at which the decoder starts.
    pub(crate) start: u64,
    /// Bytes to replace, so that the decoder ignores tags.
    pub(crate) patches: Vec<Patch>,
    /// Frames to skip at the start.
    pub(crate) priming: Option<Priming>,
}

/// Frames that the encoder put before the audio.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Priming {
    units: u64,
    /// Units per second; `None` if the units are frames.
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

/// Reads the headers of a file.
pub(crate) fn find(source: &mut Source) -> Result<Layout, ExtractError> {
    let head = source.bytes_at(0, 12)?;
    match head.as_slice() {
        [b'f', b'L', b'a', b'C', ..] => hide_flac_metadata(source),
        head if riff::is_wave(head) => wave(source),
        head if riff::is_aiff(head) => chunks(source, ByteOrder::Big, &[*b"ID3 ", *b"id3 "]),
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => Ok(Layout {
            priming: priming(source)?,
            ..Layout::default()
        }),
        _ => Ok(Layout::default()),
    }
}

/// Turns all metadata blocks but the first into padding: the decoder needs only the stream information.
fn hide_flac_metadata(source: &mut Source) -> Result<Layout, ExtractError> {
    const STREAM_INFO: u8 = 0;
    const PADDING: u8 = 1;
    let mut layout = Layout::default();
    let mut blocks = flac::Blocks::of_stream(0, PARTS);
    while let Some(block) = blocks.next(source)? {
        if block.kind != STREAM_INFO {
            layout.patches.push(Patch {
                offset: block.offset,
                bytes: vec![if block.is_last {
                    flac::LAST | PADDING
                } else {
                    PADDING
                }],
            });
        }
    }
    Ok(layout)
}

/// Hides tags of a WAV file, and patches sizes that symphonia does not support: 0, which an interrupted recorder
/// leaves, and the 64-bit sizes of RF64.
fn wave(source: &mut Source) -> Result<Layout, ExtractError> {
    let mut layout = chunks(source, ByteOrder::Little, &[*b"id3 ", *b"ID3 ", *b"LIST"])?;
    if layout.start > 0 {
        return Ok(layout);
    }
    layout.patches.push(Patch {
        offset: 0,
        bytes: [b"RIFF".as_slice(), &UNKNOWN_SIZE.to_le_bytes()].concat(),
    });
    let long = riff::long_data_size(source, FIRST_CHUNK)?;
    if let Some((body, size)) = data_chunk(source)? {
        let left = source.size().saturating_sub(body);
        let size = match (size, long) {
            (0, _) => left,
            (UNKNOWN_SIZE, Some(size)) => size.min(left),
            _ => return Ok(layout),
        };
        layout.patches.push(Patch {
            offset: body - 4,
            bytes: u32::try_from(size).unwrap_or(UNKNOWN_SIZE).to_le_bytes().to_vec(),
        });
    }
    Ok(layout)
}

/// Offset and stated size of the audio in a WAV file; `None` if it is empty. A size of 0 is meant if another chunk
/// follows.
fn data_chunk(source: &mut Source) -> Result<Option<(u64, u32)>, ExtractError> {
    let mut chunks = Chunks::of_file(source, ByteOrder::Little, PARTS);
    while let Some(chunk) = chunks.next(source)? {
        if chunk.name == *b"data" {
            let next = source.array_at::<4>(chunk.start)?;
            let is_empty = chunk.size == 0 && next.is_some_and(|name| FOLLOWERS.contains(&&name));
            return Ok((!is_empty).then_some((chunk.start, chunk.size)));
        }
    }
    Ok(None)
}

/// Renames chunks of a WAV or AIFF file to `JUNK`.
fn chunks(source: &mut Source, order: ByteOrder, hidden: &[[u8; 4]]) -> Result<Layout, ExtractError> {
    let mut layout = Layout::default();
    let mut is_mp3 = false;
    let mut chunks = Chunks::of_file(source, order, PARTS);
    while let Some(chunk) = chunks.next(source)? {
        if chunk.name == *b"fmt " {
            is_mp3 = source.array_at(chunk.start)? == Some(WAVE_MP3);
        }
        if chunk.name == *b"data" && is_mp3 {
            return Ok(Layout {
                start: chunk.start,
                ..Layout::default()
            });
        }
        if hidden.contains(&chunk.name) {
            layout.patches.push(Patch {
                offset: chunk.offset,
                bytes: b"JUNK".to_vec(),
            });
        }
    }
    Ok(layout)
}

/// The priming of the first audio track, from its edit list or from iTunes' entry.
fn priming(source: &mut Source) -> Result<Option<Priming>, ExtractError> {
    let Some(movie) = Boxes::of_file(source).find(source, b"moov")? else {
        return Ok(None);
    };
    let mut tracks = movie.children();
    while let Some(track) = tracks.find(source, b"trak")? {
        let Some(media) = track.children().find(source, b"mdia")? else {
            continue;
        };
        let handler = media.children().find(source, b"hdlr")?;
        let handler = handler.map(|handler| handler.bytes(source, 12)).transpose()?;
        if handler.is_none_or(|handler| !handler.ends_with(b"soun")) {
            continue;
        }
        return match track.children().descend(source, &[b"edts", b"elst"])? {
            Some(edits) => edited(source, edits, media),
            None => itunes(source, movie),
        };
    }
    Ok(None)
}

/// The start of the first edit that is not empty.
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
            // After the duration, which has the same width.
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
    let header = media.children().find(source, b"mdhd")?;
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

/// The second number of iTunes' entry `iTunSMPB`: the delay in frames, hexadecimal.
fn itunes(source: &mut Source, movie: BoxSpan) -> Result<Option<Priming>, ExtractError> {
    let path = [b"udta", b"meta", b"ilst"];
    let Some(list) = movie.children().descend(source, &path)? else {
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
