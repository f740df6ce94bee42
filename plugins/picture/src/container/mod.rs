//! Detects the format of a picture by its first bytes, with one header reader for each format.

mod bmff;
mod directory;
pub mod jpeg;
mod jxl;
mod png;
pub mod preview;
mod simple;
mod tiff;
mod webp;

use std::io::Result;

use svc_plugin_api::{ExtractError, Source};

/// JPEG allows at most 64 KiB; blocks of other formats are rarely larger.
pub const MAX_EXIF_BYTES: usize = 1024 * 1024;

/// The headers of a photo.
#[derive(Debug, Default)]
pub struct Photo {
    pub media_type: &'static str,
    /// In pixels, as coded.
    pub dimensions: Option<(u32, u32)>,
    /// Best first.
    pub exif: Vec<Block>,
}

/// A block of EXIF, which is a TIFF structure.
#[derive(Debug)]
pub struct Block {
    /// From the byte order mark.
    pub bytes: Vec<u8>,
    /// Whether its first directory is that of the location, as in Canon's CR3.
    pub is_gps: bool,
}

impl Block {
    /// An ordinary block, without the `Exif` signature that some programs leave before it.
    pub fn new(bytes: Vec<u8>) -> Self {
        let bytes = match bytes.strip_prefix(b"Exif\0\0") {
            Some(plain) => plain.to_vec(),
            None => bytes,
        };
        Self { bytes, is_gps: false }
    }
}

/// Reads the headers of a file.
///
/// # Errors
/// `Refused` for another format, `Invalid` if the headers contain neither a size nor EXIF, `Io` if a read failed.
pub fn read(source: &mut Source) -> std::result::Result<Photo, ExtractError> {
    let head = source.bytes_at(0, 32)?;
    let photo = match head.as_slice() {
        [0xff, 0xd8, 0xff, ..] => jpeg::read(source, 0)?,
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => png::read(source)?,
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => webp::read(source)?,
        [b'G', b'I', b'F', b'8', ..] => simple::gif(&head),
        [b'B', b'M', ..] => simple::bmp(&head),
        [0xff, 0x0a, ..] | [0, 0, 0, 12, b'J', b'X', b'L', b' ', ..] => jxl::read(source)?,
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => bmff::read(source)?,
        [b'I', b'I', 42 | 43, 0, ..]
        | [b'M', b'M', 0, 42 | 43, ..]
        | [b'I', b'I', b'R', b'O' | b'S', ..]
        | [b'I', b'I', b'U', 0, ..] => tiff::read(source)?,
        _ if head.starts_with(b"FUJIFILMCCD-RAW") => raf(source)?,
        _ => return Err(ExtractError::Refused("not a supported photo format".into())),
    };
    if photo.dimensions.is_none() && photo.exif.is_empty() {
        return Err(ExtractError::invalid(
            None,
            format!("no dimensions and no EXIF in {}", photo.media_type),
        ));
    }
    Ok(photo)
}

/// Fuji's raw files contain a JPEG with the complete EXIF.
fn raf(source: &mut Source) -> Result<Photo> {
    let offset = source.array_at::<4>(84)?.map_or(0, u32::from_be_bytes);
    let jpeg = jpeg::read(source, u64::from(offset))?;
    Ok(Photo {
        media_type: "image/x-fuji-raf",
        ..jpeg
    })
}
