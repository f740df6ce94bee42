//! Pictures of every format, made in code: sizes, orientation, alpha, hostile and damaged files.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::io::Cursor;

use image::{DynamicImage, ImageFormat, RgbImage, RgbaImage};
use svc_plugin_api::{Bounds, ExtractError, Image, Source, render};
use thumbnails::Thumbnails;

const EDGES: [u32; 3] = [250, 720, 1440];

fn render_default(name: &str, bytes: &[u8]) -> Result<Vec<Image>, ExtractError> {
    render_edges(name, bytes, &EDGES)
}

fn render_edges(name: &str, bytes: &[u8], edges: &[u32]) -> Result<Vec<Image>, ExtractError> {
    let sizes: Vec<_> = edges
        .iter()
        .map(|edge| Bounds {
            width: *edge,
            height: *edge,
        })
        .collect();
    render::<Thumbnails>(&mut Source::from_bytes(name, bytes.to_vec()), &sizes)
}

/// A picture with quarters in red, green, blue and white, starting at the upper left.
fn quarters(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(width, height, |x, y| {
        image::Rgb(match (x * 2 < width, y * 2 < height) {
            (true, true) => [255, 0, 0],
            (false, true) => [0, 255, 0],
            (true, false) => [0, 0, 255],
            (false, false) => [255, 255, 255],
        })
    })
}

fn jpeg(picture: &RgbImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    let encoder = jpeg_encoder::Encoder::new(&mut bytes, 95);
    let (width, height) = (picture.width() as u16, picture.height() as u16);
    encoder
        .encode(picture.as_raw(), width, height, jpeg_encoder::ColorType::Rgb)
        .unwrap();
    bytes
}

/// Inserts EXIF with an orientation into a JPEG.
fn with_orientation(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let mut exif = b"\xff\xe1\0\x22Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    exif.push(orientation);
    exif.extend([0, 0, 0, 0, 0, 0]);
    [&jpeg[..2], &exif, &jpeg[2..]].concat()
}

fn png(picture: &DynamicImage) -> Vec<u8> {
    let mut bytes = Vec::new();
    let (color, pixels) = match picture {
        DynamicImage::ImageRgba8(picture) => (png::ColorType::Rgba, picture.as_raw().clone()),
        other => (png::ColorType::Rgb, other.to_rgb8().into_raw()),
    };
    let mut encoder = png::Encoder::new(&mut bytes, picture.width(), picture.height());
    encoder.set_color(color);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&pixels).unwrap();
    writer.finish().unwrap();
    bytes
}

/// A PNG that states a size and has no pixels.
fn claiming_png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = png(&DynamicImage::ImageRgb8(quarters(8, 8)));
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let checksum = crc(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&checksum.to_be_bytes());
    bytes
}

fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 {
                0xedb8_8320 ^ (crc >> 1)
            } else {
                crc >> 1
            }
        })
    })
}

/// The colors in the middle of the four quarters.
fn corners(image: &Image) -> [[u8; 3]; 4] {
    let pixels = match image.mime.as_str() {
        "image/jpeg" => {
            let mut decoder = jpeg_decoder::Decoder::new(image.bytes.as_slice());
            let pixels = decoder.decode().unwrap();
            let info = decoder.info().unwrap();
            assert_eq!(
                (u32::from(info.width), u32::from(info.height)),
                (image.width, image.height)
            );
            pixels
        }
        other => panic!("{other}"),
    };
    let (width, height) = (image.width as usize, image.height as usize);
    [(1, 1), (3, 1), (1, 3), (3, 3)].map(|(x, y)| {
        let at = (height * y / 4 * width + width * x / 4) * 3;
        [0, 1, 2].map(|channel| if pixels[at + channel] > 127 { 255 } else { 0 })
    })
}

const RED: [u8; 3] = [255, 0, 0];
const GREEN: [u8; 3] = [0, 255, 0];
const BLUE: [u8; 3] = [0, 0, 255];
const WHITE: [u8; 3] = [255, 255, 255];

