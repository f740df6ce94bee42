//! ASF (WMV): objects of a GUID, a 64-bit size and a body, all lowest byte first, texts in UTF-16.

use svc_plugin_api::{ExtractError, Source};

use crate::bytes::{Bytes, utf16_le};
use crate::codec::{fourcc, wave};
use crate::rate;
use crate::tags::Tags;
use crate::video::{Chapter, Kind, MAX_CHAPTERS, MAX_STREAMS, Stream, Video};

/// The GUID that opens a file.
pub(crate) const HEADER: [u8; 16] = *b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c";

const FILE_PROPERTIES: &[u8; 16] = b"\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65";
const STREAM_PROPERTIES: &[u8; 16] = b"\x91\x07\xdc\xb7\xb7\xa9\xcf\x11\x8e\xe6\x00\xc0\x0c\x20\x53\x65";
const AUDIO: &[u8; 16] = b"\x40\x9e\x69\xf8\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b";
const VIDEO: &[u8; 16] = b"\xc0\xef\x19\xbc\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b";
const CONTENT: &[u8; 16] = b"\x33\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c";
const EXTENDED_CONTENT: &[u8; 16] = b"\x40\xa4\xd0\xd2\x07\xe3\xd2\x11\x97\xf0\x00\xa0\xc9\x5e\xa8\x50";
const HEADER_EXTENSION: &[u8; 16] = b"\xb5\x03\xbf\x5f\x2e\xa9\xcf\x11\x8e\xe3\x00\xc0\x0c\x20\x53\x65";
const EXTENDED_STREAM: &[u8; 16] = b"\xcb\xa5\xe6\x14\x72\xc6\x32\x43\x83\x99\xa9\x69\x52\x06\x5b\x5a";
const LANGUAGES: &[u8; 16] = b"\xa9\x46\x43\x7c\xe0\xef\xfc\x4b\xb2\x29\x39\x3e\xde\x41\x5c\x85";
const MARKERS: &[u8; 16] = b"\x01\xcd\x87\xf4\x51\xa9\xcf\x11\x8e\xe6\x00\xc0\x0c\x20\x53\x65";

/// The most bytes of the header; pictures are inside.
const MAX_HEADER_BYTES: usize = 1024 * 1024;
/// The most objects of a header and attributes of an object.
const MAX_OBJECTS: usize = 256;
const MAX_ATTRIBUTES: usize = 256;
/// Bytes of the fixed part of the header, and of the one of its extension.
const HEADER_BYTES: usize = 30;
const EXTENSION_BYTES: usize = 22;
/// Tenths of microseconds.
const UNITS_PER_MS: u64 = 10_000;
const UNITS_PER_SECOND: u64 = 10_000_000;

/// What is put together at the end: descriptions of a stream are in several objects.
#[derive(Default)]
struct Reader {
    video: Video,
    preroll_ms: u64,
    /// Number of each stream of the model.
    numbers: Vec<u16>,
    languages: Vec<String>,
    /// Number of a stream, its language, and how long each of its pictures is shown.
    extended: Vec<(u16, u16, u64)>,
}

/// Reads a file.
///
/// # Errors
/// `Io` if a read failed.
pub(crate) fn read(source: &mut Source) -> Result<Video, ExtractError> {
    let size = source.array_at::<8>(16)?.map_or(0, u64::from_le_bytes);
    let size = usize::try_from(size).unwrap_or(usize::MAX).min(MAX_HEADER_BYTES);
    let header = source.bytes_at(0, size)?;
    let mut reader = Reader {
        video: Video::new("asf"),
        ..Reader::default()
    };
    reader.objects(header.get(HEADER_BYTES..).unwrap_or_default(), true);
    Ok(reader.finish())
}

impl Reader {
    fn objects(&mut self, bytes: &[u8], is_outer: bool) {
        let mut bytes = Bytes(bytes);
        for _ in 0..MAX_OBJECTS {
            let (Some(kind), Some(size)) = (bytes.array::<16>(), bytes.le64()) else {
                return;
            };
            let Some(size) = usize::try_from(size).ok().and_then(|size| size.checked_sub(24)) else {
                return;
            };
            let Some(body) = bytes.take(size.min(bytes.0.len())) else {
                return;
            };
            // An object that is cut off says nothing more.
            let _ = self.object(&kind, body, is_outer);
        }
    }

    fn object(&mut self, kind: &[u8; 16], body: &[u8], is_outer: bool) -> Option<()> {
        let mut bytes = Bytes(body);
        match kind {
            FILE_PROPERTIES => {
                bytes.skip(40)?;
                let duration = bytes.le64()?;
                bytes.skip(8)?;
                self.preroll_ms = bytes.le64()?;
                self.video.duration_ms = Some(duration / UNITS_PER_MS);
            }
            STREAM_PROPERTIES => self.stream(&mut bytes)?,
            CONTENT => {
                let lengths = [
                    bytes.le16()?,
                    bytes.le16()?,
                    bytes.le16()?,
                    bytes.le16()?,
                    bytes.le16()?,
                ];
                let names = ["TITLE", "ARTIST", "COPYRIGHT", "DESCRIPTION", "RATING"];
                for (name, length) in names.into_iter().zip(lengths) {
                    self.video.tags.add(name, &utf16_le(bytes.take(length.into())?));
                }
            }
            EXTENDED_CONTENT => {
                for _ in 0..usize::from(bytes.le16()?).min(MAX_ATTRIBUTES) {
                    attribute(&mut bytes, &mut self.video.tags)?;
                }
            }
            HEADER_EXTENSION if is_outer => self.objects(body.get(EXTENSION_BYTES..)?, false),
            EXTENDED_STREAM => self.extended_stream(&mut bytes)?,
            LANGUAGES => {
                for _ in 0..usize::from(bytes.le16()?).min(MAX_ATTRIBUTES) {
                    let length = bytes.u8()?;
                    self.languages.push(utf16_le(bytes.take(length.into())?));
                }
            }
            MARKERS => self.markers(&mut bytes)?,
            _ => {}
        }
        Some(())
    }

