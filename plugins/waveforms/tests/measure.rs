//! Measurements of files made in code, whose values are known.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use svc_plugin_api::{ExtractError, Source, Summary};
use waveforms::Waveforms;

fn measure(name: &str, bytes: Vec<u8>, bins: u32) -> Result<Summary, ExtractError> {
    svc_plugin_api::analyze::<Waveforms>(&mut Source::from_bytes(name, bytes), bins)
}

fn chunk(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
    let mut chunk = [&name[..], &(body.len() as u32).to_le_bytes(), body].concat();
    chunk.resize(chunk.len() + body.len() % 2, 0);
    chunk
}

/// A WAV file of 16-bit samples, with these chunks before and after the data.
fn wav(rate: u32, channels: u16, samples: &[i16], before: &[u8], after: &[u8]) -> Vec<u8> {
    let mut format = vec![1, 0];
    format.extend(channels.to_le_bytes());
    format.extend(rate.to_le_bytes());
    format.extend((rate * u32::from(channels) * 2).to_le_bytes());
    format.extend((channels * 2).to_le_bytes());
    format.extend(16_u16.to_le_bytes());
    let data: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    let body = [
        b"WAVE",
        &chunk(b"fmt ", &format)[..],
        before,
        &chunk(b"data", &data),
        after,
    ]
    .concat();
    chunk(b"RIFF", &body)
}

/// Frames of two channels: the left one as given, the right one silent.
fn left_only(left: impl IntoIterator<Item = i16>) -> Vec<i16> {
    left.into_iter().flat_map(|sample| [sample, 0]).collect()
}

#[test]
fn bins_are_peak_and_mean_over_all_channels() {
    // 1000 frames in 8 bins of 125: in bin `n` the left channel alternates between plus and minus n/8 of full scale.
    let level = |frame: usize| (frame / 125) as i16 * 4096;
    let left = (0..1000).map(|frame| {
        if frame % 2 == 0 {
            level(frame)
        } else {
            -level(frame)
        }
    });
    let summary = measure("a.wav", wav(8000, 2, &left_only(left), &[], &[]), 8).unwrap();
    assert_eq!(
        (summary.sample_rate, summary.channels, summary.frames),
        (8000, 2, 1000)
    );
    let peaks: Vec<u8> = (0..8)
        .map(|bin| (f64::from(bin) / 8.0 * 255.0).round() as u8)
        .collect();
    // The right channel, half of the samples, is silent.
    let means: Vec<u8> = (0..8)
        .map(|bin| (f64::from(bin) / 8.0 / 2_f64.sqrt() * 255.0).round() as u8)
        .collect();
    assert_eq!((summary.peak, summary.rms), (peaks, means));
}

#[test]
fn silence_and_levels_are_measured_over_the_whole() {
    // Half a second of silence, two seconds of a sine at a tenth of full scale, a quarter of a second of silence.
    let sine =
        |frame: i32| ((f64::from(frame) * 1000.0 * std::f64::consts::TAU / 48_000.0).sin() * 3276.7) as i16;
    let mut left = vec![0; 24_000];
    left.extend((0..96_000).map(sine));
    left.extend([0; 12_000]);
    let summary = measure("a.wav", wav(48_000, 2, &left_only(left), &[], &[]), 64).unwrap();
    assert_eq!(
        (summary.silence_lead_in_ms, summary.silence_lead_out_ms),
        (500, 250)
    );
    // One channel at -20 dBFS is -23.0 LUFS. Of some twenty blocks of 0.4 s, five overlap the silence by a quarter to
    // three quarters, all above the gate: half a LU less.
    let (loudness, peak) = (summary.integrated_loudness.unwrap(), summary.true_peak.unwrap());
    assert!((loudness + 23.5).abs() < 0.1, "{loudness}");
    assert!((peak + 20.0).abs() < 0.1, "{peak}");
}

#[test]
fn silence_has_no_levels() {
    let summary = measure("a.wav", wav(8000, 1, &[0; 4000], &[], &[]), 4).unwrap();
    assert_eq!((summary.integrated_loudness, summary.true_peak), (None, None));
    assert_eq!(
        (summary.silence_lead_in_ms, summary.silence_lead_out_ms),
        (500, 0)
    );
    assert_eq!(summary.peak, [0; 4]);
}

