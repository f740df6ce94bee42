//! Damaged and lying files: an error or a part of the fields, never a panic.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod books;

use audiobooks::Audiobooks;
use books::{Mp4, atom, chapters, extract, flac, mp3, source};
use svc_plugin_api::{ExtractError, read_picture, run};

fn files() -> Vec<(&'static str, Vec<u8>)> {
    let book = Mp4 {
        seconds: 60,
        atoms: vec![(b"\xa9alb", "The Book"), (b"\xa9ART", "Ann Author")],
        free: vec![("SERIES", "Series")],
        track: vec![(0, "One"), (20_000, "Two"), (40_000, "Three")],
        list: vec![(0, "1"), (20_000, "2")],
        cover: true,
        place: Some((1, 1)),
    };
    let chapters = [(0, 500, "a"), (500, 1000, "b")];
    vec![
        ("a.m4b", book.bytes()),
        (
            "a.mp3",
            mp3(&[("TALB", "The Book"), ("TRCK", "1")], &chapters, true, 1),
        ),
        (
            "a.flac",
            flac(&["ALBUM=Book", "CHAPTER001=00:00:01.000", "CHAPTER001NAME=x"], 10),
        ),
    ]
}

#[test]
fn truncated_and_altered_files_never_panic() {
    let read = |name: &str, bytes: Vec<u8>| {
        let mut opened = source(name, bytes);
        if let Ok(Some(found)) = run::<Audiobooks>(&mut opened) {
            for index in 0..found.pictures.len() {
                let _ = read_picture::<Audiobooks>(&mut opened, index as u32);
            }
        }
    };
    for (name, whole) in files() {
        let tag = whole.len().min(1500);
        for cut in 0..tag {
            read(name, whole[..cut].to_vec());
        }
        for at in 0..tag {
            for with in [0xff, 0x01, 0x80] {
                let mut altered = whole.clone();
                altered[at] ^= with;
                read(name, altered);
            }
        }
    }
}

#[test]
fn other_formats_are_refused_and_nothing_is_invalid() {
    let outcome = |bytes: &[u8]| run::<Audiobooks>(&mut source("a.mp3", bytes.to_vec())).unwrap_err();
    assert!(matches!(
        outcome(b"PK\x03\x04 and so on"),
        ExtractError::Refused(_)
    ));
    assert!(matches!(outcome(b"RIFF\0\0\0\0WAVE"), ExtractError::Refused(_)));
    assert!(matches!(outcome(b""), ExtractError::Invalid(_)));
    read_picture::<Audiobooks>(&mut source("a.mp3", mp3(&[], &[], false, 1)), 0).unwrap_err();
}

#[test]
fn chapters_behind_too_many_atoms_are_not_looked_for() {
    let book = Mp4 {
        seconds: 60,
        list: vec![(0, "One"), (20_000, "Two")],
        ..Mp4::default()
    };
    let bytes = book.bytes();
    let start = u32::from_be_bytes(*bytes.first_chunk().unwrap()) as usize;
    for (atoms, found) in [(4000, 2), (4096, 0)] {
        let free = atom(b"free", &[]).repeat(atoms);
        let file = [&bytes[..start], &free, &bytes[start..]].concat();
        let extraction = extract("a.m4b", file);
        assert_eq!(chapters(&extraction).len(), found, "{atoms} atoms");
        assert_eq!(extraction.duration_ms, Some(60_000));
    }
}

#[test]
fn tables_that_claim_billions_of_samples_end() {
    let mut bytes = files().remove(0).1;
    for name in [b"stts", b"stsz", b"stsc", b"stco"] {
        let places: Vec<usize> = bytes
            .windows(4)
            .enumerate()
            .filter_map(|(at, window)| (window == name).then_some(at))
            .collect();
        for at in places {
            // The counts behind version and flags.
            for byte in bytes.iter_mut().skip(at + 8).take(8) {
                *byte = 0xff;
            }
        }
    }
    let _ = run::<Audiobooks>(&mut source("a.m4b", bytes));
}
