//! ASF (WMA): objects of a GUID, a 64-bit size and a body, all little-endian, texts in UTF-16.

use svc_plugin_api::{ExtractError, Source};

use crate::audio::Audio;
use crate::read::Statements;
use crate::tags::{Key, Tags, key_of_name};

/// The most bytes of a header object; pictures are inside.
const MAX_HEADER_BYTES: usize = 16 * 1024 * 1024;
/// The most objects of a header.
const MAX_OBJECTS: usize = 256;
/// The most attributes of an object.
const MAX_ATTRIBUTES: usize = 4096;

const FILE_PROPERTIES: u128 =
    u128::from_le_bytes(*b"\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65");
const STREAM_PROPERTIES: u128 =
    u128::from_le_bytes(*b"\x91\x07\xdc\xb7\xb7\xa9\xcf\x11\x8e\xe6\x00\xc0\x0c\x20\x53\x65");
const AUDIO_STREAM: u128 =
    u128::from_le_bytes(*b"\x40\x9e\x69\xf8\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b");
const CONTENT_DESCRIPTION: u128 =
    u128::from_le_bytes(*b"\x33\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c");
const EXTENDED_CONTENT: u128 =
    u128::from_le_bytes(*b"\x40\xa4\xd0\xd2\x07\xe3\xd2\x11\x97\xf0\x00\xa0\xc9\x5e\xa8\x50");
const HEADER_EXTENSION: u128 =
    u128::from_le_bytes(*b"\xb5\x03\xbf\x5f\x2e\xa9\xcf\x11\x8e\xe3\x00\xc0\x0c\x20\x53\x65");
const METADATA_LIBRARY: u128 =
    u128::from_le_bytes(*b"\x94\x1c\x23\x44\x98\x94\xd1\x49\xa1\x41\x1d\x13\x4e\x45\x70\x54");

/// Bytes of the fixed part of the header object, and of the one of a header extension.
const HEADER_BYTES: usize = 30;
const EXTENSION_BYTES: usize = 22;
const OBJECT_BYTES: usize = 24;

/// A picture inside the header: where its `WM/Picture` value is, in bytes of the file.
pub struct PictureValue {
    /// Where the value begins.
    pub offset: u64,
    /// The value: type, size, media type, description, picture.
    pub bytes: Vec<u8>,
}

/// Little-endian numbers off the front of some bytes.
pub struct Bytes<'a>(pub &'a [u8]);

impl<'a> Bytes<'a> {
    /// The next `length` bytes.
    pub fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// An unsigned number of up to 16 bytes.
    pub fn number(&mut self, length: usize) -> Option<u128> {
        Some(
            self.take(length)?
                .iter()
                .rev()
                .fold(0, |number, byte| (number << 8) | u128::from(*byte)),
        )
    }

    fn small(&mut self, length: usize) -> Option<usize> {
        usize::try_from(self.number(length)?).ok()
    }

    /// A text of UTF-16 up to its NUL.
    pub fn text(&mut self, length: usize) -> Option<String> {
        let units = self
            .take(length)?
            .chunks_exact(2)
            .filter_map(|pair| Some(u16::from_le_bytes(*pair.first_chunk()?)));
        let units: Vec<u16> = units.take_while(|unit| *unit != 0).collect();
        Some(String::from_utf16_lossy(&units))
    }
}

/// Reads a file.
///
/// # Errors
/// `Invalid` if the header has neither properties nor tags, `Io` if a read failed.
pub fn read(source: &mut Source) -> Result<Statements, ExtractError> {
    let header = header(source)?;
    let mut reader = Reader::default();
    reader.objects(header.get(HEADER_BYTES..).unwrap_or_default(), HEADER_BYTES, true);
    if reader.audio == Audio::default() && reader.tags.is_empty() {
        return Err(ExtractError::invalid(None, "the header says nothing"));
    }
    reader.audio.container = "asf";
    Ok((vec![reader.tags], reader.audio, Vec::new()))
}

/// The pictures of a file, in order.
///
/// # Errors
/// If a read failed.
pub fn pictures(source: &mut Source) -> std::io::Result<Vec<PictureValue>> {
    let header = header(source)?;
    let mut reader = Reader::default();
    reader.objects(header.get(HEADER_BYTES..).unwrap_or_default(), HEADER_BYTES, true);
    Ok(reader.pictures)
}

fn header(source: &mut Source) -> std::io::Result<Vec<u8>> {
    let size = source.array_at::<8>(16)?.map_or(0, u64::from_le_bytes);
    source.bytes_at(
        0,
        usize::try_from(size).unwrap_or(usize::MAX).min(MAX_HEADER_BYTES),
    )
}

