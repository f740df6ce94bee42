//! The source as input of the decoders: sequential reads in large pieces.

use std::io::{Error, Read, Result, Seek, SeekFrom};

use svc_plugin_api::Source;
use symphonia::core::io::MediaSource;

/// Bytes of a piece. Decoders read the whole file, so reads of the host are few and large: some thousand for 24 hours
/// of FLAC.
const PIECE_BYTES: usize = 256 * 1024;

/// How often a decoder may read the whole file. Decoding takes one or two passes; more mean that the decoder loops
/// over a damaged file.
const READINGS: u64 = 16;
/// Additional bytes, for small files.
const READING_BYTES: u64 = 16 * 1024 * 1024;

/// Replaces bytes of the file for the decoder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Patch {
    pub(crate) offset: u64,
    pub(crate) bytes: Vec<u8>,
}

/// A source with one piece in memory. Reads are complete unless the file ends.
pub(crate) struct Stream<'s> {
    source: &'s mut Source,
    /// The offset of the decoder's input in the source.
    start: u64,
    patches: Vec<Patch>,
    position: u64,
    offset: u64,
    piece: Vec<u8>,
    /// Bytes that may still be read.
    budget: u64,
}

impl<'s> Stream<'s> {
    pub(crate) fn new(source: &'s mut Source) -> Self {
        Self::with(source, 0, Vec::new())
    }

    /// A stream from `start` with these bytes replaced.
    pub(crate) fn with(source: &'s mut Source, start: u64, patches: Vec<Patch>) -> Self {
        Self {
            budget: source
                .size()
                .saturating_mul(READINGS)
                .saturating_add(READING_BYTES),
            source,
            start,
            patches,
            position: 0,
            offset: 0,
            piece: Vec::new(),
        }
    }

    fn length(&self) -> u64 {
        self.source.size().saturating_sub(self.start)
    }

    /// The bytes in memory from the current position, which are read if necessary; empty at the end of the file.
    fn available(&mut self) -> Result<&[u8]> {
        let in_piece = self
            .position
            .checked_sub(self.offset)
            .is_some_and(|skip| skip < self.piece.len() as u64);
        if !in_piece {
            self.offset = self.position;
            let from = self.start.saturating_add(self.position);
            self.piece = self.source.bytes_at(from, PIECE_BYTES)?;
            for patch in &self.patches {
                patch.apply(from, &mut self.piece);
            }
        }
        let skip = usize::try_from(self.position - self.offset).unwrap_or(usize::MAX);
        Ok(self.piece.get(skip..).unwrap_or_default())
    }
}

impl Patch {
    /// Replaces bytes of a piece that starts at `from`.
    fn apply(&self, from: u64, piece: &mut [u8]) {
        for (at, byte) in self.bytes.iter().enumerate() {
            let place = (self.offset + at as u64).checked_sub(from);
            let place = place.and_then(|place| piece.get_mut(usize::try_from(place).ok()?));
            if let Some(place) = place {
                *place = *byte;
            }
        }
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, mut buffer: &mut [u8]) -> Result<usize> {
        // Reads at the end of the file are charged too.
        let cost = buffer.len().clamp(1, PIECE_BYTES) as u64;
        self.budget = self
            .budget
            .checked_sub(cost)
            .ok_or_else(|| Error::other("the decoder exceeds its read limit"))?;
        let mut read = 0;
        while !buffer.is_empty() {
            let available = self.available()?;
            let length = available.len().min(buffer.len());
            if length == 0 {
                break;
            }
            let (now, later) = buffer.split_at_mut(length);
            now.copy_from_slice(available.get(..length).unwrap_or_default());
            buffer = later;
            read += length;
            self.position = self.position.saturating_add(length as u64);
        }
        Ok(read)
    }
}

impl Seek for Stream<'_> {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        let position = match to {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(offset) => self.length().checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = position.ok_or(std::io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

impl MediaSource for Stream<'_> {
    fn is_seekable(&self) -> bool {
        true
    }

    fn byte_len(&self) -> Option<u64> {
        Some(self.length())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stream_reads_whole_across_pieces_and_ends_with_the_file() {
        let bytes: Vec<u8> = (0..PIECE_BYTES * 2 + 7).map(|number| number as u8).collect();
        let mut source = Source::from_bytes("a", bytes.clone());
        let mut stream = Stream::new(&mut source);
        let mut read = vec![0; PIECE_BYTES + 9];
        assert_eq!(stream.read(&mut read).unwrap(), read.len());
        assert_eq!(read, bytes[..read.len()]);
        stream.seek(SeekFrom::End(-3)).unwrap();
        assert_eq!(stream.read(&mut read).unwrap(), 3);
        assert_eq!(read[..3], bytes[bytes.len() - 3..]);
        assert_eq!(stream.read(&mut read).unwrap(), 0);
        assert!(stream.seek(SeekFrom::Current(i64::MIN)).is_err());
    }

    #[test]
    fn stream_ends_for_a_decoder_that_does_not() {
        let mut source = Source::from_bytes("a", vec![0; 1000]);
        let mut stream = Stream::new(&mut source);
        let mut buffer = [0; 1000];
        let mut readings = 0;
        loop {
            stream.seek(SeekFrom::Start(0)).unwrap();
            if stream.read(&mut buffer).is_err() {
                break;
            }
            readings += 1;
        }
        assert_eq!(readings, READINGS + READING_BYTES / 1000);
    }

    #[test]
    fn stream_from_the_middle_shows_patches_in_place_of_bytes() {
        let mut source = Source::from_bytes("a", b"0123456789".to_vec());
        let patch = |offset, bytes: &[u8]| Patch {
            offset,
            bytes: bytes.to_vec(),
        };
        let patches = vec![patch(1, b"ab"), patch(8, b"xyz")];
        let mut read = String::new();
        let mut stream = Stream::with(&mut source, 2, patches);
        stream.read_to_string(&mut read).unwrap();
        assert_eq!((read.as_str(), stream.byte_len()), ("b34567xy", Some(8)));
    }
}
