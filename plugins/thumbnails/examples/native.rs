//! The plugin without the sandbox, for `cargo xtask bench thumbnails`.
//!
//! `native make DIR` writes test pictures. `native render FILE...` renders each in the sizes of the server, and
//! prints the CPU time of the process in seconds and the number of rendered pictures.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a tool for measuring: may stop at a fault"
)]

use std::fs::File;
use std::path::Path;

use rustix::time::{ClockId, clock_gettime};
use svc_plugin_api::{Bounds, Source, render};
use thumbnails::Thumbnails;

/// The sizes that the server requests for a large picture.
const EDGES: [u32; 3] = [250, 720, 1440];

fn main() {
    let mut arguments = std::env::args().skip(1);
    match arguments.next().as_deref() {
        Some("make") => make(Path::new(&arguments.next().unwrap())),
        Some("render") => render_all(arguments),
        _ => panic!("native make DIR, or native render FILE..."),
    }
}

fn render_all(paths: impl Iterator<Item = String>) {
    let sizes = EDGES.map(|edge| Bounds {
        width: edge,
        height: edge,
    });
    let (mut rendered, mut bytes) = (0, 0);
    let start = cpu_seconds();
    for path in paths {
        let mut source = Source::from_reader(&path, File::open(&path).unwrap()).unwrap();
        if let Ok(images) = render::<Thumbnails>(&mut source, &sizes) {
            rendered += 1;
            bytes += images.iter().map(|image| image.bytes.len()).sum::<usize>();
        }
    }
    println!("{} {rendered} {bytes}", cpu_seconds() - start);
}

/// CPU time of all threads, including ended ones: the JPEG decoder has threads of its own.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// Photos of a phone and a camera, covers, a screenshot.
fn make(folder: &Path) {
    for (name, width, height) in [
        ("phone-1", 4032, 3024),
        ("phone-2", 3024, 4032),
        ("camera", 6000, 4000),
        ("cover-1", 1000, 1000),
        ("cover-2", 600, 600),
    ] {
        let path = folder.join(name).with_extension("jpg");
        let pixels = texture(width, height, 7 + u64::from(width));
        let encoder = jpeg_encoder::Encoder::new_file(path, 88).unwrap();
        let (width, height) = (width.try_into().unwrap(), height.try_into().unwrap());
        encoder
            .encode(&pixels, width, height, jpeg_encoder::ColorType::Rgb)
            .unwrap();
    }
    let mut encoder = png::Encoder::new(File::create(folder.join("screen.png")).unwrap(), 2560, 1440);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&texture(2560, 1440, 1)).unwrap();
}

/// Smooth shapes with the noise of a sensor: the cost of decoding a JPEG depends on its detail.
fn texture(width: u32, height: u32, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let mut pixels = Vec::with_capacity((width * height * 3) as usize);
    for y in 0..height {
        for x in 0..width {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let grain = (state >> 60) as i32 - 8;
            for (phase, scale) in [(0_u32, 97.0_f32), (40, 61.0), (90, 143.0)] {
                let wave = ((x + phase) as f32 / scale).sin() + ((y + 2 * phase) as f32 / scale).cos();
                pixels.push((128 + (wave * 50.0) as i32 + grain).clamp(0, 255) as u8);
            }
        }
    }
    pixels
}