#[derive(Default)]
struct Reader {
    audio: Audio,
    tags: Tags,
    pictures: Vec<PictureValue>,
}

impl Reader {
    /// Objects one after the other; `offset` is where they begin in the file.
    fn objects(&mut self, bytes: &[u8], mut offset: usize, is_top: bool) {
        let mut rest = Bytes(bytes);
        for _ in 0..MAX_OBJECTS {
            let (Some(guid), Some(size)) = (rest.number(16), rest.small(8)) else {
                break;
            };
            let Some(body_size) = size.checked_sub(OBJECT_BYTES) else {
                break;
            };
            let body = rest.take(body_size.min(rest.0.len())).unwrap_or_default();
            let body_offset = offset.saturating_add(OBJECT_BYTES);
            offset = offset.saturating_add(size);
            // A part that is cut off says less; what is there stays.
            let _ = match guid {
                FILE_PROPERTIES => self.file_properties(body),
                STREAM_PROPERTIES => self.stream_properties(body),
                CONTENT_DESCRIPTION => self.content_description(body),
                EXTENDED_CONTENT => self.attributes(body, body_offset, false),
                METADATA_LIBRARY => self.attributes(body, body_offset, true),
                HEADER_EXTENSION if is_top => {
                    self.objects(
                        body.get(EXTENSION_BYTES..).unwrap_or_default(),
                        body_offset + EXTENSION_BYTES,
                        false,
                    );
                    Some(())
                }
                _ => Some(()),
            };
        }
    }

    fn file_properties(&mut self, body: &[u8]) -> Option<()> {
        let mut body = Bytes(body.get(40..)?);
        let play_100ns = u64::try_from(body.number(8)?).ok()?;
        body.take(8)?;
        let preroll_ms = u64::try_from(body.number(8)?).ok()?;
        self.audio.duration_ms = (play_100ns / 10_000).saturating_sub(preroll_ms);
        Some(())
    }

    fn stream_properties(&mut self, body: &[u8]) -> Option<()> {
        let mut body = Bytes(body);
        if body.number(16)? != AUDIO_STREAM {
            return None;
        }
        body.take(38)?;
        let codec = body.number(2)?;
        self.audio.codec = match codec {
            0x160..=0x163 => Some("wma"),
            0x01 => Some("pcm"),
            0x55 => Some("mp3"),
            _ => None,
        };
        self.audio.channels = u32::try_from(body.number(2)?).ok()?;
        self.audio.sample_rate = u32::try_from(body.number(4)?).ok()?;
        Some(())
    }

    fn content_description(&mut self, body: &[u8]) -> Option<()> {
        let mut body = Bytes(body);
        let mut lengths = [0; 5];
        for length in &mut lengths {
            *length = body.small(2)?;
        }
        for (length, key) in
            lengths
                .into_iter()
                .zip([Some(Key::Title), Some(Key::Artist), None, Some(Key::Comment)])
        {
            let text = body.text(length)?;
            if let Some(key) = key {
                self.tags.add(key, text);
            }
        }
        Some(())
    }

    /// The attributes of an extended content description, or of a metadata library.
    fn attributes(&mut self, body: &[u8], body_offset: usize, is_library: bool) -> Option<()> {
        let total = body.len();
        let mut body = Bytes(body);
        for _ in 0..body.small(2)?.min(MAX_ATTRIBUTES) {
            if is_library {
                body.take(4)?;
            }
            let name_length = body.small(2)?;
            let (name, kind, length) = if is_library {
                let (kind, length) = (body.small(2)?, body.small(4)?);
                (body.text(name_length)?, kind, length)
            } else {
                (body.text(name_length)?, body.small(2)?, body.small(2)?)
            };
            let offset = (body_offset + total - body.0.len()) as u64;
            let value = body.take(length)?;
            self.attribute(&name, kind, value, offset);
        }
        Some(())
    }

    fn attribute(&mut self, name: &str, kind: usize, value: &[u8], offset: u64) {
        if name == "WM/Picture" {
            self.pictures.push(PictureValue {
                offset,
                bytes: value.to_vec(),
            });
            return;
        }
        let text = match kind {
            0 => Bytes(value).text(value.len()),
            2..=5 => Bytes(value)
                .number(value.len().min(8))
                .map(|number| number.to_string()),
            _ => None,
        };
        if let (Some(key), Some(text)) = (key_of(name), text) {
            self.tags.add(key, text);
        }
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
        // Numbered from 0; WM/TrackNumber is the one to believe.
        "WM/Track" => None,
        _ => key_of_name(name.strip_prefix("WM/").unwrap_or(name)),
    }
}
