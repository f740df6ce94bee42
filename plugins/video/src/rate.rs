//! Frame rates from fractions, durations or timestamps.

/// Common rates. A rate that is measured from rounded timestamps is replaced by the nearest of them.
const COMMON_RATES: [f64; 20] = [
    5.0, 6.0, 8.0, 10.0, 12.0, 12.5, 14.985, 15.0, 20.0, 23.976, 24.0, 25.0, 29.97, 30.0, 47.952, 48.0, 50.0,
    59.94, 60.0, 120.0,
];
/// Other values are clock rates or noise.
const MIN_RATE: f64 = 0.01;
const MAX_RATE: f64 = 480.0;

/// Frames per time unit, to three decimals; `None` if it is not a plausible rate.
pub(crate) fn fraction(pictures: u64, time: u64) -> Option<f64> {
    if time == 0 {
        return None;
    }
    rounded(pictures as f64 / time as f64)
}

/// To three decimals; `None` if it is not a plausible rate.
pub(crate) fn rounded(rate: f64) -> Option<f64> {
    (MIN_RATE..=MAX_RATE)
        .contains(&rate)
        .then(|| (rate * 1000.0).round() / 1000.0)
}

/// The rate of frames with these timestamps, at `ticks` per second.
///
/// Timestamps are in decoding order and rounded. The median of the distances gives the rate, which is replaced by a
/// common rate within 2 %.
pub(crate) fn seen(mut timestamps: Vec<u64>, ticks: f64) -> Option<f64> {
    timestamps.sort_unstable();
    timestamps.dedup();
    // In decoding order the last timestamps have gaps: earlier frames follow later.
    let kept = timestamps.len().saturating_sub(timestamps.len() / 8);
    timestamps.truncate(kept.max(2));
    let (first, last) = (timestamps.first()?, timestamps.last()?);
    let distances = timestamps.len() - 1;
    let rate = rounded(distances as f64 * ticks / last.checked_sub(*first).filter(|time| *time > 0)? as f64)?;
    let distance = |usual: &f64| (usual - rate).abs() / usual;
    let usual = COMMON_RATES
        .into_iter()
        .min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
    // Few frames give an imprecise rate, many a precise one.
    let within = if distances < 24 { 0.02 } else { 0.005 };
    Some(if distance(&usual) < within { usual } else { rate })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_rounded_and_absurd_ones_are_none() {
        assert_eq!(fraction(24_000, 1001), Some(23.976));
        assert_eq!(fraction(90_000, 1), None);
        assert_eq!(fraction(1, 0), None);
        assert_eq!(fraction(0, 5), None);
        assert_eq!(fraction(1, u64::MAX), None);
    }

    #[test]
    fn rates_are_seen_in_rounded_timestamps() {
        let film: Vec<u64> = (0..40).map(|n| (f64::from(n) * 1001.0 / 24.0) as u64).collect();
        assert_eq!(seen(film, 1000.0), Some(23.976));
        assert_eq!(seen(vec![0, 120, 40, 80, 240, 160, 200], 1000.0), Some(25.0));
        assert_eq!(seen(vec![5], 1000.0), None);
        assert_eq!(seen(vec![5, 5], 1000.0), None);
    }
}
