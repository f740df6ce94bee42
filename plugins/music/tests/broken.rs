//! Tags with one damaged item: all other items are read, for every item and kind of damage.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod fixtures;

use fixtures::*;
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

/// Frames of every kind, as `(id, body)`.
fn bodies() -> Vec<([u8; 4], Vec<u8>)> {
    vec![
        (*b"TCOM", b"\0Some Composer".to_vec()),
        (*b"TDRC", b"\x032016-12-09".to_vec()),
        (*b"TXXX", b"\0MusicBrainz Album Id\0abc".to_vec()),
        (*b"COMM", b"\0eng\0a comment of some length".to_vec()),
        (*b"UFID", b"http://musicbrainz.org\0rec-id".to_vec()),
        (*b"TIPL", b"\0producer\0Somebody".to_vec()),
        (*b"APIC", apic(3, &jpeg(7, 300))),
        (*b"PRIV", b"owner\0\x01\x02\x03\x04\x05".to_vec()),
        (*b"GEOB", b"\0text/plain\0name\0description\0data".to_vec()),
        (*b"USLT", b"\0eng\0words of a song".to_vec()),
        (*b"ZZZ9", b"\0nobody knows this one".to_vec()),
    ]
}

fn broken_frames(version: u8) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for (id, body) in bodies() {
        let whole = if version == 2 {
            frame2(&[id[0], id[1], id[2]], &body)
        } else {
            frame(version, &id, 0, &body)
        };
        let name = String::from_utf8_lossy(&id).into_owned();
        let mut add = |damage: &str, item: Vec<u8>| all.push((format!("{name}: {damage}"), item));
        let (at, length, header) = if version == 2 { (3, 3, 6) } else { (4, 4, 10) };
        let number = if version == 4 { safe } else { big };
        let wrong = sizes(&whole, (at, length), header, number);
        for (damage, item) in wrong {
            add(&damage, item);
        }
        let with = |changes: &[(usize, u8)]| {
            let mut item = whole.clone();
            for (place, byte) in changes {
                item[*place] = *byte;
            }
            item
        };
        add("an encoding that is none", with(&[(header, 9)]));
        add(
            "UTF-16 that is none",
            with(&[
                (header, 1),
                (header + 1, 0xff),
                (header + 2, 0xfe),
                (header + 3, 0),
                (header + 4, 0xdc),
            ]),
        );
        add("UTF-8 that is none", with(&[(header, 3), (header + 1, 0xff)]));
        add("a lower-case id", with(&[(0, b't')]));
        add("an id of control characters", with(&[(0, 1), (1, 2)]));
        add("an id that begins with NUL", with(&[(0, 0)]));
        add(
            "no body",
            whole[..header]
                .iter()
                .enumerate()
                .map(|(place, byte)| {
                    if (at..at + length).contains(&place) {
                        0
                    } else {
                        *byte
                    }
                })
                .collect(),
        );
        if version > 2 {
            for flags in 1..=255 {
                add(&format!("flags {flags:#x}"), with(&[(9, flags)]));
            }
            add("flags of the tag", with(&[(8, 0xff)]));
        }
    }
    all
}

fn intact_frames(version: u8) -> [Vec<u8>; 4] {
    let ids = if version == 2 {
        [*b"TT2 ", *b"TP1 ", *b"TAL ", *b"TRK "]
    } else {
        [*b"TIT2", *b"TPE1", *b"TALB", *b"TRCK"]
    };
    let mut texts = TEXTS.into_iter();
    ids.map(|id| {
        let body = [b"\0", texts.next().unwrap().as_bytes()].concat();
        if version == 2 {
            frame2(&[id[0], id[1], id[2]], &body)
        } else {
            frame(version, &id, 0, &body)
        }
    })
}

#[test]
fn id3v2_2_frames_are_read_beside_broken_ones() {
    check(&Kind {
        name: "a.mp3",
        file: |items| [id3v2(2, 0, items), mp3_frames(20)].concat(),
        intact: || intact_frames(2),
        broken: || broken_frames(2),
    });
}

