//! TIFF and raw formats based on it, whose directories may be anywhere in a file of any size.
//!
//! Only relevant entries are read. They are assembled into a small classic TIFF structure with the same directories,
//! which the EXIF parser reads like every other block.

use std::io::Result;

use svc_plugin_api::Source;

use super::directory::{
    DIRECTORY8, Entry as Stated, LONG, LONG8, Layout, MAX_DIRECTORIES, SIGNED_LONG, SIGNED_LONG8,
};
use super::{Block, Photo};

/// The most bytes of a value, and the most values outside entries that are read.
const MAX_VALUE_BYTES: u64 = 8 * 1024;
const MAX_OUTSIDE: usize = 512;

const SUBFILE_TYPE: u16 = 0xfe;
const WIDTH: u16 = 0x100;
const HEIGHT: u16 = 0x101;
pub(super) const SUB_DIRECTORIES: u16 = 0x14a;
const EXIF_DIRECTORY: u16 = 0x8769;
const GPS_DIRECTORY: u16 = 0x8825;
const DNG_VERSION: u16 = 0xc612;

pub(super) fn read(source: &mut Source) -> Result<Photo> {
    let magic = source.array_at::<4>(0)?;
    let Some((layout, first)) = Layout::of(source)? else {
        return Ok(Photo {
            media_type: "image/tiff",
            ..Photo::default()
        });
    };
    let mut reader = Reader {
        layout,
        outside: MAX_OUTSIDE,
    };
    let main = reader.directory(source, first)?;
    let media_type = match magic {
        Some([_, _, b'R', b'O' | b'S']) => "image/x-olympus-orf",
        Some([_, _, b'U', 0]) => "image/x-panasonic-rw2",
        _ if main.iter().any(|entry| entry.tag == DNG_VERSION) => "image/x-adobe-dng",
        _ if !layout.is_big && source.array_at::<2>(8)? == Some(*b"CR") => "image/x-canon-cr2",
        _ => by_name(&source.extension()),
    };
    let dimensions = reader.dimensions(source, &main)?;
    let exif = reader.pointed(source, &main, EXIF_DIRECTORY)?;
    let gps = reader.pointed(source, &main, GPS_DIRECTORY)?;
    let block = Block::new(compact(layout, &main, &exif, &gps));
    Ok(Photo {
        media_type,
        dimensions,
        // A file without a directory is TIFF only by its first bytes.
        exif: Vec::from_iter((!main.is_empty()).then_some(block)),
    })
}

/// Raw formats that are plain TIFF are distinguished by their extension.
fn by_name(extension: &str) -> &'static str {
    match extension {
        "nef" | "nrw" => "image/x-nikon-nef",
        "arw" | "sr2" | "srf" => "image/x-sony-arw",
        "pef" => "image/x-pentax-pef",
        "srw" => "image/x-samsung-srw",
        _ => "image/tiff",
    }
}

/// An entry with its value in the file's byte order.
struct Entry {
    tag: u16,
    kind: u16,
    count: u32,
    value: Vec<u8>,
}

struct Reader {
    layout: Layout,
    /// Values outside entries that may still be read; each may need a read of the host.
    outside: usize,
}

impl Reader {
    /// The entries with readable values in the directory at this offset.
    fn directory(&mut self, source: &mut Source, offset: u64) -> Result<Vec<Entry>> {
        let (stated, _) = self.layout.directory(source, offset)?;
        let mut entries = Vec::new();
        for stated in &stated {
            entries.extend(self.entry(source, stated)?);
        }
        Ok(entries)
    }

    fn entry(&mut self, source: &mut Source, stated: &Stated) -> Result<Option<Entry>> {
        let is_small = stated.length().is_some_and(|length| length <= MAX_VALUE_BYTES);
        if is_small && self.layout.place(stated).is_some() {
            let Some(left) = self.outside.checked_sub(1) else {
                return Ok(None);
            };
            self.outside = left;
        }
        let value = self.layout.value(source, stated, MAX_VALUE_BYTES)?;
        Ok(value.map(|value| Entry {
            tag: stated.tag,
            kind: stated.kind,
            // At most the number of bytes of the value.
            count: u32::try_from(stated.count).unwrap_or(0),
            value,
        }))
    }

    fn numbers(&self, entries: &[Entry], tag: u16) -> Vec<u64> {
        let entry = entries.iter().find(|entry| entry.tag == tag);
        entry.map_or(Vec::new(), |entry| self.layout.numbers(entry.kind, &entry.value))
    }

    fn pointed(&mut self, source: &mut Source, main: &[Entry], tag: u16) -> Result<Vec<Entry>> {
        match self.numbers(main, tag).first() {
            Some(pointer) => self.directory(source, *pointer),
            None => Ok(Vec::new()),
        }
    }

