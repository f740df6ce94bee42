//! TIFF and the camera raws that are built on it: the directories may be anywhere in a file of any size.
//!
//! Only the entries that matter are fetched; they are put together as a small TIFF structure of the same
//! directories, which goes to the EXIF reader like every other block.

use std::io::Result;

use svc_plugin_api::Source;

use super::{Block, Photo};

/// The most entries of a directory, the most directories, and the most bytes of a value.
pub(super) const MAX_ENTRIES: u16 = 1024;
pub(super) const MAX_DIRECTORIES: usize = 16;
const MAX_VALUE_BYTES: u64 = 8 * 1024;

const SUBFILE_TYPE: u16 = 0xfe;
const WIDTH: u16 = 0x100;
const HEIGHT: u16 = 0x101;
pub(super) const SUB_DIRECTORIES: u16 = 0x14a;
const EXIF_DIRECTORY: u16 = 0x8769;
const GPS_DIRECTORY: u16 = 0x8825;
const DNG_VERSION: u16 = 0xc612;

/// Reads a file.
pub(super) fn read(source: &mut Source) -> Result<Photo> {
    let Some([order, _, m0, m1, offset @ ..]) = source.array_at::<8>(0)? else {
        return Ok(Photo::default());
    };
    let order = Order {
        is_little: order == b'I',
    };
    let main = directory(source, order, u64::from(order.long(offset)))?;
    let media_type = match (m0, m1) {
        (b'R', b'O' | b'S') => "image/x-olympus-orf",
        (b'U', 0) => "image/x-panasonic-rw2",
        _ if main.iter().any(|entry| entry.tag == DNG_VERSION) => "image/x-adobe-dng",
        _ if source.array_at::<2>(8)? == Some(*b"CR") => "image/x-canon-cr2",
        _ => by_name(&source.extension()),
    };
    let dimensions = dimensions(source, order, &main)?;
    let exif = pointed(source, order, &main, EXIF_DIRECTORY)?;
    let gps = pointed(source, order, &main, GPS_DIRECTORY)?;
    let block = Block::new(compact(order, &main, &exif, &gps));
    Ok(Photo {
        media_type,
        dimensions,
        exif: vec![block],
    })
}

/// Raws that are plain TIFF to their last byte tell themselves by their name only.
fn by_name(extension: &str) -> &'static str {
    match extension {
        "nef" | "nrw" => "image/x-nikon-nef",
        "arw" | "sr2" | "srf" => "image/x-sony-arw",
        "pef" => "image/x-pentax-pef",
        "srw" => "image/x-samsung-srw",
        _ => "image/tiff",
    }
}

#[derive(Clone, Copy)]
pub(super) struct Order {
    pub(super) is_little: bool,
}

impl Order {
    pub(super) fn short(self, bytes: [u8; 2]) -> u16 {
        if self.is_little {
            u16::from_le_bytes(bytes)
        } else {
            u16::from_be_bytes(bytes)
        }
    }

    pub(super) fn long(self, bytes: [u8; 4]) -> u32 {
        if self.is_little {
            u32::from_le_bytes(bytes)
        } else {
            u32::from_be_bytes(bytes)
        }
    }

    fn short_bytes(self, number: u16) -> [u8; 2] {
        if self.is_little {
            number.to_le_bytes()
        } else {
            number.to_be_bytes()
        }
    }

    fn long_bytes(self, number: u32) -> [u8; 4] {
        if self.is_little {
            number.to_le_bytes()
        } else {
            number.to_be_bytes()
        }
    }
}

/// An entry with its value, in the byte order of the file.
struct Entry {
    tag: u16,
    kind: u16,
    count: u32,
    value: Vec<u8>,
}

impl Entry {
    /// The unsigned numbers of a SHORT or LONG value.
    fn numbers(&self, order: Order) -> Vec<u32> {
        if self.kind == 3 {
            self.value
                .as_chunks::<2>()
                .0
                .iter()
                .map(|bytes| order.short(*bytes).into())
                .collect()
        } else {
            self.value
                .as_chunks::<4>()
                .0
                .iter()
                .map(|bytes| order.long(*bytes))
                .collect()
        }
    }
}

