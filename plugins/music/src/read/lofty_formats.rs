//! The formats that lofty reads, each with its tags in the order in which they are believed.

use std::io::{Read, Seek, SeekFrom};

use lofty::ape::ApeFile;
use lofty::config::ParseOptions;
use lofty::file::{AudioFile, FileType};
use lofty::flac::FlacFile;
use lofty::id3::v2::Id3v2Tag;
use lofty::iff::aiff::AiffFile;
use lofty::iff::wav::{WavFile, WavFormat};
use lofty::mp4::{Mp4Codec, Mp4File};
use lofty::mpeg::{Layer, MpegFile};
use lofty::musepack::MpcFile;
use lofty::ogg::{OpusFile, SpeexFile, VorbisFile};
use lofty::properties::FileProperties;
use lofty::wavpack::WavPackFile;
use svc_plugin_api::{ExtractError, Source};

use crate::audio::Audio;
use crate::container::Format;
use crate::dialect::{id3v1, id3v2, iff, mp4, named};
use crate::tags::Tags;

/// Opus always plays at this rate; the one in its header is that of the recording.
const OPUS_HZ: u32 = 48_000;

/// lofty's name of a format.
///
/// # Errors
/// `Unsupported` for a format that it does not read.
pub(super) fn file_type(format: Format) -> Result<FileType, ExtractError> {
    Ok(match format {
        Format::Mpeg => FileType::Mpeg,
        Format::Flac => FileType::Flac,
        Format::Vorbis => FileType::Vorbis,
        Format::Opus => FileType::Opus,
        Format::Speex => FileType::Speex,
        Format::Mp4 => FileType::Mp4,
        Format::Wav => FileType::Wav,
        Format::Aiff => FileType::Aiff,
        Format::Ape => FileType::Ape,
        Format::WavPack => FileType::WavPack,
        Format::Musepack => FileType::Mpc,
        Format::OggFlac | Format::Dsf | Format::Asf | Format::Adts | Format::Adif => {
            return Err(ExtractError::Unsupported(format!("{format:?}")));
        }
    })
}

/// Reads a file from its start; an error is lofty's text.
pub(super) fn read(
    reader: &mut (impl Read + Seek),
    file_type: FileType,
    options: ParseOptions,
) -> Result<(Vec<Tags>, Audio), String> {
    read_as(reader, file_type, options).map_err(|error| error.to_string())
}

/// The statements of a leading ID3v2 and a trailing ID3v1 tag, whatever lies between.
///
/// # Errors
/// lofty's text.
pub(super) fn id3_tags(reader: &mut (impl Read + Seek)) -> Result<Vec<Tags>, String> {
    let options = super::options(false).read_properties(false);
    let file = MpegFile::read_from(reader, options).map_err(|error| error.to_string())?;
    let tags = [file.id3v2().map(id3v2::read), file.id3v1().map(id3v1::read)];
    Ok(tags.into_iter().flatten().collect())
}

/// The ID3v2 tag at the start of these bytes, with its pictures.
///
/// # Errors
/// lofty's text.
pub fn id3v2_of(source: &mut Source) -> Result<Option<Id3v2Tag>, String> {
    let options = super::options(true).read_properties(false);
    let file = MpegFile::read_from(source, options).map_err(|error| error.to_string())?;
    Ok(file.id3v2().cloned())
}

