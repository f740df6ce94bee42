//! Tables of transport streams: programs and their streams.

use std::borrow::Cow;

use crate::video::{Kind, Stream};
use containers::bytes::Bytes;

/// By the standard.
const MAX_SECTION_BYTES: usize = 1024 + 3;
const PROGRAMS: u8 = 0;
const STREAMS: u8 = 2;
/// The descriptor whose first byte is an extended tag.
const EXTENSION: u8 = 0x7f;

/// A section that is assembled from packets.
#[derive(Default)]
pub(super) struct Section {
    bytes: Vec<u8>,
}

impl Section {
    /// Adds the payload of a packet; returns the section when it is complete.
    pub(super) fn push(&mut self, begins: bool, payload: &[u8]) -> Option<&[u8]> {
        let payload = if begins {
            self.bytes.clear();
            let (pointer, rest) = payload.split_first()?;
            rest.get(usize::from(*pointer)..)?
        } else if self.bytes.is_empty() {
            return None;
        } else {
            payload
        };
        let room = MAX_SECTION_BYTES - self.bytes.len().min(MAX_SECTION_BYTES);
        self.bytes
            .extend_from_slice(payload.get(..room).unwrap_or(payload));
        let length = usize::from(u16::from_be_bytes(*self.bytes.get(1..)?.first_chunk()?) & 0xfff);
        self.bytes.get(..length + 3)
    }
}

/// The body of a section with this table id, without header and checksum.
fn body(section: &[u8], kind: u8) -> Option<Bytes<'_>> {
    let end = section.len().checked_sub(4)?;
    (*section.first()? == kind).then_some(Bytes(section.get(8..end)?))
}

/// The packet ids of the program maps.
pub(super) fn programs(section: &[u8]) -> Vec<u16> {
    let mut rest = body(section, PROGRAMS).unwrap_or(Bytes(&[]));
    let mut pids = Vec::new();
    while let (Some(number), Some(pid)) = (rest.be16(), rest.be16()) {
        // Program 0 is the network table.
        if number != 0 {
            pids.push(pid & 0x1fff);
        }
    }
    pids
}

/// The streams of a program with their packet ids.
pub(super) fn streams(section: &[u8], is_of_disc: bool) -> Option<Vec<(u16, Stream)>> {
    let mut rest = body(section, STREAMS)?;
    rest.skip(2)?;
    let length = rest.be16()? & 0xfff;
    let described = rest.take(length.into())?;
    let is_of_disc = is_of_disc || matches!(registration(described), Some(b"HDMV" | b"HDPR"));
    let mut streams = Vec::new();
    while let (Some(kind), Some(pid), Some(length)) = (rest.u8(), rest.be16(), rest.be16()) {
        let descriptors = rest.take(usize::from(length & 0xfff).min(rest.0.len()))?;
        streams.extend(stream(kind, descriptors, is_of_disc).map(|stream| (pid & 0x1fff, stream)));
    }
    Some(streams)
}

fn descriptors(bytes: &[u8]) -> impl Iterator<Item = (u8, &[u8])> {
    let mut rest = Bytes(bytes);
    std::iter::from_fn(move || {
        let (tag, length) = (rest.u8()?, rest.u8()?);
        Some((tag, rest.take(length.into())?))
    })
}

fn registration(bytes: &[u8]) -> Option<&[u8; 4]> {
    descriptors(bytes)
        .find(|(tag, _)| *tag == 5)
        .and_then(|(_, body)| body.first_chunk())
}

fn stream(kind: u8, described: &[u8], is_of_disc: bool) -> Option<Stream> {
    // Private types are ambiguous (0x82 is DTS on discs and subtitles in North America): without a registration the
    // content decides.
    let private = matches!(kind, 0x06 | 0x80..).then_some((Kind::Audio, ""));
    let (of, codec) = by_type(kind, is_of_disc)
        .or_else(|| by_descriptors(described))
        .or(private)?;
    let mut stream = Stream::new(of, Cow::Borrowed(codec));
    if codec == "opus" {
        stream.set_audio(opus_channels(described), 48_000);
    }
    stream.language = descriptors(described)
        .filter(|(tag, _)| matches!(tag, 0x0a | 0x56 | 0x59))
        .find_map(|(_, body)| language::tag(&String::from_utf8_lossy(body.get(..3)?)));
    Some(stream)
}