/// The entries of the directory at this offset whose values can be had.
fn directory(source: &mut Source, order: Order, offset: u64) -> Result<Vec<Entry>> {
    let count = source
        .array_at::<2>(offset)?
        .map_or(0, |bytes| order.short(bytes))
        .min(MAX_ENTRIES);
    let table = source.bytes_at(offset + 2, usize::from(count) * 12)?;
    let mut entries = Vec::new();
    for [t0, t1, k0, k1, c0, c1, c2, c3, value @ ..] in table.as_chunks::<12>().0 {
        let (tag, kind) = (order.short([*t0, *t1]), order.short([*k0, *k1]));
        let count = order.long([*c0, *c1, *c2, *c3]);
        let unit = match kind {
            1 | 2 | 6 | 7 => 1,
            3 | 8 => 2,
            4 | 9 | 11 | 13 => 4,
            5 | 10 | 12 => 8,
            _ => continue,
        };
        let length = unit * u64::from(count);
        if length > MAX_VALUE_BYTES {
            continue;
        }
        let value = if length <= 4 {
            value.to_vec()
        } else {
            source.bytes_at(
                u64::from(order.long(*value)),
                usize::try_from(length).unwrap_or(0),
            )?
        };
        if value.len() as u64 >= length {
            entries.push(Entry {
                tag,
                kind,
                count,
                value,
            });
        }
    }
    Ok(entries)
}

fn pointed(source: &mut Source, order: Order, main: &[Entry], tag: u16) -> Result<Vec<Entry>> {
    let pointer = main
        .iter()
        .find(|entry| entry.tag == tag)
        .and_then(|entry| entry.numbers(order).first().copied());
    pointer.map_or(Ok(Vec::new()), |pointer| {
        directory(source, order, u64::from(pointer))
    })
}

/// The size of the first directory; if that is a preview, the one of the image among its children.
fn dimensions(source: &mut Source, order: Order, main: &[Entry]) -> Result<Option<(u32, u32)>> {
    if !is_preview(order, main) {
        return Ok(size(order, main));
    }
    let children = main
        .iter()
        .find(|entry| entry.tag == SUB_DIRECTORIES)
        .map(|entry| entry.numbers(order));
    for child in children.unwrap_or_default().into_iter().take(MAX_DIRECTORIES) {
        let child = directory(source, order, u64::from(child))?;
        if !is_preview(order, &child)
            && let Some(size) = size(order, &child)
        {
            return Ok(Some(size));
        }
    }
    Ok(size(order, main))
}

fn is_preview(order: Order, entries: &[Entry]) -> bool {
    let kind = entries
        .iter()
        .find(|entry| entry.tag == SUBFILE_TYPE)
        .and_then(|entry| entry.numbers(order).first().copied());
    kind.is_some_and(|kind| kind & 1 != 0)
}

fn size(order: Order, entries: &[Entry]) -> Option<(u32, u32)> {
    let number = |tag| {
        entries
            .iter()
            .find(|entry| entry.tag == tag)?
            .numbers(order)
            .first()
            .copied()
    };
    number(WIDTH)
        .zip(number(HEIGHT))
        .filter(|(width, height)| *width > 0 && *height > 0)
}

/// The directories as a TIFF structure of their own.
fn compact(order: Order, main: &[Entry], exif: &[Entry], gps: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend_from_slice(if order.is_little { b"II" } else { b"MM" });
    bytes.extend_from_slice(&order.short_bytes(42));
    bytes.extend_from_slice(&[0; 4]);
    let exif = append(&mut bytes, order, exif, &[]);
    let gps = append(&mut bytes, order, gps, &[]);
    let main = append(
        &mut bytes,
        order,
        main,
        &[(EXIF_DIRECTORY, exif), (GPS_DIRECTORY, gps)],
    );
    if let Some(pointer) = bytes.get_mut(4..8) {
        pointer.copy_from_slice(&order.long_bytes(main));
    }
    bytes
}

/// Writes a directory at the end and says where; the pointers take the place of the entries of their tags.
fn append(bytes: &mut Vec<u8>, order: Order, entries: &[Entry], pointers: &[(u16, u32)]) -> u32 {
    let mut table = Vec::new();
    let mut count = 0;
    let mut write = |tag: u16, kind: u16, number: u32, value: [u8; 4]| {
        table.extend_from_slice(&order.short_bytes(tag));
        table.extend_from_slice(&order.short_bytes(kind));
        table.extend_from_slice(&order.long_bytes(number));
        table.extend_from_slice(&value);
        count += 1;
    };
    for entry in entries {
        if let Some((_, offset)) = pointers.iter().find(|(tag, _)| *tag == entry.tag) {
            write(entry.tag, 4, 1, order.long_bytes(*offset));
        } else if let Some(value) = entry.value.first_chunk().filter(|_| entry.value.len() == 4) {
            write(entry.tag, entry.kind, entry.count, *value);
        } else {
            let offset = u32::try_from(bytes.len()).unwrap_or(0);
            bytes.extend_from_slice(&entry.value);
            write(entry.tag, entry.kind, entry.count, order.long_bytes(offset));
        }
    }
    let offset = u32::try_from(bytes.len()).unwrap_or(0);
    bytes.extend_from_slice(&order.short_bytes(count));
    bytes.extend_from_slice(&table);
    bytes.extend_from_slice(&[0; 4]);
    offset
}
