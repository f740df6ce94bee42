//! The central directory, with the records of ZIP64 and bytes before the archive.

use svc_plugin_api::{ExtractError, Source};

use super::extra_fields::extra_fields;
use super::{Entry, MAX_ENTRIES, names, u16_at, u32_at, u64_at};

/// Of the record at the end, without the comment.
const END_BYTES: usize = 22;
const ZIP64_LOCATOR_BYTES: u64 = 20;
const ZIP64_END_BYTES: usize = 56;
/// Of a file's record, without its name, fields and comment.
const RECORD_BYTES: usize = 46;
/// The record at the end is searched in so many bytes first: few archives have a comment.
const FIRST_SEARCH: usize = END_BYTES + 1024;

/// What there is of a directory.
pub(super) enum Found {
    Whole(Vec<Entry>),
    /// Missing, or damaged at this offset behind these files.
    Broken {
        offset: u64,
        entries: Vec<Entry>,
    },
}

/// Where the record at the end says that the directory is.
struct End {
    entries: u64,
    size: u64,
    offset: u64,
    /// Where the directory has to end: at the first of the records behind it.
    directory_end: u64,
}

/// Reads the directory.
pub(super) fn read(source: &mut Source) -> Result<Found, ExtractError> {
    let broken = |offset| Found::Broken {
        offset,
        entries: Vec::new(),
    };
    let Some(at) = find_end(source)? else {
        return Ok(broken(source.size()));
    };
    let Some(end) = read_end(source, at)? else {
        return Ok(broken(at));
    };
    if end.entries > MAX_ENTRIES as u64 {
        return Err(ExtractError::Unsupported(format!(
            "an archive of {} files",
            end.entries
        )));
    }
    // Offsets count from the start of the archive, which may have bytes before it.
    let before = end
        .directory_end
        .checked_sub(end.size)
        .and_then(|start| start.checked_sub(end.offset));
    let before = match before {
        Some(before) if before > 0 && end.entries > 0 => {
            let is_here = source.bytes_at(before + end.offset, 4)? == *b"PK\x01\x02";
            if is_here { before } else { 0 }
        }
        _ => 0,
    };
    entries(source, &end, before)
}

/// The offset of the record at the end of the archive.
fn find_end(source: &mut Source) -> Result<Option<u64>, ExtractError> {
    for length in [FIRST_SEARCH, END_BYTES + usize::from(u16::MAX)] {
        let start = source.size().saturating_sub(length as u64);
        let tail = source.bytes_at(start, length)?;
        let records = tail.windows(END_BYTES).enumerate().rev();
        let mut found = records.filter(|(at, record)| {
            let comment = usize::from(u16_at(record, 20));
            record.starts_with(b"PK\x05\x06") && at + END_BYTES + comment <= tail.len()
        });
        if let Some((at, _)) = found.next() {
            return Ok(Some(start + at as u64));
        }
        if start == 0 {
            break;
        }
    }
    Ok(None)
}

/// Reads the record at the end, and that of ZIP64 if it has one. `None` if that is not where it should be.
fn read_end(source: &mut Source, at: u64) -> Result<Option<End>, ExtractError> {
    let record = source.bytes_at(at, END_BYTES)?;
    let end = End {
        entries: u16_at(&record, 10).into(),
        size: u32_at(&record, 12).into(),
        offset: u32_at(&record, 16).into(),
        directory_end: at,
    };
    let is_zip64 = end.entries == u64::from(u16::MAX)
        || end.size == u64::from(u32::MAX)
        || end.offset == u64::from(u32::MAX);
    let locator_at = at.checked_sub(ZIP64_LOCATOR_BYTES);
    if let Some(locator_at) = locator_at.filter(|_| is_zip64) {
        let locator = source.bytes_at(locator_at, 20)?;
        if locator.starts_with(b"PK\x06\x07") {
            return read_zip64_end(source, locator_at, u64_at(&locator, 8));
        }
    }
    let (disk, directory_disk) = (u16_at(&record, 4), u16_at(&record, 6));
    if disk != 0 || directory_disk != 0 {
        return Err(ExtractError::Unsupported("an archive in several volumes".into()));
    }
    Ok(Some(end))
}

fn read_zip64_end(source: &mut Source, locator_at: u64, offset: u64) -> Result<Option<End>, ExtractError> {
    // With bytes before the archive the offset is too small; the record is right before the locator.
    for at in [Some(offset), locator_at.checked_sub(ZIP64_END_BYTES as u64)]
        .into_iter()
        .flatten()
    {
        let record = source.bytes_at(at, ZIP64_END_BYTES)?;
        if record.len() == ZIP64_END_BYTES && record.starts_with(b"PK\x06\x06") {
            return Ok(Some(End {
                entries: u64_at(&record, 32),
                size: u64_at(&record, 40),
                offset: u64_at(&record, 48),
                directory_end: at,
            }));
        }
    }
    Ok(None)
}

fn entries(source: &mut Source, end: &End, before: u64) -> Result<Found, ExtractError> {
    let mut entries = Vec::new();
    let mut at = before.saturating_add(end.offset);
    let mut spare = Vec::new();
    for _ in 0..end.entries {
        let record = source.slice_at(at, RECORD_BYTES, &mut spare)?;
        if record.len() < RECORD_BYTES || !record.starts_with(b"PK\x01\x02") {
            return Ok(Found::Broken { offset: at, entries });
        }
        let (name, extra, comment) = (u16_at(record, 28), u16_at(record, 30), u16_at(record, 32));
        let flags = u16_at(record, 8);
        let mut entry = Entry {
            name: String::new(),
            method: Entry::method(u16_at(record, 10), flags),
            crc: u32_at(record, 16),
            packed: u32_at(record, 20).into(),
            size: u32_at(record, 24).into(),
            header: u32_at(record, 42).into(),
        };
        let name_at = at + RECORD_BYTES as u64;
        let lengths = usize::from(name) + usize::from(extra);
        let texts = source.slice_at(name_at, lengths, &mut spare)?;
        if texts.len() < lengths {
            return Ok(Found::Broken { offset: at, entries });
        }
        let (name, extra) = texts.split_at_checked(usize::from(name)).unwrap_or_default();
        widen(&mut entry, extra);
        entry.header = entry.header.saturating_add(before);
        entry.name = names::decode(name, flags, extra);
        at = name_at + lengths as u64 + u64::from(comment);
        entries.push(entry);
    }
    Ok(Found::Whole(entries))
}

/// Takes the numbers that do not fit into the record from the field of ZIP64: only those that are at their maximum.
fn widen(entry: &mut Entry, extra: &[u8]) {
    let Some(field) = extra_fields(extra).find_map(|(id, field)| (id == 1).then_some(field)) else {
        return;
    };
    let mut numbers = field.as_chunks::<8>().0.iter().copied().map(u64::from_le_bytes);
    for number in [&mut entry.size, &mut entry.packed, &mut entry.header] {
        if *number == u64::from(u32::MAX)
            && let Some(wide) = numbers.next()
        {
            *number = wide;
        }
    }
}