#[test]
fn bins_follow_the_actual_frames_and_not_the_header() {
    let samples: Vec<i16> = (0..800)
        .map(|frame| if frame < 400 { 16_384 } else { 0 })
        .collect();
    let whole = wav(8000, 1, &samples, &[], &[]);
    let expected = measure("a.wav", whole.clone(), 4).unwrap();
    assert_eq!(expected.peak, [128, 128, 0, 0]);
    // The second half of the data is missing, so the first half fills all bins.
    let cut = measure("a.wav", whole[..whole.len() - 800].to_vec(), 4).unwrap();
    assert_eq!((cut.frames, cut.peak), (400, vec![128; 4]));
    // An interrupted recorder does not write the size.
    for unknown in [[0xff; 4], [0; 4]] {
        let mut endless = whole.clone();
        let data = endless.windows(4).position(|window| window == b"data").unwrap();
        endless[data + 4..data + 8].copy_from_slice(&unknown);
        endless[4..8].copy_from_slice(&unknown);
        let endless = measure("a.wav", endless, 4).unwrap();
        assert_eq!((endless.frames, endless.peak), (800, expected.peak.clone()));
    }
}

#[test]
fn wave_of_64_bits_is_measured_like_the_one_of_32() {
    let samples: Vec<i16> = (0..800).map(|frame| frame * 40).collect();
    let expected = measure("a.wav", wav(8000, 1, &samples, &[], &[]), 4).unwrap();
    let sizes = [3_000_u64, 1_600, 800].map(u64::to_le_bytes).concat();
    let sizes = chunk(b"ds64", &[sizes.as_slice(), &[0; 4]].concat());
    for magic in [b"RF64", b"BW64"] {
        let plain = wav(8000, 1, &samples, &[], &chunk(b"LIST", b"INFO"));
        let mut file = [magic, &[0xff; 4], b"WAVE".as_slice(), &sizes, &plain[12..]].concat();
        let data = file.windows(4).position(|window| window == b"data").unwrap();
        file[data + 4..data + 8].copy_from_slice(&[0xff; 4]);
        assert_eq!(measure("a.rf64", file, 4).unwrap(), expected);
    }
}

#[test]
fn properties_are_read_despite_damaged_tags() {
    let samples = [8192_i16; 100];
    let tags = [
        chunk(b"id3 ", b"ID3\x03"),
        chunk(b"LIST", b"INFO\xff\xff\xff\xff"),
    ]
    .concat();
    let summary = measure("a.wav", wav(8000, 1, &samples, &tags, &tags), 2).unwrap();
    assert_eq!((summary.frames, summary.peak), (100, vec![64, 64]));
}

#[test]
fn same_bytes_give_the_same_summary() {
    let samples: Vec<i16> = (0..5000).map(|frame| (frame * 7919 % 20_000) as i16).collect();
    let file = wav(44_100, 2, &samples, &[], &[]);
    assert_eq!(measure("a.wav", file.clone(), 100), measure("b.wave", file, 100));
}

#[test]
fn file_without_audio_is_invalid_and_an_unknown_codec_unsupported() {
    for (name, bytes) in [
        ("empty.mp3", Vec::new()),
        ("text.flac", b"no music at all, only words".repeat(100)),
        ("a.wav", wav(8000, 1, &[], &[], &[])),
        ("a.wav", wav(8000, 1, &[0; 100], &[], &[])[..40].to_vec()),
    ] {
        let failure = measure(name, bytes, 16).unwrap_err();
        assert!(matches!(failure, ExtractError::Invalid(_)), "{name}: {failure:?}");
    }
    let speex = [
        b"OggS\0\x02".as_slice(),
        &[0; 20],
        &[1, 80],
        b"Speex   1.2",
        &[0; 200],
    ]
    .concat();
    let failure = measure("a.spx", speex, 16).unwrap_err();
    assert!(matches!(failure, ExtractError::Unsupported(_)), "{failure:?}");
}