    fn stream(&mut self, bytes: &mut Bytes) -> Option<()> {
        let kind = bytes.array::<16>()?;
        bytes.skip(16 + 8)?;
        let length = usize::try_from(bytes.le32()?).ok()?;
        bytes.skip(4)?;
        let number = bytes.le16()? & 127;
        bytes.skip(4)?;
        let description = bytes.take(length.min(bytes.0.len()))?;
        let stream = match &kind {
            AUDIO => wave::stream(description)?,
            VIDEO => {
                let mut bytes = Bytes(description);
                let (width, height) = (bytes.le32()?, bytes.le32()?);
                // A flag, the size of the bitmap header, and its first parts.
                bytes.skip(3 + 16)?;
                let mut stream = Stream::new(Kind::Video, fourcc::windows(bytes.array()?));
                stream.size(width, height);
                stream
            }
            _ => return None,
        };
        if self.numbers.len() < MAX_STREAMS {
            self.numbers.push(number);
            self.video.streams.push(stream);
        }
        Some(())
    }

    fn extended_stream(&mut self, bytes: &mut Bytes) -> Option<()> {
        bytes.skip(48)?;
        let (number, language, picture) = (bytes.le16()?, bytes.le16()?, bytes.le64()?);
        if self.extended.len() < MAX_STREAMS {
            self.extended.push((number, language, picture));
        }
        // The stream may be described in here, behind its names and payload extensions.
        let (names, extensions) = (bytes.le16()?, bytes.le16()?);
        for _ in 0..names {
            bytes.skip(2)?;
            let length = bytes.le16()?;
            bytes.skip(length.into())?;
        }
        for _ in 0..extensions {
            bytes.skip(18)?;
            let length = bytes.le32()?;
            bytes.skip(usize::try_from(length).ok()?)?;
        }
        if bytes.0.starts_with(STREAM_PROPERTIES) {
            bytes.skip(24)?;
            self.stream(bytes)?;
        }
        Some(())
    }

    fn markers(&mut self, bytes: &mut Bytes) -> Option<()> {
        bytes.skip(16)?;
        let count = usize::try_from(bytes.le32()?).ok()?;
        bytes.skip(2)?;
        let name = bytes.le16()?;
        bytes.skip(name.into())?;
        for _ in 0..count.min(MAX_CHAPTERS) {
            bytes.skip(8)?;
            let time = bytes.le64()?;
            bytes.skip(10)?;
            let letters = usize::try_from(bytes.le32()?).ok()?;
            self.video.chapters.push(Chapter {
                start_ms: (time / UNITS_PER_MS).saturating_sub(self.preroll_ms),
                end_ms: None,
                title: Some(utf16_le(bytes.take(letters.checked_mul(2)?)?)),
            });
        }
        Some(())
    }

    fn finish(mut self) -> Video {
        for (stream, number) in self.video.streams.iter_mut().zip(&self.numbers) {
            let Some((_, index, picture)) = self.extended.iter().find(|(of, _, _)| of == number) else {
                continue;
            };
            stream.language = self
                .languages
                .get(usize::from(*index))
                .and_then(|code| language::tag(code));
            if stream.kind == Kind::Video {
                stream.fps = rate::fraction(UNITS_PER_SECOND, *picture);
            }
        }
        // The time before the first picture is counted in.
        let preroll = self.preroll_ms;
        self.video.duration_ms = self.video.duration_ms.map(|ms| ms.saturating_sub(preroll));
        self.video
    }
}

fn attribute(bytes: &mut Bytes, tags: &mut Tags) -> Option<()> {
    let length = bytes.le16()?;
    let name = utf16_le(bytes.take(length.into())?);
    let (kind, length) = (bytes.le16()?, bytes.le16()?);
    let value = bytes.take(length.into())?;
    let mut number = Bytes(value);
    let value = match kind {
        0 => utf16_le(value),
        2 | 3 => number.le32()?.to_string(),
        4 => number.le64()?.to_string(),
        5 => number.le16()?.to_string(),
        _ => return Some(()),
    };
    let name = match name.as_str() {
        "WM/Year" | "WM/OriginalReleaseTime" => "DATE",
        "WM/Genre" => "GENRE",
        "WM/EncodingSettings" | "WM/ToolName" => "ENCODER",
        "WM/SubTitle" => "EPISODE_TITLE",
        "WM/SubTitleDescription" => "DESCRIPTION",
        "WM/SeasonNumber" => "SEASON",
        "WM/EpisodeNumber" => "EPISODE",
        "WM/SeriesTitle" => "SHOW",
        other => other,
    };
    tags.add(name, &value);
    Some(())
}
