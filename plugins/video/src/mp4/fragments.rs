//! Fragmented files: durations from an index before the fragments, or from the fragments.

use std::io::Result;

use containers::isobmff::{BoxSpan, Boxes};
use svc_plugin_api::Source;

use super::{Movie, milliseconds};
use containers::bytes::Bytes;

/// The most fragments that are read: more of them without an index cost too many reads.
const MAX_FRAGMENTS: usize = 512;
/// The most bytes of an index, and of the sample durations of one run.
const MAX_INDEX_BYTES: usize = 256 * 1024;
const MAX_RUN_BYTES: usize = 64 * 1024;

/// A track of the fragments read so far.
struct Seen {
    id: u32,
    /// The end of the last fragment, in the track's units.
    end: u64,
    /// The duration of a sample in the first fragment.
    sample: u32,
}

/// The fragments read so far.
#[derive(Default)]
pub(super) struct Fragments {
    count: usize,
    tracks: Vec<Seen>,
    /// The end of the last indexed part, and the units per second.
    indexed: Option<(u64, u32)>,
}

/// The header of a track fragment.
#[derive(Default)]
struct Header {
    track: u32,
    /// The default sample duration.
    sample: Option<u32>,
    start: Option<u64>,
}

impl Fragments {
    /// Whether further fragments add no information.
    pub(super) fn is_enough(&self) -> bool {
        self.count >= MAX_FRAGMENTS || (self.indexed.is_some() && self.count > 0)
    }

    /// `sidx`: the durations of the parts.
    pub(super) fn index(&mut self, source: &mut Source, span: &BoxSpan) -> Result<()> {
        let bytes = span.bytes(source, MAX_INDEX_BYTES)?;
        if let Some((end, timescale)) = index(&bytes) {
            let before = self
                .indexed
                .filter(|(_, before)| *before == timescale)
                .map_or(0, |(end, _)| end);
            self.indexed = Some((end.max(before), timescale));
        }
        Ok(())
    }

    /// `moof`: runs of samples.
    pub(super) fn fragment(&mut self, source: &mut Source, span: &BoxSpan) -> Result<()> {
        self.count += 1;
        let mut parts = span.children();
        while let Some(part) = parts.find(source, b"traf")? {
            self.track(source, part.children())?;
        }
        Ok(())
    }

    fn track(&mut self, source: &mut Source, mut parts: Boxes) -> Result<()> {
        let mut header = Header::default();
        let mut time = 0_u64;
        let mut first = 0;
        while let Some(part) = parts.next(source)? {
            match &part.name {
                b"tfhd" => header = self::header(&part.bytes(source, 40)?).unwrap_or_default(),
                b"tfdt" => {
                    let bytes = part.bytes(source, 12)?;
                    let is_long = bytes.first() == Some(&1);
                    let mut bytes = Bytes(bytes.get(4..).unwrap_or_default());
                    header.start = if is_long {
                        bytes.be64()
                    } else {
                        bytes.be32().map(u64::from)
                    };
                }
                b"trun" => {
                    let (sum, sample) =
                        run(&part.bytes(source, MAX_RUN_BYTES)?, header.sample).unwrap_or_default();
                    time = time.saturating_add(sum);
                    first = if first == 0 { sample } else { first };
                }
                _ => {}
            }
        }
        if !self.tracks.iter().any(|seen| seen.id == header.track) && self.tracks.len() < super::MAX_TRACKS {
            self.tracks.push(Seen {
                id: header.track,
                end: 0,
                sample: first,
            });
        }
        if let Some(seen) = self.tracks.iter_mut().find(|seen| seen.id == header.track) {
            seen.end = header
                .start
                .unwrap_or(seen.end)
                .saturating_add(time)
                .max(seen.end);
        }
        Ok(())
    }

    /// The duration of the first frames of a track.
    pub(super) fn picture_duration(&self, track: u32) -> Option<u32> {
        let seen = self.tracks.iter().find(|seen| seen.id == track)?;
        Some(seen.sample).filter(|sample| *sample > 0)
    }

    /// The end of the longest track; `None` if not all fragments were read.
    pub(super) fn duration_ms(&self, movie: &Movie) -> Option<u64> {
        if let Some((end, timescale)) = self.indexed {
            return milliseconds(end, timescale);
        }
        if self.count >= MAX_FRAGMENTS {
            return None;
        }
        let ends = self.tracks.iter().filter_map(|seen| {
            let track = movie.tracks.iter().find(|track| track.id == seen.id)?;
            milliseconds(seen.end, track.timescale)
        });
        ends.max()
    }
}

fn index(bytes: &[u8]) -> Option<(u64, u32)> {
    let mut bytes = Bytes(bytes);
    let version = bytes.be32()? >> 24;
    bytes.skip(4)?;
    let timescale = bytes.be32()?;
    let mut end = match version {
        0 => bytes
            .array::<8>()
            .map(|[a, b, c, d, ..]| u32::from_be_bytes([a, b, c, d]).into())?,
        _ => bytes
            .array::<16>()?
            .first_chunk()
            .copied()
            .map(u64::from_be_bytes)?,
    };
    bytes.skip(2)?;
    for _ in 0..bytes.be16()? {
        bytes.skip(4)?;
        end = u64::saturating_add(end, bytes.be32()?.into());
        bytes.skip(4)?;
    }
    (timescale > 0).then_some((end, timescale))
}

fn header(bytes: &[u8]) -> Option<Header> {
    let mut bytes = Bytes(bytes);
    let flags = bytes.be32()?;
    let track = bytes.be32()?;
    if flags & 1 != 0 {
        bytes.skip(8)?;
    }
    if flags & 2 != 0 {
        bytes.skip(4)?;
    }
    let sample = if flags & 8 != 0 { bytes.be32() } else { None };
    Some(Header {
        track,
        sample,
        start: None,
    })
}

/// The duration of a run, and that of its first sample.
fn run(bytes: &[u8], default: Option<u32>) -> Option<(u64, u32)> {
    let mut bytes = Bytes(bytes);
    let flags = bytes.be32()?;
    let count = bytes.be32()?;
    bytes.skip(if flags & 1 != 0 { 4 } else { 0 } + if flags & 4 != 0 { 4 } else { 0 })?;
    if flags & 0x100 == 0 {
        let sample = default.unwrap_or(0);
        return Some((u64::from(count).saturating_mul(sample.into()), sample));
    }
    // Size, flags and time offset of a sample follow its duration.
    let rest = [0x200, 0x400, 0x800]
        .iter()
        .filter(|bit| flags & **bit != 0)
        .count()
        * 4;
    let (mut sum, mut first) = (0_u64, None);
    for _ in 0..count {
        let Some(sample) = bytes.be32() else { break };
        sum = sum.saturating_add(sample.into());
        first = first.or(Some(sample));
        if bytes.skip(rest).is_none() {
            break;
        }
    }
    Some((sum, first.unwrap_or(0)))
}
