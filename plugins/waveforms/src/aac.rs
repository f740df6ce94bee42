//! AAC: reduces HE-AAC to the AAC-LC core that the decoder supports.

use symphonia::core::codecs::audio::AudioCodecParameters;

pub(crate) const PACKET_FRAMES: u64 = 1024;

const LOW_COMPLEXITY: u16 = 2;
/// Object types with spectral band replication (HE-AAC), and with parametric stereo too (HE-AAC v2).
const REPLICATED: [u16; 2] = [5, 29];
const RATES: [u32; 13] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
];

/// Removes the extensions of AAC-LC from a configuration. The core of HE-AAC is a stream of its own at half the
/// sample rate; the upper half of the spectrum is too quiet to be visible in a waveform.
pub(crate) fn reduce_to_core(params: &mut AudioCodecParameters) {
    let config = params
        .extra_data
        .as_deref()
        .and_then(|config| config.first_chunk());
    let Some(config) = config.copied().map(u16::from_be_bytes) else {
        return;
    };
    let (object, rate, channels) = (config >> 11, config >> 7 & 15, config >> 3 & 15);
    let Some(hertz) = RATES.get(usize::from(rate)) else {
        return;
    };
    if object == LOW_COMPLEXITY || REPLICATED.contains(&object) {
        let core = LOW_COMPLEXITY << 11 | rate << 7 | channels << 3;
        params.extra_data = Some(core.to_be_bytes().into());
        params.sample_rate = Some(*hertz);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reduced(config: &[u8]) -> (Option<Box<[u8]>>, Option<u32>) {
        let mut params = AudioCodecParameters {
            extra_data: Some(config.into()),
            ..AudioCodecParameters::default()
        };
        reduce_to_core(&mut params);
        (params.extra_data, params.sample_rate)
    }

    #[test]
    fn configurations_are_reduced_to_low_complexity() {
        let stereo_44100 = (Some([0x12, 0x10].into()), Some(44_100));
        assert_eq!(reduced(&[0x12, 0x10]), stereo_44100);
        // The same with the trailing sync extension of band replication.
        assert_eq!(reduced(&[0x12, 0x10, 0x56, 0xe5, 0x00]), stereo_44100);
        // HE-AAC: object type 5 at 22,050 Hz with two channels, extended to 44,100 Hz.
        assert_eq!(
            reduced(&[0x2b, 0x92, 0x08, 0x00]),
            (Some([0x13, 0x90].into()), Some(22_050))
        );
        // Object type 29 at 24,000 Hz with one channel.
        assert_eq!(
            reduced(&[0xeb, 0x09, 0x88, 0x00]),
            (Some([0x13, 0x08].into()), Some(24_000))
        );
    }

    #[test]
    fn configurations_of_another_kind_stay() {
        for config in [&[][..], &[0x12], &[0x17, 0x80, 0, 0, 0], &[0x0a, 0x10]] {
            assert_eq!(reduced(config), (Some(config.into()), None));
        }
    }
}
