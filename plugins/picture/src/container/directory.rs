//! Directories of TIFF in the classic form, and in BigTIFF for files of more than 4 GiB, whose numbers are wider.

use std::io::Result;

use svc_plugin_api::Source;

/// The most entries of a directory, and the most directories, that are read.
const MAX_ENTRIES: u64 = 1024;
pub(super) const MAX_DIRECTORIES: usize = 16;

/// BigTIFF's version, instead of 42.
const BIG: u16 = 43;

/// Types of values.
pub(super) const SHORT: u16 = 3;
pub(super) const LONG: u16 = 4;
pub(super) const SIGNED_LONG: u16 = 9;
pub(super) const LONG8: u16 = 16;
pub(super) const SIGNED_LONG8: u16 = 17;
pub(super) const DIRECTORY8: u16 = 18;

/// Byte order and width of numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) is_little: bool,
    pub(super) is_big: bool,
}

/// An entry of a directory, undecoded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) tag: u16,
    pub(super) kind: u16,
    pub(super) count: u64,
    /// The value or its offset; the classic form uses the first four bytes.
    field: [u8; 8],
}

impl Entry {
    /// The entry limited to its first `count` values.
    pub(super) fn first(self, count: u64) -> Self {
        Self {
            count: self.count.min(count),
            ..self
        }
    }

    /// Bytes of the value; `None` for an unknown type and for an overflow.
    pub(super) fn length(&self) -> Option<u64> {
        let unit = match self.kind {
            1 | 2 | 6 | 7 => 1,
            SHORT | 8 => 2,
            LONG | SIGNED_LONG | 11 | 13 => 4,
            5 | 10 | 12 | LONG8 | SIGNED_LONG8 | DIRECTORY8 => 8,
            _ => return None,
        };
        self.count.checked_mul(unit)
    }
}

impl Layout {
    /// The layout of this file, and the offset of the first directory.
    pub(super) fn of(source: &mut Source) -> Result<Option<(Self, u64)>> {
        let Some([order, _, m0, m1, rest @ ..]) = source.array_at::<8>(0)? else {
            return Ok(None);
        };
        let mut layout = Self {
            is_little: order == b'I',
            is_big: false,
        };
        layout.is_big = layout.short([m0, m1]) == BIG;
        if !layout.is_big {
            return Ok(Some((layout, layout.long(rest).into())));
        }
        // The size of an offset, which is always eight.
        let [s0, s1, ..] = rest;
        let first = source.array_at::<8>(8)?.filter(|_| layout.short([s0, s1]) == 8);
        Ok(first.map(|first| (layout, layout.long8(first))))
    }

    pub(super) fn short(self, bytes: [u8; 2]) -> u16 {
        match self.is_little {
            true => u16::from_le_bytes(bytes),
            false => u16::from_be_bytes(bytes),
        }
    }

    pub(super) fn long(self, bytes: [u8; 4]) -> u32 {
        match self.is_little {
            true => u32::from_le_bytes(bytes),
            false => u32::from_be_bytes(bytes),
        }
    }

    fn long8(self, bytes: [u8; 8]) -> u64 {
        match self.is_little {
            true => u64::from_le_bytes(bytes),
            false => u64::from_be_bytes(bytes),
        }
    }

    /// The entries of the directory at this offset, and the offset of the next directory.
    pub(super) fn directory(self, source: &mut Source, offset: u64) -> Result<(Vec<Entry>, u64)> {
        let (count, count_bytes, entry_bytes, pointer_bytes) = if self.is_big {
            (source.array_at(offset)?.map(|bytes| self.long8(bytes)), 8, 20, 8)
        } else {
            let count = source.array_at(offset)?.map(|bytes| self.short(bytes).into());
            (count, 2, 12, 4)
        };
        let count = usize::try_from(count.unwrap_or(0).min(MAX_ENTRIES)).unwrap_or(0);
        let table = source.bytes_at(
            offset.saturating_add(count_bytes),
            count * entry_bytes + pointer_bytes,
        )?;
        let entries = table.chunks_exact(entry_bytes).take(count);
        let entries = entries.filter_map(|bytes| self.entry(bytes)).collect();
        let behind = table.get(count * entry_bytes..).unwrap_or_default();
        Ok((entries, self.pointer(behind).unwrap_or(0)))
    }

    fn entry(self, bytes: &[u8]) -> Option<Entry> {
        let ([t0, t1, k0, k1], rest) = bytes.split_first_chunk()?;
        let (count, field) = if self.is_big {
            let (count, field) = rest.split_first_chunk()?;
            (self.long8(*count), *field.first_chunk()?)
        } else {
            let (count, field) = rest.split_first_chunk()?;
            let [a, b, c, d] = *field.first_chunk()?;
            (self.long(*count).into(), [a, b, c, d, 0, 0, 0, 0])
        };
        Some(Entry {
            tag: self.short([*t0, *t1]),
            kind: self.short([*k0, *k1]),
            count,
            field,
        })
    }

    /// An offset in the width of the form.
    fn pointer(self, bytes: &[u8]) -> Option<u64> {
        match self.is_big {
            true => Some(self.long8(*bytes.first_chunk()?)),
            false => Some(self.long(*bytes.first_chunk()?).into()),
        }
    }

    /// The offset of the value, if it does not fit into the entry.
    pub(super) fn place(self, entry: &Entry) -> Option<u64> {
        let room = if self.is_big { 8 } else { 4 };
        let is_outside = entry.length().is_none_or(|length| length > room);
        self.pointer(&entry.field).filter(|_| is_outside)
    }

    /// The bytes of a value in the file's byte order; `None` if it has more than `most` bytes or is truncated.
    pub(super) fn value(self, source: &mut Source, entry: &Entry, most: u64) -> Result<Option<Vec<u8>>> {
        let Some(length) = entry
            .length()
            .filter(|length| *length <= most)
            .and_then(|length| usize::try_from(length).ok())
        else {
            return Ok(None);
        };
        let value = match self.place(entry) {
            Some(place) => source.bytes_at(place, length)?,
            None => entry.field.get(..length).unwrap_or_default().to_vec(),
        };
        Ok((value.len() == length).then_some(value))
    }

    /// A value as unsigned numbers.
    pub(super) fn numbers(self, kind: u16, value: &[u8]) -> Vec<u64> {
        match kind {
            SHORT => {
                let (numbers, _) = value.as_chunks();
                numbers.iter().map(|bytes| self.short(*bytes).into()).collect()
            }
            LONG8 | SIGNED_LONG8 | DIRECTORY8 => {
                let (numbers, _) = value.as_chunks();
                numbers.iter().map(|bytes| self.long8(*bytes)).collect()
            }
            _ => {
                let (numbers, _) = value.as_chunks();
                numbers.iter().map(|bytes| self.long(*bytes).into()).collect()
            }
        }
    }

    /// The first number of a value within its entry.
    pub(super) fn number(self, entry: &Entry) -> Option<u64> {
        let is_inside = self.place(entry).is_none();
        self.numbers(entry.kind, &entry.field)
            .first()
            .copied()
            .filter(|_| is_inside)
    }

    /// In the file's byte order.
    pub(super) fn short_bytes(self, number: u16) -> [u8; 2] {
        match self.is_little {
            true => number.to_le_bytes(),
            false => number.to_be_bytes(),
        }
    }

    /// In the file's byte order.
    pub(super) fn long_bytes(self, number: u32) -> [u8; 4] {
        match self.is_little {
            true => number.to_le_bytes(),
            false => number.to_be_bytes(),
        }
    }
}
