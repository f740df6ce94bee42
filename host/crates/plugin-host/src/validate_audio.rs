//! Checks what a plugin has measured of a sound.

use crate::bindings::exports::svc::plugin::waveform::Summary;
use crate::limits;
use svc_domain::extraction::ExtractFailure;
use svc_domain::waveform::AudioSummary;

/// LUFS and dBTP that a sound can have: 24 bits reach -145 dB, floating point samples go beyond full scale.
const DECIBELS: std::ops::RangeInclusive<f64> = -400.0..=400.0;

/// The summary as the server takes it: with this many bins.
pub(super) fn summary(given: Summary, bins: u32) -> Result<AudioSummary, ExtractFailure> {
    let Summary {
        sample_rate,
        channels,
        frames,
        peak,
        rms,
        integrated_loudness,
        true_peak,
        silence_lead_in_ms,
        silence_lead_out_ms,
    } = given;
    let is_length = |list: &[u8]| u32::try_from(list.len()) == Ok(bins);
    check(
        is_length(&peak) && is_length(&rms),
        "a list has not one value a bin",
    )?;
    check(
        (1..=limits::SAMPLE_RATE).contains(&sample_rate),
        "the sample rate is none",
    )?;
    check(
        (1..=limits::CHANNELS).contains(&channels),
        "the number of channels is none",
    )?;
    check(
        [integrated_loudness, true_peak]
            .into_iter()
            .flatten()
            .all(|level| DECIBELS.contains(&level)),
        "a level is none",
    )?;
    // Rounded up: the silences together are as long as the sound at most.
    let duration_ms = u128::from(frames) * 1000 / u128::from(sample_rate.max(1)) + 2;
    let silence_ms = u128::from(silence_lead_in_ms) + u128::from(silence_lead_out_ms);
    check(silence_ms <= duration_ms, "the silence is longer than the sound")?;
    Ok(AudioSummary {
        sample_rate,
        channels,
        frames,
        peak,
        rms,
        integrated_loudness,
        true_peak,
        silence_lead_in_ms,
        silence_lead_out_ms,
    })
}

fn check(is_right: bool, problem: &str) -> Result<(), ExtractFailure> {
    if is_right {
        Ok(())
    } else {
        Err(ExtractFailure::BadOutput(problem.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn sound() -> Summary {
        Summary {
            sample_rate: 48_000,
            channels: 2,
            frames: 48_000,
            peak: vec![255; 4],
            rms: vec![100; 4],
            integrated_loudness: Some(-14.0),
            true_peak: Some(0.3),
            silence_lead_in_ms: 400,
            silence_lead_out_ms: 600,
        }
    }

    #[track_caller]
    fn refused(change: impl FnOnce(&mut Summary)) {
        let mut given = sound();
        change(&mut given);
        assert_eq!(summary(given, 4).unwrap_err().code(), "bad_output");
    }

    #[test]
    fn audio_summary_that_is_right_is_taken() {
        let taken = summary(sound(), 4).unwrap();
        assert_eq!((taken.peak.len(), taken.integrated_loudness), (4, Some(-14.0)));
    }

    #[test]
    fn audio_summary_that_breaks_the_contract_is_refused() {
        refused(|sound| sound.peak.push(0));
        refused(|sound| sound.rms.clear());
        refused(|sound| sound.sample_rate = 0);
        refused(|sound| sound.channels = 0);
        refused(|sound| sound.integrated_loudness = Some(f64::NAN));
        refused(|sound| sound.true_peak = Some(f64::INFINITY));
        refused(|sound| sound.silence_lead_out_ms = u64::MAX);
        refused(|sound| sound.silence_lead_in_ms = 1000);
    }
}
