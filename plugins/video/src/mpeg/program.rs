//! Reads MPEG program streams (MPG, VOB).

use std::borrow::Cow;
use std::io::Result;

use svc_plugin_api::Source;

use super::elementary::Elementary;
use super::pes;
use crate::video::{Kind, MAX_STREAMS, Stream, Video};

/// The bytes at the start that are read at once, and at most.
const CHUNK_BYTES: usize = 128 * 1024;
const MAX_HEAD_BYTES: u64 = 2 * 1024 * 1024;
/// The bytes at the end that are searched for the last timestamps.
const TAIL_BYTES: usize = 256 * 1024;

const PACK: u8 = 0xba;
const PRIVATE: u8 = 0xbd;

/// # Errors
/// If a read failed.
pub(crate) fn read(source: &mut Source) -> Result<Video> {
    let mut streams: Vec<Elementary> = Vec::new();
    let mut offset = 0;
    while offset < MAX_HEAD_BYTES && (streams.is_empty() || !streams.iter().all(Elementary::is_done)) {
        let bytes = source.bytes_at(offset, CHUNK_BYTES)?;
        let mut used = 0;
        for (end, id, header) in packets(&bytes) {
            used = end;
            if let Some((number, codec, skip)) = stream(id, header.payload) {
                let payload = header.payload.get(skip..).unwrap_or_default();
                let position = streams.iter().position(|known| known.id == number);
                if position.is_none() && streams.len() < MAX_STREAMS {
                    streams.push(Elementary::new(number, codec));
                }
                if let Some(known) = streams.iter_mut().find(|known| known.id == number) {
                    match header.time {
                        Some(time) => known.begin(Some(time), payload),
                        None => known.extend(payload),
                    }
                }
            }
        }
        // A chunk without a packet is skipped. The last packet of a chunk may be truncated.
        offset += if used == 0 { bytes.len().max(1) } else { used } as u64;
        if bytes.len() < CHUNK_BYTES {
            break;
        }
    }
    let mut video = Video::new("mpegps");
    let mut between = None;
    if let Some(first) = streams.iter().filter_map(Elementary::first_time).min() {
        let tail = source.bytes_at(source.size().saturating_sub(TAIL_BYTES as u64), TAIL_BYTES)?;
        let times = packets(&tail).filter_map(|(_, _, header)| header.time);
        let last = times
            .map(|time| pes::between(first, time))
            .filter(|ticks| *ticks < 1 << 32)
            .max();
        between = last.map(|ticks| ticks / pes::TICKS_PER_MS);
    }
    streams.sort_by_key(|stream| (stream.stream.kind as u8, stream.id));
    video.streams = streams.into_iter().filter_map(Elementary::finish).collect();
    video.duration_ms = between.map(|ms| ms.saturating_add(video.picture_ms()));
    Ok(video)
}

/// The PES packets in these bytes: end offset, stream id, header.
fn packets(bytes: &[u8]) -> impl Iterator<Item = (usize, u8, pes::Header<'_>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = bytes.get(at..)?;
            at += rest.windows(3).position(|window| window == [0, 0, 1])? + 4;
            let id = *bytes.get(at - 1)?;
            // Lower codes belong to video; packs have a header of their own.
            if id <= PACK {
                continue;
            }
            let body = bytes.get(at..)?;
            let length = 2 + usize::from(u16::from_be_bytes(*body.first_chunk()?));
            // A truncated packet is read again with the next chunk.
            let packet = body.get(..length)?;
            let is_stream = id == PRIVATE || id >= 0xc0;
            at += length;
            if is_stream && let Some(header) = pes::header(packet) {
                return Some((at, id, header));
            }
        }
    })
}

/// Number and stream of a packet by its id and substream, and the bytes before the stream's data.
fn stream(id: u8, payload: &[u8]) -> Option<(u16, Stream, usize)> {
    let (kind, codec, inner, skip) = match id {
        0xe0..=0xef => (Kind::Video, "mpeg2video", 0, 0),
        0xc0..=0xdf => (Kind::Audio, "mp2", 0, 0),
        PRIVATE => {
            let inner = *payload.first()?;
            // Substream, frame count, offset of the first frame.
            match inner {
                0x20..=0x3f => (Kind::Subtitle, "dvd_subtitle", inner, 1),
                0x80..=0x87 => (Kind::Audio, "ac3", inner, 4),
                0x88..=0x8f => (Kind::Audio, "dts", inner, 4),
                0xa0..=0xaf => (Kind::Audio, "pcm_dvd", inner, 4),
                _ => return None,
            }
        }
        _ => return None,
    };
    Some((
        u16::from(id) << 8 | u16::from(inner),
        Stream::new(kind, Cow::Borrowed(codec)),
        skip,
    ))
}
