//! An elementary stream, buffered until its first header states what the tables do not.

use super::pes;
use crate::codec::{Sequence, aac, audio, dts, h264, hevc, mpeg2};
use crate::rate;
use crate::video::{Kind, Stream};

/// The most bytes of a unit that are buffered to find a header.
const MAX_UNIT_BYTES: usize = 96 * 1024;
/// The number of timestamps that is enough for a frame rate.
const ENOUGH_TIMES: usize = 40;
const TICKS_PER_SECOND: f64 = 90_000.0;

pub(super) struct Elementary {
    /// The id of its packets.
    pub(super) id: u16,
    pub(super) stream: Stream,
    unit: Vec<u8>,
    times: Vec<u64>,
    is_described: bool,
    has_begun: bool,
}

impl Elementary {
    pub(super) fn new(id: u16, stream: Stream) -> Self {
        let is_described = stream.kind == Kind::Subtitle;
        Self {
            id,
            stream,
            unit: Vec::new(),
            times: Vec::new(),
            is_described,
            has_begun: false,
        }
    }

    /// Whether only the content can identify the codec.
    fn is_unnamed(&self) -> bool {
        self.stream.codec.is_empty()
    }

    /// Whether further packets add no information, or the limit is reached.
    pub(super) fn is_done(&self) -> bool {
        (self.is_described || self.is_unnamed())
            && (self.stream.kind != Kind::Video || self.times.len() >= ENOUGH_TIMES)
    }

    /// Starts a PES packet; the buffered unit is complete.
    pub(super) fn begin(&mut self, time: Option<u64>, payload: &[u8]) {
        self.probe();
        self.has_begun = true;
        if self.times.len() < ENOUGH_TIMES {
            self.times.extend(time);
        }
        self.unit.clear();
        self.extend(payload);
    }

    /// Continues the current unit.
    pub(super) fn extend(&mut self, payload: &[u8]) {
        // A stream without PES packets is not audio.
        let is_wanted = self.has_begun || !self.is_unnamed();
        if !self.is_described && is_wanted {
            let room = MAX_UNIT_BYTES - self.unit.len().min(MAX_UNIT_BYTES);
            self.unit
                .extend_from_slice(payload.get(..room).unwrap_or(payload));
        }
    }

    pub(super) fn first_time(&self) -> Option<u64> {
        let first = *self.times.first()?;
        // Frames are in decoding order.
        self.times
            .iter()
            .copied()
            .min_by_key(|time| pes::between(first.wrapping_sub(1 << 32), *time))
    }

    /// The stream; `None` if neither tables nor content identify it.
    pub(super) fn finish(mut self) -> Option<Stream> {
        self.probe();
        if self.stream.kind == Kind::Video {
            let first = self.first_time().unwrap_or(0);
            let times = self.times.iter().map(|time| pes::between(first, *time)).collect();
            self.stream.fps = self.stream.fps.or_else(|| rate::seen(times, TICKS_PER_SECOND));
        }
        (!self.is_unnamed()).then_some(self.stream)
    }

    fn probe(&mut self) {
        if !self.is_described && !self.unit.is_empty() {
            self.is_described = describe(&mut self.stream, &self.unit).is_some();
        }
    }
}

/// Searches the header of the stream's codec.
fn describe(stream: &mut Stream, bytes: &[u8]) -> Option<()> {
    let frame = match stream.codec.as_ref() {
        "h264" => return sequence(stream, units(bytes).find_map(h264::unit)?),
        "hevc" => return sequence(stream, units(bytes).find_map(hevc::unit)?),
        "mpeg2video" | "mpeg1video" => {
            let (found, is_second) = mpeg2::sequence(bytes)?;
            stream.codec = if is_second { "mpeg2video" } else { "mpeg1video" }.into();
            return sequence(stream, found);
        }
        "aac" => {
            let (channels, rate) = bytes.windows(7).find_map(aac::adts)?;
            ("aac", channels, rate)
        }
        "ac3" | "eac3" => audio::ac3(bytes)?,
        "dts" => dts::frame(bytes)?,
        "" => audio::unnamed(bytes)?,
        "mp2" | "mp3" => audio::mpeg(bytes)?,
        "truehd" => audio::truehd(bytes)?,
        "pcm_bluray" => audio::disc_pcm(bytes)?,
        "opus" => ("opus", stream.channels.unwrap_or(2), 48_000),
        // Other codecs need no header.
        _ => return Some(()),
    };
    let (codec, channels, rate) = frame;
    stream.codec = codec.into();
    stream.set_audio(channels, rate);
    Some(())
}

fn sequence(stream: &mut Stream, found: Sequence) -> Option<()> {
    found.describe(stream);
    Some(())
}

/// The units between start codes.
fn units(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let start = rest.windows(3).position(|window| window == [0, 0, 1])? + 3;
        rest = rest.get(start..)?;
        let end = rest
            .windows(3)
            .position(|window| window == [0, 0, 1])
            .unwrap_or(rest.len());
        rest.get(..end)
    })
}