#[test]
fn every_orientation_is_turned_upright() {
    let picture = jpeg(&quarters(640, 480));
    for (orientation, expected) in [
        (1, [RED, GREEN, BLUE, WHITE]),
        (2, [GREEN, RED, WHITE, BLUE]),
        (3, [WHITE, BLUE, GREEN, RED]),
        (4, [BLUE, WHITE, RED, GREEN]),
        (5, [RED, BLUE, GREEN, WHITE]),
        (6, [BLUE, RED, WHITE, GREEN]),
        (7, [WHITE, GREEN, BLUE, RED]),
        (8, [GREEN, WHITE, RED, BLUE]),
        (9, [RED, GREEN, BLUE, WHITE]),
    ] {
        let rendered = render_default("a.jpg", &with_orientation(&picture, orientation)).unwrap();
        let sizes: Vec<_> = rendered.iter().map(|image| (image.width, image.height)).collect();
        let expected_sizes = if (5..=8).contains(&orientation) {
            [(188, 250), (480, 640), (480, 640)]
        } else {
            [(250, 188), (640, 480), (640, 480)]
        };
        assert_eq!(sizes, expected_sizes, "{orientation}");
        for image in &rendered {
            assert_eq!(corners(image), expected, "{orientation}");
        }
    }
}

#[test]
fn every_format_is_rendered() {
    let picture = DynamicImage::ImageRgb8(quarters(400, 300));
    let mut files = vec![("a.jpg", jpeg(&quarters(400, 300))), ("a.png", png(&picture))];
    for (name, format) in [
        ("a.gif", ImageFormat::Gif),
        ("a.bmp", ImageFormat::Bmp),
        ("a.tif", ImageFormat::Tiff),
        ("a.webp", ImageFormat::WebP),
    ] {
        let mut bytes = Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).unwrap();
        files.push((name, bytes.into_inner()));
    }
    for (name, bytes) in files {
        // The extension is ignored: `a.jpg` may be a PNG.
        let rendered = render_edges("other.jpg", &bytes, &[100, 1000])
            .unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert_eq!((rendered[0].width, rendered[0].height), (100, 75), "{name}");
        assert_eq!((rendered[1].width, rendered[1].height), (400, 300), "{name}");
        for image in &rendered {
            assert_eq!(corners(image), [RED, GREEN, BLUE, WHITE], "{name}");
        }
    }
}

#[test]
fn large_pictures_are_made_smaller_while_they_are_read() {
    for bytes in [
        jpeg(&quarters(4000, 1000)),
        png(&DynamicImage::ImageRgb8(quarters(4001, 1003))),
    ] {
        let rendered = render_edges("a", &bytes, &[250, 40]).unwrap();
        assert_eq!(rendered[0].width, 250);
        assert!((62..=63).contains(&rendered[0].height), "{}", rendered[0].height);
        assert_eq!(corners(&rendered[0]), [RED, GREEN, BLUE, WHITE]);
        assert_eq!((rendered[1].width, rendered[1].height), (40, 10));
    }
}

