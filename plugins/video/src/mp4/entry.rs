//! `stsd`: the sample descriptions of a track.

use std::borrow::Cow;

use crate::bits::Bits;
use crate::codec::{Sequence, aac, audio, colour, fourcc, h264, hevc, unknown};
use crate::video::{Hdr, Kind, Stream};
use containers::bytes::Bytes;
use containers::isobmff::slice::{body_of, boxes};

/// Bytes of a sample entry before the fields of its type: reserved bytes and the data reference.
const COMMON_BYTES: usize = 8;

/// A stream by its handler and sample description; `None` unless it is video, audio or subtitles.
pub(super) fn stream(handler: [u8; 4], description: &[u8]) -> Option<Stream> {
    let mut bytes = Bytes(description);
    let is_iso_1 = bytes.be32()? >> 24 == 1;
    bytes.skip(4)?;
    let (code, body) = boxes(bytes.0).next()?;
    match &handler {
        b"vide" => Some(picture(code, body)),
        b"soun" => Some(audio(code, body, is_iso_1)),
        // Handlers of subtitles only; other text handlers are also used for chapters, hints and more.
        b"sbtl" | b"subt" | b"subp" | b"clcp" => Some(subtitle(code, body)),
        b"text" if code == *b"text" => Some(subtitle(code, body)),
        _ => fourcc::is_subtitle(code).then(|| subtitle(code, body)),
    }
}

fn picture(mut code: [u8; 4], body: &[u8]) -> Stream {
    let mut bytes = Bytes(body);
    bytes.skip(COMMON_BYTES + 16);
    let (width, height) = (bytes.be16().unwrap_or(0), bytes.be16().unwrap_or(0));
    // Resolution, frame count, name, depth, color table.
    bytes.skip(50);
    if code == *b"encv" {
        code = original(bytes.0).unwrap_or(code);
    }
    let mut stream = Stream::new(Kind::Video, fourcc::quicktime_video(code));
    stream.size(width.into(), height.into());
    let mut sequence: Option<Sequence> = None;
    for (name, body) in boxes(bytes.0) {
        match &name {
            b"avcC" => sequence = h264::configuration(body),
            b"hvcC" => sequence = hevc::configuration(body),
            b"dvcC" | b"dvvC" | b"dvwC" => stream.hdr = Some(Hdr::DolbyVision),
            b"colr" => stream.hdr = stream.hdr.or(transfer(body)),
            b"esds" => {
                if let Some((kind, _)) = elementary(body) {
                    stream.codec = mpeg_picture(kind).map_or(stream.codec, Cow::Borrowed);
                }
            }
            _ => {}
        }
    }
    if let Some(sequence) = sequence {
        sequence.describe(&mut stream);
    }
    stream
}

/// The transfer function in `colr`.
fn transfer(body: &[u8]) -> Option<Hdr> {
    let mut bytes = Bytes(body);
    let kind = bytes.array::<4>()?;
    bytes.skip(2)?;
    let transfer = bytes.be16()?;
    matches!(&kind, b"nclx" | b"nclc").then(|| colour::hdr(transfer.into()))?
}

/// The original format of an encrypted entry.
fn original(body: &[u8]) -> Option<[u8; 4]> {
    body_of(body_of(body, b"sinf")?, b"frma")?.first_chunk().copied()
}

fn audio(mut code: [u8; 4], body: &[u8], is_iso_1: bool) -> Stream {
    let mut bytes = Bytes(body);
    bytes.skip(COMMON_BYTES);
    let version = bytes.be16().unwrap_or(0);
    bytes.skip(6);
    let (mut channels, mut bits) = (
        u32::from(bytes.be16().unwrap_or(0)),
        u32::from(bytes.be16().unwrap_or(0)),
    );
    bytes.skip(4);
    let mut rate = bytes.be32().unwrap_or(0) >> 16;
    let mut flags = 0;
    match version {
        // QuickTime's version 1; the one of the ISO standard has the size of version 0.
        1 if !is_iso_1 => drop(bytes.skip(16)),
        2 => {
            bytes.skip(4);
            let exact = bytes.be64().map_or(0.0, f64::from_bits);
            rate = if (1.0..1e6).contains(&exact) {
                exact as u32
            } else {
                0
            };
            channels = bytes.be32().unwrap_or(0);
            bytes.skip(4);
            bits = bytes.be32().unwrap_or(0);
            flags = bytes.be32().unwrap_or(0);
            bytes.skip(8);
        }
        _ => {}
    }
    if code == *b"enca" {
        code = original(bytes.0).unwrap_or(code);
    }
    let mut stream = Stream::new(
        Kind::Audio,
        linear(code, bits, flags, bytes.0).unwrap_or_else(|| fourcc::quicktime_audio(code)),
    );
    stream.set_audio(channels, rate);
    // QuickTime wraps the boxes in another one.
    let wave = body_of(bytes.0, b"wave").unwrap_or_default();
    for (name, body) in boxes(bytes.0).chain(boxes(wave)) {
        detail(&mut stream, name, body);
    }
    match &code {
        b"samr" => stream.set_audio(1, 8_000),
        b"sawb" => stream.set_audio(1, 16_000),
        _ => {}
    }
    stream
}

