//! Values of ID3v2 frames and Vorbis comments: splitting, types, and which of several names takes precedence.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod fixtures;

use fixtures::*;
use music::Music;
use svc_plugin_api::{Extraction, Source, Value, run};

fn extract(name: &str, bytes: Vec<u8>) -> Extraction {
    run::<Music>(&mut Source::from_bytes(name, bytes))
        .unwrap()
        .unwrap()
}

fn texts(list: &[&str]) -> Value {
    Value::Texts(list.iter().map(|text| (*text).to_owned()).collect())
}

#[test]
fn id3v2_values_are_split_resolved_and_typed() {
    let tag = id3v2(
        4,
        0,
        &[
            text(4, b"TPE1", "A\0B"),
            text(4, b"TPE2", "C; D"),
            text(4, b"TCON", "17\0(4)Eurodisco"),
            text(4, b"TRCK", "3/12"),
            text(4, b"TPOS", "1/2"),
            text(4, b"TDRC", "2016-12"),
            text(4, b"TCMP", "1"),
            frame(4, b"TXXX", 0, b"\x03MusicBrainz Album Id\0abc"),
            frame(4, b"TXXX", 0, b"\x03replaygain_track_gain\0-6.50 dB"),
            frame(4, b"UFID", 0, b"http://musicbrainz.org\0rec-id"),
        ],
    );
    let extraction = extract("a.mp3", [tag, mp3_frames(20)].concat());
    assert_eq!(extraction.value("music.artists"), Some(&texts(&["A", "B"])));
    assert_eq!(extraction.value("music.album-artists"), Some(&texts(&["C", "D"])));
    assert_eq!(
        extraction.value("music.genres"),
        Some(&texts(&["Rock", "Eurodisco"]))
    );
    assert_eq!(extraction.value("music.track-number"), Some(&Value::Integer(3)));
    assert_eq!(extraction.value("music.track-total"), Some(&Value::Integer(12)));
    assert_eq!(extraction.value("music.disc-total"), Some(&Value::Integer(2)));
    assert_eq!(extraction.value("music.compilation"), Some(&Value::Boolean(true)));
    assert_eq!(
        extraction.value("music.mb-release-id"),
        Some(&Value::Text("abc".into()))
    );
    assert_eq!(
        extraction.value("music.mb-recording-id"),
        Some(&Value::Text("rec-id".into()))
    );
    assert_eq!(
        extraction.value("music.replaygain-track-gain"),
        Some(&Value::Real(-6.5))
    );
    let Some(Value::Date(date)) = extraction.value("music.date") else {
        panic!("no date")
    };
    assert_eq!((date.year, date.month, date.day), (2016, Some(12), None));
    assert_eq!(extraction.value("audio.codec"), Some(&Value::Text("mp3".into())));
}

#[test]
fn id3v2_3_artists_are_split_at_a_slash_with_spaces_only() {
    let tag = id3v2(3, 0, &[text(3, b"TPE1", "AC/DC / Other")]);
    let extraction = extract("a.mp3", [tag, mp3_frames(20)].concat());
    assert_eq!(
        extraction.value("music.artists"),
        Some(&texts(&["AC/DC", "Other"]))
    );
}

#[test]
fn vorbis_artists_list_beats_the_credited_text() {
    let block = comments(&[
        "ARTIST=A feat. B",
        "ARTISTS=A",
        "ARTISTS=B",
        "TRACKNUMBER=03",
        "TOTALTRACKS=9",
        "BPM=0",
    ]);
    let file = [
        b"fLaC".to_vec(),
        flac_block(0, false, &flac_stream_info(44_100)),
        flac_block(4, true, &block),
        vec![0xff, 0xf8, 0, 0],
    ];
    let extraction = extract("a.flac", file.concat());
    assert_eq!(extraction.value("music.artists"), Some(&texts(&["A", "B"])));
    assert_eq!(extraction.value("music.track-total"), Some(&Value::Integer(9)));
    assert_eq!(extraction.value("music.bpm"), None);
    assert_eq!(
        extraction.value("audio.sample-rate"),
        Some(&Value::Integer(44_100))
    );
}

#[test]
fn vorbis_comments_before_padding_are_whole() {
    let words = [
        b"\x03vorbis",
        comments(&["TITLE=T"]).as_slice(),
        b"\x01",
        &[0; 500],
    ]
    .concat();
    let file = [
        ogg_page(1, 2, 0, &vorbis_head(44_100)),
        ogg_page(1, 0, 0, &words),
        ogg_page(1, 4, 44_100, b"x"),
    ];
    let extraction = extract("a.ogg", file.concat());
    assert_eq!(extraction.title.as_deref(), Some("T"));
    assert_eq!(extraction.warnings, [""; 0]);
}
