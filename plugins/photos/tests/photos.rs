//! Photos made in code: every container, unusual EXIF, and hostile files.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use photos::Photos;
use svc_plugin_api::{ExtractError, Extraction, Source, Value, run};

/// An entry of a little-endian directory: tag, type, count, and the value or the bytes that it points to.
type Entry<'a> = (u16, u16, u32, &'a [u8]);

/// A directory at this offset of the block, followed by the values that do not fit into its entries.
fn directory(offset: usize, entries: &[Entry], next: u32) -> Vec<u8> {
    let mut table = (entries.len() as u16).to_le_bytes().to_vec();
    let mut values = Vec::new();
    let behind = offset + 2 + entries.len() * 12 + 4;
    for (tag, kind, count, value) in entries {
        table.extend([tag.to_le_bytes(), kind.to_le_bytes()].concat());
        table.extend(count.to_le_bytes());
        if value.len() <= 4 {
            table.extend(value.iter().chain(&[0; 4]).take(4));
        } else {
            table.extend(((behind + values.len()) as u32).to_le_bytes());
            values.extend_from_slice(value);
        }
    }
    table.extend(next.to_le_bytes());
    table.extend(values);
    table
}

/// A block with a camera, a date and a location; the pointers have this type (4 is correct).
fn exif(pointer_type: u16, next: u32) -> Vec<u8> {
    let rational = |numbers: &[u32]| {
        numbers
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect::<Vec<u8>>()
    };
    let header = b"II\x2a\0\x08\0\0\0".to_vec();
    let (exif_at, gps_at) = (400_u32, 700_u32);
    let main = directory(
        8,
        &[
            (0x10f, 2, 6, b"Maker\0"),
            (0x112, 3, 1, &6_u16.to_le_bytes()),
            (0x8769, pointer_type, 1, &exif_at.to_le_bytes()),
            (0x8825, pointer_type, 1, &gps_at.to_le_bytes()),
        ],
        next,
    );
    let exposure = directory(
        400,
        &[
            (0x829a, 5, 1, &rational(&[1, 250])),
            (0x829d, 5, 1, &rational(&[28, 10])),
            (0x8827, 3, 1, &400_u16.to_le_bytes()),
            (0x9003, 2, 20, b"2019:04:30 13:14:15\0"),
            (0x9011, 2, 7, b"-03:30\0"),
            (0x9291, 2, 4, b"25\0\0"),
            (0x920a, 5, 1, &rational(&[0, 0])),
        ],
        0,
    );
    let place = directory(
        700,
        &[
            (1, 2, 2, b"S\0"),
            (2, 5, 3, &rational(&[33, 1, 30, 1, 0, 1])),
            (3, 2, 2, b"E\0"),
            (4, 5, 3, &rational(&[151, 1, 15, 1, 0, 0])),
            (5, 1, 1, &[1]),
            (6, 5, 1, &rational(&[25, 2])),
        ],
        0,
    );
    let mut block = header;
    for (at, part) in [(8, main), (400, exposure), (700, place)] {
        block.resize(at, 0);
        block.extend(part);
    }
    block
}

fn jpeg(block: &[u8]) -> Vec<u8> {
    let mut file = b"\xff\xd8\xff\xe1".to_vec();
    file.extend((block.len() as u16 + 8).to_be_bytes());
    file.extend(b"Exif\0\0");
    file.extend(block);
    file.extend(b"\xff\xc0\0\x0b\x08\x01\x00\x02\x00\x01\x01\x11\0\xff\xda");
    file.extend([0; 2000]);
    file
}

fn png(block: &[u8]) -> Vec<u8> {
    let chunk = |kind: &[u8], body: &[u8]| [&(body.len() as u32).to_be_bytes(), kind, body, &[0; 4]].concat();
    let size = [512_u32.to_be_bytes(), 256_u32.to_be_bytes()].concat();
    [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        chunk(b"IHDR", &size),
        chunk(b"IDAT", &[0; 99]),
        chunk(b"eXIf", block),
    ]
    .concat()
}

fn webp(block: &[u8]) -> Vec<u8> {
    let chunk = |kind: &[u8], body: &[u8]| [kind, &(body.len() as u32).to_le_bytes(), body].concat();
    let canvas = [8, 0, 0, 0, 0xff, 1, 0, 0xff, 0, 0];
    [
        b"RIFF\0\0\0\0WEBP".to_vec(),
        chunk(b"VP8X", &canvas),
        chunk(b"EXIF", block),
    ]
    .concat()
}

fn extract(name: &str, bytes: Vec<u8>) -> Result<Option<Extraction>, ExtractError> {
    let mut source = Source::from_bytes(name, bytes);
    let result = run::<Photos>(&mut source);
    assert!(source.host_reads() <= 64, "{name}: {} reads", source.host_reads());
    result
}