fn read_as(
    reader: &mut (impl Read + Seek),
    file_type: FileType,
    options: ParseOptions,
) -> Result<(Vec<Tags>, Audio), lofty::error::FileParseError> {
    reader.seek(SeekFrom::Start(0))?;
    let (tags, audio) = match file_type {
        FileType::Mpeg => {
            let file = MpegFile::read_from(reader, options)?;
            let codec = match file.properties().layer() {
                Layer::Layer1 => "mp1",
                Layer::Layer2 => "mp2",
                Layer::Layer3 => "mp3",
            };
            let tags = [
                file.id3v2().map(id3v2::read),
                file.ape().map(named::read_ape),
                file.id3v1().map(id3v1::read),
            ];
            (Vec::from(tags), audio("mpeg", codec, *file.properties()))
        }
        FileType::Flac => {
            let file = FlacFile::read_from(reader, options)?;
            let tags = [
                file.vorbis_comments().map(named::read_vorbis),
                file.id3v2().map(id3v2::read),
            ];
            (Vec::from(tags), audio("flac", "flac", *file.properties()))
        }
        FileType::Vorbis => {
            let file = VorbisFile::read_from(reader, options)?;
            (
                vec![Some(named::read_vorbis(file.vorbis_comments()))],
                audio("ogg", "vorbis", *file.properties()),
            )
        }
        FileType::Opus => {
            let file = OpusFile::read_from(reader, options)?;
            (
                vec![Some(named::read_vorbis(file.vorbis_comments()))],
                Audio {
                    sample_rate: OPUS_HZ,
                    ..audio("ogg", "opus", *file.properties())
                },
            )
        }
        FileType::Speex => {
            let file = SpeexFile::read_from(reader, options)?;
            (
                vec![Some(named::read_vorbis(file.vorbis_comments()))],
                audio("ogg", "speex", *file.properties()),
            )
        }
        FileType::Mp4 => {
            let file = Mp4File::read_from(reader, options)?;
            let codec = match file.properties().codec() {
                Some(Mp4Codec::AAC) => "aac",
                Some(Mp4Codec::ALAC) => "alac",
                Some(Mp4Codec::MP3) => "mp3",
                Some(Mp4Codec::FLAC) => "flac",
                _ => "",
            };
            (
                vec![file.ilst().map(mp4::read)],
                audio("mp4", codec, file.properties().clone()),
            )
        }
        FileType::Wav => {
            let file = WavFile::read_from(reader, options)?;
            let codec = wav_codec(file.properties().format());
            let tags = [
                file.id3v2().map(id3v2::read),
                file.riff_info().map(iff::read_riff),
            ];
            (Vec::from(tags), audio("wav", codec, *file.properties()))
        }
        FileType::Aiff => {
            let file = AiffFile::read_from(reader, options)?;
            let tags = [
                file.id3v2().map(id3v2::read),
                file.text_chunks().map(iff::read_aiff),
            ];
            (Vec::from(tags), audio("aiff", "pcm", file.properties().clone()))
        }
        FileType::Ape => {
            let file = ApeFile::read_from(reader, options)?;
            let tags = [
                file.ape().map(named::read_ape),
                file.id3v2().map(id3v2::read),
                file.id3v1().map(id3v1::read),
            ];
            (Vec::from(tags), audio("ape", "ape", file.properties().clone()))
        }
        FileType::WavPack => {
            let file = WavPackFile::read_from(reader, options)?;
            let tags = [file.ape().map(named::read_ape), file.id3v1().map(id3v1::read)];
            (Vec::from(tags), audio("wavpack", "wavpack", *file.properties()))
        }
        _ => {
            let file = MpcFile::read_from(reader, options)?;
            let tags = [
                file.ape().map(named::read_ape),
                file.id3v2().map(id3v2::read),
                file.id3v1().map(id3v1::read),
            ];
            (
                Vec::from(tags),
                audio("musepack", "musepack", file.properties().clone()),
            )
        }
    };
    Ok((tags.into_iter().flatten().collect(), audio))
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

/// Codecs by the numbers of RIFF `fmt ` chunks.
fn wav_codec(format: &WavFormat) -> &'static str {
    match format {
        // 6 and 7 are A-law and µ-law: PCM with a curve.
        WavFormat::PCM | WavFormat::IEEE_FLOAT | WavFormat::Other(6 | 7) => "pcm",
        WavFormat::Other(0x02 | 0x11) => "adpcm",
        WavFormat::Other(0x50) => "mp2",
        WavFormat::Other(0x55) => "mp3",
        WavFormat::Other(0xff | 0x1600 | 0x1610) => "aac",
        WavFormat::Other(_) => "",
    }
}
