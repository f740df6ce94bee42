//! ZIP archives: the files in them, by the central directory, or by the headers of the files where it is lost.
//!
//! Nothing that an archive says is trusted: files that overlap, that end outside of the archive, or that are larger than
//! a page may be are left out, each with a warning.

mod directory;
mod extra_fields;
mod local;
mod names;
mod recover;
mod unpack;

use svc_plugin_api::{ExtractError, MAX_PAGE_BYTES, Source};

pub use unpack::{prefix, unpack};

/// The most files of an archive; the largest known comics have some thousands.
const MAX_ENTRIES: usize = 100_000;

/// A file in an archive, as far as its directory is right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Path in the archive, with slashes.
    pub name: String,
    pub method: Method,
    /// Bytes in the archive.
    pub packed: u64,
    /// Bytes of the file.
    pub size: u64,
    pub crc: u32,
    /// Offset of its header in the archive.
    pub header: u64,
}

/// How the bytes of a file are packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Stored,
    Deflated,
    /// A method that this plugin does not know, or encryption.
    Other,
}

/// The files of an archive in the order of their offsets.
#[derive(Debug, Default)]
pub struct Archive {
    pub entries: Vec<Entry>,
    pub warnings: Vec<String>,
}

impl Entry {
    /// Where its bytes start, by its own header.
    ///
    /// # Errors
    /// `Invalid` if there is no header of this file at its offset, or its bytes end outside of the archive.
    pub fn data_offset(&self, source: &mut Source) -> Result<u64, ExtractError> {
        let header = local::header(source, self.header)?
            .ok_or_else(|| self.damaged("has no header where the directory says"))?;
        let end = header.data.checked_add(self.packed);
        if end.is_none_or(|end| end > source.size()) {
            return Err(self.damaged("ends outside of the archive"));
        }
        Ok(header.data)
    }

    fn damaged(&self, how: &str) -> ExtractError {
        ExtractError::invalid(Some(self.header), format!("{} {how}", self.name))
    }

    fn method(number: u16, flags: u16) -> Method {
        match number {
            _ if flags & (ENCRYPTED | STRONGLY_ENCRYPTED) != 0 => Method::Other,
            0 => Method::Stored,
            8 => Method::Deflated,
            _ => Method::Other,
        }
    }
}

const ENCRYPTED: u16 = 1;
const HAS_DESCRIPTOR: u16 = 1 << 3;
const STRONGLY_ENCRYPTED: u16 = 1 << 6;
const IS_UTF8: u16 = 1 << 11;

/// Reads the directory of an archive.
///
/// # Errors
/// `Refused` for a file of another format, `Invalid` for an archive without a directory or a file that can be found,
/// `Unsupported` for an archive in several volumes or with too many files, `Io` if a read failed.
pub fn open(source: &mut Source) -> Result<Archive, ExtractError> {
    check_format(source)?;
    let mut archive = match directory::read(source)? {
        directory::Found::Whole(entries) => Archive {
            entries,
            warnings: Vec::new(),
        },
        directory::Found::Broken { offset, entries } => recovered(source, offset, entries)?,
    };
    archive.entries.sort_by_key(|entry| entry.header);
    archive.drop_overlapping(source.size());
    Ok(archive)
}

/// The files that are left of an archive whose directory is missing or ends at this offset.
fn recovered(source: &mut Source, offset: u64, listed: Vec<Entry>) -> Result<Archive, ExtractError> {
    let (found, cut_at) = recover::scan(source)?;
    let reason = "the directory of the archive is damaged";
    if found.is_empty() && listed.is_empty() {
        return Err(ExtractError::invalid(Some(offset), reason));
    }
    let mut warnings = vec![format!("{reason} at byte {offset}: its files were searched")];
    warnings.extend(cut_at.map(|at| format!("the archive is cut off in the file at byte {at}")));
    let entries = if found.len() >= listed.len() {
        found
    } else {
        listed
    };
    Ok(Archive { entries, warnings })
}

fn check_format(source: &mut Source) -> Result<(), ExtractError> {
    let start = source.bytes_at(0, 8)?;
    let other = match start.as_slice() {
        [] => return Err(ExtractError::invalid(Some(0), "the file is empty")),
        [b'R', b'a', b'r', b'!', ..] => "a RAR archive",
        [b'7', b'z', 0xbc, 0xaf, ..] => "a 7z archive",
        [b'%', b'P', b'D', b'F', ..] => "a PDF document",
        _ => return Ok(()),
    };
    Err(ExtractError::Refused(other.into()))
}

impl Archive {
    /// Leaves out files whose bytes begin inside of another one's, and those that end outside of the archive: a bomb uses
    /// the same bytes for many files.
    fn drop_overlapping(&mut self, file_size: u64) {
        let mut end = 0_u64;
        let (mut overlapping, mut outside, mut large) = (0_u32, 0_u32, 0_u32);
        self.entries.retain(|entry| {
            let own_end = entry
                .header
                .saturating_add(local::FIXED_BYTES)
                .saturating_add(entry.packed);
            let (is_outside, is_overlapping) = (own_end > file_size, entry.header < end);
            outside += u32::from(is_outside);
            overlapping += u32::from(is_overlapping && !is_outside);
            if is_outside || is_overlapping {
                return false;
            }
            end = own_end;
            let is_large = entry.size > MAX_PAGE_BYTES as u64;
            large += u32::from(is_large);
            !is_large
        });
        for (count, what) in [
            (overlapping, "overlap with others"),
            (outside, "end outside of the archive"),
            (large, "are larger than 64 MiB"),
        ] {
            if count > 0 {
                self.warnings.push(format!("{count} files {what}"));
            }
        }
    }
}

/// Little-endian numbers of a header.
fn u16_at(bytes: &[u8], at: usize) -> u16 {
    let taken = bytes.get(at..).and_then(|rest| rest.first_chunk());
    taken.copied().map_or(0, u16::from_le_bytes)
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let taken = bytes.get(at..).and_then(|rest| rest.first_chunk());
    taken.copied().map_or(0, u32::from_le_bytes)
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let taken = bytes.get(at..).and_then(|rest| rest.first_chunk());
    taken.copied().map_or(0, u64::from_le_bytes)
}
