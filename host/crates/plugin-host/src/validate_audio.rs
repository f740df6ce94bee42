//! Validates the result of a waveform analysis.

use crate::bindings::exports::svc::plugin::waveform::Summary;
use crate::limits;
use svc_domain::extraction::ExtractFailure;
use svc_domain::waveform::AudioSummary;

/// Possible LUFS and dBTP: 24 bits reach -145 dB, floating-point samples exceed full scale.
const DECIBELS: std::ops::RangeInclusive<f64> = -400.0..=400.0;

/// Converts a summary, which has to have this many bins.
pub(super) fn summary(given: Summary, bins: u32) -> Result<AudioSummary, ExtractFailure> {
    let has_bins = |list: &[u8]| u32::try_from(list.len()) == Ok(bins);
    check(
        has_bins(&given.peak) && has_bins(&given.rms),
        "a list does not have one value per bin",
    )?;
    check(
        (1..=limits::SAMPLE_RATE).contains(&given.sample_rate),
        "the sample rate is out of range",
    )?;
    check(
        (1..=limits::CHANNELS).contains(&given.channels),
        "the number of channels is out of range",
    )?;
    check(
        [given.integrated_loudness, given.true_peak]
            .into_iter()
            .flatten()
            .all(|level| DECIBELS.contains(&level)),
        "a level is out of range",
    )?;
    // Rounded up: together the silences are at most as long as the file.
    let duration_ms = u128::from(given.frames) * 1000 / u128::from(given.sample_rate.max(1)) + 2;
    let silence_ms = u128::from(given.silence_lead_in_ms) + u128::from(given.silence_lead_out_ms);
    check(silence_ms <= duration_ms, "the silence is longer than the file")?;
    Ok(AudioSummary {
        sample_rate: given.sample_rate,
        channels: given.channels,
        frames: given.frames,
        peak: given.peak,
        rms: given.rms,
        integrated_loudness: given.integrated_loudness,
        true_peak: given.true_peak,
        silence_lead_in_ms: given.silence_lead_in_ms,
        silence_lead_out_ms: given.silence_lead_out_ms,
    })
}

fn check(is_valid: bool, problem: &str) -> Result<(), ExtractFailure> {
    if is_valid {
        Ok(())
    } else {
        Err(ExtractFailure::BadOutput(problem.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn valid() -> Summary {
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
    fn assert_rejected(change: impl FnOnce(&mut Summary)) {
        let mut given = valid();
        change(&mut given);
        assert_eq!(summary(given, 4).unwrap_err().code(), "bad_output");
    }

    #[test]
    fn valid_waveform_is_accepted() {
        let accepted = summary(valid(), 4).unwrap();
        assert_eq!(
            (accepted.peak.len(), accepted.integrated_loudness),
            (4, Some(-14.0))
        );
    }

    #[test]
    fn invalid_waveform_is_rejected() {
        assert_rejected(|summary| summary.peak.push(0));
        assert_rejected(|summary| summary.rms.clear());
        assert_rejected(|summary| summary.sample_rate = 0);
        assert_rejected(|summary| summary.channels = 0);
        assert_rejected(|summary| summary.integrated_loudness = Some(f64::NAN));
        assert_rejected(|summary| summary.true_peak = Some(f64::INFINITY));
        assert_rejected(|summary| summary.silence_lead_out_ms = u64::MAX);
        assert_rejected(|summary| summary.silence_lead_in_ms = 1000);
    }
}
