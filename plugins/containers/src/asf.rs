//! Objects of ASF (WMA, WMV): a GUID, a 64-bit size that counts the header, and a body. Numbers are little-endian,
//! texts UTF-16. Everything that describes the file is in the first object, the header object.

use std::io::Result;

use svc_plugin_api::Source;

use crate::bytes::{Bytes, utf16_le};

/// A GUID as it is stored.
pub type Guid = [u8; 16];

/// The header object, which a file begins with.
pub const HEADER: Guid = *b"\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c";
/// Durations: see [`FileProperties`].
pub const FILE_PROPERTIES: Guid = *b"\xa1\xdc\xab\x8c\x47\xa9\xcf\x11\x8e\xe4\x00\xc0\x0c\x20\x53\x65";
/// Type and format of one stream.
pub const STREAM_PROPERTIES: Guid = *b"\x91\x07\xdc\xb7\xb7\xa9\xcf\x11\x8e\xe6\x00\xc0\x0c\x20\x53\x65";
/// The type of an audio stream.
pub const AUDIO_STREAM: Guid = *b"\x40\x9e\x69\xf8\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b";
/// The type of a video stream.
pub const VIDEO_STREAM: Guid = *b"\xc0\xef\x19\xbc\x4d\x5b\xcf\x11\xa8\xfd\x00\x80\x5f\x5c\x44\x2b";
/// Five texts: see [`content_description`].
pub const CONTENT_DESCRIPTION: Guid = *b"\x33\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c";
/// Named attributes: see [`Attributes::of_content`].
pub const EXTENDED_CONTENT: Guid = *b"\x40\xa4\xd0\xd2\x07\xe3\xd2\x11\x97\xf0\x00\xa0\xc9\x5e\xa8\x50";
/// Named attributes: see [`Attributes::of_library`].
pub const METADATA_LIBRARY: Guid = *b"\x94\x1c\x23\x44\x98\x94\xd1\x49\xa1\x41\x1d\x13\x4e\x45\x70\x54";
const HEADER_EXTENSION: Guid = *b"\xb5\x03\xbf\x5f\x2e\xa9\xcf\x11\x8e\xe3\x00\xc0\x0c\x20\x53\x65";

/// Bytes of the header object before its objects.
const HEADER_BYTES: usize = 30;
/// Bytes of a header extension's body before its objects.
const EXTENSION_BYTES: usize = 22;
/// Bytes of GUID and size.
pub const OBJECT_BYTES: usize = 24;
/// The most objects of one parent that are walked.
const MAX_OBJECTS: usize = 256;

/// Reads at most `most` bytes of the header object.
///
/// # Errors
/// If a read failed.
pub fn read_header(source: &mut Source, most: usize) -> Result<Vec<u8>> {
    let size = source.array_at::<8>(16)?.map_or(0, u64::from_le_bytes);
    source.bytes_at(0, usize::try_from(size).unwrap_or(usize::MAX).min(most))
}

/// One object of a header in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Object<'a> {
    /// What the object is.
    pub guid: Guid,
    /// Where the body begins, in bytes of the file.
    pub start: usize,
    /// The body, which ends with the bytes at the latest.
    pub body: &'a [u8],
}

impl<'a> Object<'a> {
    /// The objects of a header object that was read from the beginning of a file, with those of a header extension in
    /// its place.
    pub fn of_header(header: &'a [u8]) -> Vec<Self> {
        let mut found = Vec::new();
        for object in objects(header.get(HEADER_BYTES..).unwrap_or_default(), HEADER_BYTES) {
            if object.guid == HEADER_EXTENSION {
                let inner = object.body.get(EXTENSION_BYTES..).unwrap_or_default();
                found.extend(objects(inner, object.start.saturating_add(EXTENSION_BYTES)));
            } else {
                found.push(object);
            }
        }
        found
    }
}

fn objects(bytes: &[u8], mut offset: usize) -> impl Iterator<Item = Object<'_>> {
    let mut rest = Bytes(bytes);
    let next = move || {
        let (guid, size) = (rest.array()?, usize::try_from(rest.le64()?).ok()?);
        let body_size = size.checked_sub(OBJECT_BYTES)?;
        let body = rest.take(body_size.min(rest.0.len()))?;
        let start = offset.saturating_add(OBJECT_BYTES);
        offset = offset.saturating_add(size);
        Some(Object { guid, start, body })
    };
    std::iter::from_fn(next).take(MAX_OBJECTS)
}

/// The durations in a file properties object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileProperties {
    /// Milliseconds, the preroll included.
    pub play_ms: u64,
    /// Milliseconds before the first sample is due.
    pub preroll_ms: u64,
}

impl FileProperties {
    /// From the object's body; `None` if it is cut off.
    pub fn parse(body: &[u8]) -> Option<Self> {
        const UNITS_PER_MS: u64 = 10_000;
        let mut body = Bytes(body);
        body.skip(40)?;
        let play = body.le64()?;
        body.skip(8)?;
        Some(Self {
            play_ms: play / UNITS_PER_MS,
            preroll_ms: body.le64()?,
        })
    }
}

