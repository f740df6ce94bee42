//! ISO base media files: HEIC, HEIF, AVIF (items in `meta`), and Canon's CR3 (boxes in `moov`).

use std::io::Result;

use containers::bytes::Bytes;
use containers::isobmff::{BoxSpan, Boxes};
use svc_plugin_api::Source;

use super::{Block, MAX_EXIF_BYTES, Photo};

/// Maximum number of items, and of extents of an item, that are read.
const MAX_ITEMS: u32 = 4096;
/// Maximum number of bytes that are read of a `meta` box, and of each box in it.
const MAX_META_BYTES: usize = 4 * 1024 * 1024;
/// The extended type of the `uuid` box in which Canon stores EXIF.
const CANON_EXIF_UUID: [u8; 16] = *b"\x85\xc0\xb6\x87\x82\x0f\x11\xe0\x81\x11\xf4\xce\x46\x2b\x6a\x48";

pub(super) fn read(source: &mut Source) -> Result<Photo> {
    let brands = brands(source)?;
    let mut photo = Photo {
        media_type: media_type(&brands),
        ..Photo::default()
    };
    let mut top = Boxes::of_file(source);
    let mut movie = None;
    while let Some(found) = top.next(source)? {
        match &found.name {
            b"meta" if photo.dimensions.is_none() => read_items(source, &found, &mut photo)?,
            b"moov" if photo.media_type == "image/x-canon-cr3" => {
                read_canon_exif(source, &found, &mut photo)?
            }
            b"moov" => movie = movie.or(Some(found)),
            _ => {}
        }
    }
    // An image sequence without items has its size in a track.
    if photo.dimensions.is_none()
        && photo.exif.is_empty()
        && let Some(movie) = movie
    {
        photo.dimensions = track_size(source, &movie)?;
    }
    Ok(photo)
}

fn brands(source: &mut Source) -> Result<Vec<[u8; 4]>> {
    let length = source.array_at::<4>(0)?.map_or(0, u32::from_be_bytes).min(1024);
    let ftyp = source.bytes_at(8, usize::try_from(length).unwrap_or(0).saturating_sub(8))?;
    let (brands, _) = ftyp.as_chunks::<4>();
    // The second value is the version of the first.
    Ok(brands
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != 1)
        .map(|(_, brand)| *brand)
        .collect())
}

fn media_type(brands: &[[u8; 4]]) -> &'static str {
    let has = |wanted: &[&[u8; 4]]| brands.iter().any(|brand| wanted.contains(&brand));
    match brands.first() {
        Some(b"crx ") => "image/x-canon-cr3",
        Some(b"avif" | b"avis") => "image/avif",
        Some(b"heic" | b"heix") => "image/heic",
        Some(b"hevc" | b"hevx") => "image/heic-sequence",
        _ if has(&[b"avif", b"avis"]) => "image/avif",
        _ if has(&[b"heic", b"heix"]) => "image/heic",
        _ => "image/heif",
    }
}

/// Reads the EXIF of a CR3 file: each directory is a box of its own.
fn read_canon_exif(source: &mut Source, movie: &BoxSpan, photo: &mut Photo) -> Result<()> {
    let mut parts = movie.children();
    while let Some(part) = parts.find(source, b"uuid")? {
        if source.array_at::<16>(part.start)? != Some(CANON_EXIF_UUID) {
            continue;
        }
        let mut directories = Boxes::between(part.start + 16, part.end);
        while let Some(directory) = directories.next(source)? {
            if matches!(&directory.name, b"CMT1" | b"CMT2" | b"CMT4") {
                let block = Block::new(directory.bytes(source, MAX_EXIF_BYTES)?);
                photo.exif.push(Block {
                    is_gps: directory.name == *b"CMT4",
                    ..block
                });
            }
        }
    }
    Ok(())
}

/// The size in the header of the first track (16.16 fixed point).
fn track_size(source: &mut Source, movie: &BoxSpan) -> Result<Option<(u32, u32)>> {
    let mut tracks = movie.children();
    while let Some(track) = tracks.find(source, b"trak")? {
        let Some(header) = track.children().find(source, b"tkhd")? else {
            continue;
        };
        if let Some([w1, w0, _, _, h1, h0, _, _]) = source.array_at::<8>(header.end.saturating_sub(8))? {
            return Ok(Some((
                u16::from_be_bytes([w1, w0]).into(),
                u16::from_be_bytes([h1, h0]).into(),
            )));
        }
    }
    Ok(None)
}

/// Reads the items of a `meta` box: the size of the primary item, and the item with EXIF.
fn read_items(source: &mut Source, meta: &BoxSpan, photo: &mut Photo) -> Result<()> {
    let bytes = meta.bytes(source, MAX_META_BYTES)?;
    let mut meta = Source::from_bytes("", bytes);
    let mut primary = None;
    let mut exif = None;
    let mut location = None;
    let mut data = None;
    // After version and flags.
    let mut parts = Boxes::between(4, meta.size());
    while let Some(part) = parts.next(&mut meta)? {
        let body = part.bytes(&mut meta, MAX_META_BYTES)?;
        let mut body = Bytes(&body);
        match &part.name {
            b"pitm" => {
                primary = version(&mut body).and_then(|version| body.be(if version == 0 { 2 } else { 4 }));
            }
            b"iinf" => exif = exif_item(&mut meta, &part)?,
            b"iloc" => location = Some(body.0.to_vec()),
            b"idat" => data = Some(body.0.to_vec()),
            b"iprp" => photo.dimensions = primary_size(&mut meta, &part, primary)?,
            _ => {}
        }
    }
    if let (Some(item), Some(location)) = (exif, location) {
        let bytes = item_bytes(source, &location, item, &data.unwrap_or_default())?;
        // The item starts with the offset of the TIFF header, counted from the end of this number.
        let skip = bytes.first_chunk().copied().map_or(0, u32::from_be_bytes);
        let start = usize::try_from(skip).unwrap_or(usize::MAX).saturating_add(4);
        if let Some(block) = bytes.get(start..).filter(|block| !block.is_empty()) {
            photo.exif.push(Block::new(block.to_vec()));
        }
    }
    Ok(())
}

