//! The format of a file by its content, and the decoder for it.

use svc_plugin_api::{ExtractError, Source};

use crate::ape::ApeFile;
use crate::container::Container;
use crate::decoder::Decoder;
use crate::wavpack::WavPackFile;

/// Bytes of the longest magic number, that of ASF.
const MAGIC_BYTES: usize = 16;
/// Bytes of an ID3v2 header.
const ID3_HEADER_BYTES: u64 = 10;
/// The most leading tags. Ordinary files have at most two.
const LEADING_TAGS: usize = 4;

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
