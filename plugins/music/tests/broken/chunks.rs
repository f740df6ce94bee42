//! WAV and AIFF files with one damaged chunk.

use super::*;

#[test]
fn chunks_of_a_list_are_read_despite_damaged_ones() {
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
fn chunks_of_an_aiff_file_are_read_despite_damaged_ones() {
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
