//! MPEG audio: the first frame, the encoder's header in it, and otherwise all frames.

mod frame;

use std::io::Result;

use svc_plugin_api::Source;

use crate::audio::{Audio, samples_ms};
use crate::container::Container;
use frame::Frame;

/// The most bytes that are searched for the first frame.
const MAX_JUNK: u64 = 64 * 1024;
/// The same after a tag with a wrong size, which has to be searched too.
const MAX_LOST: u64 = 1024 * 1024;
/// The bytes that are searched for the first frame with one read.
const STEP_BYTES: usize = 4096;
/// The bytes of frames that are read at once.
const CHUNK_BYTES: usize = 1024 * 1024;
/// The most bytes of frames that are counted; the rest is extrapolated.
const MAX_COUNTED: u64 = 40 * 1024 * 1024;
/// The bytes at the start, in the middle and at the end whose frames show whether the bitrate varies.
const SAMPLE_BYTES: usize = 8 * 1024;

/// Reads the frames between the tags of a file; the inner error is the reason why they are unreadable.
pub(super) fn read(source: &mut Source, container: &Container) -> Result<std::result::Result<Audio, String>> {
    let mut end = container.tail.start;
    let mut first = first_frame(source, container.start, end, MAX_JUNK)?;
    if first.is_none()
        && let Some(tag) = container.id3v2.first()
    {
        end = end.max(source.size());
        first = first_frame(source, tag.offset + 10, end, MAX_LOST)?;
    }
    let Some((start, first)) = first else {
        return Ok(Err("no MPEG frame".to_owned()));
    };
    let duration_ms = match announced(source, start, &first)? {
        Some(frames) => samples_ms(frames.saturating_mul(first.samples.into()), first.sample_rate),
        None => measured(source, start, end, &first)?,
    };
    Ok(Ok(Audio {
        container: "mpeg",
        codec: Some(first.codec()),
        duration_ms,
        sample_rate: first.sample_rate,
        bit_depth: 0,
        channels: first.channels,
    }))
}

/// The first frame that another one of the same stream or the end follows.
fn first_frame(source: &mut Source, start: u64, end: u64, most: u64) -> Result<Option<(u64, Frame)>> {
    let until = end.min(start.saturating_add(most));
    let mut from = start;
    while from < until {
        // Usually the first offset is right: check it without copying.
        if from == start
            && let Some(frame) = source.array_at::<4>(start)?.and_then(Frame::parse)
            && let Some(follower) = source
                .array_at::<4>(start + u64::from(frame.length))?
                .and_then(Frame::parse)
            && follower.is_like(&frame)
        {
            return Ok(Some((start, frame)));
        }
        // A step, and the rest of a header that begins at its end.
        let bytes = source.bytes_at(from, STEP_BYTES + 3)?;
        for (window, at) in bytes.windows(4).zip(from..until) {
            let Some(frame) = window.first_chunk().and_then(|bytes| Frame::parse(*bytes)) else {
                continue;
            };
            let next = at + u64::from(frame.length);
            let follower = source.array_at::<4>(next)?.and_then(Frame::parse);
            let is_only = next >= end && at == start;
            if is_only || follower.is_some_and(|follower| follower.is_like(&frame)) {
                return Ok(Some((at, frame)));
            }
        }
        from += STEP_BYTES as u64;
    }
    Ok(None)
}

/// The number of frames in the header of Xing, LAME or Fraunhofer.
fn announced(source: &mut Source, start: u64, first: &Frame) -> Result<Option<u64>> {
    let number = |bytes: &[u8], at: usize| {
        let number = bytes.get(at..)?.first_chunk()?;
        Some(u64::from(u32::from_be_bytes(*number)))
    };
    let bytes = source.bytes_at(start, 64)?;
    let xing = bytes.get(first.side_info..).unwrap_or_default();
    let frames = if xing.starts_with(b"Xing") || xing.starts_with(b"Info") {
        number(xing, 8).filter(|_| number(xing, 4).is_some_and(|flags| flags & 1 == 1))
    } else {
        let fraunhofer = bytes.get(36..).filter(|bytes| bytes.starts_with(b"VBRI"));
        fraunhofer.and_then(|bytes| number(bytes, 14))
    };
    Ok(frames.filter(|frames| *frames > 0))
}

