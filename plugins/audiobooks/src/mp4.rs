//! What MP4 files have beside tags: chapters of two kinds, and the places of covers.
//!
//! The server's own plugins for videos share a walker of atoms and read the same chapters. This one has its own, with the same
//! limits: it is built like an outsider's, from the SDK and crates of crates.io, so that the folder can leave the repository.

use svc_plugin_api::{ExtractError, Source, Span};

use crate::chapters::{Chapter, MAX_CHAPTERS};

/// Atoms of one level that are examined.
const MAX_ATOMS: usize = 4096;
/// Bytes of a table of the chapter track.
const MAX_TABLE_BYTES: u64 = 16 + MAX_CHAPTERS as u64 * 12;
/// Bytes of the list of chapters: 255 with titles of 255 bytes.
const MAX_LIST_BYTES: u64 = 128 * 1024;
const MAX_TITLE_BYTES: usize = 1024;
/// The list's unit is 100 ns.
const UNITS_PER_MS: u64 = 10_000;

/// An atom's name and the range of its content.
#[derive(Debug, Clone, Copy)]
struct Atom {
    name: [u8; 4],
    start: u64,
    end: u64,
}

/// The places of an MP4 file.
#[derive(Debug, Default)]
pub struct Found {
    /// Chapters of the text track that the audio track refers to.
    pub track: Vec<Chapter>,
    /// Chapters of the list `chpl`.
    pub list: Vec<Chapter>,
    pub covers: Vec<Span>,
}

/// Finds chapters and covers; what is damaged is left out.
///
/// # Errors
/// If a read failed.
pub fn find(source: &mut Source) -> Result<Found, ExtractError> {
    let mut found = Found::default();
    let size = source.size();
    let whole = Atom {
        name: [0; 4],
        start: 0,
        end: size,
    };
    let Some(movie) = child(source, whole, b"moov")? else {
        return Ok(found);
    };
    let (mut tracks, mut chapter_ids) = (Vec::new(), Vec::new());
    for atom in children(source, movie)? {
        match &atom.name {
            b"trak" => {
                if let Some(chapters) = path(source, atom, &[b"tref", b"chap"])? {
                    let ids = table(source, chapters)?;
                    chapter_ids.extend(ids.as_chunks::<4>().0.iter().copied().map(u32::from_be_bytes));
                }
                tracks.push(atom);
            }
            b"udta" => read_user_data(source, atom, &mut found)?,
            _ => {}
        }
    }
    for track in tracks {
        if found.track.is_empty() && chapter_ids.contains(&track_id(source, track)?) {
            found.track = chapter_track(source, track)?;
        }
    }
    Ok(found)
}

fn read_user_data(source: &mut Source, data: Atom, found: &mut Found) -> Result<(), ExtractError> {
    for atom in children(source, data)? {
        match &atom.name {
            b"chpl" => found.list = list(&content(source, atom, MAX_LIST_BYTES)?),
            b"meta" => {
                // Version and flags, which QuickTime does not have.
                let is_quicktime = source.bytes_at(atom.start + 4, 4)? == *b"hdlr";
                let start = atom.start + if is_quicktime { 0 } else { 4 };
                let Some(covers) = path(source, Atom { start, ..atom }, &[b"ilst", b"covr"])? else {
                    continue;
                };
                for data in children(source, covers)? {
                    // Type and language are before the bytes.
                    let start = data.start + 8;
                    if data.name == *b"data" && start < data.end {
                        found.covers.push(Span {
                            offset: start,
                            length: data.end - start,
                        });
                    }
                }
            }
            _ => {}
        }
    }
    Ok(())
}