#[test]
fn id3v2_3_frames_are_read_beside_broken_ones() {
    check(&Kind {
        name: "a.mp3",
        file: |items| [id3v2(3, 0, items), mp3_frames(20)].concat(),
        intact: || intact_frames(3),
        broken: || broken_frames(3),
    });
}

#[test]
fn id3v2_4_frames_are_read_beside_broken_ones_before_padding() {
    check(&Kind {
        name: "a.mp3",
        file: |items| {
            let items = [items, &[vec![0; 600]]].concat();
            [id3v2(4, 0, &items), mp3_frames(20)].concat()
        },
        intact: || intact_frames(4),
        broken: || broken_frames(4),
    });
}

#[test]
fn id3v2_frames_of_a_wave_and_an_aiff_file_are_read_beside_broken_ones() {
    check(&Kind {
        name: "a.wav",
        file: |items| wav(&[riff_chunk(b"id3 ", &id3v2(4, 0, items))]),
        intact: || intact_frames(4),
        broken: || broken_frames(4),
    });
    check(&Kind {
        name: "a.aiff",
        file: |items| aiff(&[aiff_chunk(b"ID3 ", &id3v2(3, 0, items))]),
        intact: || intact_frames(3),
        broken: || broken_frames(3),
    });
}

fn comment(text: &[u8]) -> Vec<u8> {
    [&(text.len() as u32).to_le_bytes(), text].concat()
}

fn broken_comments() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for text in [
        b"COMPOSER=Some Composer".as_slice(),
        b"METADATA_BLOCK_PICTURE=AAAAAwAAAAlpbWFnZS9wbmcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        b"X-UNKNOWN=nobody knows",
    ] {
        all.extend(sizes(&comment(text), (0, 4), 4, little));
    }
    for text in [
        b"COMPOSER=\xff\xfe\xfd".as_slice(),
        b"COMP\xffSER=x",
        b"no equals sign at all",
        b"=no name",
        b"",
        b"=",
    ] {
        all.push((format!("{text:?}"), comment(text)));
    }
    all
}

fn intact_comments() -> [Vec<u8>; 4] {
    let mut texts = TEXTS.into_iter();
    ["TITLE", "ARTIST", "ALBUM", "TRACKNUMBER"]
        .map(|name| comment(format!("{name}={}", texts.next().unwrap()).as_bytes()))
}

fn flac_with(vendor: u32, count: u32, items: &[Vec<u8>]) -> Vec<u8> {
    let block = [
        vendor.to_le_bytes().to_vec(),
        b"test".to_vec(),
        count.to_le_bytes().to_vec(),
        items.concat(),
    ];
    let file = [
        b"fLaC".to_vec(),
        flac_block(0, false, &flac_stream_info(44_100)),
        flac_block(4, true, &block.concat()),
        vec![0xff, 0xf8, 0, 0],
    ];
    file.concat()
}

#[test]
fn vorbis_comments_are_read_beside_broken_ones() {
    let kind = |file| Kind {
        name: "a.flac",
        file,
        intact: intact_comments,
        broken: broken_comments,
    };
    check(&kind(|items| flac_with(4, items.len() as u32, items)));
    // Wrong counts.
    check(&kind(|items| flac_with(4, 0xffff_ffff, items)));
    check(&kind(|items| flac_with(4, 1, items)));
    check(&Kind {
        name: "a.ogg",
        // Without the framing bit.
        file: |items| {
            let comments = [
                b"\x03vorbis\x04\0\0\0test".as_slice(),
                [items.len() as u8, 0, 0, 0].as_slice(),
                items.concat().as_slice(),
            ]
            .concat();
            [
                ogg_page(1, 2, 0, &vorbis_head(44_100)),
                ogg_page(1, 0, 0, &comments),
                ogg_page(1, 4, 44_100, b"x"),
            ]
            .concat()
        },
        ..kind(|_| Vec::new())
    });
}

#[test]
fn vorbis_comments_behind_a_vendor_of_a_wrong_length_are_read() {
    for vendor in [0, 1, 3, 5, 40, 100_000, u32::MAX] {
        let file = flac_with(vendor, 4, &intact_comments());
        assert_eq!(missing(&extract("a.flac", file)), [""; 0], "vendor {vendor}");
    }
}

