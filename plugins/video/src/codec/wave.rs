//! `WAVEFORMATEX`, the audio format in AVI, ASF and `A_MS/ACM`.

use std::borrow::Cow;

use super::fourcc::pcm;
use super::unknown;
use crate::video::{Kind, Stream};
use containers::bytes::Bytes;

/// The format tag if the actual one is in a GUID after the fixed part.
const EXTENSIBLE: u16 = 0xfffe;

pub(crate) fn stream(format: &[u8]) -> Option<Stream> {
    let mut bytes = Bytes(format);
    let mut tag = bytes.le16()?;
    let channels = bytes.le16()?;
    let sample_rate = bytes.le32()?;
    bytes.skip(6);
    let bits = bytes.le16().unwrap_or(16);
    if tag == EXTENSIBLE {
        // Size, valid bits, channel mask; then the GUID.
        bytes.skip(8);
        tag = bytes.le16().unwrap_or(tag);
    }
    let mut stream = Stream::new(Kind::Audio, name(tag, bits.into()));
    stream.set_audio(channels.into(), sample_rate);
    Some(stream)
}

fn name(tag: u16, bits: u32) -> Cow<'static, str> {
    Cow::Borrowed(match tag {
        1 => return pcm(bits, false, false, bits > 8),
        3 => return pcm(bits, true, false, true),
        2 => "adpcm_ms",
        6 => "pcm_alaw",
        7 => "pcm_mulaw",
        0x11 => "adpcm_ima_wav",
        0x22 => "truespeech",
        0x31 => "gsm_ms",
        0x45 => "adpcm_g726",
        0x50 => "mp2",
        0x55 => "mp3",
        0x92 | 0x2000 => "ac3",
        0xff | 0x1600 | 0x1602 | 0x706d | 0xa106 => "aac",
        0x160 => "wmav1",
        0x161 => "wmav2",
        0x162 => "wmapro",
        0x163 => "wmalossless",
        0x0a => "wmavoice",
        0x2001 => "dts",
        0x566f | 0x674f..=0x6771 => "vorbis",
        0x704f => "opus",
        0xf1ac => "flac",
        0xa109 => "speex",
        _ => return unknown(format!("0x{tag:04x}").as_bytes()),
    })
}
