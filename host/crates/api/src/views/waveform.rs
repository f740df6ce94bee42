//! Waveforms.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::waveform::AudioSummary;

/// The sound of a track, summed up.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "MusicWaveform"))]
#[serde(rename_all = "camelCase")]
pub struct WaveformView {
    /// Of this form and its meaning: 1.
    version: u32,
    /// A power of two, at most what was asked for; less for a sound of fewer frames.
    bin_count: usize,
    /// Hertz.
    sample_rate: u32,
    channels: WaveformChannelsView,
    /// Loudness of the whole by ITU-R BS.1770 and EBU R 128, in LUFS; left out for silence.
    #[serde(skip_serializing_if = "Option::is_none")]
    integrated_loudness: Option<f64>,
    /// The highest true peak of a channel by ITU-R BS.1770, in dBTP; left out for silence.
    #[serde(skip_serializing_if = "Option::is_none")]
    true_peak: Option<f64>,
    /// Seconds before the first sample above -60 dBFS.
    silence_lead_in: f64,
    /// Seconds after the last sample above -60 dBFS.
    silence_lead_out: f64,
}

/// All channels together: one number a bin, 0 to 255, linear, 255 for full scale.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "MusicWaveformChannels"))]
pub struct WaveformChannelsView {
    /// The largest sample of each bin.
    peak: Vec<u8>,
    /// The root mean square of each bin.
    rms: Vec<u8>,
}

impl WaveformView {
    /// The bytes of all peaks, then of all root mean squares.
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
