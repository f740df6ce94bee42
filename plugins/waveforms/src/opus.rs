//! Opus packets to sound, by RFC 7845: channel mapping, gain and the part before the beginning.

use opus_decoder::OpusMultistreamDecoder;
use svc_plugin_api::ExtractError;
use symphonia::core::packet::Packet;

use crate::decoder::Block;

/// Opus is always decoded at this rate.
const SAMPLE_RATE: u32 = 48_000;
/// The longest packet: 120 ms.
const PACKET_FRAMES: usize = 5_760;
/// Channels that RFC 7845 gives places to; ambisonics have up to 227, which nobody keeps as music.
const CHANNELS: usize = 8;

/// The decoder of a stream.
pub(crate) struct OpusStream {
    decoder: OpusMultistreamDecoder,
    channels: usize,
    /// Frames yet to be left out at the beginning.
    skip: usize,
    gain: f32,
    samples: Vec<f32>,
}

impl OpusStream {
    /// From the identification header.
    pub(crate) fn open(head: &[u8]) -> Result<Self, ExtractError> {
        let [
            b'O',
            b'p',
            b'u',
            b's',
            b'H',
            b'e',
            b'a',
            b'd',
            _version,
            channels,
            rest @ ..,
        ] = head
        else {
            return Err(ExtractError::invalid(None, "no Opus header"));
        };
        let [skip0, skip1, _, _, _, _, gain0, gain1, family, mapping @ ..] = rest else {
            return Err(ExtractError::invalid(None, "an Opus header that ends early"));
        };
        let channels = usize::from(*channels);
        let (streams, coupled, mapping) = match (family, mapping) {
            (0, _) if channels <= 2 => (1, channels.saturating_sub(1), [0, 1].get(..channels)),
            (1, [streams, coupled, mapping @ ..]) if channels <= CHANNELS => (
                usize::from(*streams),
                usize::from(*coupled),
                mapping.get(..channels),
            ),
            _ => {
                return Err(ExtractError::Unsupported(format!(
                    "Opus of mapping family {family}"
                )));
            }
        };
        let decoder = OpusMultistreamDecoder::new(
            SAMPLE_RATE,
            channels,
            streams,
            coupled,
            mapping.unwrap_or_default(),
        );
        let gain = f32::from(i16::from_le_bytes([*gain0, *gain1])) / 256.0;
        Ok(Self {
            decoder: decoder.map_err(|error| ExtractError::invalid(None, error.to_string()))?,
            channels,
            skip: usize::from(u16::from_le_bytes([*skip0, *skip1])),
            gain: 10.0_f32.powf(gain / 20.0),
            samples: vec![0.0; PACKET_FRAMES * channels],
        })
    }

    /// Decodes a packet into the block; a broken one leaves it empty.
    pub(crate) fn decode(&mut self, packet: &Packet, block: &mut Block) {
        block.clear(self.channels);
        let frames = self.decoder.decode_float(&packet.data, &mut self.samples, false);
        let Ok(frames) = frames else {
            return block.set_broken();
        };
        let samples = self.samples.get(..frames * self.channels).unwrap_or_default();
        block.push_interleaved(samples.iter().map(|sample| sample * self.gain));
        // The container says how much of the last packet is beyond the end.
        let beyond = usize::try_from(packet.trim_end.get()).unwrap_or(usize::MAX);
        block.truncate(frames.saturating_sub(beyond));
        let before = self.skip.min(block.frames());
        block.drop_front(before);
        self.skip -= before;
    }
}
