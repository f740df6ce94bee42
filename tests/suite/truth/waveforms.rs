//! Waveforms compared with those computed from ffmpeg's output for the same files.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use svc_domain::waveform::AudioSummary;
use svc_fixtures::audio::{Format, Sound, encode};
use svc_tests::foreign_media;
use svc_tests::sandbox::Sandbox;

use super::compare::{Comparison, truths};

/// The default number of bins.
const BINS: u32 = 1024;
/// Sample rate of the comparison.
const MEASURED_BINS: u32 = 4096;
/// Steps of 255 that a bin may differ: 1 % of full scale.
const TOLERANCE: f64 = 2.55;
/// LU and dB that loudness and true peak may differ: the two programs round and interpolate differently.
const LEVEL_TOLERANCE: f64 = 0.3;

/// ffmpeg's result: peak and RMS of each bin, loudness and true peak.
struct Reference {
    peak: Vec<f64>,
    rms: Vec<f64>,
    loudness: Option<f64>,
    true_peak: Option<f64>,
}

fn run(program: &str, arguments: &[&str], path: &Path) -> Option<std::process::Output> {
    let mut command = Command::new(program);
    for argument in arguments {
        match *argument {
            "PATH" => command.arg(path),
            argument => command.arg(argument),
        };
    }
    command.stdin(Stdio::null()).output().ok()
}

/// Samples of each frame, all channels; none if ffmpeg cannot decode it.
fn decoded(path: &Path) -> Option<(usize, Vec<f32>)> {
    let probe = [
        "-v",
        "error",
        "-select_streams",
        "a:0",
        "-show_entries",
        "stream=channels",
        "-of",
        "csv=p=0",
        "PATH",
    ];
    let channels = run("ffprobe", &probe, path)?;
    let channels = String::from_utf8_lossy(&channels.stdout);
    let channels: usize = channels
        .trim()
        .trim_end_matches(',')
        .parse()
        .ok()
        .filter(|count| *count > 0)?;
    let decode = [
        "-v",
        "error",
        "-i",
        "PATH",
        "-map",
        "0:a:0",
        "-f",
        "f32le",
        "-c:a",
        "pcm_f32le",
        "-",
    ];
    let output = run("ffmpeg", &decode, path)?.stdout;
    let samples: Vec<f32> = output
        .as_chunks()
        .0
        .iter()
        .map(|bytes| f32::from_le_bytes(*bytes))
        .collect();
    (samples.len() >= channels).then_some((channels, samples))
}

fn reference(path: &Path, bins: usize) -> Option<Reference> {
    let (channels, samples) = decoded(path)?;
    let frames = samples.len() / channels;
    let edge = |bin: usize| bin * frames / bins * channels;
    let bins: Vec<&[f32]> = (0..bins).map(|bin| &samples[edge(bin)..edge(bin + 1)]).collect();
    let full = |level: f64| (level * 255.0).clamp(0.0, 255.0);
    let peak = |bin: &&[f32]| {
        full(f64::from(
            bin.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs())),
        ))
    };
    let rms = |bin: &&[f32]| {
        let squares: f64 = bin.iter().map(|sample| f64::from(*sample).powi(2)).sum();
        full((squares / bin.len().max(1) as f64).sqrt())
    };
    let filter = [
        "-hide_banner",
        "-nostats",
        "-i",
        "PATH",
        "-map",
        "0:a:0",
        "-af",
        "ebur128=peak=true",
        "-f",
        "null",
        "-",
    ];
    let reported = String::from_utf8_lossy(&run("ffmpeg", &filter, path)?.stderr).into_owned();
    let summary = reported
        .rsplit_once("Summary:")
        .map_or("", |(_, summary)| summary);
    let level = |name: &str| {
        let (_, rest) = summary.split_once(name)?;
        rest.split_whitespace()
            .next()?
            .parse::<f64>()
            .ok()
            .filter(|level| level.is_finite())
    };
    Some(Reference {
        peak: bins.iter().map(peak).collect(),
        rms: bins.iter().map(rms).collect(),
        // ffmpeg returns -70 if no block is above the gate.
        loudness: level("I:").filter(|loudness| *loudness > -70.0),
        true_peak: level("Peak:"),
    })
}

