//! ASF (WMV): streams, tags and markers from the header object.

use containers::asf::{
    AUDIO_STREAM, Attribute, Attributes, CONTENT_DESCRIPTION, EXTENDED_CONTENT, FILE_PROPERTIES,
    FileProperties, Guid, OBJECT_BYTES, Object, STREAM_PROPERTIES, VIDEO_STREAM, content_description,
    read_header,
};
use containers::bytes::{Bytes, utf16_le};
use svc_plugin_api::{ExtractError, Source};

use crate::codec::{fourcc, wave};
use crate::rate;
use crate::tags::Tags;
use crate::video::{Chapter, Kind, MAX_CHAPTERS, MAX_STREAMS, Stream, Video};

const EXTENDED_STREAM: Guid = *b"\xcb\xa5\xe6\x14\x72\xc6\x32\x43\x83\x99\xa9\x69\x52\x06\x5b\x5a";
const LANGUAGES: Guid = *b"\xa9\x46\x43\x7c\xe0\xef\xfc\x4b\xb2\x29\x39\x3e\xde\x41\x5c\x85";
const MARKERS: Guid = *b"\x01\xcd\x87\xf4\x51\xa9\xcf\x11\x8e\xe6\x00\xc0\x0c\x20\x53\x65";

/// The most bytes of the header object, which contains the pictures.
const MAX_HEADER_BYTES: usize = 1024 * 1024;
/// The most attributes or languages of an object.
const MAX_ATTRIBUTES: usize = 256;
/// In units of 100 ns.
const UNITS_PER_MS: u64 = 10_000;
const UNITS_PER_SECOND: u64 = 10_000_000;

/// One stream is described by several objects; [`Header::finish`] joins them.
#[derive(Default)]
struct Header {
    video: Video,
    preroll_ms: u64,
    /// The stream numbers, in the order of the streams.
    numbers: Vec<u16>,
    languages: Vec<String>,
    /// Stream number, index of its language, duration of a picture in units.
    extended: Vec<(u16, u16, u64)>,
}

/// # Errors
/// `Io` if a read failed.
pub(crate) fn read(source: &mut Source) -> Result<Video, ExtractError> {
    let bytes = read_header(source, MAX_HEADER_BYTES)?;
    let mut header = Header {
        video: Video::new("asf"),
        ..Header::default()
    };
    for object in Object::of_header(&bytes) {
        // A truncated object gives the values before its end.
        let _ = header.object(&object);
    }
    Ok(header.finish())
}

impl Header {
    fn object(&mut self, object: &Object) -> Option<()> {
        let mut bytes = Bytes(object.body);
        match object.guid {
            FILE_PROPERTIES => {
                let durations = FileProperties::parse(object.body)?;
                self.preroll_ms = durations.preroll_ms;
                self.video.duration_ms = Some(durations.play_ms);
            }
            STREAM_PROPERTIES => self.stream(&mut bytes)?,
            CONTENT_DESCRIPTION => {
                let names = ["TITLE", "ARTIST", "COPYRIGHT", "DESCRIPTION", "RATING"];
                for (name, text) in names.into_iter().zip(content_description(object.body)) {
                    self.video.tags.add(name, &text);
                }
            }
            EXTENDED_CONTENT => {
                for attribute in Attributes::of_content(object, MAX_ATTRIBUTES) {
                    add(&mut self.video.tags, &attribute);
                }
            }
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
        let stream = match kind {
            AUDIO_STREAM => wave::stream(description)?,
            VIDEO_STREAM => {
                let mut bytes = Bytes(description);
                let (width, height) = (bytes.le32()?, bytes.le32()?);
                // A flag, the size of the bitmap header, and its first fields.
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
        // The stream properties may follow its names and payload extensions.
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
        if bytes.0.starts_with(&STREAM_PROPERTIES) {
            bytes.skip(OBJECT_BYTES)?;
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
        // The play duration includes the preroll.
        let preroll = self.preroll_ms;
        self.video.duration_ms = self.video.duration_ms.map(|ms| ms.saturating_sub(preroll));
        self.video
    }
}

fn add(tags: &mut Tags, attribute: &Attribute) {
    let Some(value) = attribute.text() else {
        return;
    };
    let name = match attribute.name.as_str() {
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
}
