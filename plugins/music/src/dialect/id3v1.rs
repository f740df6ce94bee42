//! ID3v1: the last 128 bytes.

use std::io::Result;

use lofty::id3::v1::GENRES;
use svc_plugin_api::Source;

use super::{Findings, latin1};
use crate::tags::{Key, Tags};

/// Reads the tag at `offset`.
///
/// # Errors
/// If a read failed.
pub fn read(source: &mut Source, offset: u64, findings: &mut Findings) -> Result<()> {
    let Some(bytes) = source.array_at::<128>(offset)? else {
        return Ok(());
    };
    let text = |from: usize, length: usize| {
        let bytes = bytes.get(from..from + length).unwrap_or_default();
        let end = bytes.iter().position(|byte| *byte == 0);
        latin1(bytes.get(..end.unwrap_or(length)).unwrap_or_default())
            .trim()
            .to_owned()
    };
    let mut tags = Tags::default();
    for (key, from, length) in [
        (Key::Title, 3, 30),
        (Key::Artist, 33, 30),
        (Key::Album, 63, 30),
        (Key::Date, 93, 4),
    ] {
        tags.add(key, text(from, length));
    }
    let [.., mark, track, genre] = bytes;
    // Version 1.1 has a track number in the last byte of the comment, after a zero.
    let has_track = mark == 0 && track != 0;
    tags.add(Key::Comment, text(97, if has_track { 28 } else { 30 }));
    if has_track {
        tags.add(Key::TrackNumber, track.to_string());
    }
    if let Some(genre) = GENRES.get(usize::from(genre)) {
        tags.add(Key::Genre, *genre);
    }
    findings.add(tags);
    Ok(())
}
