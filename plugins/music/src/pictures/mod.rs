//! Locates embedded pictures by their headers, so that the host can serve them from the file itself.

mod ape;
mod asf;
mod base64;
pub mod encoded;
mod flac;
mod id3v2;
mod mp4;
mod ogg;

use svc_plugin_api::{ExtractError, MAX_PICTURE_BYTES, PictureData, Source, Span, picture_media_type};

use crate::container::{Container, Format};

const MAX_PICTURES: usize = 64;

#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// Such as `front`.
    pub purpose: &'static str,
    /// According to the first bytes of the picture, if they are readable.
    pub media_type: String,
    pub storage: Storage,
}

/// How a picture is stored.
#[derive(Debug, Clone, PartialEq)]
pub enum Storage {
    At(Span),
    Id3v2 {
        /// The offset of the tag in the file.
        tag: u64,
        /// The index among the pictures of the tag.
        ordinal: usize,
    },
    Ogg {
        /// The index among the pictures of the packet.
        ordinal: usize,
    },
}

impl Found {
    pub fn data(&self) -> PictureData {
        self.span().map_or(PictureData::OnRequest, PictureData::At)
    }

    /// The position of a picture that is stored unchanged.
    pub fn span(&self) -> Option<Span> {
        match &self.storage {
            Storage::At(span) => Some(*span),
            Storage::Id3v2 { .. } | Storage::Ogg { .. } => None,
        }
    }
}

/// Locates all pictures of a file, in its order.
///
/// # Errors
/// `Io` if a read failed; damaged pictures are skipped.
pub fn find(source: &mut Source, container: &mut Container) -> Result<Vec<Found>, ExtractError> {
    let mut found = Vec::new();
    for tag in &mut container.id3v2 {
        id3v2::find(source, tag, &mut found)?;
    }
    if let Some(list) = &container.atoms {
        mp4::find(source, list, &mut found)?;
    }
    if let Some(packet) = &mut container.comments {
        ogg::find(packet, &mut found)?;
    }
    match container.format {
        Format::Flac => flac::find(source, container.start, &mut found)?,
        Format::Asf => asf::find(source, &mut found)?,
        Format::Mpeg | Format::Adts | Format::Ape | Format::WavPack | Format::Musepack => {
            for tag in container.tail.ape.iter().chain(&container.ape) {
                ape::find(source, tag, &mut found)?;
            }
        }
        Format::Matroska => {
            let pictures = video::read_matroska(source)?.pictures.into_iter();
            found.extend(pictures.filter_map(|picture| match picture.data {
                PictureData::At(span) => Some(Found {
                    purpose: known_purpose(&picture.purpose),
                    media_type: picture.mime,
                    storage: Storage::At(span),
                }),
                PictureData::OnRequest => None,
            }));
        }
        _ => {}
    }
    found.truncate(MAX_PICTURES);
    Ok(found)
}

/// The bytes of a picture that is stored unchanged.
///
/// # Errors
/// `Unsupported` for more than 16 MiB, `Invalid` if the file ends before the picture, `Io` if a read failed.
pub fn bytes(source: &mut Source, span: Span) -> Result<Vec<u8>, ExtractError> {
    let length = usize::try_from(span.length).unwrap_or(usize::MAX);
    if length > MAX_PICTURE_BYTES {
        return Err(ExtractError::Unsupported(format!("a picture of {length} bytes")));
    }
    let bytes = source.bytes_at(span.offset, length)?;
    if bytes.len() < length {
        return Err(ExtractError::invalid(Some(span.offset), "the picture is cut off"));
    }
    Ok(bytes)
}

/// Adds a picture if it is completely in the file and not a link. Its first bytes determine the media type; `stated`
/// is the type of the tag for pictures of an unknown type.
fn add_at(
    source: &mut Source,
    (offset, length): (u64, u64),
    purpose: &'static str,
    stated: &str,
    found: &mut Vec<Found>,
) -> std::io::Result<()> {
    let fits = offset.checked_add(length).is_some_and(|end| end <= source.size());
    if length == 0 || !fits || stated == "-->" || found.len() >= MAX_PICTURES {
        return Ok(());
    }
    let start = source.bytes_at(offset, 16)?;
    let media_type = media_type(&start, stated);
    found.push(Found {
        purpose,
        media_type,
        storage: Storage::At(Span { offset, length }),
    });
    Ok(())
}

/// The media type by the first bytes, else the stated one if it is a picture's.
fn media_type(start: &[u8], stated: &str) -> String {
    let stated = stated.trim().to_ascii_lowercase();
    match picture_media_type(start) {
        Some(known) => known.to_owned(),
        None if stated == "image/jpg" || stated == "jpg" => "image/jpeg".to_owned(),
        None if stated == "png" => "image/png".to_owned(),
        None if stated.starts_with("image/") && stated.len() < 64 && stated.is_ascii() => stated,
        None => "application/octet-stream".to_owned(),
    }
}

/// The purposes of ID3v2, FLAC and ASF by number.
const PURPOSES: [&str; 21] = [
    "other",
    "icon",
    "other-icon",
    "front",
    "back",
    "leaflet",
    "media",
    "lead-artist",
    "artist",
    "conductor",
    "band",
    "composer",
    "lyricist",
    "location",
    "recording",
    "performance",
    "screen-capture",
    "fish",
    "illustration",
    "band-logo",
    "publisher-logo",
];

fn purpose(number: u32) -> &'static str {
    usize::try_from(number)
        .ok()
        .and_then(|number| PURPOSES.get(number))
        .copied()
        .unwrap_or("other")
}

fn known_purpose(name: &str) -> &'static str {
    PURPOSES
        .into_iter()
        .find(|known| *known == name)
        .unwrap_or("other")
}