fn ape_item(key: &[u8], flags: u32, value: &[u8]) -> Vec<u8> {
    [
        &(value.len() as u32).to_le_bytes(),
        flags.to_le_bytes().as_slice(),
        key,
        b"\0",
        value,
    ]
    .concat()
}

fn broken_ape_items() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    for item in [
        ape_item(b"Composer", 0, b"Some Composer"),
        ape_item(b"Cover Art (Front)", 2, b"a.jpg\0\xff\xd8\xff\xe0picture"),
        ape_item(b"Unknown", 0, b"nobody knows"),
    ] {
        let key = item[8..].iter().position(|byte| *byte == 0).unwrap() + 1;
        let body = (item.len() - 8 - key) as u64;
        for size in [0, 1, body - 1, body + 1, body + 9, 5_000, 100_000, u64::MAX] {
            let size = little(size, 4);
            all.push((format!("size {size:?}"), [size.as_slice(), &item[4..]].concat()));
        }
        for flags in [1, 3, 6, 7, 8, 0xff, 0xffff_ffff_u32] {
            let item = [&item[..4], &flags.to_le_bytes(), &item[8..]].concat();
            all.push((format!("flags {flags:#x}"), item));
        }
    }
    for key in [b"".as_slice(), b"\x01\x02", b"K\xffy", b"x", &[b'k'; 300]] {
        all.push((format!("key {key:?}"), ape_item(key, 0, b"value")));
    }
    all
}

fn intact_ape_items() -> [Vec<u8>; 4] {
    let mut texts = TEXTS.into_iter();
    ["Title", "Artist", "Album", "Track"]
        .map(|key| ape_item(key.as_bytes(), 0, texts.next().unwrap().as_bytes()))
}

#[test]
fn ape_items_are_read_beside_broken_ones() {
    let kind = |file| Kind {
        name: "a.mp3",
        file,
        intact: intact_ape_items,
        broken: broken_ape_items,
    };
    check(&kind(|items| {
        [mp3_frames(20), ape_of(items, None, items.len() as u32)].concat()
    }));
    check(&kind(|items| [mp3_frames(20), ape_of(items, None, 0)].concat()));
    // Wrong sizes in the footer, but with a header.
    check(&kind(|items| {
        [mp3_frames(20), ape_of(items, Some(33), 4)].concat()
    }));
    check(&kind(|items| {
        [mp3_frames(20), ape_of(items, Some(u32::MAX), 4)].concat()
    }));
}

fn ilst_item(name: &[u8; 4], kind: u32, value: &[u8]) -> Vec<u8> {
    atom(
        name,
        &atom(b"data", &[&kind.to_be_bytes(), [0; 4].as_slice(), value].concat()),
    )
}

fn broken_ilst_items() -> Vec<(String, Vec<u8>)> {
    let composer = ilst_item(b"\xa9wrt", 1, b"Some Composer");
    let free = atom(
        b"----",
        &[
            atom(b"mean", b"\0\0\0\0com.apple.iTunes"),
            atom(b"name", b"\0\0\0\0BARCODE"),
            atom(b"data", b"\0\0\0\x01\0\0\0\x00123"),
        ]
        .concat(),
    );
    let cover = ilst_item(b"covr", 13, &jpeg(1, 200));
    let mut all = Vec::new();
    for item in [&composer, &free, &cover] {
        for at in [0, 8] {
            // The size counts its own header.
            for size in [
                0,
                1,
                7,
                8,
                9,
                15,
                item.len() - at - 1,
                item.len() - at + 1,
                item.len() + 11,
                5_000,
                0xffff_ffff,
            ] {
                let mut item = item.clone();
                item[at..at + 4].copy_from_slice(&(size as u32).to_be_bytes());
                all.push((format!("size {size} at {at}"), item));
            }
        }
    }
    let mut nested = atom(b"data", b"");
    for _ in 0..200 {
        nested = atom(b"data", &nested);
    }
    for (damage, item) in [
        ("no value", atom(b"\xa9wrt", b"")),
        ("half a value", atom(b"\xa9wrt", &atom(b"data", b"\0\0"))),
        (
            "something else inside",
            atom(b"\xa9wrt", &atom(b"free", b"12345678")),
        ),
        ("an unknown type", ilst_item(b"\xa9wrt", 99, b"\x01\xff")),
        ("UTF-8 that is none", ilst_item(b"\xa9wrt", 1, b"\xff\xfe\xff")),
        ("a number of 100 bytes", ilst_item(b"tmpo", 21, &[1; 100])),
        ("half a pair", ilst_item(b"disk", 0, b"\0")),
        ("nested without end", atom(b"\xa9wrt", &nested)),
    ] {
        all.push((damage.to_owned(), item));
    }
    all
}

