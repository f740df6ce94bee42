//! Hostile files: every call returns with few reads, whatever the bytes are.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use svc_fixtures::{Clip, VideoFormat};
use svc_plugin_api::Source;

/// The most reads of the host for a small file.
const MAX_READS: u64 = 64;

fn survives(what: &str, bytes: Vec<u8>) {
    let mut source = Source::from_bytes("a", bytes);
    if let Ok(found) = video::read(&mut source) {
        assert!(found.streams.len() <= 64, "{what}");
        assert!(found.chapters.len() <= 1000, "{what}");
        assert!(found.duration_ms.unwrap_or(0) <= 1000 * 3600 * 1000, "{what}");
    }
    assert!(
        source.host_reads() <= MAX_READS,
        "{what}: {} reads",
        source.host_reads()
    );
}

fn small() -> Clip {
    Clip::new(3_000)
        .tag("TITLE", "T")
        .tag("SHOW", "S")
        .video("h264", 320, 240, 25.0)
        .audio("aac", 2, 48_000, "eng")
        .subtitle("subrip", "ger")
        .chapter(0, "One")
        .cover(b"\xff\xd8\xff\xe0 picture")
}

fn head(name: &[u8]) -> Vec<u8> {
    [b"\0\0\0\x10ftypisom\0\0\0\0", name].concat()
}

#[test]
fn truncated_at_every_boundary_ends() {
    for format in VideoFormat::ALL {
        let bytes = small().encode(format);
        for length in 0..bytes.len().min(4096) {
            survives(&format!("{format:?} of {length} bytes"), bytes[..length].to_vec());
        }
    }
}

#[test]
fn every_byte_at_its_extremes_ends() {
    for format in VideoFormat::ALL {
        let original = small().encode(format);
        for index in 0..original.len().min(3000) {
            for value in [0x00, 0x01, 0x7f, 0x80, 0xff] {
                let mut bytes = original.clone();
                bytes[index] = value;
                survives(&format!("{format:?} with {value} at {index}"), bytes);
            }
        }
    }
}

#[test]
fn truncated_after_the_headers_gives_their_values() {
    for format in [VideoFormat::Mp4, VideoFormat::Matroska, VideoFormat::Avi] {
        let bytes = small().encode(format);
        let mut source = Source::from_bytes("a", bytes[..bytes.len() - 60].to_vec());
        let found = video::read(&mut source).unwrap();
        assert_eq!(found.streams.len(), 3, "{format:?}");
        assert_eq!(found.duration_ms, Some(3_000), "{format:?}");
    }
}

#[test]
fn boxes_nested_without_end_end() {
    let mut file = Vec::new();
    for _ in 0..3000 {
        let size = u32::try_from(file.len()).unwrap() + 8;
        file = [&size.to_be_bytes(), &b"moov"[..], &file].concat();
    }
    survives("boxes in boxes", head(&file));
}

#[test]
fn sizes_beyond_every_file_end() {
    for size in [1_u64 << 63, u64::MAX, u64::MAX - 7, 16, 0] {
        for name in [b"mdat", b"moov", b"free", b"moof", b"sidx"] {
            let wide = [&1_u32.to_be_bytes()[..], name, &size.to_be_bytes(), &[0xff; 64]].concat();
            survives("a wide box", head(&wide));
        }
    }
    let zero = [&[0; 4][..], b"moov", &[0; 200]].concat();
    survives("boxes of no size", head(&zero));
}

#[test]
fn tables_that_name_themselves_end() {
    // A Matroska seek head whose entries all refer to itself.
    let entry = b"\x4d\xbb\x8b\x53\xab\x84\x11\x4d\x9b\x74\x53\xac\x81\x00".repeat(500);
    let size = u32::try_from(entry.len()).unwrap() | 0x1000_0000;
    let file = [
        b"\x1a\x45\xdf\xa3\x80\x18\x53\x80\x67\x01\xff\xff\xff\xff\xff\xff\xff\x11\x4d\x9b\x74",
        &size.to_be_bytes()[..],
        &entry,
    ];
    survives("a table of itself", file.concat());
}

#[test]
fn counts_beyond_every_bound_end() {
    let many = Clip::new(2000);
    let many = (0..300).fold(many, |clip, _| clip.audio("aac", 2, 48_000, "eng"));
    let many = (0..1500).fold(many, |clip, number| clip.chapter(number, "c"));
    for format in [VideoFormat::Mov, VideoFormat::Matroska, VideoFormat::Avi] {
        survives(&format!("{format:?} of many"), many.encode(format));
    }
    let boxes = b"\0\0\0\x08free".repeat(100_000);
    survives("many boxes", head(&boxes));
    survives("many fragments", head(&b"\0\0\0\x08moof".repeat(100_000)));
    survives("nothing but start codes", b"\0\0\x01\xba".repeat(100_000));
    survives(
        "nothing but packets",
        [&[0x47, 0, 0, 0x10][..], &[0; 184]].concat().repeat(2000),
    );
    survives(
        "nothing but chunks",
        [&b"RIFF\0\0\0\0AVI "[..], &b"JUNK\0\0\0\0".repeat(5000)].concat(),
    );
    survives(
        "nothing but pages",
        [&b"OggS\0\x02"[..], &[0; 21]].concat().repeat(5000),
    );
}
