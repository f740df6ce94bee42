//! The audio properties of a file and their fields.

use svc_plugin_api::ExtractionBuilder;

/// The stream headers. 0 means that a number is unknown.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Audio {
    pub container: &'static str,
    pub codec: Option<&'static str>,
    pub duration_ms: u64,
    /// In hertz.
    pub sample_rate: u32,
    /// Bits per sample.
    pub bit_depth: u8,
    pub channels: u32,
}

/// 30 days, in milliseconds. A longer duration is from a damaged header.
const MAX_DURATION_MS: u64 = 30 * 24 * 3600 * 1000;

/// In hertz; the highest rate in use is that of DSD, 11,289,600.
pub const MAX_RATE: u32 = 12_000_000;

impl Audio {
    /// Writes the fields. `file_size` is in bytes; the bitrate is the average of the whole file.
    pub fn write(&self, file_size: u64, extraction: &mut ExtractionBuilder) {
        if self.duration_ms > MAX_DURATION_MS {
            extraction.warn(format!("implausible duration of {} ms", self.duration_ms));
        } else {
            extraction.duration_ms(self.duration_ms);
            if let Some(bitrate) = file_size.saturating_mul(8000).checked_div(self.duration_ms) {
                extraction.positive("audio.bitrate", bitrate);
            }
        }
        let sample_rate = if self.sample_rate <= MAX_RATE {
            self.sample_rate
        } else {
            0
        };
        extraction
            .text("audio.container", self.container)
            .text("audio.codec", self.codec.unwrap_or_default())
            .positive("audio.sample-rate", sample_rate)
            .positive("audio.bit-depth", self.bit_depth)
            .positive("audio.channels", self.channels);
    }
}

/// The duration of this number of samples in milliseconds, rounded.
pub fn samples_ms(samples: u64, sample_rate: u32) -> u64 {
    let rate = u128::from(sample_rate.max(1));
    u64::try_from((u128::from(samples) * 1000 + rate / 2) / rate).unwrap_or(u64::MAX)
}
