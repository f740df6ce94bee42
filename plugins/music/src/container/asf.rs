//! ASF (WMA): properties, tags and pictures from the header object.

use containers::asf::{
    AUDIO_STREAM, Attribute, Attributes, CONTENT_DESCRIPTION, EXTENDED_CONTENT, FILE_PROPERTIES,
    FileProperties, METADATA_LIBRARY, Object, STREAM_PROPERTIES, content_description, read_header,
};
use containers::bytes::Bytes;
use svc_plugin_api::{ExtractError, Source};

use crate::audio::Audio;
use crate::tags::{Key, Tags, key_of_name};

/// The most bytes of the header object, which contains the pictures.
const MAX_HEADER_BYTES: usize = 16 * 1024 * 1024;
/// The most attributes of an object.
const MAX_ATTRIBUTES: usize = 4096;

pub struct PictureValue {
    /// Where the value begins, in bytes of the file.
    pub offset: u64,
    /// The value: type, size, media type, description, picture.
    pub bytes: Vec<u8>,
}

/// Reads tags and properties.
///
/// # Errors
/// `Invalid` if the header has neither, `Io` if a read failed.
pub fn read(source: &mut Source) -> Result<(Tags, Audio), ExtractError> {
    let mut header = Header::read(source)?;
    if header.audio == Audio::default() && header.tags.is_empty() {
        return Err(ExtractError::invalid(None, "no metadata in the header"));
    }
    header.audio.container = "asf";
    Ok((header.tags, header.audio))
}

/// The pictures of a file, in order.
///
/// # Errors
/// If a read failed.
pub fn pictures(source: &mut Source) -> std::io::Result<Vec<PictureValue>> {
    Ok(Header::read(source)?.pictures)
}

#[derive(Default)]
struct Header {
    audio: Audio,
    tags: Tags,
    pictures: Vec<PictureValue>,
}

impl Header {
    fn read(source: &mut Source) -> std::io::Result<Self> {
        let bytes = read_header(source, MAX_HEADER_BYTES)?;
        let mut header = Self::default();
        for object in Object::of_header(&bytes) {
            header.object(&object);
        }
        Ok(header)
    }

    fn object(&mut self, object: &Object) {
        match object.guid {
            FILE_PROPERTIES => {
                let durations = FileProperties::parse(object.body);
                self.audio.duration_ms = durations.map_or(self.audio.duration_ms, |times| {
                    times.play_ms.saturating_sub(times.preroll_ms)
                });
            }
            STREAM_PROPERTIES => {
                self.stream_properties(object.body);
            }
            CONTENT_DESCRIPTION => {
                let keys = [Some(Key::Title), Some(Key::Artist), None, Some(Key::Comment)];
                for (text, key) in content_description(object.body).into_iter().zip(keys) {
                    if let Some(key) = key {
                        self.tags.add(key, text);
                    }
                }
            }
            EXTENDED_CONTENT => self.attributes(Attributes::of_content(object, MAX_ATTRIBUTES)),
            METADATA_LIBRARY => self.attributes(Attributes::of_library(object, MAX_ATTRIBUTES)),
            _ => {}
        }
    }

    /// Codec, channels and sample rate. A truncated object gives the values before its end.
    fn stream_properties(&mut self, body: &[u8]) -> Option<()> {
        let mut body = Bytes(body);
        if body.array()? != AUDIO_STREAM {
            return None;
        }
        body.skip(38)?;
        self.audio.codec = match body.le16()? {
            0x160..=0x163 => Some("wma"),
            0x01 => Some("pcm"),
            0x55 => Some("mp3"),
            _ => None,
        };
        self.audio.channels = body.le16()?.into();
        self.audio.sample_rate = body.le32()?;
        Some(())
    }

    fn attributes(&mut self, attributes: Attributes) {
        for attribute in attributes {
            if attribute.name == "WM/Picture" {
                self.picture(&attribute);
            } else if let (Some(key), Some(text)) = (key_of(&attribute.name), attribute.text()) {
                self.tags.add(key, text);
            }
        }
    }

    fn picture(&mut self, attribute: &Attribute) {
        self.pictures.push(PictureValue {
            offset: attribute.start as u64,
            bytes: attribute.value.to_vec(),
        });
    }
}

fn key_of(name: &str) -> Option<Key> {
    match name {
        "WM/AlbumTitle" => Some(Key::Album),
        "WM/AlbumArtist" => Some(Key::AlbumArtist),
        "WM/PartOfSet" => Some(Key::DiscNumber),
        "WM/OriginalReleaseTime" => Some(Key::OriginalDate),
        "WM/Writer" => Some(Key::Lyricist),
        "Author" => Some(Key::Artist),
        // Counts from 0; `WM/TrackNumber` is used instead.
        "WM/Track" => None,
        _ => key_of_name(name.strip_prefix("WM/").unwrap_or(name)),
    }
}