/// The texts of a content description: title, author, copyright, description, rating; fewer where it is cut off.
pub fn content_description(body: &[u8]) -> Vec<String> {
    let mut body = Bytes(body);
    let lengths: Option<Vec<u16>> = (0..5).map(|_| body.le16()).collect();
    let texts = lengths.unwrap_or_default().into_iter();
    texts
        .map_while(|length| body.take(length.into()).map(utf16_le))
        .collect()
}

/// A named value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// Such as `WM/AlbumTitle`.
    pub name: String,
    kind: u16,
    /// Where the value begins, in bytes of the file.
    pub start: usize,
    /// The value as stored.
    pub value: &'a [u8],
}

impl Attribute<'_> {
    /// A text as it is, and a number in decimal; `None` for bytes.
    pub fn text(&self) -> Option<String> {
        match self.kind {
            0 => Some(utf16_le(self.value)),
            // BOOL, DWORD, QWORD and WORD.
            2..=5 => Bytes(self.value)
                .le(self.value.len().min(8))
                .map(|number| number.to_string()),
            _ => None,
        }
    }
}

/// The attributes of an object in memory, up to the first that is cut off.
#[derive(Debug, Clone)]
pub struct Attributes<'a> {
    rest: Bytes<'a>,
    end: usize,
    left: usize,
    is_library: bool,
}

impl<'a> Attributes<'a> {
    /// The first `most` attributes of an extended content description.
    pub fn of_content(object: &Object<'a>, most: usize) -> Self {
        Self::of(object, most, false)
    }

    /// The first `most` attributes of a metadata library, whose values may be longer and belong to one stream each.
    pub fn of_library(object: &Object<'a>, most: usize) -> Self {
        Self::of(object, most, true)
    }

    fn of(object: &Object<'a>, most: usize, is_library: bool) -> Self {
        let mut rest = Bytes(object.body);
        let count = rest.le16().unwrap_or(0);
        Self {
            rest,
            end: object.start.saturating_add(object.body.len()),
            left: most.min(count.into()),
            is_library,
        }
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = Attribute<'a>;

    fn next(&mut self) -> Option<Attribute<'a>> {
        self.left = self.left.checked_sub(1)?;
        let rest = &mut self.rest;
        if self.is_library {
            // Language and stream.
            rest.skip(4)?;
        }
        let name_length = rest.le16()?.into();
        let (name, kind, length) = if self.is_library {
            let (kind, length) = (rest.le16()?, rest.le32()?);
            (rest.take(name_length)?, kind, usize::try_from(length).ok()?)
        } else {
            (rest.take(name_length)?, rest.le16()?, rest.le16()?.into())
        };
        let start = self.end.saturating_sub(rest.0.len());
        Some(Attribute {
            name: utf16_le(name),
            kind,
            start,
            value: rest.take(length)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    fn object(guid: Guid, body: &[u8]) -> Vec<u8> {
        let size = (OBJECT_BYTES + body.len()) as u64;
        [guid.as_slice(), &size.to_le_bytes(), body].concat()
    }

    #[test]
    fn attributes_know_their_place_in_the_file() {
        let (name, value) = (utf16("WM/Year"), utf16("1999"));
        let attribute = [
            &1_u16.to_le_bytes(),
            &(name.len() as u16).to_le_bytes(),
            name.as_slice(),
            &0_u16.to_le_bytes(),
            &(value.len() as u16).to_le_bytes(),
            &value,
        ]
        .concat();
        let file = [
            vec![0; HEADER_BYTES],
            object(FILE_PROPERTIES, b"short"),
            object(EXTENDED_CONTENT, &attribute),
        ]
        .concat();
        let objects = Object::of_header(&file);
        assert_eq!(FileProperties::parse(objects[0].body), None);
        let found: Vec<Attribute> = Attributes::of_content(&objects[1], 9).collect();
        assert_eq!((found[0].name.as_str(), found.len()), ("WM/Year", 1));
        assert_eq!(found[0].text().as_deref(), Some("1999"));
        assert_eq!(file[found[0].start..], value);
    }

    #[test]
    fn objects_with_a_size_below_their_header_end_the_walk() {
        let small = [HEADER.as_slice(), &7_u64.to_le_bytes(), &[0; 50]].concat();
        assert_eq!(objects(&small, 0).count(), 0);
        let many = object(HEADER, b"").repeat(MAX_OBJECTS + 1);
        assert_eq!(objects(&many, 0).count(), MAX_OBJECTS);
        let long = [HEADER.as_slice(), &u64::MAX.to_le_bytes(), b"ab"].concat();
        let cut: Vec<&[u8]> = objects(&long, 0).map(|object| object.body).collect();
        assert_eq!(cut, [b"ab"]);
    }

    #[test]
    fn content_description_that_is_cut_off_keeps_its_first_texts() {
        let mut body: Vec<u8> = [2_u16, 2, 2, 0, 0]
            .iter()
            .flat_map(|length| length.to_le_bytes())
            .collect();
        body.extend(utf16("AB"));
        assert_eq!(content_description(&body), ["A", "B"]);
        assert_eq!(content_description(&body[..9]), [""; 0]);
    }
}
