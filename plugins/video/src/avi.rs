//! AVI: RIFF chunks. The header list describes the streams; OpenDML adds the number of frames of files over 2 GiB.

use std::io::Result;

use containers::bytes::{Bytes, text};
use containers::riff::{ByteOrder, Chunk, Chunks};
use svc_plugin_api::{ExtractError, Source};

use crate::codec::{fourcc, wave};
use crate::rate;
use crate::video::{Kind, MAX_STREAMS, Stream, Video};

/// The most chunks of one list that are read.
const MAX_CHUNKS: usize = 512;
/// The most bytes of a header or a text.
const MAX_HEADER_BYTES: usize = 4096;

/// The chunks of a list or of the file.
struct Lists(Chunks);

impl Lists {
    fn of_file(source: &Source) -> Self {
        Self(Chunks::of_file(source, ByteOrder::Little, MAX_CHUNKS))
    }

    fn inside(list: &Chunk) -> Self {
        Self(Chunks::between(
            list.start,
            list.end,
            ByteOrder::Little,
            MAX_CHUNKS,
        ))
    }

    /// The next chunk, and whether it is a list; a list has the name of its type.
    fn next(&mut self, source: &mut Source) -> Result<Option<(Chunk, bool)>> {
        Ok(match self.0.next(source)? {
            Some(chunk) if matches!(&chunk.name, b"LIST" | b"RIFF") => Some((chunk.into_list(source)?, true)),
            chunk => chunk.map(|chunk| (chunk, false)),
        })
    }
}

/// Values of the headers, besides the streams.
#[derive(Default)]
struct Header {
    /// The duration of a frame in microseconds.
    frame: u32,
    frames: u32,
    /// Frames of all parts of the file.
    all_frames: u32,
    /// Indices of audio streams, with their languages.
    languages: Vec<(usize, String)>,
    /// The duration of the longest stream in milliseconds.
    longest: u64,
}

/// # Errors
/// `Io` if a read failed.
pub(crate) fn read(source: &mut Source) -> std::result::Result<Video, ExtractError> {
    let mut video = Video::new("avi");
    let mut header = Header::default();
    let mut chunks = Lists::of_file(source);
    while let Some((chunk, _)) = chunks.next(source)? {
        match &chunk.name {
            b"hdrl" => headers(source, &chunk, &mut header, &mut video)?,
            b"INFO" => info(source, &chunk, &mut header, &mut video)?,
            _ => {}
        }
    }
    let frames = if header.all_frames > 0 {
        header.all_frames
    } else {
        header.frames
    };
    let by_frames = u64::from(frames) * u64::from(header.frame) / 1000;
    // In a file of several parts the streams count only the frames of the first.
    let longest = if header.all_frames > header.frames {
        by_frames.max(header.longest)
    } else {
        header.longest
    };
    video.duration_ms = Some(if longest > 0 { longest } else { by_frames });
    let audio_streams = video
        .streams
        .iter_mut()
        .filter(|stream| stream.kind == Kind::Audio);
    for (index, stream) in audio_streams.enumerate() {
        let stated = header.languages.iter().find(|(number, _)| *number == index);
        stream.language = stated.and_then(|(_, code)| language::tag(code));
    }
    Ok(video)
}

fn headers(source: &mut Source, list: &Chunk, header: &mut Header, video: &mut Video) -> Result<()> {
    let mut chunks = Lists::inside(list);
    while let Some((chunk, _)) = chunks.next(source)? {
        match &chunk.name {
            b"avih" => {
                let body = chunk.bytes(source, MAX_HEADER_BYTES)?;
                let mut bytes = Bytes(&body);
                header.frame = bytes.le32().unwrap_or(0);
                bytes.skip(12);
                header.frames = bytes.le32().unwrap_or(0);
            }
            b"odml" => {
                if let Some((extended, _)) = Lists::inside(&chunk).next(source)?
                    && extended.name == *b"dmlh"
                {
                    let body = extended.bytes(source, MAX_HEADER_BYTES)?;
                    header.all_frames = Bytes(&body).le32().unwrap_or(0);
                }
            }
            b"strl" if video.streams.len() < MAX_STREAMS => {
                let found = stream(source, &chunk, header)?;
                video.streams.extend(found);
            }
            b"INFO" => info(source, &chunk, header, video)?,
            _ => {}
        }
    }
    Ok(())
}

