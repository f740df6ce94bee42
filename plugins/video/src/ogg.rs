//! Ogg: interleaved streams, described by their first packets.

use std::io::Result;

use containers::bytes::{Bytes, text};
use containers::ogg::{NO_POSITION, Page};
use svc_plugin_api::{ExtractError, Source};

use crate::rate;
use crate::tags::Tags;
use crate::video::{Kind, MAX_STREAMS, Stream, Video};

/// The most pages that are read for headers, and the most bytes of each.
const MAX_PAGES: usize = 64;
const MAX_PAGE_BYTES: usize = 16 * 1024;
/// The bytes at the end that are searched for the last pages.
const TAIL_BYTES: u64 = 128 * 1024;

/// A logical stream.
struct Logical {
    serial: u32,
    stream: Option<Stream>,
    /// Units per second as a fraction.
    units: (u64, u64),
    /// The number of low bits in a position that count frames since the last key frame (Theora).
    shift: u32,
    has_comments: bool,
}

/// # Errors
/// `Io` if a read failed.
pub(crate) fn read(source: &mut Source) -> std::result::Result<Video, ExtractError> {
    let mut video = Video::new("ogg");
    let mut logical: Vec<Logical> = Vec::new();
    let mut offset = 0;
    for _ in 0..MAX_PAGES {
        let bytes = source.bytes_at(offset, MAX_PAGE_BYTES)?;
        let Some(page) = Page::parse(&bytes) else { break };
        if page.begins_stream && logical.len() < MAX_STREAMS {
            logical.push(describe(page.serial, page.body));
        } else if let Some(of) = logical.iter_mut().find(|of| of.serial == page.serial)
            && !of.has_comments
        {
            of.has_comments = true;
            comments(page.body, of.stream.as_mut(), &mut video.tags);
        }
        if logical.iter().all(|of| of.has_comments) {
            break;
        }
        offset += page.length as u64;
    }
    video.duration_ms = last_time(source, &logical)?;
    video.streams = logical.into_iter().filter_map(|of| of.stream).collect();
    if !video.streams.iter().any(|stream| stream.kind == Kind::Video) {
        return Err(ExtractError::Refused("Ogg without video".into()));
    }
    Ok(video)
}

/// A stream by its first packet.
fn describe(serial: u32, packet: &[u8]) -> Logical {
    let (mut units, mut shift) = ((0, 1), 0);
    let mut stream = None;
    if packet.starts_with(b"\x80theora") {
        stream = theora(packet, &mut units, &mut shift);
    } else if packet.starts_with(b"\x01vorbis") {
        let mut bytes = Bytes(packet.get(11..).unwrap_or_default());
        let (channels, rate) = (bytes.u8().unwrap_or(0), bytes.le32().unwrap_or(0));
        units = (rate.into(), 1);
        stream = Some(audio("vorbis", channels, rate));
    } else if packet.starts_with(b"OpusHead") {
        units = (48_000, 1);
        stream = Some(audio("opus", packet.get(9).copied().unwrap_or(0), 48_000));
    } else if packet.starts_with(b"\x7fFLAC") {
        let mut bits = crate::bits::Bits::new(packet.get(27..).unwrap_or_default());
        let (rate, channels) = (bits.take(20).unwrap_or(0), bits.take(3).unwrap_or(0));
        units = (rate.into(), 1);
        stream = Some(audio("flac", u8::try_from(channels + 1).unwrap_or(0), rate));
    } else if packet.starts_with(b"Speex   ") {
        let mut bytes = Bytes(packet.get(36..).unwrap_or_default());
        let rate = bytes.le32().unwrap_or(0);
        bytes.skip(8);
        units = (rate.into(), 1);
        stream = Some(audio("speex", bytes.u8().unwrap_or(0), rate));
    } else if packet.starts_with(b"\x80kate") {
        stream = Some(Stream::new(Kind::Subtitle, "kate"));
    }
    Logical {
        serial,
        stream,
        units,
        shift,
        has_comments: false,
    }
}

fn audio(codec: &'static str, channels: u8, rate: u32) -> Stream {
    let mut stream = Stream::new(Kind::Audio, codec);
    stream.set_audio(channels.into(), rate);
    stream
}

fn theora(packet: &[u8], units: &mut (u64, u64), shift: &mut u32) -> Option<Stream> {
    let mut bytes = Bytes(packet.get(14..)?);
    let mut stream = Stream::new(Kind::Video, "theora");
    let [w2, w1, w0, h2, h1, h0] = bytes.array()?;
    stream.size(
        u32::from_be_bytes([0, w2, w1, w0]),
        u32::from_be_bytes([0, h2, h1, h0]),
    );
    bytes.skip(2)?;
    *units = (bytes.be32()?.into(), bytes.be32()?.into());
    stream.fps = rate::fraction(units.0, units.1);
    // Aspect ratio, color space, bitrate, quality; then five bits of the shift.
    bytes.skip(3 + 3 + 1 + 3)?;
    *shift = u32::from(bytes.be16()? >> 5 & 31);
    Some(stream)
}

/// A packet of Vorbis comments.
fn comments(packet: &[u8], stream: Option<&mut Stream>, tags: &mut Tags) {
    let magic = [&b"\x81theora"[..], b"\x03vorbis", b"OpusTags"];
    let Some(body) = magic.iter().find_map(|magic| packet.strip_prefix(*magic)) else {
        return;
    };
    let mut bytes = Bytes(body);
    let vendor = string(&mut bytes);
    let count = bytes.le32().unwrap_or(0).min(256);
    let mut language = None;
    for _ in 0..count {
        let Some(comment) = string(&mut bytes) else { break };
        if let Some((name, value)) = comment.split_once('=') {
            match name.to_ascii_uppercase().as_str() {
                "LANGUAGE" => language = language::tag(value),
                "METADATA_BLOCK_PICTURE" => {}
                name => tags.add(name, value),
            }
        }
    }
    if let Some(stream) = stream {
        stream.language = language;
    }
    if let Some(vendor) = vendor {
        tags.add("ENCODER", &vendor);
    }
}

fn string(bytes: &mut Bytes) -> Option<String> {
    let length = usize::try_from(bytes.le32()?).ok()?;
    bytes.take(length).map(text)
}

/// The latest position of the last pages, in milliseconds.
fn last_time(source: &mut Source, logical: &[Logical]) -> Result<Option<u64>> {
    let start = source.size().saturating_sub(TAIL_BYTES);
    let bytes = source.bytes_at(start, usize::try_from(TAIL_BYTES).unwrap_or(0))?;
    let places = bytes
        .windows(4)
        .enumerate()
        .filter(|(_, window)| *window == b"OggS");
    let times = places.filter_map(|(place, _)| {
        let page = Page::parse(bytes.get(place..)?).filter(|page| page.position != NO_POSITION)?;
        let of = logical.iter().find(|of| of.serial == page.serial)?;
        let frames = match of.shift {
            0 => page.position,
            shift => (page.position >> shift).saturating_add(page.position & ((1 << shift) - 1)),
        };
        let ms = u128::from(frames) * 1000 * u128::from(of.units.1);
        u64::try_from(ms.checked_div(of.units.0.into())?).ok()
    });
    Ok(times.max())
}
