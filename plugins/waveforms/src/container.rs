//! What symphonia reads: MPEG audio, AAC, FLAC, Ogg, MP4, Wave and AIFF, with Opus decoded by a crate of its own.

use std::io::ErrorKind;

use svc_plugin_api::{ExtractError, Source};
use symphonia::core::codecs::CodecParameters;
use symphonia::core::codecs::audio::well_known::CODEC_ID_OPUS;
use symphonia::core::codecs::audio::{AudioCodecParameters, AudioDecoder, AudioDecoderOptions};
use symphonia::core::common::Limit;
use symphonia::core::errors::Error;
use symphonia::core::formats::probe::Hint;
use symphonia::core::formats::{FormatOptions, FormatReader, Track, TrackType};
use symphonia::core::io::MediaSourceStream;
use symphonia::core::meta::MetadataOptions;
use symphonia::core::packet::Packet;

use crate::decoder::{Block, Decoder};
use crate::opus::OpusStream;
use crate::stream::Stream;

/// Streams one after another in one file. Radio recordings have hundreds.
const STREAMS: u32 = 10_000;

/// A file in a container, and the decoder of its first sound.
pub(crate) struct Container<'s> {
    reader: Box<dyn FormatReader + 's>,
    track: u32,
    codec: Codec,
    sample_rate: u32,
    expected_frames: Option<u64>,
    streams: u32,
}

enum Codec {
    Symphonia(Box<dyn AudioDecoder>),
    Opus(Box<OpusStream>),
}

impl<'s> Container<'s> {
    pub(crate) fn open(source: &'s mut Source) -> Result<Self, ExtractError> {
        let mut hint = Hint::new();
        hint.with_extension(&source.extension());
        let stream = MediaSourceStream::new(Box::new(Stream::new(source)), Default::default());
        // Tags are the music plugin's; here their pictures are passed over.
        let tags = MetadataOptions::default().limit_visual_bytes(Limit::Maximum(0));
        let reader = symphonia::default::get_probe()
            .probe(&hint, stream, FormatOptions::default(), tags)
            .map_err(|error| match error {
                Error::Unsupported(_) => ExtractError::invalid(None, "no known audio format"),
                error => refusal(error),
            })?;
        let (track, params) = sound(reader.as_ref())?;
        let codec = Codec::open(params)?;
        let sample_rate = params.sample_rate.filter(|rate| *rate > 0);
        let sample_rate = sample_rate.ok_or_else(|| ExtractError::invalid(None, "no sample rate"))?;
        let (track, expected_frames) = (track.id, track.num_frames);
        Ok(Self {
            reader,
            track,
            codec,
            sample_rate,
            expected_frames,
            streams: 1,
        })
    }

    /// The next stream of a chain, if it goes on in the same way.
    fn next_stream(&mut self) -> bool {
        self.streams += 1;
        // The length that was told is that of the first.
        self.expected_frames = None;
        let Ok((track, params)) = sound(self.reader.as_ref()) else {
            return false;
        };
        let Ok(codec) = Codec::open(params) else {
            return false;
        };
        self.track = track.id;
        self.codec = codec;
        self.streams < STREAMS
    }
}

/// The first track with a sound that has a name.
fn sound(reader: &dyn FormatReader) -> Result<(&Track, &AudioCodecParameters), ExtractError> {
    let track = reader.default_track(TrackType::Audio);
    let sound = track.and_then(|track| match &track.codec_params {
        Some(CodecParameters::Audio(params)) => Some((track, params)),
        _ => None,
    });
    sound.ok_or_else(|| ExtractError::Unsupported("no sound of a known kind".into()))
}

impl Codec {
    fn open(params: &AudioCodecParameters) -> Result<Self, ExtractError> {
        if params.codec == CODEC_ID_OPUS {
            let head = params.extra_data.as_deref().unwrap_or_default();
            return Ok(Self::Opus(Box::new(OpusStream::open(head)?)));
        }
        symphonia::default::get_codecs()
            .make_audio_decoder(params, &AudioDecoderOptions::default().gapless(true))
            .map(Self::Symphonia)
            .map_err(refusal)
    }

    fn decode(&mut self, packet: &Packet, sample_rate: u32, block: &mut Block) {
        match self {
            Self::Opus(stream) => stream.decode(packet, block),
            Self::Symphonia(decoder) => match decoder.decode(packet) {
                Ok(buffer) if buffer.spec().rate() == sample_rate => buffer.copy_to_vecs_planar(&mut block.planes),
                // A broken packet, or a piece of another recording that has no place among the frames.
                Ok(_) | Err(_) => block.clear(0),
            },
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
                    self.codec.decode(&packet, self.sample_rate, block);
                    return Ok(true);
                }
                Ok(Some(_)) => {}
                Ok(None) => return Ok(false),
                Err(Error::ResetRequired) if self.next_stream() => {}
                Err(Error::IoError(error)) if error.kind() != ErrorKind::UnexpectedEof => {
                    return Err(error.into());
                }
                // The rest is lost; how much there was decides.
                Err(_) => return Ok(false),
            }
        }
    }
}

fn refusal(error: Error) -> ExtractError {
    match error {
        Error::IoError(error) => error.into(),
        Error::Unsupported(what) => ExtractError::Unsupported(format!("{what} is not supported")),
        error => ExtractError::invalid(None, error.to_string()),
    }
}
