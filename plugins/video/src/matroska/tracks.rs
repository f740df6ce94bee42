//! `Tracks`: the streams.

use crate::codec::{aac, colour, h264, hevc, matroska_id};
use crate::rate;
use crate::video::{Hdr, Kind, MAX_STREAMS, Stream};
use containers::bytes::text;
use containers::ebml::{element, elements, float, unsigned};

const TRACK_ENTRY: u32 = 0xae;
const NUMBER: u32 = 0xd7;
const TYPE: u32 = 0x83;
const IS_DEFAULT: u32 = 0x88;
const IS_FORCED: u32 = 0x55aa;
const NAME: u32 = 0x536e;
const LANGUAGE: u32 = 0x0022_b59c;
const LANGUAGE_BCP47: u32 = 0x0022_b59d;
const CODEC_ID: u32 = 0x86;
const CODEC_PRIVATE: u32 = 0x63a2;
const DEFAULT_DURATION: u32 = 0x0023_e383;
const MAPPING: u32 = 0x41e4;
const MAPPING_TYPE: u32 = 0x41e7;
const VIDEO: u32 = 0xe0;
const WIDTH: u32 = 0xb0;
const HEIGHT: u32 = 0xba;
const FRAME_RATE: u32 = 0x0023_83e3;
const COLOUR: u32 = 0x55b0;
const TRANSFER: u32 = 0x55ba;
const PROJECTION: u32 = 0x7670;
const ROLL: u32 = 0x7675;
const AUDIO: u32 = 0xe1;
const SAMPLE_RATE: u32 = 0xb5;
const PLAYED_RATE: u32 = 0x78b5;
const CHANNELS: u32 = 0x9f;
const BIT_DEPTH: u32 = 0x6264;

const NS_PER_SECOND: u64 = 1_000_000_000;

/// A stream and the track number of its blocks.
pub(super) struct Track {
    pub(super) number: u64,
    pub(super) stream: Stream,
}

pub(super) fn read(body: &[u8]) -> Vec<Track> {
    let entries = elements(body).filter(|(id, _)| *id == TRACK_ENTRY);
    entries
        .filter_map(|(_, entry)| track(entry))
        .take(MAX_STREAMS)
        .collect()
}

fn track(entry: &[u8]) -> Option<Track> {
    let codec_id = element(entry, CODEC_ID).map(text).unwrap_or_default();
    let kind = match element(entry, TYPE).map(unsigned)? {
        1 => Kind::Video,
        2 => Kind::Audio,
        17 => Kind::Subtitle,
        _ if codec_id == "D_WEBVTT/SUBTITLES" || codec_id == "D_WEBVTT/CAPTIONS" => Kind::Subtitle,
        _ => return None,
    };
    let private = element(entry, CODEC_PRIVATE).unwrap_or_default();
    let audio = element(entry, AUDIO).unwrap_or_default();
    let bits = element(audio, BIT_DEPTH)
        .map(unsigned)
        .and_then(|bits| u32::try_from(bits).ok());
    let mut stream = matroska_id::stream(kind, &codec_id, private, bits.unwrap_or(16));
    let is_set = |id, otherwise| element(entry, id).map_or(otherwise, |flag| unsigned(flag) != 0);
    stream.is_default = is_set(IS_DEFAULT, true);
    if kind == Kind::Subtitle {
        stream.is_forced = Some(is_set(IS_FORCED, false));
    }
    stream.language = language(entry);
    stream.title = element(entry, NAME).map(text);
    match kind {
        Kind::Video => picture(&mut stream, entry, private),
        Kind::Audio => read_audio(&mut stream, audio, private),
        Kind::Subtitle => {}
    }
    Some(Track {
        number: element(entry, NUMBER).map_or(0, unsigned),
        stream,
    })
}

/// The language: BCP 47 takes precedence over the older element. The default is English, by the specification.
fn language(entry: &[u8]) -> Option<String> {
    let stated = |id| {
        element(entry, id)
            .map(text)
            .filter(|code| !code.trim().is_empty())
    };
    match stated(LANGUAGE_BCP47).or_else(|| stated(LANGUAGE)) {
        Some(code) => language::tag(&code),
        None => Some("en".to_owned()),
    }
}

fn picture(stream: &mut Stream, entry: &[u8], private: &[u8]) {
    let video = element(entry, VIDEO).unwrap_or_default();
    let side = |id| {
        element(video, id)
            .and_then(|side| u32::try_from(unsigned(side)).ok())
            .unwrap_or(0)
    };
    stream.size(side(WIDTH), side(HEIGHT));
    if let Some(duration) = element(entry, DEFAULT_DURATION) {
        stream.fps = rate::fraction(NS_PER_SECOND, unsigned(duration));
    }
    stream.fps = stream
        .fps
        .or_else(|| element(video, FRAME_RATE).and_then(|fps| rate::rounded(float(fps))));
    let has_dolby = elements(entry)
        .filter(|(id, _)| *id == MAPPING)
        .filter_map(|(_, mapping)| element(mapping, MAPPING_TYPE))
        .any(|kind| matches!(kind, b"dvcC" | b"dvvC" | b"dvwC"));
    let transfer = element(video, COLOUR)
        .and_then(|colour| element(colour, TRANSFER))
        .map(unsigned);
    stream.hdr = match has_dolby {
        true => Some(Hdr::DolbyVision),
        false => transfer.and_then(|number| colour::hdr(u32::try_from(number).ok()?)),
    };
    let roll = element(video, PROJECTION)
        .and_then(|projection| element(projection, ROLL))
        .map(float);
    stream.rotation = roll.and_then(rotation);
    let sequence = match stream.codec.as_ref() {
        "h264" => h264::configuration(private),
        "hevc" => hevc::configuration(private),
        _ => None,
    };
    if let Some(sequence) = sequence {
        // The tick of the codec's clock is not always a frame; timestamps of blocks are more reliable.
        stream.hdr = stream.hdr.or(sequence.hdr);
        if stream.width.is_none() {
            stream.size(sequence.width, sequence.height);
        }
    }
}

/// A quarter turn; the specification counts counter-clockwise.
fn rotation(roll: f64) -> Option<u16> {
    match (-roll).rem_euclid(360.0).round() {
        90.0 => Some(90),
        180.0 => Some(180),
        270.0 => Some(270),
        _ => None,
    }
}

fn read_audio(stream: &mut Stream, audio: &[u8], private: &[u8]) {
    let rate = element(audio, PLAYED_RATE)
        .or_else(|| element(audio, SAMPLE_RATE))
        .map_or(8000.0, float);
    let channels = element(audio, CHANNELS).map_or(1, unsigned);
    let rate = if (1.0..1e7).contains(&rate) {
        rate as u32
    } else {
        0
    };
    stream.set_audio(u32::try_from(channels).unwrap_or(0), rate);
    match stream.codec.as_ref() {
        "aac" => {
            if let Some(stated) = aac::description(private) {
                stream.set_audio(stated.channels, stated.sample_rate.max(rate));
            }
        }
        "opus" => stream.set_audio(0, 48_000),
        _ => {}
    }
}
