//! Locates JPEGs within other pictures: previews of raw files, thumbnails in EXIF.

use std::io::Result;

use containers::isobmff::Boxes;
use svc_plugin_api::Source;

use super::Photo;
use super::directory::{Layout, MAX_DIRECTORIES};
use super::tiff::SUB_DIRECTORIES;

const COMPRESSION: u16 = 0x103;
const STRIPS: u16 = 0x111;
const STRIP_BYTES: u16 = 0x117;
const JPEG: u16 = 0x201;
const JPEG_BYTES: u16 = 0x202;
/// Panasonic stores the whole preview as the value of an entry.
const PANASONIC_JPEG: u16 = 0x2e;
/// The type of the `uuid` box in which Canon stores the preview of a CR3, and the bytes before the picture in it.
const CANON_PREVIEW: [u8; 16] = *b"\xea\xf4\x2b\x5e\x1c\x98\x4b\x88\xb9\xfb\xb7\xdc\x40\x6e\x4d\x16";
const CANON_PREVIEW_HEADER: u64 = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByteRange {
    pub offset: u64,
    /// As stated in the file, in bytes.
    pub length: u64,
}

/// The JPEGs of a file, except those in its EXIF.
///
/// # Errors
/// If a read failed.
pub fn in_file(source: &mut Source) -> Result<Vec<ByteRange>> {
    match source.bytes_at(0, 16)?.as_slice() {
        [b'I', b'I', ..] | [b'M', b'M', ..] => in_directories(source),
        [b'F', b'U', b'J', b'I', ..] => {
            let Some([o3, o2, o1, o0, l3, l2, l1, l0]) = source.array_at::<8>(84)? else {
                return Ok(Vec::new());
            };
            Ok(vec![ByteRange {
                offset: u32::from_be_bytes([o3, o2, o1, o0]).into(),
                length: u32::from_be_bytes([l3, l2, l1, l0]).into(),
            }])
        }
        [_, _, _, _, b'f', b't', b'y', b'p', b'c', b'r', b'x', ..] => of_canon(source),
        _ => Ok(Vec::new()),
    }
}

/// The thumbnails in the EXIF of a file.
///
/// # Errors
/// Never in practice: the blocks are in memory.
pub fn in_exif(photo: &Photo) -> Result<Vec<Vec<u8>>> {
    let mut found = Vec::new();
    for block in &photo.exif {
        let mut source = Source::from_bytes("", block.bytes.clone());
        for place in in_directories(&mut source)? {
            let length = usize::try_from(place.length).unwrap_or(usize::MAX);
            found.push(source.bytes_at(place.offset, length)?);
        }
    }
    Ok(found)
}

/// Reads all directories of a TIFF structure.
fn in_directories(source: &mut Source) -> Result<Vec<ByteRange>> {
    let Some((layout, first)) = Layout::of(source)? else {
        return Ok(Vec::new());
    };
    let end = source.size();
    let mut places = Vec::new();
    let mut waiting = vec![first];
    let mut walked = Vec::new();
    while let Some(offset) = waiting.pop() {
        if offset == 0 || walked.contains(&offset) || walked.len() >= MAX_DIRECTORIES {
            continue;
        }
        walked.push(offset);
        let (entries, next) = layout.directory(source, offset)?;
        waiting.push(next);
        let number = |tag| layout.number(entries.iter().find(|entry| entry.tag == tag)?);
        let mut add = |offset: Option<u64>, length: Option<u64>| {
            // An offset beyond the file is invalid, and would overflow later sums.
            let place = offset.zip(length).filter(|(offset, _)| *offset < end);
            places.extend(place.map(|(offset, length)| ByteRange { offset, length }));
        };
        add(number(JPEG), number(JPEG_BYTES));
        for entry in &entries {
            match entry.tag {
                STRIPS if entry.count == 1 && matches!(number(COMPRESSION), Some(6 | 7)) => {
                    add(number(STRIPS), number(STRIP_BYTES));
                }
                PANASONIC_JPEG => add(layout.place(entry), Some(entry.count)),
                SUB_DIRECTORIES => {
                    let first = entry.first(MAX_DIRECTORIES as u64);
                    let list = layout.value(source, &first, u64::MAX)?;
                    waiting.extend(layout.numbers(entry.kind, &list.unwrap_or_default()));
                }
                _ => {}
            }
        }
    }
    Ok(places)
}

fn of_canon(source: &mut Source) -> Result<Vec<ByteRange>> {
    let mut top = Boxes::of_file(source);
    while let Some(found) = top.find(source, b"uuid")? {
        if source.array_at::<16>(found.start)? != Some(CANON_PREVIEW) {
            continue;
        }
        // After eight bytes of the box's own.
        let mut inner = Boxes::between(found.start + 24, found.end);
        if let Some(preview) = inner.find(source, b"PRVW")? {
            let offset = preview.start + CANON_PREVIEW_HEADER;
            return Ok(vec![ByteRange {
                offset,
                length: preview.end.saturating_sub(offset),
            }]);
        }
    }
    Ok(Vec::new())
}
