//! Integrated loudness, true peak, and silence at both ends.

use ebur128::{EbuR128, Mode};

/// The level of silence: -60 dBFS.
const SILENCE: f32 = 0.001;

pub(crate) struct Loudness {
    sample_rate: u32,
    channels: usize,
    /// `None` for streams that the standard does not cover, such as more than 64 channels.
    meter: Option<EbuR128>,
    frames: u64,
    first_sound: Option<u64>,
    /// The frame after the last audible one.
    sound_end: u64,
}

/// Lower levels are rounding errors: 24-bit audio ends at -144 dB.
const LEAST_LEVEL: f64 = -200.0;

fn is_level(decibels: f64) -> bool {
    decibels.is_finite() && decibels >= LEAST_LEVEL
}

impl Loudness {
    pub(crate) fn new(sample_rate: u32, channels: usize) -> Self {
        // The histogram limits memory for any length; it rounds to less than 0.05 LU.
        let mode = Mode::I | Mode::TRUE_PEAK | Mode::HISTOGRAM;
        let meter = u32::try_from(channels)
            .ok()
            .and_then(|channels| EbuR128::new(channels, sample_rate, mode).ok());
        Self {
            sample_rate,
            channels,
            meter,
            frames: 0,
            first_sound: None,
            sound_end: 0,
        }
    }

    /// Adds the next frames, one slice per channel.
    pub(crate) fn add(&mut self, planes: &[Vec<f32>], frames: usize) {
        let planes: Vec<&[f32]> = planes.iter().filter_map(|plane| plane.get(..frames)).collect();
        if planes.len() != self.channels {
            // The standard does not cover a change of the number of channels.
            self.meter = None;
        }
        let is_measured = self
            .meter
            .as_mut()
            .is_some_and(|meter| meter.add_frames_planar_f32(&planes).is_ok());
        if !is_measured {
            self.meter = None;
        }
        let is_sound = |sample: &f32| sample.abs() > SILENCE;
        if self.first_sound.is_none() {
            let first = planes
                .iter()
                .filter_map(|plane| plane.iter().position(is_sound))
                .min();
            self.first_sound = first.map(|at| self.frames + at as u64);
        }
        if let Some(last) = planes
            .iter()
            .filter_map(|plane| plane.iter().rposition(is_sound))
            .max()
        {
            self.sound_end = self.frames + last as u64 + 1;
        }
        self.frames += frames as u64;
    }

    /// In LUFS; `None` for silence and for less than one block of 400 ms.
    pub(crate) fn integrated(&self) -> Option<f64> {
        let loudness = self.meter.as_ref()?.loudness_global().ok()?;
        is_level(loudness).then_some(loudness)
    }

    /// The highest of all channels, in dBTP; `None` for silence.
    pub(crate) fn true_peak(&self) -> Option<f64> {
        let meter = self.meter.as_ref()?;
        let peaks = (0..meter.channels()).filter_map(|channel| meter.true_peak(channel).ok());
        let decibels = 20.0 * peaks.fold(0.0, f64::max).log10();
        is_level(decibels).then_some(decibels)
    }

    /// Milliseconds of silence at the start and at the end. A silent file counts as silence at the start.
    pub(crate) fn silence_ms(&self) -> (u64, u64) {
        match self.first_sound {
            Some(first) => (self.ms(first), self.ms(self.frames - self.sound_end)),
            None => (self.ms(self.frames), 0),
        }
    }

    fn ms(&self, frames: u64) -> u64 {
        let ms = u128::from(frames) * 1000 / u128::from(self.sample_rate.max(1));
        u64::try_from(ms).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second of silence, `seconds` of a sine of 997 Hz at this amplitude on both channels, half a second of
    /// silence.
    fn listened(amplitude: f32, seconds: usize) -> Loudness {
        let rate = 48_000;
        let mut loudness = Loudness::new(rate, 2);
        let sine = |at: usize| (at as f32 * 997.0 * std::f32::consts::TAU / rate as f32).sin() * amplitude;
        let mut samples = vec![0.0; 48_000];
        samples.extend((0..seconds * 48_000).map(sine));
        samples.extend([0.0; 24_000]);
        for piece in samples.chunks(1000) {
            loudness.add(&[piece.to_vec(), piece.to_vec()], piece.len());
        }
        loudness
    }

    #[test]
    fn loudness_of_a_sine_on_two_channels_is_its_level() {
        // By BS.1770 a sine of 997 Hz at full scale on one front channel has -3.01 LUFS; two channels add 3.01.
        let loudness = listened(0.1, 10);
        let (integrated, peak) = (loudness.integrated().unwrap(), loudness.true_peak().unwrap());
        // Blocks that overlap the silence lower the result a little.
        assert!((integrated + 20.1).abs() < 0.1, "{integrated}");
        assert!((peak + 20.0).abs() < 0.1, "{peak}");
    }

    #[test]
    fn loudness_of_silence_is_none() {
        let loudness = listened(0.0, 1);
        assert_eq!((loudness.integrated(), loudness.true_peak()), (None, None));
        assert_eq!(loudness.silence_ms(), (2500, 0));
    }

    #[test]
    fn silence_is_what_stays_below_a_thousandth() {
        let (lead_in, lead_out) = listened(0.5, 2).silence_ms();
        assert_eq!((lead_in, lead_out), (1000, 500));
        assert_eq!(listened(0.0009, 2).silence_ms(), (3500, 0));
    }

    #[test]
    fn loudness_ends_where_the_number_of_channels_changes() {
        let mut loudness = listened(0.5, 2);
        loudness.add(&[vec![0.5; 100]], 100);
        assert_eq!(loudness.integrated(), None);
        assert_eq!(loudness.silence_ms(), (1000, 0));
    }
}
