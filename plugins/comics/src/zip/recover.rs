//! Finds the files of an archive without a directory, by the headers of the files.

use svc_plugin_api::{ExtractError, Source};

use super::{Entry, MAX_ENTRIES, local, u32_at, u64_at};

/// Bytes of one step of a search.
const STEP_BYTES: usize = 256 * 1024;
/// Bytes of a step that the next one repeats: a record may lie across.
const OVERLAP_BYTES: usize = 32;
/// Bytes that are searched in all, beside the headers that follow each other: within the read budget.
const MAX_SEARCHED_BYTES: u64 = 384 * 1024 * 1024;

/// The files, and the offset of the header whose file is cut off.
pub(super) fn scan(source: &mut Source) -> Result<(Vec<Entry>, Option<u64>), ExtractError> {
    let mut search = Search {
        left: MAX_SEARCHED_BYTES,
    };
    let mut entries = Vec::new();
    let mut at = 0;
    let mut cut_at = None;
    while entries.len() < MAX_ENTRIES {
        let Some(header) = local::header(source, at)? else {
            // Not at the same place: a header that is cut off begins like any other.
            match search.next_header(source, at + 1)? {
                Some(next) => at = next,
                None => break,
            }
            continue;
        };
        let mut entry = header.entry(source, at)?;
        let mut next = header.data.saturating_add(entry.packed);
        if header.has_descriptor && entry.packed == 0 {
            match search.descriptor(source, header.data)? {
                Some(descriptor) => {
                    (entry.crc, entry.packed, entry.size) =
                        (descriptor.crc, descriptor.packed, descriptor.size);
                    next = descriptor.end;
                }
                None => {
                    cut_at = Some(at);
                    break;
                }
            }
        }
        if next > source.size() {
            cut_at = Some(at);
            break;
        }
        entries.push(entry);
        // Two archives in a row, or a descriptor behind a known size, are found by the search.
        at = next.max(at + local::FIXED_BYTES);
    }
    Ok((entries, cut_at))
}

/// The sizes behind the bytes of a file.
struct Descriptor {
    crc: u32,
    packed: u64,
    size: u64,
    end: u64,
}

struct Search {
    /// Bytes that may still be searched.
    left: u64,
}

impl Search {
    /// The next header of a file from this offset on; `None` at the directory and at the end.
    fn next_header(&mut self, source: &mut Source, from: u64) -> Result<Option<u64>, ExtractError> {
        self.find(source, from, |_, at, rest| match rest.get(2..4) {
            Some([3, 4]) => Some(Some(at)),
            Some([1, 2] | [5, 6] | [6, 6]) => Some(None),
            _ => None,
        })
        .map(Option::flatten)
    }

    /// The descriptor of the bytes from this offset on: one whose size is the distance.
    fn descriptor(&mut self, source: &mut Source, data: u64) -> Result<Option<Descriptor>, ExtractError> {
        self.find(source, data, |before, at, rest| {
            let packed = at - data;
            match rest.get(2..4)? {
                [7, 8] => {
                    let descriptor = |packed, size, end| Descriptor {
                        crc: u32_at(rest, 4),
                        packed,
                        size,
                        end,
                    };
                    if rest.len() >= 24 && u64_at(rest, 8) == packed {
                        return Some(descriptor(packed, u64_at(rest, 16), at + 24));
                    }
                    let is_own = rest.len() >= 16 && u64::from(u32_at(rest, 8)) == packed;
                    is_own.then(|| descriptor(packed, u32_at(rest, 12).into(), at + 16))
                }
                // Some programs write no signature: the next record is right behind the three numbers.
                [3, 4] | [1, 2] => {
                    let numbers = before.last_chunk::<12>()?;
                    let packed = packed.checked_sub(12)?;
                    (u64::from(u32_at(numbers, 4)) == packed).then(|| Descriptor {
                        crc: u32_at(numbers, 0),
                        packed,
                        size: u32_at(numbers, 8).into(),
                        end: at,
                    })
                }
                _ => None,
            }
        })
    }

    /// Calls `check` with each place that starts with `PK`: the bytes before it, its offset and the bytes from it on.
    fn find<T>(
        &mut self,
        source: &mut Source,
        from: u64,
        check: impl Fn(&[u8], u64, &[u8]) -> Option<T>,
    ) -> Result<Option<T>, ExtractError> {
        let mut start = from;
        loop {
            let length = STEP_BYTES.min(usize::try_from(self.left).unwrap_or(usize::MAX));
            let bytes = source.bytes_at(start, length)?;
            self.left = self.left.saturating_sub(bytes.len() as u64);
            let places = bytes.windows(2).enumerate().filter(|(_, pair)| *pair == b"PK");
            for (at, _) in places {
                let (before, rest) = bytes.split_at_checked(at).unwrap_or_default();
                if let Some(found) = check(before, start + at as u64, rest) {
                    return Ok(Some(found));
                }
            }
            if bytes.len() < STEP_BYTES {
                return Ok(None);
            }
            start += (STEP_BYTES - OVERLAP_BYTES) as u64;
        }
    }
}