fn compare(comparison: &mut Comparison, path: &str, ours: &AudioSummary, truth: &Reference) {
    for (name, ours, truth) in [("peak", &ours.peak, &truth.peak), ("rms", &ours.rms, &truth.rms)] {
        let off = |(ours, truth): (&u8, &f64)| (f64::from(*ours) - truth).abs();
        let worst = ours.iter().zip(truth).map(off).fold(0.0, f64::max);
        let reported = format!("{worst:.1} of 255");
        for (ours, truth) in ours.iter().zip(truth) {
            comparison.field(path, name, off((ours, truth)) <= TOLERANCE, &reported, "at worst");
        }
    }
    let levels = [
        ("loudness", ours.integrated_loudness, truth.loudness),
        ("true-peak", ours.true_peak, truth.true_peak),
    ];
    for (name, ours, truth) in levels {
        // One tool may report silence where the other reports less than -60.
        let agrees = match (ours, truth.filter(|level| *level > -60.0)) {
            (Some(ours), Some(truth)) => (ours - truth).abs() <= LEVEL_TOLERANCE,
            (None, Some(_)) => false,
            // ffmpeg's meter gives none for sounds of a few samples.
            (_, None) => true,
        };
        comparison.field(path, name, agrees, &format!("{truth:?}"), &format!("{ours:?}"));
    }
}

#[test]
fn waveforms_agree_with_ffmpeg() {
    let Some(folder) = foreign_media() else { return };
    if Command::new("ffmpeg").arg("-version").output().is_err() {
        svc_tests::skipped("no ffmpeg");
        return;
    }
    let mut sandbox = Sandbox::new("waveforms");
    let mut comparison = Comparison::default();
    for truth in truths("music", "ok") {
        let path = truth["path"].as_str().unwrap();
        let file = folder.join(path);
        let Some(measured) = sandbox.measure(&file, MEASURED_BINS) else {
            continue;
        };
        match measured.map(|summary| summary.in_bins(BINS)) {
            Ok(ours) => match reference(&file, ours.peak.len()) {
                Some(truth) => compare(&mut comparison, path, &ours, &truth),
                None => eprintln!("ffmpeg does not decode {path}"),
            },
            Err(failure) if decoded(&file).is_some() => {
                comparison.unreadable(path, 2 * BINS as usize, &failure.to_string());
            }
            Err(_) => {}
        }
    }
    comparison.must_match("waveforms.toml");
}

/// A tone in formats that store samples, silence in the others, in the requested length.
#[test]
fn generated_sounds_of_every_format_are_analyzed() {
    let scratch = tempfile::tempdir().unwrap();
    let mut sandbox = Sandbox::new("waveforms");
    for format in Format::ALL {
        for channels in [1, 2] {
            let sound = Sound {
                sample_rate: 44_100,
                channels,
                milliseconds: 2_500,
                pitch: 440,
            };
            let encoded = encode(&sound, format);
            let path = scratch.path().join("sound").with_extension(format.extension());
            std::fs::write(&path, &encoded.bytes).unwrap();
            let summary = sandbox.measure(&path, 64).unwrap();
            let summary = summary.unwrap_or_else(|failure| panic!("{format:?}: {failure}"));
            let seconds = summary.frames as f64 / f64::from(summary.sample_rate);
            assert!(
                (seconds - encoded.seconds).abs() < 0.001,
                "{format:?}: {seconds} s"
            );
            assert_eq!(
                (summary.sample_rate, summary.channels),
                (encoded.sample_rate, channels),
                "{format:?}"
            );
            let is_tone = matches!(
                format,
                Format::Wav | Format::Aiff | Format::Flac | Format::M4aAlac
            );
            // A triangle of 8,000 of 32,768.
            let (peak, rms) = if is_tone { (62, 36) } else { (0, 0) };
            assert_eq!(
                (summary.peak, summary.rms),
                (vec![peak; 64], vec![rms; 64]),
                "{format:?}"
            );
            assert_eq!(summary.silence_lead_in_ms == 0, is_tone, "{format:?}");
        }
    }
}

/// How fast the sandbox decodes: `SVC_TEST_SOUND=FILE cargo test --release -p svc-tests --test suite speed_of --
/// --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn speed_of_measuring_a_file() {
    let path = std::env::var_os("SVC_TEST_SOUND").expect("SVC_TEST_SOUND names a file");
    let mut sandbox = Sandbox::new("waveforms");
    for _ in 0..2 {
        let started = Instant::now();
        let summary = sandbox.measure(Path::new(&path), MEASURED_BINS).unwrap().unwrap();
        let (seconds, sound) = (
            started.elapsed().as_secs_f64(),
            summary.frames as f64 / f64::from(summary.sample_rate),
        );
        println!(
            "{sound:.1} s of sound in {seconds:.3} s: {:.0} times real time",
            sound / seconds
        );
    }
}