#[test]
fn exif_is_the_same_in_every_container() {
    for (name, file) in [
        ("a.jpg", jpeg(&exif(4, 0))),
        ("a.png", png(&exif(4, 0))),
        ("a.webp", webp(&exif(4, 0))),
    ] {
        let extraction = extract(name, file).unwrap().unwrap();
        assert_eq!(
            (extraction.width, extraction.height),
            (Some(512), Some(256)),
            "{name}"
        );
        let Some(Value::Date(date)) = extraction.value("photo.taken-at").cloned() else {
            panic!("{name}: no date")
        };
        assert_eq!((date.year, date.month, date.day), (2019, Some(4), Some(30)));
        assert_eq!(
            (date.time_ms, date.offset_minutes),
            (Some(47_655_250), Some(-210))
        );
        assert_eq!(
            extraction.value("photo.make").cloned(),
            Some(Value::Text("Maker".into()))
        );
        assert_eq!(
            extraction.value("photo.orientation").cloned(),
            Some(Value::Integer(6))
        );
        assert_eq!(extraction.value("photo.iso").cloned(), Some(Value::Integer(400)));
        assert_eq!(
            extraction.value("photo.gps-latitude").cloned(),
            Some(Value::Real(-33.5))
        );
        assert_eq!(
            extraction.value("photo.gps-longitude").cloned(),
            Some(Value::Real(151.25))
        );
        assert_eq!(
            extraction.value("photo.gps-altitude").cloned(),
            Some(Value::Real(-12.5))
        );
        assert_eq!(
            extraction.value("photo.focal-length").cloned(),
            None,
            "0 over 0 is no value"
        );
    }
}

#[test]
fn tiff_directories_anywhere_are_found_with_few_reads() {
    // The same block as a file, with its directories at the end of 3 MB.
    let block = exif(4, 0);
    let extraction = extract("a.tif", block).unwrap().unwrap();
    assert_eq!(
        extraction.value("photo.gps-latitude").cloned(),
        Some(Value::Real(-33.5))
    );
    assert_eq!(
        extraction.value("photo.mime-type").cloned(),
        Some(Value::Text("image/tiff".into()))
    );
    let mut file = b"II\x2a\0".to_vec();
    file.extend(3_000_000_u32.to_le_bytes());
    file.resize(3_000_000, 0);
    file.extend(directory(
        3_000_000,
        &[(0x100, 4, 1, &70_u32.to_le_bytes()), (0x101, 3, 1, &[50, 0])],
        0,
    ));
    let extraction = extract("a.tif", file).unwrap().unwrap();
    assert_eq!((extraction.width, extraction.height), (Some(70), Some(50)));
}

#[test]
fn exif_with_signed_pointers_or_a_wrong_next_directory_is_read() {
    for block in [exif(9, 0), exif(4, 0xffff_fff0), exif(4, 8)] {
        let extraction = extract("a.jpg", jpeg(&block)).unwrap().unwrap();
        assert_eq!(extraction.value("photo.iso").cloned(), Some(Value::Integer(400)));
        assert_eq!(
            extraction.value("photo.gps-latitude").cloned(),
            Some(Value::Real(-33.5))
        );
    }
}

#[test]
fn truncated_at_every_boundary_ends() {
    for (name, file) in [
        ("a.jpg", jpeg(&exif(4, 0))),
        ("a.png", png(&exif(4, 0))),
        ("a.webp", webp(&exif(4, 0))),
        ("a.tif", exif(4, 0)),
    ] {
        for length in 0..file.len() {
            let _ = extract(name, file[..length].to_vec());
        }
    }
}

#[test]
fn every_byte_at_its_extremes_ends() {
    let heic = [
        b"\0\0\0\x14ftypheic\0\0\0\0heic".to_vec(),
        b"\0\0\0\x60meta\0\0\0\0\0\0\0\x0epitm\0\0\0\0\0\x01".to_vec(),
        b"\0\0\0\x2eiprp\0\0\0\x14ipco\0\0\0\x0cispe\0\0\0\0".to_vec(),
        vec![1; 64],
    ];
    let jxl = [
        b"\0\0\0\x0cJXL \r\n\x87\n\0\0\0\x18jxlc\xff\x0a".to_vec(),
        vec![0x55; 64],
    ];
    for (name, file) in [
        ("a.jpg", jpeg(&exif(4, 0))),
        ("a.png", png(&exif(4, 0))),
        ("a.webp", webp(&exif(4, 0))),
        ("a.tif", exif(4, 0)),
        ("a.heic", heic.concat()),
        ("a.jxl", jxl.concat()),
        ("a.raf", [b"FUJIFILMCCD-RAW".to_vec(), vec![0xff; 100]].concat()),
        ("a.bmp", [b"BM".to_vec(), vec![0x80; 40]].concat()),
    ] {
        for index in 0..file.len().min(1000) {
            for value in [0x00, 0x7f, 0xff] {
                let mut file = file.clone();
                file[index] = value;
                let _ = extract(name, file);
            }
        }
    }
}

#[test]
fn wrong_kind_of_file_is_refused() {
    assert!(matches!(
        extract("a.jpg", b"hello, this is a text".to_vec()),
        Err(ExtractError::Refused(_))
    ));
    assert!(matches!(
        extract("a.jpg", Vec::new()),
        Err(ExtractError::Refused(_))
    ));
}