fn detail(stream: &mut Stream, name: [u8; 4], body: &[u8]) {
    match &name {
        b"esds" => {
            if let Some((kind, private)) = elementary(body) {
                stream.codec = mpeg_sound(kind).map_or(stream.codec.clone(), Cow::Borrowed);
                if stream.codec == "aac"
                    && let Some(stated) = aac::description(private)
                {
                    stream.codec = stated.codec.into();
                    stream.set_audio(stated.channels, stated.sample_rate);
                }
            }
        }
        b"dac3" => {
            if let Some((channels, rate)) = audio::ac3_box(body) {
                stream.set_audio(channels, rate);
            }
        }
        b"dec3" => {
            if let Some((channels, rate)) = audio::eac3_box(body) {
                stream.set_audio(channels, rate);
            }
        }
        // Opus is always decoded at 48 kHz.
        b"dOps" => stream.set_audio(body.get(1).copied().unwrap_or(0).into(), 48_000),
        b"dfLa" => {
            // Version, block header, block and frame sizes.
            let mut bits = Bits::new(body.get(18..).unwrap_or_default());
            if let (Some(rate), Some(channels)) = (bits.take(20), bits.take(3)) {
                stream.set_audio(channels + 1, rate);
            }
        }
        _ => {}
    }
}

/// PCM, whose format depends on the code, the entry and its boxes.
fn linear(code: [u8; 4], bits: u32, flags: u32, boxes: &[u8]) -> Option<Cow<'static, str>> {
    let inner = body_of(boxes, b"wave").unwrap_or(boxes);
    let is_little = matches!(body_of(inner, b"enda"), Some([_, 1, ..]));
    Some(match &code {
        b"sowt" => fourcc::pcm(bits, false, false, true),
        b"twos" => fourcc::pcm(bits, false, true, true),
        b"raw " | b"NONE" => fourcc::pcm(bits, false, true, bits > 8),
        b"in24" => fourcc::pcm(24, false, !is_little, true),
        b"in32" => fourcc::pcm(32, false, !is_little, true),
        b"fl32" => fourcc::pcm(32, true, !is_little, true),
        b"fl64" => fourcc::pcm(64, true, !is_little, true),
        b"lpcm" => fourcc::pcm(bits, flags & 1 != 0, flags & 2 != 0, flags & 4 != 0),
        b"ipcm" | b"fpcm" => {
            let [_, _, _, _, order, size, ..] = body_of(boxes, b"pcmC")? else {
                return None;
            };
            fourcc::pcm((*size).into(), code == *b"fpcm", order & 1 == 0, true)
        }
        _ => return None,
    })
}

fn subtitle(mut code: [u8; 4], body: &[u8]) -> Stream {
    let rest = body.get(COMMON_BYTES..).unwrap_or_default();
    if matches!(&code, b"enct" | b"encs") {
        code = original(rest).unwrap_or(code);
    }
    let codec = match &code {
        // An encoding, then the media type.
        b"sbtt" | b"stxt" => {
            let media_type = rest.split(|byte| *byte == 0).nth(1).unwrap_or_default();
            fourcc::subtitle_text(media_type).map_or_else(|| unknown(&code), Cow::Borrowed)
        }
        _ => fourcc::quicktime_subtitle(code),
    };
    let mut stream = Stream::new(Kind::Subtitle, codec);
    // Two flags: all samples are forced, some are.
    let flags = rest.first_chunk().map_or(0, |flags| u32::from_be_bytes(*flags));
    stream.is_forced = Some(code == *b"tx3g" && flags & 0x8000_0000 != 0);
    stream
}

/// `esds`: the object type of the stream and the private data of its codec.
fn elementary(body: &[u8]) -> Option<(u8, &[u8])> {
    const STREAM: u8 = 3;
    const CONFIGURATION: u8 = 4;
    const PRIVATE: u8 = 5;
    let mut bytes = Bytes(body);
    bytes.skip(4)?;
    let mut kind = None;
    // A stream descriptor contains a configuration descriptor, which contains the private data.
    for _ in 0..8 {
        let Some(tag) = bytes.u8() else { break };
        let mut length = 0_usize;
        for _ in 0..4 {
            let byte = bytes.u8()?;
            length = length << 7 | usize::from(byte & 127);
            if byte & 128 == 0 {
                break;
            }
        }
        match tag {
            STREAM => {
                bytes.skip(2)?;
                let flags = bytes.u8()?;
                if flags & 0x80 != 0 {
                    bytes.skip(2)?;
                }
                if flags & 0x40 != 0 {
                    let url = bytes.u8()?;
                    bytes.skip(url.into())?;
                }
                if flags & 0x20 != 0 {
                    bytes.skip(2)?;
                }
            }
            CONFIGURATION => {
                kind = Some(bytes.u8()?);
                bytes.skip(12)?;
            }
            PRIVATE => return Some((kind?, bytes.take(length.min(bytes.0.len()))?)),
            _ => bytes.skip(length)?,
        }
    }
    Some((kind?, &[]))
}

fn mpeg_picture(kind: u8) -> Option<&'static str> {
    Some(match kind {
        0x20 => "mpeg4",
        0x21 => "h264",
        0x23 => "hevc",
        0x60..=0x65 => "mpeg2video",
        0x6a => "mpeg1video",
        0x6c => "mjpeg",
        0x6d => "png",
        0x6e => "jpeg2000",
        0xa3 => "vc1",
        0xa4 => "dirac",
        _ => return None,
    })
}

fn mpeg_sound(kind: u8) -> Option<&'static str> {
    Some(match kind {
        0x40 | 0x66..=0x68 => "aac",
        0x69 | 0x6b => "mp3",
        0xa5 => "ac3",
        0xa6 => "eac3",
        0xa9..=0xac => "dts",
        0xad => "opus",
        0xdd => "vorbis",
        0xe1 => "qcelp",
        _ => return None,
    })
}