fn stream(source: &mut Source, list: &Chunk, header: &mut Header) -> Result<Option<Stream>> {
    let (mut kind, mut handler, mut fps, mut ms) = ([0; 4], [0; 4], None, 0);
    let (mut stream, mut name) = (None, None);
    let mut chunks = Lists::inside(list);
    while let Some((chunk, is_list)) = chunks.next(source)? {
        let body = if is_list {
            Vec::new()
        } else {
            chunk.bytes(source, MAX_HEADER_BYTES)?
        };
        let mut bytes = Bytes(&body);
        match &chunk.name {
            b"strh" => {
                kind = bytes.array().unwrap_or_default();
                handler = bytes.array().unwrap_or_default();
                // Flags, priority, language, first frames.
                bytes.skip(12);
                let (scale, units) = (bytes.le32().unwrap_or(0), bytes.le32().unwrap_or(0));
                fps = rate::fraction(units.into(), scale.into());
                bytes.skip(4);
                let length = u128::from(bytes.le32().unwrap_or(0)) * u128::from(scale) * 1000;
                ms = length
                    .checked_div(units.into())
                    .and_then(|ms| u64::try_from(ms).ok())
                    .unwrap_or(0);
            }
            b"strf" => stream = description(kind, handler, &body),
            b"strn" => name = Some(text(&body)),
            _ => {}
        }
    }
    header.longest = header.longest.max(ms);
    Ok(stream.map(|mut stream: Stream| {
        stream.fps = fps.filter(|_| stream.kind == Kind::Video);
        stream.title = name;
        stream
    }))
}

/// A stream by its format: a bitmap header, an audio format, or subtitles, which have none.
fn description(kind: [u8; 4], handler: [u8; 4], body: &[u8]) -> Option<Stream> {
    let mut bytes = Bytes(body);
    match &kind {
        b"vids" => {
            bytes.skip(4)?;
            let (width, height) = (bytes.le32()?, bytes.le32()?.cast_signed());
            bytes.skip(4)?;
            let code = bytes.array()?;
            let codec = fourcc::windows(if code == [0; 4] && handler != *b"DIB " {
                handler
            } else {
                code
            });
            let mut stream = Stream::new(Kind::Video, codec);
            // A negative height marks rows from top to bottom.
            stream.size(width, height.unsigned_abs());
            Some(stream)
        }
        b"auds" => wave::stream(body),
        b"txts" => Some(Stream::new(Kind::Subtitle, "subrip")),
        _ => None,
    }
}

fn info(source: &mut Source, list: &Chunk, header: &mut Header, video: &mut Video) -> Result<()> {
    let mut chunks = Lists::inside(list);
    while let Some((chunk, _)) = chunks.next(source)? {
        let name = match &chunk.name {
            b"INAM" => "TITLE",
            b"ICRD" => "DATE",
            b"IGNR" => "GENRE",
            b"ICMT" => "COMMENT",
            b"ISBJ" => "DESCRIPTION",
            b"ISFT" => "ENCODER",
            b"IART" => "ARTIST",
            b"IPRD" => "PRODUCT",
            b"ICOP" => "COPYRIGHT",
            b"IPRT" => "PART",
            [b'I', b'A', b'S', digit @ b'1'..=b'9'] => {
                let code = text(&chunk.bytes(source, MAX_HEADER_BYTES)?);
                header.languages.push((usize::from(digit - b'1'), code));
                ""
            }
            _ => "",
        };
        if !name.is_empty() {
            let value = text(&chunk.bytes(source, MAX_HEADER_BYTES)?);
            video.tags.add(name, &value);
        }
    }
    Ok(())
}