/// The list of Nero: start times and titles, at most 255.
fn list(bytes: &[u8]) -> Vec<Chapter> {
    let mut rest = bytes
        .get(if bytes.first() == Some(&0) { 4 } else { 8 }..)
        .unwrap_or_default();
    let mut take = |length: usize| {
        let (taken, left) = rest.split_at_checked(length)?;
        rest = left;
        Some(taken)
    };
    let count = take(1).and_then(|byte| byte.first()).copied().unwrap_or(0);
    let mut chapters = Vec::new();
    for _ in 0..count {
        let Some(start) = take(8).and_then(|bytes| bytes.first_chunk().copied()) else {
            break;
        };
        let length = take(1).and_then(|byte| byte.first()).copied().unwrap_or(0);
        let Some(title) = take(length.into()) else { break };
        chapters.push(Chapter {
            start_ms: u64::from_be_bytes(start) / UNITS_PER_MS,
            end_ms: None,
            title: Some(String::from_utf8_lossy(title).into_owned()),
        });
    }
    chapters
}

/// The chapters of a text track: each sample is a title and lasts as long as its chapter.
fn chapter_track(source: &mut Source, track: Atom) -> Result<Vec<Chapter>, ExtractError> {
    let Some(media) = child(source, track, b"mdia")? else {
        return Ok(Vec::new());
    };
    let header = match child(source, media, b"mdhd")? {
        Some(header) => table(source, header)?,
        None => return Ok(Vec::new()),
    };
    let scale_at = if header.first() == Some(&1) { 20 } else { 12 };
    let scale = u64::from(u32_at(&header, scale_at));
    let Some(sample_table) = path(source, media, &[b"minf", b"stbl"])? else {
        return Ok(Vec::new());
    };
    if scale == 0 {
        return Ok(Vec::new());
    }
    let mut samples = Samples::default();
    for atom in children(source, sample_table)? {
        match &atom.name {
            b"stts" => samples.times = table(source, atom)?,
            b"stsz" => samples.sizes = table(source, atom)?,
            b"stsc" => samples.runs = table(source, atom)?,
            b"stco" => samples.chunks = numbers(&table(source, atom)?, 8),
            b"co64" => {
                let bytes = table(source, atom)?;
                let chunks = bytes.get(8..).unwrap_or_default().as_chunks::<8>().0;
                samples.chunks = chunks.iter().copied().map(u64::from_be_bytes).collect();
            }
            _ => {}
        }
    }
    let mut chapters = Vec::new();
    let mut time = 0_u64;
    for ((offset, size), duration) in samples.places().into_iter().zip(samples.durations()) {
        let end = time.saturating_add(duration.into());
        chapters.push(Chapter {
            start_ms: milliseconds(time, scale),
            end_ms: Some(milliseconds(end, scale)),
            title: title(source, offset, size)?,
        });
        time = end;
    }
    Ok(chapters)
}

fn milliseconds(time: u64, scale: u64) -> u64 {
    let ms = u128::from(time) * 1000 / u128::from(scale.max(1));
    u64::try_from(ms).unwrap_or(u64::MAX)
}