#[test]
fn transparent_pictures_stay_transparent_and_their_colours_do_not_run() {
    // Opaque red next to transparent green pixels.
    let picture = RgbaImage::from_fn(1000, 1000, |x, _| {
        image::Rgba(if x < 500 { [255, 0, 0, 255] } else { [0, 255, 0, 0] })
    });
    let rendered = render_edges("a.png", &png(&picture.into()), &[100, 333]).unwrap();
    for image in rendered {
        assert_eq!(image.mime, "image/png");
        let mut reader = png::Decoder::new(Cursor::new(&image.bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let row = &pixels[..4 * image.width as usize];
        assert_eq!(row[..4], [255, 0, 0, 255]);
        assert_eq!(row[row.len() - 1], 0);
        for [red, green, _, alpha] in row.as_chunks::<4>().0 {
            assert!(*alpha == 0 || (*red > 250 && *green < 5), "{red} {green} {alpha}");
        }
    }
    // Opaque alpha does not make a PNG.
    let opaque = RgbaImage::from_pixel(64, 64, image::Rgba([1, 2, 3, 255]));
    assert_eq!(
        render_default("a.png", &png(&opaque.into())).unwrap()[0].mime,
        "image/jpeg"
    );
}

#[test]
fn pictures_that_claim_too_much_are_refused_before_they_are_decoded() {
    for (width, height) in [
        (16_385, 1),
        (1, 16_385),
        (10_001, 10_000),
        (u32::MAX >> 1, u32::MAX >> 1),
    ] {
        let outcome = render_default("a.png", &claiming_png(width, height));
        assert!(
            matches!(
                outcome,
                Err(ExtractError::Unsupported(_) | ExtractError::Invalid(_))
            ),
            "{outcome:?}"
        );
    }
    // 99 megapixels without data.
    let outcome = render_default("a.png", &claiming_png(9_999, 9_999));
    assert!(matches!(outcome, Err(ExtractError::Invalid(_))), "{outcome:?}");
    let mut claiming = jpeg(&quarters(64, 64));
    let frame = claiming
        .windows(2)
        .position(|marker| marker == [0xff, 0xc0])
        .unwrap();
    claiming[frame + 5..frame + 9].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
    let outcome = render_default("a.jpg", &claiming);
    assert!(
        matches!(outcome, Err(ExtractError::Unsupported(_))),
        "{outcome:?}"
    );
}

#[test]
fn picture_with_too_many_scans_is_refused() {
    let mut bytes = Vec::new();
    let mut encoder = jpeg_encoder::Encoder::new(&mut bytes, 80);
    encoder.set_progressive(true);
    let picture = quarters(64, 64);
    encoder
        .encode(picture.as_raw(), 64, 64, jpeg_encoder::ColorType::Rgb)
        .unwrap();
    assert!(render_default("a.jpg", &bytes).is_ok());
    let start = bytes
        .windows(2)
        .rposition(|marker| marker == [0xff, 0xda])
        .unwrap();
    let scan = bytes[start..bytes.len() - 2].to_vec();
    for _ in 0..100 {
        bytes.splice(start..start, scan.iter().copied());
    }
    let outcome = render_default("a.jpg", &bytes);
    assert!(matches!(outcome, Err(ExtractError::Invalid(_))), "{outcome:?}");
}

#[test]
fn truncated_pictures_are_rendered_in_part_or_rejected() {
    let files = [
        jpeg(&quarters(160, 120)),
        png(&DynamicImage::ImageRgb8(quarters(160, 120))),
    ];
    for whole in files {
        for length in (0..whole.len()).step_by(29) {
            if let Ok(rendered) = render_edges("a", &whole[..length], &[100]) {
                assert_eq!((rendered[0].width, rendered[0].height), (100, 75));
            }
        }
    }
    let whole = jpeg(&quarters(640, 480));
    let half = render_edges("a.jpg", &whole[..whole.len() * 3 / 4], &[250]).unwrap();
    assert_eq!(corners(&half[0])[..2], [RED, GREEN]);
}

#[test]
fn raw_is_rendered_from_its_preview_with_its_own_orientation() {
    let preview = jpeg(&quarters(320, 240));
    // One directory: no pixels of its own, orientation 6, a preview.
    let mut raw = b"II*\0\x08\0\0\0\x04\0".to_vec();
    let mut entry = |tag: u16, kind: u16, value: u32| {
        raw.extend(tag.to_le_bytes());
        raw.extend(kind.to_le_bytes());
        raw.extend(1_u32.to_le_bytes());
        raw.extend(value.to_le_bytes());
    };
    entry(0x112, 3, 6);
    entry(0x201, 4, 62);
    entry(0x202, 4, preview.len() as u32);
    entry(0xc612, 4, 0x0000_0401);
    raw.extend([0; 4]);
    assert_eq!(raw.len(), 62);
    raw.extend(&preview);
    let rendered = render_default("a.dng", &raw).unwrap();
    assert_eq!((rendered[0].width, rendered[0].height), (188, 250));
    assert_eq!(corners(&rendered[0]), [BLUE, RED, WHITE, GREEN]);
    // Without the preview there is nothing to render.
    raw[22] = 0x99;
    assert!(matches!(
        render_default("a.dng", &raw),
        Err(ExtractError::Unsupported(_))
    ));
}

#[test]
fn files_without_a_picture_are_refused() {
    for bytes in [
        &b""[..],
        b"hello",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        &[0; 4096],
    ] {
        let outcome = render_default("a.jpg", bytes);
        assert!(
            matches!(outcome, Err(ExtractError::Refused(_) | ExtractError::Invalid(_))),
            "{outcome:?}"
        );
    }
}

#[test]
fn same_bytes_give_the_same_pictures() {
    let bytes = jpeg(&quarters(1700, 900));
    let rendered = render_default("a.jpg", &bytes).unwrap();
    assert_eq!(render_default("a.jpg", &bytes).unwrap(), rendered);
}
