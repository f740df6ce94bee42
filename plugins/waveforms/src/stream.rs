//! The source as the decoders read it: front to back, in large pieces.

use std::io::{Read, Result, Seek, SeekFrom};

use svc_plugin_api::Source;
use symphonia::core::io::MediaSource;

/// Bytes of a piece. The whole file goes through here, so calls of the host are few and large; 24 hours of FLAC are
/// some thousand of them.
const PIECE_BYTES: usize = 256 * 1024;

/// A source with a piece of it in memory. A read gives all that was asked for, unless the file ends before.
pub(crate) struct Stream<'s> {
    source: &'s mut Source,
    position: u64,
    offset: u64,
    piece: Vec<u8>,
}

impl<'s> Stream<'s> {
    /// From the beginning of the file.
    pub(crate) fn new(source: &'s mut Source) -> Self {
        Self {
            source,
            position: 0,
            offset: 0,
            piece: Vec::new(),
        }
    }

    /// The bytes from here on that are in memory, read first if need be; none at the end of the file.
    fn available(&mut self) -> Result<&[u8]> {
        let in_piece = self
            .position
            .checked_sub(self.offset)
            .is_some_and(|skip| skip < self.piece.len() as u64);
        if !in_piece {
            self.offset = self.position;
            self.piece = self.source.bytes_at(self.position, PIECE_BYTES)?;
        }
        let skip = usize::try_from(self.position - self.offset).unwrap_or(usize::MAX);
        Ok(self.piece.get(skip..).unwrap_or_default())
    }
}

impl Read for Stream<'_> {
    fn read(&mut self, mut buffer: &mut [u8]) -> Result<usize> {
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
            SeekFrom::End(offset) => self.source.size().checked_add_signed(offset),
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
        Some(self.source.size())
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
}
