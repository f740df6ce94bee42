//! The waveform and loudness of an audio file.

/// The result of a waveform analysis.
#[derive(Debug, Clone, PartialEq)]
pub struct AudioSummary {
    /// In Hz.
    pub sample_rate: u32,
    /// At least 1.
    pub channels: u16,
    /// Decoded frames, each one sample of every channel.
    pub frames: u64,
    /// The largest sample of each bin over all channels: 0 to 255, linear, 255 is full scale.
    pub peak: Vec<u8>,
    /// The root mean square of each bin over all channels, scaled as `peak` and of the same length.
    pub rms: Vec<u8>,
    /// Loudness of the whole file in LUFS; `None` for silence.
    pub integrated_loudness: Option<f64>,
    /// The highest true peak in dBTP; `None` for silence.
    pub true_peak: Option<f64>,
    /// Silence before the first sound, in milliseconds.
    pub silence_lead_in_ms: u64,
    /// Silence after the last sound, in milliseconds.
    pub silence_lead_out_ms: u64,
}

impl AudioSummary {
    /// Version of the waveform format that clients receive.
    pub const VERSION: u32 = 1;

    /// Reduces the waveform to at most `bins` bins: to the largest power of two that exceeds neither `bins` nor the
    /// existing bins nor the frames. Each new bin consists of whole existing bins, so it equals a direct analysis
    /// with that number of bins; `rms` within the rounding of its parts, half a step.
    #[must_use]
    pub fn in_bins(&self, bins: u32) -> Self {
        let most = u64::from(bins)
            .min(self.peak.len() as u64)
            .min(self.frames)
            .max(1);
        let bins = 1 << most.ilog2();
        let parts = (self.peak.len() / bins).max(1);
        let frames_of = |part: usize| {
            let start = |part: usize| part as u128 * u128::from(self.frames) / self.peak.len().max(1) as u128;
            (start(part + 1) - start(part)) as f64
        };
        let mean = |(bin, parts_of_bin): (usize, &[u8])| {
            let (mut squares, mut frames) = (0.0, 0.0);
            for (at, level) in parts_of_bin.iter().enumerate() {
                let weight = frames_of(bin * parts + at);
                squares += weight * f64::from(*level).powi(2);
                frames += weight;
            }
            (squares / f64::max(frames, 1.0)).sqrt().round() as u8
        };
        Self {
            peak: self
                .peak
                .chunks(parts)
                .map(|parts| parts.iter().copied().max().unwrap_or_default())
                .collect(),
            rms: self.rms.chunks(parts).enumerate().map(mean).collect(),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn summary(frames: u64, peak: &[u8], rms: &[u8]) -> AudioSummary {
        AudioSummary {
            sample_rate: 48_000,
            channels: 2,
            frames,
            peak: peak.to_vec(),
            rms: rms.to_vec(),
            integrated_loudness: None,
            true_peak: None,
            silence_lead_in_ms: 0,
            silence_lead_out_ms: 0,
        }
    }

    #[test]
    fn fewer_bins_combine_peaks_and_mean_squares() {
        let whole = summary(8000, &[10, 40, 7, 9], &[30, 40, 5, 5]);
        let halves = whole.in_bins(2);
        // The mean of the squares of 30 and 40 is 1250.
        assert_eq!((halves.peak, halves.rms), (vec![40, 9], vec![35, 5]));
        assert_eq!(whole.in_bins(3).peak, [40, 9]);
        assert_eq!(whole.in_bins(1).peak, [40]);
        assert_eq!(whole.in_bins(4), whole);
        assert_eq!(whole.in_bins(4096), whole);
    }

    #[test]
    fn waveform_has_no_more_bins_than_frames() {
        // Three frames in four bins: the first is empty.
        let short = summary(3, &[0, 10, 20, 30], &[0, 10, 20, 30]);
        assert_eq!(
            (short.in_bins(4).peak, short.in_bins(4).rms),
            (vec![10, 30], vec![10, 25])
        );
        assert_eq!(summary(1, &[0, 0, 0, 9], &[0, 0, 0, 9]).in_bins(4).rms, [9]);
    }
}