/// The channels of Opus: code 0 is dual mono; returns 0 if they are not stated.
fn opus_channels(described: &[u8]) -> u32 {
    const OPUS: u8 = 0x80;
    let stated = descriptors(described).find_map(|(tag, body)| match (tag, body) {
        (EXTENSION, [OPUS, configuration, ..]) => Some(*configuration),
        _ => None,
    });
    match stated {
        Some(0) => 2,
        Some(channels @ 1..=8) => channels.into(),
        _ => 0,
    }
}

fn by_type(kind: u8, is_of_disc: bool) -> Option<(Kind, &'static str)> {
    Some(match kind {
        0x01 => (Kind::Video, "mpeg1video"),
        0x02 => (Kind::Video, "mpeg2video"),
        0x10 => (Kind::Video, "mpeg4"),
        0x1b | 0x1f | 0x20 => (Kind::Video, "h264"),
        0x21 => (Kind::Video, "jpeg2000"),
        0x24 | 0x25 => (Kind::Video, "hevc"),
        0x33 => (Kind::Video, "vvc"),
        0x42 => (Kind::Video, "cavs"),
        0xd1 => (Kind::Video, "dirac"),
        0xea => (Kind::Video, "vc1"),
        0x03 | 0x04 => (Kind::Audio, "mp2"),
        0x0f => (Kind::Audio, "aac"),
        0x11 => (Kind::Audio, "aac_latm"),
        0x81 => (Kind::Audio, "ac3"),
        0x87 => (Kind::Audio, "eac3"),
        0x80 if is_of_disc => (Kind::Audio, "pcm_bluray"),
        0x82 | 0x85 | 0x86 | 0xa2 if is_of_disc => (Kind::Audio, "dts"),
        0x8a => (Kind::Audio, "dts"),
        0x83 if is_of_disc => (Kind::Audio, "truehd"),
        0x84 | 0xa1 if is_of_disc => (Kind::Audio, "eac3"),
        0x90 if is_of_disc => (Kind::Subtitle, "hdmv_pgs_subtitle"),
        0x92 if is_of_disc => (Kind::Subtitle, "hdmv_text_subtitle"),
        _ => return None,
    })
}

/// The type of a private stream according to its descriptors.
fn by_descriptors(described: &[u8]) -> Option<(Kind, &'static str)> {
    descriptors(described).find_map(|(tag, body)| {
        Some(match (tag, body) {
            (0x05, b"AC-3") => (Kind::Audio, "ac3"),
            (0x05, b"EAC3") => (Kind::Audio, "eac3"),
            (0x05, b"DTS1" | b"DTS2" | b"DTS3") => (Kind::Audio, "dts"),
            (0x05, b"AC-4") | (EXTENSION, [0x15, ..]) => (Kind::Audio, "ac4"),
            (EXTENSION, [0x0e, ..]) => (Kind::Audio, "dts"),
            (0x05, b"Opus") => (Kind::Audio, "opus"),
            (0x05, b"BSSD") => (Kind::Audio, "s302m"),
            (0x05, b"HEVC") => (Kind::Video, "hevc"),
            (0x05, b"AV01") => (Kind::Video, "av1"),
            (0x05, b"VC-1") => (Kind::Video, "vc1"),
            (0x05, b"drac") => (Kind::Video, "dirac"),
            (0x6a, _) => (Kind::Audio, "ac3"),
            (0x7a, _) => (Kind::Audio, "eac3"),
            (0x7b, _) => (Kind::Audio, "dts"),
            (0x7c, _) => (Kind::Audio, "aac"),
            (0x56, _) => (Kind::Subtitle, "dvb_teletext"),
            (0x59, _) => (Kind::Subtitle, "dvb_subtitle"),
            (0xfd, [0, 8 | 0x12, ..]) => (Kind::Subtitle, "arib_caption"),
            _ => return None,
        })
    })
}
