//! Decodes the formats that symphonia reads: MPEG audio, AAC, FLAC, Ogg, MP4, WAV and AIFF. Opus packets go to a
//! decoder of their own.

use svc_plugin_api::{ExtractError, Source};
use symphonia::core::codecs::CodecParameters;
use symphonia::core::codecs::audio::well_known::{
    CODEC_ID_AAC, CODEC_ID_MP1, CODEC_ID_MP2, CODEC_ID_MP3, CODEC_ID_OPUS,
};
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoder, AudioDecoderOptions};
use symphonia::core::common::Limit;
use symphonia::core::errors::Error;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, FormatReader, Track, TrackType};
use symphonia::core::io::MediaSourceStream;
use symphonia::core::meta::MetadataOptions;
use symphonia::core::packet::Packet;

use crate::decoder::{Block, Decoder};
use crate::layout::Layout;
use crate::opus::OpusStream;
use crate::stream::Stream;
use crate::{aac, layout};

/// The most chained streams of one file. Radio recordings have hundreds.
const STREAMS: u32 = 1_000;
/// Frames of the longest packet of MPEG audio.
const MPEG_PACKET_FRAMES: usize = 1_152;

/// A file and the decoder of its first audio track.
pub(crate) struct Container<'s> {
    reader: Box<dyn FormatReader + 's>,
    track: u32,
    codec: Codec,
    sample_rate: u32,
    expected_frames: Option<u64>,
    /// Frames that are still to be skipped at the start.
    skip: u64,
    streams: u32,
    /// Whether the current stream has returned a packet. A reader that is stuck starts the same stream again and
    /// again.
    has_packets: bool,
}

enum Codec {
    Symphonia(Box<dyn AudioDecoder>),
    /// MPEG audio: a damaged frame becomes silence of the same length, as in every player.
    Mpeg(Box<dyn AudioDecoder>),
    Opus(Box<OpusStream>),
}

impl<'s> Container<'s> {
    pub(crate) fn open(source: &'s mut Source) -> Result<Self, ExtractError> {
        let Layout {
            start,
            patches,
            priming,
        } = layout::find(source)?;
        let stream = Stream::with(source, start, patches);
        let stream = MediaSourceStream::new(Box::new(stream), Default::default());
        // Tags are not needed; their pictures are skipped.
        let tags = MetadataOptions::default().limit_visual_bytes(Limit::Maximum(0));
        let reader = symphonia::default::get_probe()
            .probe(&Hint::new(), stream, FormatOptions::default(), tags)
            .map_err(|error| match error {
                Error::Unsupported(_) => ExtractError::invalid(None, "no known audio format"),
                error => refusal(error),
            })?;
        let (track, params) = audio_track(reader.as_ref())?;
        let codec = Codec::open(&params)?;
        let sample_rate = params.sample_rate.filter(|rate| *rate > 0);
        let sample_rate = sample_rate.ok_or_else(|| ExtractError::invalid(None, "no sample rate"))?;
        let skip = priming.map_or(0, |priming| priming.frames(sample_rate));
        let expected_frames = track.num_frames.map(|frames| match params.codec {
            CODEC_ID_AAC => frames.next_multiple_of(aac::PACKET_FRAMES),
            CODEC_ID_OPUS => frames.saturating_sub(track.delay.unwrap_or_default().into()),
            _ => frames,
        });
        Ok(Self {
            track: track.id,
            reader,
            codec,
            sample_rate,
            expected_frames: expected_frames.map(|frames| frames.saturating_sub(skip)),
            skip,
            streams: 1,
            has_packets: false,
        })
    }

    /// Starts the next stream of a chain; false if there is none or it cannot be decoded.
    fn next_stream(&mut self) -> bool {
        self.streams += 1;
        if !std::mem::take(&mut self.has_packets) || self.streams > STREAMS {
            return false;
        }
        // The expected length applies to the first stream only.
        self.expected_frames = None;
        let Ok((track, params)) = audio_track(self.reader.as_ref()) else {
            return false;
        };
        let Ok(codec) = Codec::open(&params) else {
            return false;
        };
        self.track = track.id;
        self.codec = codec;
        true
    }
}

/// The default audio track and its parameters.
fn audio_track(reader: &dyn FormatReader) -> Result<(Track, AudioCodecParameters), ExtractError> {
    let track = reader.default_track(TrackType::Audio);
    let audio = track.and_then(|track| match &track.codec_params {
        Some(CodecParameters::Audio(params)) => Some((track.clone(), params.clone())),
        _ => None,
    });
    let (track, mut params) =
        audio.ok_or_else(|| ExtractError::Unsupported("no audio in a known codec".into()))?;
    if params.codec == CODEC_ID_AAC {
        aac::reduce_to_core(&mut params);
    }
    Ok((track, params))
}

impl Codec {
    fn open(params: &AudioCodecParameters) -> Result<Self, ExtractError> {
        if params.codec == CODEC_ID_OPUS {
            let head = params.extra_data.as_deref().unwrap_or_default();
            return Ok(Self::Opus(Box::new(OpusStream::open(head)?)));
        }
        let decoder = symphonia::default::get_codecs()
            .make_audio_decoder(params, &AudioDecoderOptions::default().gapless(true))
            .map_err(refusal)?;
        Ok(match params.codec {
            CODEC_ID_MP1 | CODEC_ID_MP2 | CODEC_ID_MP3 => Self::Mpeg(decoder),
            _ => Self::Symphonia(decoder),
        })
    }

    fn decode(&mut self, packet: &Packet, sample_rate: u32, block: &mut Block) {
        let (decoder, keeps_place) = match self {
            Self::Opus(stream) => return stream.decode(packet, block),
            Self::Symphonia(decoder) => (decoder, false),
            Self::Mpeg(decoder) => (decoder, true),
        };
        match decoder.decode(packet) {
            Ok(buffer) if buffer.spec().rate() == sample_rate => {
                buffer.copy_to_vecs_planar(&mut block.planes);
                block.is_broken = false;
            }
            // A damaged packet, or one of another stream.
            Ok(_) | Err(_) => {
                block.set_broken();
                if keeps_place {
                    let frames = usize::try_from(packet.dur.get()).unwrap_or_default();
                    let frames = frames.min(MPEG_PACKET_FRAMES);
                    block
                        .planes
                        .iter_mut()
                        .for_each(|plane| plane.resize(frames, 0.0));
                }
            }
        }
    }
}

impl Decoder for Container<'_> {
    fn sample_rate(&self) -> u32 {
        self.sample_rate
    }

    fn expected_frames(&self) -> Option<u64> {
        self.expected_frames
    }

    fn next(&mut self, block: &mut Block) -> Result<bool, ExtractError> {
        loop {
            match self.reader.next_packet() {
                Ok(Some(packet)) if packet.track_id == self.track => {
                    self.has_packets = true;
                    self.codec.decode(&packet, self.sample_rate, block);
                    let before = usize::try_from(self.skip)
                        .unwrap_or(usize::MAX)
                        .min(block.frames());
                    block.drop_front(before);
                    self.skip -= before as u64;
                    return Ok(true);
                }
                Ok(Some(_)) => {}
                Ok(None) => return Ok(false),
                Err(Error::ResetRequired) if self.next_stream() => {}
                // The rest cannot be read. The source has recorded a storage failure.
                Err(_) => return Ok(false),
            }
        }
    }
}

fn refusal(error: Error) -> ExtractError {
    match error {
        Error::Unsupported(what) => ExtractError::Unsupported(format!("{what} is not supported")),
        error => ExtractError::invalid(None, error.to_string()),
    }
}
