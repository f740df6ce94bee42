//! BigTIFF is rendered like classic TIFF.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use svc_plugin_api::{Bounds, ExtractError, Image, Source, render};
use thumbnails::Thumbnails;

/// Red pixels, uncompressed, in BigTIFF; `strip` is the stated offset of the pixels.
fn bigtiff(little: bool, width: u64, height: u64, strip: Option<u64>) -> Vec<u8> {
    let number = |number: u64, bytes: usize| match little {
        true => number.to_le_bytes()[..bytes].to_vec(),
        false => number.to_be_bytes()[8 - bytes..].to_vec(),
    };
    let pixels = [200, 10, 20].repeat((width * height) as usize);
    let at = 16 + 8 + 9 * 20 + 8;
    let entries = [
        (0x100, 4, 1, number(width, 4)),
        (0x101, 4, 1, number(height, 4)),
        (0x102, 3, 3, [8, 8, 8].map(|bits| number(bits, 2)).concat()),
        (0x103, 3, 1, number(1, 2)),
        (0x106, 3, 1, number(2, 2)),
        (0x111, 16, 1, number(strip.unwrap_or(at), 8)),
        (0x115, 3, 1, number(3, 2)),
        (0x116, 4, 1, number(height, 4)),
        (0x117, 16, 1, number(pixels.len() as u64, 8)),
    ];
    let order = if little { b"II" } else { b"MM" };
    let mut file = [&order[..], &number(43, 2), &number(8, 2), &[0, 0], &number(16, 8)].concat();
    file.extend(number(entries.len() as u64, 8));
    for (tag, kind, count, value) in entries {
        file.extend([number(tag, 2), number(kind, 2), number(count, 8)].concat());
        file.extend(value.iter().chain(&[0; 8]).take(8));
    }
    file.extend([0; 8]);
    assert_eq!(file.len() as u64, at);
    file.extend(pixels);
    file
}

fn render_file(file: Vec<u8>) -> Result<Vec<Image>, ExtractError> {
    let bounds = Bounds {
        width: 20,
        height: 20,
    };
    render::<Thumbnails>(&mut Source::from_bytes("a.tif", file), &[bounds])
}

#[test]
fn bigtiff_is_rendered() {
    for little in [true, false] {
        let [image] = &render_file(bigtiff(little, 60, 30, None)).unwrap()[..] else {
            panic!("not one picture");
        };
        assert_eq!((image.width, image.height), (20, 10));
        let mut decoder = jpeg_decoder::Decoder::new(image.bytes.as_slice());
        let pixels = decoder.decode().unwrap();
        let [red, green, blue] = pixels[..3] else {
            panic!("not of three colours");
        };
        assert!(red > 180 && green < 40 && blue < 50, "{red} {green} {blue}");
    }
}

#[test]
fn bigtiff_whose_pixels_are_beyond_every_file_is_an_error() {
    for strip in [u64::MAX, u64::MAX - 16, 1 << 63, 1 << 32] {
        assert!(
            render_file(bigtiff(true, 60, 30, Some(strip))).is_err(),
            "{strip}"
        );
    }
    assert!(render_file(bigtiff(true, 60, 30, None)[..300].to_vec()).is_err());
}
