//! Pictures: spans refer to exactly their bytes, and encoded ones are decoded.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod fixtures;

use fixtures::*;
use music::Music;
use svc_plugin_api::{Extraction, PictureData, Source, read_picture, run};

fn extract(name: &str, bytes: &[u8]) -> Extraction {
    run::<Music>(&mut Source::from_bytes(name, bytes.to_vec()))
        .unwrap()
        .unwrap()
}

/// Every picture as the host gets it: from the file or from the plugin.
fn pictures(name: &str, bytes: &[u8]) -> Vec<(String, String, bool, Vec<u8>)> {
    let extraction = extract(name, bytes);
    let list = extraction
        .pictures
        .into_iter()
        .enumerate()
        .map(|(index, picture)| {
            let asked =
                read_picture::<Music>(&mut Source::from_bytes(name, bytes.to_vec()), index as u32).unwrap();
            if let PictureData::At(span) = picture.data {
                assert_eq!(
                    asked,
                    bytes[span.offset as usize..(span.offset + span.length) as usize]
                );
            }
            (
                picture.purpose,
                picture.mime,
                matches!(picture.data, PictureData::At(_)),
                asked,
            )
        });
    list.collect()
}

fn front(at: bool, bytes: Vec<u8>) -> Vec<(String, String, bool, Vec<u8>)> {
    vec![("front".into(), "image/jpeg".into(), at, bytes)]
}

#[test]
fn id3v2_picture_with_a_wrong_media_type_is_located() {
    for version in [3, 4] {
        let tag = id3v2(
            version,
            0,
            &[
                text(version, b"TIT2", "T"),
                frame(version, b"APIC", 0, &apic(3, &jpeg(1, 9000))),
            ],
        );
        let file = [tag, mp3_frames(40)].concat();
        assert_eq!(
            pictures("a.mp3", &file),
            front(true, jpeg(1, 9000)),
            "2.{version}"
        );
        let extraction = extract("a.mp3", &file);
        assert_eq!(extraction.title.as_deref(), Some("T"));
        assert!(extraction.duration_ms.unwrap().abs_diff(1045) <= 50);
    }
}

#[test]
fn id3v2_large_picture_is_not_read_by_the_extraction() {
    let tag = id3v2(
        4,
        0,
        &[
            frame(4, b"APIC", 0, &apic(3, &jpeg(1, 1_500_000))),
            text(4, b"TIT2", "after"),
        ],
    );
    let mut source = Source::from_bytes("a.mp3", [tag, mp3_frames(200)].concat());
    let extraction = run::<Music>(&mut source).unwrap().unwrap();
    assert_eq!(extraction.title.as_deref(), Some("after"));
    assert!(source.host_reads() <= 8, "{} reads", source.host_reads());
}

#[test]
fn id3v2_unsynchronised_picture_is_on_request_and_decoded() {
    let picture = [jpeg(1, 40), vec![0xff, 0x00, 0xff, 0xe1, 7]].concat();
    let unsynchronise = |bytes: &[u8]| {
        let mut out = Vec::new();
        for (index, byte) in bytes.iter().enumerate() {
            out.push(*byte);
            let next = bytes.get(index + 1).copied().unwrap_or(0);
            if *byte == 0xff && (next == 0 || next >= 0xe0) {
                out.push(0);
            }
        }
        out
    };
    // 2.4: by frame. 2.3: the whole tag.
    let body = unsynchronise(&apic(3, &picture));
    let by_frame = id3v2(4, 0, &[frame(4, b"APIC", 0x02, &body)]);
    assert_eq!(
        pictures("a.mp3", &[by_frame, mp3_frames(9)].concat()),
        front(false, picture.clone())
    );
    let frames = unsynchronise(&frame(3, b"APIC", 0, &apic(3, &picture)));
    let whole = id3v2(3, 0x80, &[frames]);
    assert_eq!(
        pictures("a.mp3", &[whole, mp3_frames(9)].concat()),
        front(false, picture)
    );
}

#[test]
fn flac_picture_is_found_in_place() {
    let file = [
        b"fLaC".to_vec(),
        flac_block(0, false, &flac_stream_info(88_200)),
        flac_block(4, false, &comments(&["TITLE=T", "ARTIST=A", "ARTIST=B"])),
        flac_block(6, true, &flac_picture(&jpeg(2, 500))),
        vec![0xff, 0xf8, 0, 0],
    ]
    .concat();
    assert_eq!(pictures("a.flac", &file), front(true, jpeg(2, 500)));
    assert_eq!(extract("a.flac", &file).duration_ms, Some(2000));
}

#[test]
fn ape_picture_begins_after_its_file_name() {
    let value = [b"cover.jpg\0".as_slice(), &jpeg(3, 100)].concat();
    let file = [
        mp3_frames(20),
        ape(&[("Title", 0, b"T"), ("Cover Art (Front)", 2, &value)]),
    ]
    .concat();
    assert_eq!(pictures("a.mp3", &file), front(true, jpeg(3, 100)));
    assert_eq!(extract("a.mp3", &file).title.as_deref(), Some("T"));
}

#[test]
fn mp4_covers_are_found_in_order() {
    let data = |mark| {
        atom(
            b"data",
            &[&13_u32.to_be_bytes(), &[0; 4], jpeg(mark, 64).as_slice()].concat(),
        )
    };
    let ilst = atom(b"ilst", &atom(b"covr", &[data(1), data(2)].concat()));
    let meta = atom(
        b"meta",
        &[&[0; 4], atom(b"hdlr", &[0; 25]).as_slice(), &ilst].concat(),
    );
    let moov = atom(
        b"moov",
        &[atom(b"mvhd", &[0; 100]), atom(b"udta", &meta)].concat(),
    );
    let file = [atom(b"ftyp", b"M4A \0\0\0\0M4A "), moov].concat();
    let found = pictures("a.m4a", &file);
    assert_eq!(
        found.iter().map(|picture| picture.3.clone()).collect::<Vec<_>>(),
        [jpeg(1, 64), jpeg(2, 64)]
    );
}

#[test]
fn picture_that_reaches_beyond_the_end_is_not_listed() {
    let tag = id3v2(3, 0, &[frame(3, b"APIC", 0, &apic(3, &jpeg(1, 5000)))]);
    let file = &[tag, mp3_frames(3)].concat()[..3000];
    let listed = run::<Music>(&mut Source::from_bytes("a.mp3", file.to_vec()));
    assert!(!matches!(listed, Ok(Some(extraction)) if !extraction.pictures.is_empty()));
}

#[test]
fn picture_that_is_not_there_is_an_error() {
    let file = mp3_frames(10);
    assert!(read_picture::<Music>(&mut Source::from_bytes("a.mp3", file), 0).is_err());
}
