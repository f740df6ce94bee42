//! Tags with one damaged item: all other items are read, for every item and kind of damage.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod ape;
mod chunks;
mod comments;
#[path = "../fixtures/mod.rs"]
mod fixtures;
mod id3v2;
mod mp4;

use comments::{comment, flac_with, intact_comments};
use fixtures::*;
use id3v2::intact_frames;
use music::Music;
use svc_plugin_api::{Extraction, Source, Value, run};

/// A tag format: how to build items and the file around them, and damaged items.
struct Kind {
    name: &'static str,
    file: fn(&[Vec<u8>]) -> Vec<u8>,
    /// Title, artist, album, track number.
    intact: fn() -> [Vec<u8>; 4],
    broken: fn() -> Vec<(String, Vec<u8>)>,
}

const TEXTS: [&str; 4] = ["The Title", "The Artist", "The Album", "7"];

fn extract(name: &str, bytes: Vec<u8>) -> Extraction {
    run::<Music>(&mut Source::from_bytes(name, bytes))
        .unwrap_or_else(|failure| panic!("{name}: {failure:?}"))
        .unwrap()
}

/// The intact items that were not read.
fn missing(extraction: &Extraction) -> Vec<&'static str> {
    let [title, artist, album, _] = TEXTS;
    let artists = Value::Texts(vec![artist.to_owned()]);
    let checks = [
        (title, extraction.title.as_deref() == Some(title)),
        (artist, extraction.value("music.artists") == Some(&artists)),
        (
            album,
            extraction.value("music.album") == Some(&Value::Text(album.to_owned())),
        ),
        (
            "7",
            extraction.value("music.track-number") == Some(&Value::Integer(7)),
        ),
    ];
    checks
        .into_iter()
        .filter(|(_, is_read)| !is_read)
        .map(|(text, _)| text)
        .collect()
}

fn check(kind: &Kind) {
    let intact = (kind.intact)();
    let whole = extract(kind.name, (kind.file)(&intact));
    assert_eq!(missing(&whole), [""; 0], "{} without damage", kind.name);
    assert_eq!(whole.warnings, [""; 0], "{} without damage", kind.name);
    let mut failures = Vec::new();
    for (damage, broken) in (kind.broken)() {
        for place in 0..=intact.len() {
            let mut items = intact.to_vec();
            items.insert(place, broken.clone());
            let missing = missing(&extract(kind.name, (kind.file)(&items)));
            if !missing.is_empty() {
                failures.push(format!("{damage} at {place}: {missing:?}"));
            }
        }
    }
    assert_eq!(failures, [""; 0], "{}", kind.name);
}

/// The item with each kind of wrong size; `at` and `length` locate the size.
fn sizes(
    item: &[u8],
    (at, length): (usize, usize),
    header: usize,
    number: fn(u64, usize) -> Vec<u8>,
) -> Vec<(String, Vec<u8>)> {
    let body = (item.len() - header) as u64;
    let wrong = [
        0,
        1,
        body / 2,
        body - 1,
        body + 1,
        body + 3,
        body + 20,
        body + 40,
        5_000,
        100_000,
        u64::MAX,
    ];
    let with = |size: u64| {
        let mut item = item.to_vec();
        item[at..at + length].copy_from_slice(&number(size, length));
        (format!("size {size} for {body}"), item)
    };
    wrong.into_iter().map(with).collect()
}

fn big(number: u64, length: usize) -> Vec<u8> {
    let most = (1_u64 << (8 * length)) - 1;
    number.min(most).to_be_bytes()[8 - length..].to_vec()
}

fn little(number: u64, length: usize) -> Vec<u8> {
    big(number, length).into_iter().rev().collect()
}

fn safe(number: u64, _: usize) -> Vec<u8> {
    let number = number.min((1 << 28) - 1);
    [21, 14, 7, 0]
        .map(|shift| (number >> shift) as u8 & 0x7f)
        .to_vec()
}

#[test]
fn intact_frame_between_damaged_ones_is_read() {
    let [title, artist, album, track] = intact_frames(4);
    let too_long = [b"TPUB\0\0\x99\x0b\0\0".as_slice(), b"\0Label"].concat();
    let no_frame = b"\x01\x02\x03\x04".to_vec();
    let frames = [
        title,
        too_long.clone(),
        artist,
        no_frame.clone(),
        album,
        too_long,
        no_frame,
        track,
    ];
    let file = [id3v2(4, 0, &frames), mp3_frames(20)].concat();
    assert_eq!(missing(&extract("a.mp3", file)), [""; 0]);

    let [title, artist, album, track] = intact_comments();
    let no_comment = || comment(b"\xff\x01");
    let items = [
        no_comment(),
        title,
        no_comment(),
        artist,
        album,
        no_comment(),
        track,
        no_comment(),
    ];
    assert_eq!(missing(&extract("a.flac", flac_with(4, 8, &items))), [""; 0]);
}

#[test]
fn skipped_items_are_reported() {
    let encrypted = frame(4, b"TCOM", 0x04, b"\0Some Composer");
    let cut = [b"TPUB\0\0\x7f\x7f\0\0".as_slice(), b"\0Label"].concat();
    let [title, artist, album, track] = intact_frames(4);
    let tag = id3v2(4, 0, &[title, encrypted, artist, album, cut, track]);
    let extraction = extract("a.mp3", [tag, mp3_frames(20)].concat());
    assert_eq!(missing(&extraction), [""; 0]);
    assert_eq!(
        extraction.warnings,
        [
            "read in part: TCOM of the ID3v2 tag: it is encrypted",
            "read in part: the ID3v2 tag is damaged in 1 place",
        ]
    );
}
