//! Measures files natively and tells how long it took.

use std::fs::File;
use std::time::Instant;

fn main() {
    for path in std::env::args().skip(1) {
        let file = File::open(&path).expect("open");
        let mut source = svc_plugin_api::Source::from_reader(&path, file).expect("size");
        let started = Instant::now();
        match svc_plugin_api::measure::<waveforms::Waveforms>(&mut source, 32) {
            Ok(s) => println!(
                "{path}: {} Hz {} ch {} frames {:?} LUFS {:?} dBTP {:?} ms, {:.3} s, {:?}",
                s.sample_rate,
                s.channels,
                s.frames,
                s.integrated_loudness,
                s.true_peak,
                (s.silence_lead_in_ms, s.silence_lead_out_ms),
                started.elapsed().as_secs_f64(),
                s.peak
            ),
            Err(error) => println!("{path}: {error:?}"),
        }
    }
}
