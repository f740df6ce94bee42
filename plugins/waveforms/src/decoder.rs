//! The decoders' interface, and the choice of the decoder for a file.

use svc_plugin_api::{ExtractError, Source};

use crate::ape::ApeFile;
use crate::container::Container;
use crate::wavpack::WavPackFile;

/// Bytes of the longest magic number, that of ASF.
const MAGIC_BYTES: usize = 16;
/// Bytes of an ID3v2 header.
const ID3_HEADER_BYTES: u64 = 10;
/// The most leading tags. Ordinary files have at most two.
const LEADING_TAGS: usize = 4;

/// Decoded frames: one vector per channel, all of the same length. Full scale is 1.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pub(crate) planes: Vec<Vec<f32>>,
    /// Whether packets were damaged, so that frames are missing.
    pub(crate) is_broken: bool,
}

impl Block {
    pub(crate) fn frames(&self) -> usize {
        self.planes.iter().map(Vec::len).min().unwrap_or_default()
    }

    /// Removes all frames and sets the number of channels.
    pub(crate) fn clear(&mut self, channels: usize) {
        self.planes.resize_with(channels, Vec::new);
        self.planes.iter_mut().for_each(Vec::clear);
        self.is_broken = false;
    }

    /// Removes all frames and marks the block as damaged.
    pub(crate) fn set_broken(&mut self) {
        self.planes.iter_mut().for_each(Vec::clear);
        self.is_broken = true;
    }

    /// Adds interleaved samples.
    pub(crate) fn push_interleaved(&mut self, samples: impl IntoIterator<Item = f32>) {
        let mut samples = samples.into_iter();
        loop {
            for plane in &mut self.planes {
                let Some(sample) = samples.next() else { return };
                plane.push(sample);
            }
            if self.planes.is_empty() {
                return;
            }
        }
    }

    /// Removes frames at the start.
    pub(crate) fn drop_front(&mut self, frames: usize) {
        for plane in &mut self.planes {
            plane.drain(..frames.min(plane.len()));
        }
    }

    /// Keeps only this many frames at the start.
    pub(crate) fn truncate(&mut self, frames: usize) {
        for plane in &mut self.planes {
            plane.truncate(frames);
        }
    }
}

/// Decodes a file from start to end.
pub(crate) trait Decoder {
    /// In hertz.
    fn sample_rate(&self) -> u32;

    /// The number of frames according to the file, which may be wrong.
    fn expected_frames(&self) -> Option<u64>;

    /// Replaces the block by the next frames; false at the end. An empty block is not the end.
    fn next(&mut self, block: &mut Block) -> Result<bool, ExtractError>;
}

/// Chooses the decoder by the content of the file.
pub(crate) fn open<'s>(source: &'s mut Source) -> Result<Box<dyn Decoder + 's>, ExtractError> {
    let start = after_tags(source)?;
    let magic = source.bytes_at(start, MAGIC_BYTES)?;
    let unsupported = |what: &str| Err(ExtractError::Unsupported(format!("{what} cannot be decoded")));
    match magic.as_slice() {
        [b'M', b'A', b'C', b' ', ..] => Ok(Box::new(ApeFile::open(source)?)),
        [b'w', b'v', b'p', b'k', ..] => Ok(Box::new(WavPackFile::open(source, start)?)),
        [b'M', b'P', b'+', ..] | [b'M', b'P', b'C', b'K', ..] => unsupported("Musepack"),
        [b'D', b'S', b'D', b' ', ..] => unsupported("DSD"),
        [0x1a, 0x45, 0xdf, 0xa3, ..] => unsupported("Matroska"),
        [b'O', b'g', b'g', b'S', ..] if is_speex(source, start)? => unsupported("Speex"),
        magic if *magic == containers::asf::HEADER => unsupported("Windows Media"),
        _ => Ok(Box::new(Container::open(source)?)),
    }
}

/// Whether the first packet of the first page is a Speex header.
fn is_speex(source: &mut Source, page: u64) -> Result<bool, ExtractError> {
    // A page with one packet of less than 255 bytes.
    Ok(source
        .array_at::<8>(page + 28)?
        .is_some_and(|magic| &magic == b"Speex   "))
}

/// The offset of the file's content after ID3v2 tags.
fn after_tags(source: &mut Source) -> Result<u64, ExtractError> {
    let mut start = 0_u64;
    for _ in 0..LEADING_TAGS {
        let Some([b'I', b'D', b'3', _, _, flags, size @ ..]) = source.array_at::<10>(start)? else {
            break;
        };
        let size = size
            .iter()
            .fold(0, |size, byte| (size << 7) | u64::from(byte & 0x7f));
        let footer = if flags & 0x10 == 0 { 0 } else { ID3_HEADER_BYTES };
        start += ID3_HEADER_BYTES + size + footer;
    }
    Ok(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_takes_interleaved_samples_apart() {
        let mut block = Block::default();
        block.clear(2);
        block.push_interleaved([1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(block.planes, [vec![1.0, 3.0, 5.0], vec![2.0, 4.0]]);
        assert_eq!(block.frames(), 2);
        block.drop_front(1);
        block.truncate(1);
        assert_eq!(block.planes, [vec![3.0], vec![4.0]]);
        block.clear(0);
        block.push_interleaved([1.0]);
        assert_eq!(block.frames(), 0);
    }

    #[test]
    fn formats_without_a_decoder_are_unsupported_after_tags_too() {
        let tag = [b"ID3\x04\0\0\0\0\x01\x02".as_slice(), &[0; 130]].concat();
        for magic in [
            b"MP+\x07".as_slice(),
            b"MPCKSH",
            b"DSD \x1c",
            b"\x1a\x45\xdf\xa3",
            &containers::asf::HEADER,
        ] {
            for front in [b"".as_slice(), &tag, &[&tag[..], &tag].concat()] {
                let mut source = Source::from_bytes("a.mpc", [front, magic, &[0; 50]].concat());
                let refusal = open(&mut source).err().unwrap();
                assert!(matches!(refusal, ExtractError::Unsupported(_)), "{refusal:?}");
            }
        }
    }
}
