//! Chunks of WAV, of `LIST INFO` in WAV, and of AIFF.

use std::io::Result;

use containers::riff::{self, ByteOrder, Chunk, FIRST_CHUNK, UNKNOWN_SIZE};
use svc_plugin_api::Source;

use super::{Head, Item, ItemFormat, ItemList, walk};

/// The parent of the chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Riff,
    Info,
    Aiff,
}

#[derive(Debug, Clone, Copy)]
struct Chunks {
    kind: Kind,
    /// The size of `data` in a file of more than 4 GiB.
    data_bytes: Option<u64>,
}

impl ItemFormat for Chunks {
    type Name = [u8; 4];
    const KNOWN_BYTES: usize = 8;
    const LEAST_BYTES: u64 = 8;

    fn head(&self, source: &mut Source, at: u64, end: u64) -> Result<Option<Head<[u8; 4]>>> {
        let order = match self.kind {
            Kind::Aiff => ByteOrder::Big,
            Kind::Riff | Kind::Info => ByteOrder::Little,
        };
        let Some(Chunk {
            name,
            start: body,
            end: body_end,
            size,
            ..
        }) = Chunk::at(source, at, order)?
        else {
            return Ok(None);
        };
        if !name.iter().all(|byte| (0x20..=0x7e).contains(byte)) || name == [b' '; 4] {
            return Ok(None);
        }
        if self.kind == Kind::Riff && name == *b"data" {
            let data_end = self.data_end(source, body, size, end)?;
            let ends = [data_end.saturating_add(data_end & 1).min(end), data_end];
            return Ok(Some(Head { name, body, ends }));
        }
        // Chunks begin at even offsets; some programs omit the byte of padding.
        let ends = [body_end + u64::from(size & 1), body_end];
        Ok(Some(Head { name, body, ends }))
    }

    fn is_known(&self, bytes: &[u8]) -> bool {
        let Some(name) = bytes.first_chunk::<4>() else {
            return false;
        };
        match self.kind {
            Kind::Riff | Kind::Aiff => is_known(name),
            Kind::Info => {
                matches!(name, [b'I', ..] | b"YEAR" | b"TRCK") && name.iter().all(u8::is_ascii_uppercase)
            }
        }
    }

    fn may_contain_items(&self, name: [u8; 4]) -> bool {
        matches!(&name, b"data" | b"SSND")
    }
}

/// Whether the name identifies a chunk at any offset.
fn is_known(name: &[u8; 4]) -> bool {
    matches!(
        name,
        b"fmt "
            | b"fact"
            | b"data"
            | b"LIST"
            | b"id3 "
            | b"ID3 "
            | b"bext"
            | b"cue "
            | b"smpl"
            | b"JUNK"
            | b"ds64"
            | b"PEAK"
            | b"COMM"
            | b"SSND"
            | b"NAME"
            | b"AUTH"
            | b"ANNO"
            | b"COMT"
            | b"(c) "
            | b"MARK"
            | b"INST"
            | b"CHAN"
    )
}

impl Chunks {
    /// The end of the audio. 0, 0xffffffff and sizes beyond the file are from interrupted recorders and mean the end
    /// of the file.
    fn data_end(&self, source: &mut Source, body: u64, size: u32, end: u64) -> Result<u64> {
        let size = match (size, self.data_bytes) {
            (UNKNOWN_SIZE, Some(size)) => size,
            (UNKNOWN_SIZE, None) => return Ok(end),
            (0, _) => {
                let next = source.array_at::<8>(body)?;
                let is_empty = next.is_some_and(|next| self.is_known(&next));
                return Ok(if is_empty { body } else { end });
            }
            (size, _) => u64::from(size),
        };
        Ok(body.saturating_add(size).min(end))
    }
}

/// The chunks of the file that begins at `start`.
///
/// # Errors
/// If a read failed.
pub fn of_file(source: &mut Source, kind: Kind, start: u64) -> Result<ItemList<[u8; 4]>> {
    let start = start + FIRST_CHUNK;
    let data_bytes = riff::long_data_size(source, start)?;
    let end = source.size();
    walk(&Chunks { kind, data_bytes }, source, start, end)
}

/// The chunks of a `LIST INFO`; `None` for a list of another type.
///
/// # Errors
/// If a read failed.
pub fn of_info(source: &mut Source, list: &Item<[u8; 4]>) -> Result<Option<ItemList<[u8; 4]>>> {
    if source.array_at::<4>(list.body)? != Some(*b"INFO") {
        return Ok(None);
    }
    let chunks = Chunks {
        kind: Kind::Info,
        data_bytes: None,
    };
    walk(&chunks, source, list.body + 4, list.end).map(Some)
}
