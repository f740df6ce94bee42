//! Decodes Opus packets by RFC 7845: channel mapping, output gain and pre-skip.

use ruopus::MultistreamDecoder;
use svc_plugin_api::ExtractError;
use symphonia::core::packet::Packet;

use crate::decoder::Block;

/// Opus is always decoded at this rate.
const SAMPLE_RATE: u32 = 48_000;
/// The most channels that RFC 7845 assigns to speakers; ambisonics are not supported.
const CHANNELS: usize = 8;

pub(crate) struct OpusStream {
    decoder: MultistreamDecoder,
    channels: usize,
    /// Frames that are still to be skipped at the start.
    skip: usize,
    gain: f32,
}

impl OpusStream {
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
            return Err(ExtractError::invalid(None, "a truncated Opus header"));
        };
        let channels = usize::from(*channels);
        let (streams, coupled, mapping) = match (family, mapping) {
            (0, _) => (1, channels.saturating_sub(1), [0, 1].get(..channels)),
            (1, [streams, coupled, mapping @ ..]) => (
                usize::from(*streams),
                usize::from(*coupled),
                mapping.get(..channels),
            ),
            _ => (0, 0, None),
        };
        let mapping = mapping.filter(|mapping| (1..=CHANNELS).contains(&mapping.len()));
        let Some(mapping) = mapping else {
            return Err(ExtractError::Unsupported(format!(
                "Opus of mapping family {family}"
            )));
        };
        // The decoder requires these.
        let is_mapped = |place: &u8| *place == 255 || usize::from(*place) < streams + coupled;
        let is_possible = streams >= 1 && coupled <= streams && streams + coupled <= 255;
        if !is_possible || !mapping.iter().all(is_mapped) {
            return Err(ExtractError::invalid(
                None,
                "an Opus header with invalid channels",
            ));
        }
        let decoder = MultistreamDecoder::with_rate(SAMPLE_RATE, streams, coupled, mapping);
        let gain = f32::from(i16::from_le_bytes([*gain0, *gain1])) / 256.0;
        Ok(Self {
            decoder,
            channels,
            skip: usize::from(u16::from_le_bytes([*skip0, *skip1])),
            gain: 10.0_f32.powf(gain / 20.0),
        })
    }

    /// Decodes a packet into the block; a damaged packet leaves it empty.
    pub(crate) fn decode(&mut self, packet: &Packet, block: &mut Block) {
        block.clear(self.channels);
        let Ok(samples) = self.decoder.decode_packet(&packet.data) else {
            return block.set_broken();
        };
        block.push_interleaved(samples.iter().map(|sample| sample * self.gain));
        let frames = block.frames();
        // The container states how much of the last packet is beyond the end.
        let beyond = usize::try_from(packet.trim_end.get()).unwrap_or(usize::MAX);
        block.truncate(frames.saturating_sub(beyond));
        let before = self.skip.min(block.frames());
        block.drop_front(before);
        self.skip -= before;
    }
}
