//! Finds embedded pictures by walking headers, so that the host can serve them from the file itself.

mod ape;
mod asf;
pub mod encoded;
mod flac;
mod id3v2;
mod mp4;
mod ogg;

use svc_plugin_api::{ExtractError, MAX_PICTURE_BYTES, PictureData, Source, Span, picture_media_type};

use crate::container::{Container, Format};

/// The most pictures of a file that are listed.
const MAX_PICTURES: usize = 64;

/// A picture that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// What it shows, such as `front`.
    pub purpose: &'static str,
    /// What it is, by its first bytes where they can be seen.
    pub media_type: String,
    /// Where it is.
    pub storage: Storage,
}

/// Where a picture is.
#[derive(Debug, Clone, PartialEq)]
pub enum Storage {
    /// Unchanged in the file.
    At(Span),
    /// Encoded in an ID3v2 tag.
    Id3v2 {
        /// Where the tag begins in the file.
        tag: u64,
        /// The picture's position among those of the tag.
        ordinal: usize,
    },
    /// In the comment packet of an Ogg stream.
    Ogg {
        /// The picture's position among those of the packet.
        ordinal: usize,
    },
}

impl Found {
    /// As the contract says it.
    pub fn data(&self) -> PictureData {
        self.span().map_or(PictureData::OnRequest, PictureData::At)
    }

    /// The bytes of the file that are this picture.
    pub fn span(&self) -> Option<Span> {
        match &self.storage {
            Storage::At(span) => Some(*span),
            Storage::Id3v2 { .. } | Storage::Ogg { .. } => None,
        }
    }
}

/// Finds all pictures of a file, in its order.
///
/// # Errors
/// `Io` if a read failed; what is broken is passed over.
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

/// The bytes of a picture that lies unchanged in the file.
///
/// # Errors
/// `Unsupported` for more than 16 MiB, `Invalid` where the file ends before, `Io` if a read failed.
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

/// Adds a picture at a place, if it is there in full. Its own first bytes say what it is; the tag's word counts
/// only where they do not, and a picture that is only a link is none.
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

/// What a picture is: by its bytes, else by the tag's word if that is a media type of a picture.
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

/// The purposes of ID3v2, FLAC and ASF pictures, by number.
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

/// A purpose by its name.
fn known_purpose(name: &str) -> &'static str {
    PURPOSES
        .into_iter()
        .find(|known| *known == name)
        .unwrap_or("other")
}
