//! Sample tables: durations, sizes and offsets.

use std::io::Result;

use containers::isobmff::BoxSpan;
use svc_plugin_api::Source;

use crate::rate;
use containers::bytes::Bytes;

/// The most entries of `stts` that are added up; recordings of phones have one for almost every frame.
const MAX_TIMES: usize = 2048;

/// The frame rate according to `stts`, or to its first entries if it is long.
pub(super) fn rate(
    source: &mut Source,
    span: &BoxSpan,
    timescale: u32,
    duration: u64,
) -> Result<Option<f64>> {
    let bytes = span.bytes(source, 8 + MAX_TIMES * 8)?;
    let (pictures, time) = times(&bytes).fold((0_u64, 0_u64), |(pictures, time), (count, each)| {
        (
            pictures.saturating_add(count.into()),
            time.saturating_add(u64::from(count).saturating_mul(each.into())),
        )
    });
    // A single frame lasts as long as the track.
    let time = if time == 0 { duration } else { time };
    Ok(rate::fraction(pictures.saturating_mul(timescale.into()), time))
}

/// The entries of `stts`: number of samples, duration of each.
pub(super) fn times(bytes: &[u8]) -> impl Iterator<Item = (u32, u32)> {
    let mut bytes = Bytes(bytes);
    bytes.skip(8);
    std::iter::from_fn(move || Some((bytes.be32()?, bytes.be32()?)))
}

/// The sizes of the first samples, from `stsz`.
pub(super) fn sizes(bytes: &[u8], most: usize) -> Vec<u32> {
    let mut bytes = Bytes(bytes);
    bytes.skip(4);
    let (same, count) = (bytes.be32().unwrap_or(0), bytes.be32().unwrap_or(0));
    let count = usize::try_from(count).unwrap_or(usize::MAX).min(most);
    if same > 0 {
        return vec![same; count];
    }
    std::iter::from_fn(|| bytes.be32()).take(count).collect()
}

/// The offsets of the chunks, from `stco` or `co64`.
pub(super) fn chunks(bytes: &[u8], is_long: bool) -> Vec<u64> {
    let mut bytes = Bytes(bytes);
    bytes.skip(8);
    std::iter::from_fn(|| {
        if is_long {
            bytes.be64()
        } else {
            bytes.be32().map(u64::from)
        }
    })
    .collect()
}

/// The entries of `stsc`: the first chunk, counted from 0, and the number of samples in each chunk from there.
pub(super) fn runs(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut bytes = Bytes(bytes);
    bytes.skip(8);
    std::iter::from_fn(|| {
        let first = usize::try_from(bytes.be32()?).ok()?.checked_sub(1)?;
        let count = usize::try_from(bytes.be32()?).ok()?;
        bytes.skip(4)?;
        Some((first, count))
    })
    .collect()
}
