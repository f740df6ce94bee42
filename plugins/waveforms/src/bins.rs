//! The peak and the root mean square of each bin.

/// The accumulated values of one bin.
#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    peak: f32,
    squares: f64,
    samples: u64,
}

/// Divides the expected number of frames into bins: bin `i` starts with frame `i * frames / bins`.
pub(crate) struct Bins {
    /// The expected number of frames.
    total: u64,
    bins: Vec<Bin>,
    current: usize,
    /// Frames so far.
    frames: u64,
    /// The frame at which the current bin ends.
    end: u64,
}

impl Bins {
    pub(crate) fn new(count: usize, total: u64) -> Self {
        let mut bins = Self {
            total,
            bins: vec![Bin::default(); count],
            current: 0,
            frames: 0,
            end: 0,
        };
        bins.end = bins.start_of(1);
        bins
    }

    /// Adds the next frames, one slice per channel. Frames beyond the expected number are ignored.
    pub(crate) fn add(&mut self, planes: &[Vec<f32>], frames: usize) {
        let mut from = 0;
        while from < frames && self.frames < self.total {
            while self.frames >= self.end && self.current + 1 < self.bins.len() {
                self.current += 1;
                self.end = self.start_of(self.current + 1);
            }
            let left = usize::try_from(self.end - self.frames).unwrap_or(usize::MAX);
            let to = from.saturating_add(left).min(frames);
            if let Some(bin) = self.bins.get_mut(self.current) {
                for plane in planes {
                    bin.add(plane.get(from..to).unwrap_or_default());
                }
            }
            self.frames += (to - from) as u64;
            from = to;
        }
    }

    /// The peak and the root mean square of each bin: 255 is full scale, a bin without frames is 0.
    pub(crate) fn finish(&self) -> (Vec<u8>, Vec<u8>) {
        let mean = |bin: &Bin| (bin.squares / bin.samples.max(1) as f64).sqrt();
        (
            self.bins.iter().map(|bin| level(f64::from(bin.peak))).collect(),
            self.bins.iter().map(|bin| level(mean(bin))).collect(),
        )
    }

    fn start_of(&self, bin: usize) -> u64 {
        let start = bin as u128 * u128::from(self.total) / self.bins.len().max(1) as u128;
        u64::try_from(start).unwrap_or(u64::MAX)
    }
}

impl Bin {
    fn add(&mut self, samples: &[f32]) {
        const LANES: usize = 8;
        let (mut peaks, mut squares) = ([0.0_f32; LANES], [0.0_f32; LANES]);
        let (chunks, rest) = samples.as_chunks::<LANES>();
        for chunk in chunks {
            for ((sample, peak), sum) in chunk.iter().zip(&mut peaks).zip(&mut squares) {
                // Not `max`: the comparison is one instruction and ignores NaN.
                let magnitude = sample.abs();
                *peak = if magnitude > *peak { magnitude } else { *peak };
                *sum += magnitude * magnitude;
            }
        }
        for sample in rest {
            peaks[0] = peaks[0].max(sample.abs());
            squares[0] += sample * sample;
        }
        self.peak = peaks.into_iter().fold(self.peak, f32::max);
        self.squares += squares.into_iter().map(f64::from).sum::<f64>();
        self.samples += samples.len() as u64;
    }
}

/// 0 to 255, linear. Values beyond full scale are clamped, and NaN is silence.
fn level(amplitude: f64) -> u8 {
    (amplitude * 255.0).round() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(samples: &[f32], count: usize, piece: usize) -> (Vec<u8>, Vec<u8>) {
        let mut bins = Bins::new(count, samples.len() as u64);
        for piece in samples.chunks(piece) {
            bins.add(&[piece.to_vec()], piece.len());
        }
        bins.finish()
    }

    #[test]
    fn bins_have_exact_edges_for_any_block_sizes() {
        // Bin `i` of 7 over 100 frames starts with frame `i * 100 / 7`; each frame's level gives its bin.
        let starts: Vec<usize> = (0..8).map(|bin| bin * 100 / 7).collect();
        let mut samples = vec![0.0; 100];
        for (bin, edges) in starts.windows(2).enumerate() {
            samples[edges[0]] = (bin + 1) as f32 / 8.0;
            samples[edges[1] - 1] = -((bin + 1) as f32) / 8.0;
        }
        let peaks: Vec<u8> = (1..8)
            .map(|bin| (f64::from(bin) / 8.0 * 255.0).round() as u8)
            .collect();
        for piece in [1, 3, 16, 99, 100, 1000] {
            assert_eq!(measured(&samples, 7, piece).0, peaks, "pieces of {piece}");
        }
    }

    #[test]
    fn bins_of_a_square_wave_have_the_same_peak_and_mean() {
        let samples: Vec<f32> = (0..1000)
            .map(|at| if at / 10 % 2 == 0 { 0.5 } else { -0.5 })
            .collect();
        assert_eq!(measured(&samples, 16, 64), (vec![128; 16], vec![128; 16]));
    }

    #[test]
    fn bins_without_a_frame_are_zero() {
        assert_eq!(measured(&[1.0, -1.0], 4, 2).0, [0, 255, 0, 255]);
        assert_eq!(measured(&[], 3, 1), (vec![0; 3], vec![0; 3]));
    }

    #[test]
    fn bins_clamp_infinity_and_ignore_nan() {
        assert_eq!(measured(&[f32::NAN; 9], 1, 9).0, [0]);
        assert_eq!(measured(&[f32::NAN; 9], 1, 9).1, [0]);
        assert_eq!(measured(&[f32::INFINITY; 9], 1, 9).0, [255]);
        assert_eq!(measured(&[7.5; 9], 1, 9), (vec![255], vec![255]));
    }

    #[test]
    fn bins_leave_out_what_is_beyond_the_expected_end() {
        let mut bins = Bins::new(2, 4);
        bins.add(&[vec![0.2, 0.2, 0.4, 0.4, 1.0, 1.0]], 6);
        bins.add(&[vec![1.0]], 1);
        assert_eq!(bins.finish().0, [51, 102]);
    }
}