    /// The size in the first directory; if that is a preview's, the size of the main image among its children.
    fn dimensions(&mut self, source: &mut Source, main: &[Entry]) -> Result<Option<(u32, u32)>> {
        if !self.is_preview(main) {
            return Ok(self.size(main));
        }
        let children = self.numbers(main, SUB_DIRECTORIES);
        for child in children.into_iter().take(MAX_DIRECTORIES) {
            let (mut stated, _) = self.layout.directory(source, child)?;
            stated.retain(|entry| matches!(entry.tag, SUBFILE_TYPE | WIDTH | HEIGHT));
            let mut child = Vec::new();
            for stated in &stated {
                child.extend(self.entry(source, stated)?);
            }
            if !self.is_preview(&child)
                && let Some(size) = self.size(&child)
            {
                return Ok(Some(size));
            }
        }
        Ok(self.size(main))
    }

    fn is_preview(&self, entries: &[Entry]) -> bool {
        let kind = self.numbers(entries, SUBFILE_TYPE);
        kind.first().is_some_and(|kind| kind & 1 != 0)
    }

    fn size(&self, entries: &[Entry]) -> Option<(u32, u32)> {
        let side = |tag| {
            let side = *self.numbers(entries, tag).first()?;
            u32::try_from(side).ok().filter(|side| *side > 0)
        };
        side(WIDTH).zip(side(HEIGHT))
    }
}

/// The directories as a classic TIFF structure.
fn compact(layout: Layout, main: &[Entry], exif: &[Entry], gps: &[Entry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend_from_slice(if layout.is_little { b"II" } else { b"MM" });
    bytes.extend_from_slice(&layout.short_bytes(42));
    bytes.extend_from_slice(&[0; 4]);
    let exif = append(&mut bytes, layout, exif, &[]);
    let gps = append(&mut bytes, layout, gps, &[]);
    let main = append(
        &mut bytes,
        layout,
        main,
        &[(EXIF_DIRECTORY, exif), (GPS_DIRECTORY, gps)],
    );
    if let Some(pointer) = bytes.get_mut(4..8) {
        pointer.copy_from_slice(&layout.long_bytes(main));
    }
    bytes
}

/// Appends a directory and returns its offset. `pointers` replace the entries with their tags.
fn append(bytes: &mut Vec<u8>, layout: Layout, entries: &[Entry], pointers: &[(u16, u32)]) -> u32 {
    let mut table = Vec::new();
    let mut count = 0;
    let mut write = |tag: u16, kind: u16, number: u32, value: [u8; 4]| {
        table.extend_from_slice(&layout.short_bytes(tag));
        table.extend_from_slice(&layout.short_bytes(kind));
        table.extend_from_slice(&layout.long_bytes(number));
        table.extend_from_slice(&value);
        count += 1;
    };
    for entry in entries {
        if let Some((_, offset)) = pointers.iter().find(|(tag, _)| *tag == entry.tag) {
            write(entry.tag, LONG, 1, layout.long_bytes(*offset));
            continue;
        }
        let Some((kind, number, value)) = classic(layout, entry) else {
            continue;
        };
        if value.len() <= 4 {
            let mut field = [0; 4];
            for (to, from) in field.iter_mut().zip(&value) {
                *to = *from;
            }
            write(entry.tag, kind, number, field);
        } else {
            let offset = u32::try_from(bytes.len()).unwrap_or(0);
            bytes.extend_from_slice(&value);
            write(entry.tag, kind, number, layout.long_bytes(offset));
        }
    }
    let offset = u32::try_from(bytes.len()).unwrap_or(0);
    bytes.extend_from_slice(&layout.short_bytes(count));
    bytes.extend_from_slice(&table);
    bytes.extend_from_slice(&[0; 4]);
    offset
}

/// Type, count and bytes of a value in the classic form, whose numbers have at most 32 bits.
fn classic(layout: Layout, entry: &Entry) -> Option<(u16, u32, Vec<u8>)> {
    let kind = match entry.kind {
        LONG8 | DIRECTORY8 => LONG,
        SIGNED_LONG8 => SIGNED_LONG,
        kind => return Some((kind, entry.count, entry.value.clone())),
    };
    let numbers = layout.numbers(entry.kind, &entry.value);
    let narrow = numbers.iter().map(|number| match kind {
        LONG => u32::try_from(*number).ok(),
        _ => i32::try_from(number.cast_signed()).ok().map(i32::cast_unsigned),
    });
    let narrow = narrow.collect::<Option<Vec<_>>>()?;
    let value = narrow
        .iter()
        .flat_map(|number| layout.long_bytes(*number))
        .collect();
    Some((kind, entry.count, value))
}