#[test]
fn mp4_atoms_are_read_beside_broken_ones() {
    check(&Kind {
        name: "a.m4a",
        file: |items| {
            let meta = atom(
                b"meta",
                &[[0; 4].as_slice(), &atom(b"ilst", &items.concat())].concat(),
            );
            [
                atom(b"ftyp", b"M4A \0\0\0\0M4A "),
                atom(b"moov", &[audio_track(), atom(b"udta", &meta)].concat()),
            ]
            .concat()
        },
        intact: || {
            let [title, artist, album, _] = TEXTS.map(str::as_bytes);
            let label = [
                atom(b"mean", b"\0\0\0\0com.apple.iTunes"),
                atom(b"name", b"\0\0\0\0Label"),
                atom(b"data", b"\0\0\0\x01\0\0\0\x00label"),
            ];
            // The end of the name looks like the size and name of an atom.
            let title = [ilst_item(b"\xa9nam", 1, title), atom(b"----", &label.concat())];
            [
                title.concat(),
                ilst_item(b"\xa9ART", 1, artist),
                ilst_item(b"\xa9alb", 1, album),
                ilst_item(b"trkn", 0, b"\0\0\0\x07\0\x09\0\0"),
            ]
        },
        broken: broken_ilst_items,
    });
}

#[test]
fn chunks_of_a_list_are_read_beside_broken_ones() {
    check(&Kind {
        name: "a.wav",
        file: |items| {
            wav(&[riff_chunk(
                b"LIST",
                &[b"INFO".as_slice(), &items.concat()].concat(),
            )])
        },
        intact: || {
            let mut texts = TEXTS.into_iter();
            [b"INAM", b"IART", b"IPRD", b"ITRK"]
                .map(|name| riff_chunk(name, texts.next().unwrap().as_bytes()))
        },
        broken: || {
            let chunk = riff_chunk(b"ICMT", b"a comment of some length");
            let mut all = sizes(&chunk, (4, 4), 8, little);
            all.push((
                "a name of control characters".to_owned(),
                [b"\x01\x02\x03\x04", &chunk[4..]].concat(),
            ));
            // An odd length without padding.
            all.push((
                "no padding".to_owned(),
                [b"ICMT\x03\0\0\0".as_slice(), b"abc"].concat(),
            ));
            all
        },
    });
}

#[test]
fn chunks_of_an_aiff_file_are_read_beside_broken_ones() {
    let chunk = aiff_chunk(b"ANNO", b"a comment of some length");
    for (damage, broken) in sizes(&chunk, (4, 4), 8, big) {
        for place in 0..=2 {
            let mut chunks = vec![
                aiff_chunk(b"NAME", b"The Title"),
                aiff_chunk(b"AUTH", b"The Artist"),
            ];
            chunks.insert(place, broken.clone());
            let extraction = extract("a.aiff", aiff(&chunks));
            assert_eq!(
                extraction.title.as_deref(),
                Some("The Title"),
                "{damage} at {place}"
            );
            let artists = Value::Texts(vec!["The Artist".to_owned()]);
            assert_eq!(
                extraction.value("music.artists"),
                Some(&artists),
                "{damage} at {place}"
            );
        }
    }
}

#[test]
fn intact_frame_between_broken_ones_is_read() {
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
fn what_is_passed_over_is_told() {
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
