//! JSON of waveforms of tracks.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::waveform::AudioSummary;

/// The waveform of a track.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "MusicWaveform"))]
#[serde(rename_all = "camelCase")]
pub struct WaveformView {
    /// Version of this format: 1.
    version: u32,
    /// Number of bins: a power of two, at most the requested number; fewer for audio with fewer frames.
    bin_count: usize,
    /// Hertz.
    sample_rate: u32,
    channels: WaveformChannelsView,
    /// Integrated loudness by ITU-R BS.1770 and EBU R 128, in LUFS; absent for silence.
    #[serde(skip_serializing_if = "Option::is_none")]
    integrated_loudness: Option<f64>,
    /// Highest true peak of all channels by ITU-R BS.1770, in dBTP; absent for silence.
    #[serde(skip_serializing_if = "Option::is_none")]
    true_peak: Option<f64>,
    /// Seconds before the first sample above -60 dBFS.
    silence_lead_in: f64,
    /// Seconds after the last sample above -60 dBFS.
    silence_lead_out: f64,
}

/// Values of all channels combined, one per bin: 0 to 255, linear, 255 is full scale.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "MusicWaveformChannels"))]
pub struct WaveformChannelsView {
    /// Largest absolute sample of each bin.
    peak: Vec<u8>,
    /// Root mean square of each bin.
    rms: Vec<u8>,
}

impl WaveformView {
    /// The peaks of all bins, then their root mean squares, one byte each.
    pub fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.channels.peak;
        bytes.extend(self.channels.rms);
        bytes
    }
}

impl From<AudioSummary> for WaveformView {
    fn from(summary: AudioSummary) -> Self {
        let seconds = |millis: u64| millis as f64 / 1000.0;
        Self {
            version: AudioSummary::VERSION,
            bin_count: summary.peak.len(),
            sample_rate: summary.sample_rate,
            channels: WaveformChannelsView {
                peak: summary.peak,
                rms: summary.rms,
            },
            integrated_loudness: summary.integrated_loudness,
            true_peak: summary.true_peak,
            silence_lead_in: seconds(summary.silence_lead_in_ms),
            silence_lead_out: seconds(summary.silence_lead_out_ms),
        }
    }
}
