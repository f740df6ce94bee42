//! Formats whose properties `lofty` reads.

use lofty::ape::ApeFile;
use lofty::config::{ParseOptions, ParsingMode};
use lofty::error::FileParseError;
use lofty::file::AudioFile;
use lofty::flac::FlacFile;
use lofty::mp4::{Mp4Codec, Mp4File};
use lofty::musepack::MpcFile;
use lofty::properties::FileProperties;
use lofty::wavpack::WavPackFile;
use svc_plugin_api::Source;

use super::between_tags::BetweenTags;
use crate::audio::{Audio, samples_ms};
use crate::container::{Container, Format};

/// The most bytes that lofty searches for the first frame.
const MAX_JUNK_BYTES: usize = 64 * 1024;
/// The bytes at the end of a WavPack file that are searched for the last block.
const WAVPACK_TAIL: u64 = 32 * 1024;

/// As tolerant as possible, without tags.
fn options() -> ParseOptions {
    ParseOptions::new()
        .parsing_mode(ParsingMode::Relaxed)
        .max_junk_bytes(MAX_JUNK_BYTES)
        .read_cover_art(false)
        .read_tags(false)
}

/// Reads the bytes between the tags of a file; the error is lofty's text.
pub(super) fn read(source: &mut Source, container: &Container) -> Result<Audio, String> {
    let end = container.tail.start;
    let reader = BetweenTags::new(source, container.start, end).map_err(|error| error.to_string())?;
    let audio = read_as(reader, container.format).map_err(|error| error.to_string())?;
    if container.format == Format::WavPack && audio.duration_ms == 0 {
        let duration_ms = wavpack_ms(source, end, audio.sample_rate).map_err(|error| error.to_string())?;
        return Ok(Audio {
            duration_ms: duration_ms.unwrap_or(0),
            ..audio
        });
    }
    Ok(audio)
}

/// The properties of a FLAC stream by its signature and first blocks.
pub(super) fn flac(head: Vec<u8>) -> Result<Audio, String> {
    let file = FlacFile::read_from(&mut Source::from_bytes("", head), options());
    let file = file.map_err(|error| error.to_string())?;
    Ok(audio("flac", "flac", *file.properties()))
}

fn read_as(mut reader: BetweenTags<'_>, format: Format) -> Result<Audio, FileParseError> {
    let reader = &mut reader;
    Ok(match format {
        Format::Flac => {
            let file = FlacFile::read_from(reader, options())?;
            audio("flac", "flac", *file.properties())
        }
        Format::Mp4 => {
            let file = Mp4File::read_from(reader, options())?;
            let codec = match file.properties().codec() {
                Some(Mp4Codec::AAC) => "aac",
                Some(Mp4Codec::ALAC) => "alac",
                Some(Mp4Codec::MP3) => "mp3",
                Some(Mp4Codec::FLAC) => "flac",
                _ => "",
            };
            audio("mp4", codec, file.properties().clone())
        }
        Format::Ape => {
            let file = ApeFile::read_from(reader, options())?;
            audio("ape", "ape", file.properties().clone())
        }
        Format::WavPack => {
            let file = WavPackFile::read_from(reader, options())?;
            audio("wavpack", "wavpack", *file.properties())
        }
        _ => {
            let file = MpcFile::read_from(reader, options())?;
            audio("musepack", "musepack", file.properties().clone())
        }
    })
}

fn audio(container: &'static str, codec: &'static str, properties: impl Into<FileProperties>) -> Audio {
    let properties: FileProperties = properties.into();
    Audio {
        container,
        codec: (!codec.is_empty()).then_some(codec),
        duration_ms: u64::try_from(properties.duration().as_millis()).unwrap_or(u64::MAX),
        sample_rate: properties.sample_rate().unwrap_or(0),
        bit_depth: properties.bit_depth().unwrap_or(0),
        channels: properties.channels().unwrap_or(0).into(),
    }
}

/// The duration of a WavPack stream of unknown length: the index and the size of the last block, in samples.
fn wavpack_ms(source: &mut Source, end: u64, sample_rate: u32) -> std::io::Result<Option<u64>> {
    let from = end.saturating_sub(WAVPACK_TAIL);
    let tail = source.bytes_at(from, usize::try_from(end - from).unwrap_or(0))?;
    let block = tail.windows(32).rev().find(|window| window.starts_with(b"wvpk"));
    let number = |at: usize| Some(u64::from(u32::from_le_bytes(*block?.get(at..)?.first_chunk()?)));
    let samples = number(16).zip(number(20)).map(|(index, length)| index + length);
    Ok(samples
        .filter(|_| sample_rate > 0)
        .map(|samples| samples_ms(samples, sample_rate)))
}