/// The duration without a stated number of frames: by size if the bitrate is constant, else by counting.
fn measured(source: &mut Source, start: u64, end: u64, first: &Frame) -> Result<u64> {
    let length = end.saturating_sub(start);
    let mut bits = Vec::new();
    let mut last = end;
    for from in [
        start,
        start + length / 2,
        end.saturating_sub(SAMPLE_BYTES as u64).max(start),
    ] {
        let most = end.saturating_sub(from).min(SAMPLE_BYTES as u64);
        let mut spare = Vec::new();
        let bytes = source.slice_at(from, usize::try_from(most).unwrap_or(0), &mut spare)?;
        let mut count = Count::new(first);
        let counted = count.add(bytes, true);
        bits.extend(count.bitrates);
        if count.frames > 0 {
            last = from + counted as u64;
        }
    }
    bits.sort_unstable();
    bits.dedup();
    if let [bitrate] = bits.as_slice() {
        let bytes = last.saturating_sub(start);
        return Ok((bytes * 8 + u64::from(*bitrate) / 2) / u64::from(*bitrate));
    }
    counted(source, start, end, first)
}

fn counted(source: &mut Source, start: u64, end: u64, first: &Frame) -> Result<u64> {
    let mut count = Count::new(first);
    let until = end.min(start.saturating_add(MAX_COUNTED));
    let mut at = start;
    while at < until {
        let length = usize::try_from(until - at).unwrap_or(usize::MAX).min(CHUNK_BYTES);
        let bytes = source.bytes_at(at, length)?;
        let is_last = at + bytes.len() as u64 >= until;
        let counted = count.add(&bytes, is_last);
        if bytes.is_empty() || counted == 0 {
            break;
        }
        at += counted as u64;
    }
    let samples = u128::from(count.samples);
    let samples = if until < end {
        samples * u128::from(end - start) / u128::from(until - start)
    } else {
        samples
    };
    Ok(samples_ms(
        u64::try_from(samples).unwrap_or(u64::MAX),
        first.sample_rate,
    ))
}

/// Counts consecutive frames and adds up their samples.
struct Count<'a> {
    first: &'a Frame,
    frames: u64,
    samples: u64,
    /// Each bitrate so far, in kbit/s.
    bitrates: Vec<u32>,
}

impl<'a> Count<'a> {
    fn new(first: &'a Frame) -> Self {
        Self {
            first,
            frames: 0,
            samples: 0,
            bitrates: Vec::new(),
        }
    }

    /// Counts the frames in these bytes and returns the end of the last one. A frame that exceeds the bytes counts
    /// only if `is_last`.
    fn add(&mut self, bytes: &[u8], is_last: bool) -> usize {
        let frame_at = |at: usize| {
            let bytes = bytes.get(at..)?.first_chunk()?;
            Frame::parse(*bytes).filter(|frame| frame.is_like(self.first))
        };
        let (mut at, mut end, mut is_in_step) = (0, 0, false);
        while at + 4 <= bytes.len() {
            let Some(frame) = frame_at(at) else {
                let behind = bytes.get(at + 1..).unwrap_or_default();
                let sync = behind.iter().position(|byte| *byte == 0xff);
                at += 1 + sync.unwrap_or(behind.len());
                is_in_step = false;
                continue;
            };
            let next = at + frame.length as usize;
            // Audio data may look like a header: a frame after a gap counts only if another one follows.
            if next + 4 > bytes.len() && !is_last {
                return at;
            }
            if !is_in_step && next + 4 <= bytes.len() && frame_at(next).is_none() {
                at += 1;
                continue;
            }
            is_in_step = true;
            self.frames += 1;
            self.samples += u64::from(frame.samples);
            if !self.bitrates.contains(&frame.bitrate) {
                self.bitrates.push(frame.bitrate);
            }
            (at, end) = (next, next.min(bytes.len()));
        }
        if is_last { end } else { at.min(bytes.len()) }
    }
}
