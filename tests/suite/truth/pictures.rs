//! Thumbnails through the sandbox: of photos from elsewhere, damaged files, and files that claim huge dimensions.

use std::path::{Path, PathBuf};

use svc_domain::extraction::ExtractFailure;
use svc_domain::rendering::ImageBounds;
use svc_tests::sandbox::Sandbox;

use svc_tests::foreign_media;

const SIZES: [ImageBounds; 3] = [
    ImageBounds::square(250),
    ImageBounds::square(720),
    ImageBounds::square(1440),
];
const MEMORY: u64 = 256 << 20;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Renders all files, and each truncated at three places; returns how many rendered whole.
fn draw_all(paths: &[PathBuf]) -> usize {
    let mut sandbox = Sandbox::new("thumbnails");
    let scratch = tempfile::tempdir().unwrap();
    let mut drawn = 0;
    for path in paths {
        let content = std::fs::read(path).unwrap();
        for quarters in [4, 3, 2, 1] {
            let part = scratch.path().join("part");
            std::fs::write(&part, &content[..content.len() / 4 * quarters]).unwrap();
            let whole = if quarters == 4 { path } else { &part };
            match sandbox.render(whole, &SIZES) {
                Ok(images) => {
                    assert_eq!(images.len(), SIZES.len());
                    drawn += usize::from(quarters == 4);
                }
                Err(failure) => assert!(
                    !failure.blames_plugin() && !matches!(failure, ExtractFailure::Io(_)),
                    "{quarters} quarters of {}: {failure}",
                    path.display()
                ),
            }
        }
    }
    assert!(sandbox.max_memory() <= MEMORY);
    drawn
}

#[test]
fn photos_of_others_are_rendered_inside_the_limits() {
    let Some(folder) = foreign_media() else { return };
    let mut photos = Vec::new();
    files(&folder.join("photos"), &mut photos);
    photos.sort();
    let drawn = draw_all(&photos);
    // Some raw formats, HEIC and AVIF have neither a decoder nor a preview.
    assert!(drawn * 2 > photos.len(), "{drawn} of {}", photos.len());
}

#[test]
fn broken_files_are_rendered_or_refused_inside_the_limits() {
    let Some(folder) = foreign_media() else { return };
    let mut broken = Vec::new();
    files(&folder.join("broken"), &mut broken);
    broken.sort();
    draw_all(&broken);
}

/// A small PNG with many pixels of one color.
fn bomb(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    // The fixture's encoder compresses, so the file stays small.
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    let mut writer = encoder.write_header().unwrap();
    let row = vec![0; (width as usize).div_ceil(8)];
    let mut stream = writer.stream_writer().unwrap();
    for _ in 0..height {
        std::io::Write::write_all(&mut stream, &row).unwrap();
    }
    stream.finish().unwrap();
    writer.finish().unwrap();
    bytes
}

#[test]
fn bomb_and_hundred_megapixels_end_inside_the_limits() {
    let mut sandbox = Sandbox::new("thumbnails");
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("bomb.png");
    std::fs::write(&path, bomb(10_000, 10_000)).unwrap();
    assert!(std::fs::metadata(&path).unwrap().len() < 100_000);
    // The maximum size is rendered row by row.
    let images = sandbox.render(&path, &SIZES).unwrap();
    assert_eq!((images[2].width, images[2].height), (1440, 1440));
    for (width, height) in [(10_001, 10_000), (16_385, 100)] {
        std::fs::write(&path, bomb(width, height)).unwrap();
        let failure = sandbox.render(&path, &SIZES).unwrap_err();
        assert_eq!(failure.code(), "unsupported", "{failure}");
    }
    assert!(sandbox.max_memory() <= MEMORY);
}
