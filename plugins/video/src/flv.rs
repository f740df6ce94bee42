//! FLV: audio, video and script tags; the first script tag describes the file.

use std::io::Result;

use svc_plugin_api::{ExtractError, Source};

use crate::codec::{aac, h264};
use crate::rate;
use crate::video::{Kind, Stream, Video};
use containers::bytes::{Bytes, text};

/// The most tags that are read to find the first of each type.
const MAX_TAGS: usize = 64;
/// The most bytes of a tag, and the most values of the description.
const MAX_TAG_BYTES: usize = 64 * 1024;
const MAX_VALUES: usize = 256;

/// # Errors
/// `Io` if a read failed.
pub(crate) fn read(source: &mut Source) -> std::result::Result<Video, ExtractError> {
    let mut video = Video::new("flv");
    let (mut picture, mut audio) = (None, None);
    let mut fps = None;
    let mut size = (0, 0);
    let mut offset = source.array_at::<4>(5)?.map_or(9, u32::from_be_bytes).into();
    for _ in 0..MAX_TAGS {
        // The size of the previous tag; then type, size, time, stream.
        let Some([_, _, _, _, kind, a, b, c, ..]) = source.array_at::<15>(offset)? else {
            break;
        };
        let length = u32::from_be_bytes([0, a, b, c]);
        let start = offset.saturating_add(15);
        let body = source.bytes_at(start, usize::try_from(length).unwrap_or(0).min(MAX_TAG_BYTES))?;
        match kind & 31 {
            8 if audio.is_none() => audio = read_audio(&body),
            9 if picture.is_none() => picture = read_video(&body),
            18 => {
                for (name, number) in description(&body, &mut video) {
                    match name.as_str() {
                        "duration" if number > 0.0 => video.duration_ms = Some((number * 1000.0) as u64),
                        "width" if number > 0.0 => size.0 = number as u32,
                        "height" if number > 0.0 => size.1 = number as u32,
                        "framerate" => fps = rate::rounded(number),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        if picture.is_some() && audio.is_some() {
            break;
        }
        offset = start.saturating_add(length.into());
    }
    if let Some(picture) = &mut picture {
        if picture.width.is_none() {
            picture.size(size.0, size.1);
        }
        picture.fps = fps.or(picture.fps);
    }
    if video.duration_ms.is_none() {
        video.duration_ms = last_time(source)?;
    }
    video.streams = [picture, audio].into_iter().flatten().collect();
    Ok(video)
}

/// The time of the last tag, which the last four bytes of the file locate.
fn last_time(source: &mut Source) -> Result<Option<u64>> {
    let end = source.size().saturating_sub(4);
    let size = source.array_at::<4>(end)?.map_or(0, u32::from_be_bytes);
    let Some(tag) = end.checked_sub(size.into()) else {
        return Ok(None);
    };
    let Some([kind, _, _, _, b, c, d, a]) = source.array_at::<8>(tag)? else {
        return Ok(None);
    };
    // The highest byte of the time comes last.
    Ok(matches!(kind & 31, 8 | 9).then(|| u32::from_be_bytes([a, b, c, d]).into()))
}

fn read_video(body: &[u8]) -> Option<Stream> {
    let codec = match body.first()? & 15 {
        2 => "flv1",
        3 => "flashsv",
        4 => "vp6f",
        5 => "vp6a",
        6 => "flashsv2",
        7 => "h264",
        12 => "hevc",
        _ => return None,
    };
    let mut stream = Stream::new(Kind::Video, codec);
    if codec == "h264"
        && body.get(1) == Some(&0)
        && let Some(sequence) = h264::configuration(body.get(5..)?)
    {
        sequence.describe(&mut stream);
    }
    Some(stream)
}

fn read_audio(body: &[u8]) -> Option<Stream> {
    let flags = body.first()?;
    let codec = match flags >> 4 {
        0 | 3 => "pcm_s16le",
        1 => "adpcm_swf",
        2 | 14 => "mp3",
        4..=6 => "nellymoser",
        7 => "pcm_alaw",
        8 => "pcm_mulaw",
        10 => "aac",
        11 => "speex",
        _ => return None,
    };
    let mut stream = Stream::new(Kind::Audio, codec);
    stream.set_audio(u32::from(flags & 1) + 1, 44_100 >> (3 - (flags >> 2 & 3)));
    if codec == "aac"
        && let Some(stated) = aac::description(body.get(2..)?)
    {
        stream.set_audio(stated.channels, stated.sample_rate);
    }
    Some(stream)
}

/// `onMetaData`: returns the numbers; texts become tags.
fn description(body: &[u8], video: &mut Video) -> Vec<(String, f64)> {
    let mut bytes = Bytes(body);
    let mut numbers = Vec::new();
    // Two script values: the name, which is a text, and an array.
    let _ = values(&mut bytes, video, &mut numbers);
    numbers
}

fn values(bytes: &mut Bytes, video: &mut Video, numbers: &mut Vec<(String, f64)>) -> Option<()> {
    bytes.skip(1)?;
    let name = bytes.be16()?;
    if bytes.take(name.into())? != b"onMetaData" {
        return None;
    }
    match bytes.u8()? {
        8 => bytes.skip(4)?,
        3 => {}
        _ => return None,
    }
    for _ in 0..MAX_VALUES {
        let length = bytes.be16()?;
        let name = text(bytes.take(length.into())?);
        match bytes.u8()? {
            0 => numbers.push((name, f64::from_bits(bytes.be64()?))),
            1 => bytes.skip(1)?,
            2 => {
                let length = bytes.be16()?;
                video.tags.add(&name, &text(bytes.take(length.into())?));
            }
            // A date and its offset.
            11 => bytes.skip(10)?,
            // The end, or an object, after which nothing relevant follows.
            _ => return None,
        }
    }
    Some(())
}
