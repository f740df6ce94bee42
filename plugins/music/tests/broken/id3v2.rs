//! ID3v2 tags with one damaged frame.

use super::*;

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

pub(super) fn intact_frames(version: u8) -> [Vec<u8>; 4] {
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
fn id3v2_2_frames_are_read_despite_damaged_ones() {
    check(&Kind {
        name: "a.mp3",
        file: |items| [id3v2(2, 0, items), mp3_frames(20)].concat(),
        intact: || intact_frames(2),
        broken: || broken_frames(2),
    });
}

#[test]
fn id3v2_3_frames_are_read_despite_damaged_ones() {
    check(&Kind {
        name: "a.mp3",
        file: |items| [id3v2(3, 0, items), mp3_frames(20)].concat(),
        intact: || intact_frames(3),
        broken: || broken_frames(3),
    });
}

#[test]
fn id3v2_4_frames_before_padding_are_read_despite_damaged_ones() {
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
fn id3v2_frames_of_a_wave_and_an_aiff_file_are_read_despite_damaged_ones() {
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
