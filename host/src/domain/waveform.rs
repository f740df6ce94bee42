//! What is measured of the sound of an audio file.

/// The sound of an audio file, summed up.
#[derive(Debug, Clone, PartialEq)]
pub struct AudioSummary {
    /// In hertz.
    pub sample_rate: u32,
    /// At least 1.
    pub channels: u16,
    /// Decoded frames, each one sample of every channel.
    pub frames: u64,
    /// The largest sample of each bin over all channels: 0 to 255, linear, 255 is full scale.
    pub peak: Vec<u8>,
    /// The root mean square of each bin over all channels, as `peak`; of the same length.
    pub rms: Vec<u8>,
    /// Loudness of the whole in LUFS; none for silence.
    pub integrated_loudness: Option<f64>,
    /// The highest true peak in dBTP; none for silence.
    pub true_peak: Option<f64>,
    /// Silence before the first sound, in milliseconds.
    pub silence_lead_in_ms: u64,
    /// Silence after the last sound, in milliseconds.
    pub silence_lead_out_ms: u64,
}