fn exif_item(meta: &mut Source, list: &BoxSpan) -> Result<Option<u64>> {
    let count_bytes = if meta.array_at::<1>(list.start)? == Some([0]) {
        2
    } else {
        4
    };
    let mut entries = Boxes::between(list.start + 4 + count_bytes, list.end);
    while let Some(entry) = entries.find(meta, b"infe")? {
        let body = entry.bytes(meta, 16)?;
        let mut body = Bytes(&body);
        let version = version(&mut body).unwrap_or(0);
        let id = body.be(if version == 2 { 2 } else { 4 });
        body.skip(2);
        if version >= 2 && body.array() == Some(*b"Exif") {
            return Ok(id);
        }
    }
    Ok(None)
}

/// The size property of the primary item; without an association the largest size.
fn primary_size(meta: &mut Source, list: &BoxSpan, primary: Option<u64>) -> Result<Option<(u32, u32)>> {
    let mut sizes = Vec::new();
    let mut associated = Vec::new();
    let mut parts = list.children();
    while let Some(part) = parts.next(meta)? {
        if part.name == *b"ipco" {
            let mut properties = part.children();
            while let Some(property) = properties.next(meta)? {
                let size = if property.name == *b"ispe" {
                    meta.array_at::<12>(property.start)?
                } else {
                    None
                };
                sizes.push(size.map(|[_, _, _, _, w3, w2, w1, w0, h3, h2, h1, h0]| {
                    (
                        u32::from_be_bytes([w3, w2, w1, w0]),
                        u32::from_be_bytes([h3, h2, h1, h0]),
                    )
                }));
            }
        } else if part.name == *b"ipma" {
            let body = part.bytes(meta, MAX_META_BYTES)?;
            associated = associations(&mut Bytes(&body), primary).unwrap_or_default();
        }
    }
    let of_primary = associated
        .into_iter()
        .find_map(|index: usize| *sizes.get(index.checked_sub(1)?)?);
    Ok(of_primary.or_else(|| {
        sizes
            .into_iter()
            .flatten()
            .max_by_key(|(width, height)| u64::from(*width) * u64::from(*height))
    }))
}

/// The indices, from 1, of the properties of an item.
fn associations(body: &mut Bytes, item: Option<u64>) -> Option<Vec<usize>> {
    let flags = body.be32()?;
    let is_wide = flags & 1 != 0;
    for _ in 0..body.be32()?.min(MAX_ITEMS) {
        let id = body.be(if flags >> 24 == 0 { 2 } else { 4 })?;
        let count = body.u8()?;
        let mut numbers = Vec::new();
        for _ in 0..count {
            // The highest bit marks essential properties.
            let number = if is_wide {
                body.be16()? & 0x7fff
            } else {
                u16::from(body.u8()? & 0x7f)
            };
            numbers.push(number.into());
        }
        if Some(id) == item {
            return Some(numbers);
        }
    }
    None
}

/// The bytes of an item, assembled from its extents.
fn item_bytes(source: &mut Source, location: &[u8], item: u64, data: &[u8]) -> Result<Vec<u8>> {
    let extents = extents(&mut Bytes(location), item).unwrap_or_default();
    let mut bytes = Vec::new();
    for (in_data, offset, length) in extents {
        let length = usize::try_from(length)
            .unwrap_or(usize::MAX)
            .min(MAX_EXIF_BYTES - bytes.len().min(MAX_EXIF_BYTES));
        if in_data {
            let start = usize::try_from(offset).unwrap_or(usize::MAX).min(data.len());
            bytes.extend(data.get(start..).unwrap_or_default().iter().take(length));
        } else {
            bytes.extend(source.bytes_at(offset, length)?);
        }
    }
    Ok(bytes)
}

/// The extents of an item: whether they refer to `idat`, offset, length.
fn extents(body: &mut Bytes, item: u64) -> Option<Vec<(bool, u64, u64)>> {
    let version = version(body)?;
    let (sizes, base_sizes) = (usize::from(body.u8()?), usize::from(body.u8()?));
    let (offset_size, length_size) = (sizes >> 4, sizes & 15);
    let (base_size, index_size) = (base_sizes >> 4, if version == 0 { 0 } else { base_sizes & 15 });
    let count = body.be(if version < 2 { 2 } else { 4 })?;
    for _ in 0..count.min(MAX_ITEMS.into()) {
        let id = body.be(if version < 2 { 2 } else { 4 })?;
        let method = if version == 0 { 0 } else { body.be16()? & 15 };
        body.skip(2)?;
        let base = body.be(base_size)?;
        let mut extents = Vec::new();
        for _ in 0..u32::from(body.be16()?).min(MAX_ITEMS) {
            body.skip(index_size)?;
            let (offset, length) = (body.be(offset_size)?, body.be(length_size)?);
            extents.push((method == 1, base.saturating_add(offset), length));
        }
        if id == item {
            return Some(extents);
        }
    }
    None
}

/// The version of a full box, whose flags are skipped.
fn version(body: &mut Bytes) -> Option<u32> {
    Some(body.be32()? >> 24)
}