/// A sample's text: its length, and UTF-8 or UTF-16 with a mark.
fn title(source: &mut Source, offset: u64, size: u32) -> Result<Option<String>, ExtractError> {
    let length = usize::try_from(size).unwrap_or(usize::MAX).min(MAX_TITLE_BYTES);
    let bytes = source.bytes_at(offset, length)?;
    let Some((stated, text)) = bytes.split_first_chunk::<2>() else {
        return Ok(None);
    };
    let text = text.get(..u16::from_be_bytes(*stated).into()).unwrap_or(text);
    Ok(Some(match text {
        [0xfe, 0xff, rest @ ..] => {
            let units = rest.as_chunks::<2>().0.iter().copied().map(u16::from_be_bytes);
            char::decode_utf16(units)
                .map(|character| character.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect()
        }
        text => String::from_utf8_lossy(text).into_owned(),
    }))
}

/// The tables of a track, as they are in the file.
#[derive(Default)]
struct Samples {
    times: Vec<u8>,
    sizes: Vec<u8>,
    runs: Vec<u8>,
    chunks: Vec<u64>,
}

impl Samples {
    /// The duration of each sample.
    fn durations(&self) -> Vec<u32> {
        let runs = self.times.get(8..).unwrap_or_default().as_chunks::<8>().0;
        let each = runs.iter().flat_map(|run| {
            let count = usize::try_from(u32_at(run, 0)).unwrap_or(0).min(MAX_CHAPTERS);
            std::iter::repeat_n(u32_at(run, 4), count)
        });
        each.take(MAX_CHAPTERS).collect()
    }

    /// Offset and size of each sample; those of a chunk follow each other.
    fn places(&self) -> Vec<(u64, u32)> {
        let (common, count) = (u32_at(&self.sizes, 4), u32_at(&self.sizes, 8));
        let count = usize::try_from(count).unwrap_or(0).min(MAX_CHAPTERS);
        let sizes: Vec<u32> = if common > 0 {
            vec![common; count]
        } else {
            let sizes = self.sizes.get(12..).unwrap_or_default().as_chunks::<4>().0;
            sizes
                .iter()
                .take(count)
                .map(|size| u32::from_be_bytes(*size))
                .collect()
        };
        // First chunk (from 1) and samples in each chunk from there on.
        let runs = self.runs.get(8..).unwrap_or_default().as_chunks::<12>().0;
        let mut sizes = sizes.into_iter();
        let mut places = Vec::new();
        for (number, chunk) in (1_u64..).zip(&self.chunks) {
            let run = runs.iter().rfind(|run| u64::from(u32_at(*run, 0)) <= number);
            let mut offset = *chunk;
            for _ in 0..run.map_or(1, |run| u32_at(run, 4)) {
                let Some(size) = sizes.next() else { return places };
                places.push((offset, size));
                offset = offset.saturating_add(size.into());
            }
        }
        places
    }
}

fn track_id(source: &mut Source, track: Atom) -> Result<u32, ExtractError> {
    let Some(header) = child(source, track, b"tkhd")? else {
        return Ok(0);
    };
    let bytes = source.bytes_at(header.start, 24)?;
    Ok(u32_at(&bytes, if bytes.first() == Some(&1) { 20 } else { 12 }))
}

/// The atoms in another one, as far as they are whole.
fn children(source: &mut Source, parent: Atom) -> Result<Vec<Atom>, ExtractError> {
    let mut atoms = Vec::new();
    let mut at = parent.start;
    while at.saturating_add(8) <= parent.end && atoms.len() < MAX_ATOMS {
        let Some(head) = source.array_at::<8>(at)? else {
            break;
        };
        let [_, _, _, _, name @ ..] = head;
        let (header, length) = match u32_at(&head, 0) {
            0 => (8, parent.end - at),
            1 => match source.array_at::<8>(at + 8)? {
                Some(length) => (16, u64::from_be_bytes(length)),
                None => break,
            },
            length => (8, length.into()),
        };
        let end = at.saturating_add(length);
        if length < header || end > parent.end {
            break;
        }
        atoms.push(Atom {
            name,
            start: at + header,
            end,
        });
        at = end;
    }
    Ok(atoms)
}

fn child(source: &mut Source, parent: Atom, name: &[u8; 4]) -> Result<Option<Atom>, ExtractError> {
    let atoms = children(source, parent)?;
    Ok(atoms.into_iter().find(|atom| atom.name == *name))
}

fn path(source: &mut Source, from: Atom, names: &[&[u8; 4]]) -> Result<Option<Atom>, ExtractError> {
    let mut atom = from;
    for name in names {
        match child(source, atom, name)? {
            Some(found) => atom = found,
            None => return Ok(None),
        }
    }
    Ok(Some(atom))
}

fn table(source: &mut Source, atom: Atom) -> Result<Vec<u8>, ExtractError> {
    content(source, atom, MAX_TABLE_BYTES)
}

fn content(source: &mut Source, atom: Atom, most: u64) -> Result<Vec<u8>, ExtractError> {
    let length = (atom.end - atom.start).min(most);
    Ok(source.bytes_at(atom.start, usize::try_from(length).unwrap_or(0))?)
}

fn numbers(bytes: &[u8], from: usize) -> Vec<u64> {
    let numbers = bytes.get(from..).unwrap_or_default().as_chunks::<4>().0;
    numbers
        .iter()
        .map(|number| u32::from_be_bytes(*number).into())
        .collect()
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let taken = bytes.get(at..).and_then(|rest| rest.first_chunk());
    taken.copied().map_or(0, u32::from_be_bytes)
}
