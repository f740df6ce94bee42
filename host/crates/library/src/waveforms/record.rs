//! The cached form of a waveform: numbers in a fixed order, the bins, a CRC-32.

use svc_domain::waveform::AudioSummary;

const MAGIC: [u8; 4] = *b"svcw";
const MEASURED: u8 = 1;
/// Marks a file that the plugin cannot decode.
const UNDECODABLE: u8 = 0;

/// Encodes a waveform, or the fact that the file cannot be decoded.
pub(super) fn encode(summary: Option<&AudioSummary>) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    match summary {
        None => bytes.push(UNDECODABLE),
        Some(summary) => {
            bytes.push(MEASURED);
            bytes.extend(summary.sample_rate.to_le_bytes());
            bytes.extend(summary.channels.to_le_bytes());
            bytes.extend(summary.frames.to_le_bytes());
            for level in [summary.integrated_loudness, summary.true_peak] {
                bytes.extend(level.unwrap_or(f64::NAN).to_le_bytes());
            }
            bytes.extend(summary.silence_lead_in_ms.to_le_bytes());
            bytes.extend(summary.silence_lead_out_ms.to_le_bytes());
            bytes.extend((summary.peak.len() as u64).to_le_bytes());
            bytes.extend(&summary.peak);
            bytes.extend(&summary.rms);
        }
    }
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// Reverses [`encode`]; the outer `None` means that the bytes are truncated or damaged.
pub(super) fn decode(bytes: &[u8]) -> Option<Option<AudioSummary>> {
    let (content, checksum) = bytes.split_last_chunk::<4>()?;
    if crc32fast::hash(content) != u32::from_le_bytes(*checksum) {
        return None;
    }
    let mut reader = Reader(content);
    if reader.take()? != MAGIC {
        return None;
    }
    match reader.take()? {
        [UNDECODABLE] => Some(None),
        [MEASURED] => reader.summary().map(Some),
        _ => None,
    }
}

struct Reader<'b>(&'b [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn summary(&mut self) -> Option<AudioSummary> {
        let (sample_rate, channels) = (u32::from_le_bytes(self.take()?), u16::from_le_bytes(self.take()?));
        let frames = u64::from_le_bytes(self.take()?);
        let mut level = || {
            self.take()
                .map(f64::from_le_bytes)
                .map(|level| Some(level).filter(|l| !l.is_nan()))
        };
        let (integrated_loudness, true_peak) = (level()?, level()?);
        let (lead_in, lead_out) = (u64::from_le_bytes(self.take()?), u64::from_le_bytes(self.take()?));
        let bins = usize::try_from(u64::from_le_bytes(self.take()?)).ok()?;
        let (peak, rms) = self.0.split_at_checked(bins)?;
        (rms.len() == bins).then(|| AudioSummary {
            sample_rate,
            channels,
            frames,
            peak: peak.to_vec(),
            rms: rms.to_vec(),
            integrated_loudness,
            true_peak,
            silence_lead_in_ms: lead_in,
            silence_lead_out_ms: lead_out,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_round_trips_and_damaged_bytes_are_rejected() {
        let summary = AudioSummary {
            sample_rate: 44_100,
            channels: 2,
            frames: 1 << 40,
            peak: vec![1, 2, 3],
            rms: vec![0, 1, 255],
            integrated_loudness: Some(-14.25),
            true_peak: None,
            silence_lead_in_ms: 5,
            silence_lead_out_ms: 6,
        };
        let bytes = encode(Some(&summary));
        assert_eq!(decode(&bytes), Some(Some(summary)));
        for length in 0..bytes.len() {
            assert_eq!(decode(&bytes[..length]), None, "{length}");
        }
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 0x10;
            assert_eq!(decode(&broken), None, "{at}");
        }
        assert_eq!(decode(&encode(None)), Some(None));
    }
}
