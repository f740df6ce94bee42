//! Pictures in smaller sizes, through the sandbox: of photos that nobody here made, and of files that are broken on purpose
//! or claim to be larger than they are.

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

/// Draws all files, and each cut off at three places; none is the plugin's fault. Says how many could be drawn whole.
fn draw_all(paths: &[PathBuf]) -> usize {
    let mut sandbox = Sandbox::new("images");
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
fn photos_of_others_are_drawn_inside_the_limits() {
    let Some(folder) = foreign_media() else { return };
    let mut photos = Vec::new();
    files(&folder.join("photos"), &mut photos);
    photos.sort();
    let drawn = draw_all(&photos);
    // Those that have neither a decoder here nor a preview are some raws, HEIC and AVIF.
    assert!(drawn * 2 > photos.len(), "{drawn} of {}", photos.len());
}

#[test]
fn broken_files_are_drawn_or_refused_inside_the_limits() {
    let Some(folder) = foreign_media() else { return };
    let mut broken = Vec::new();
    files(&folder.join("broken"), &mut broken);
    broken.sort();
    draw_all(&broken);
}

/// A PNG of one color whose rows compress to nothing: as many pixels as it says, in a file of some KiB.
fn bomb(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Stored blocks would make it large; the fixture's encoder compresses.
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
    let mut sandbox = Sandbox::new("images");
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("bomb.png");
    std::fs::write(&path, bomb(10_000, 10_000)).unwrap();
    assert!(std::fs::metadata(&path).unwrap().len() < 100_000);
    // As large as is allowed: drawn, a few rows at a time.
    let images = sandbox.render(&path, &SIZES).unwrap();
    assert_eq!((images[2].width, images[2].height), (1440, 1440));
    for (width, height) in [(10_001, 10_000), (16_385, 100)] {
        std::fs::write(&path, bomb(width, height)).unwrap();
        let failure = sandbox.render(&path, &SIZES).unwrap_err();
        assert_eq!(failure.code(), "unsupported", "{failure}");
    }
    assert!(sandbox.max_memory() <= MEMORY);
}
