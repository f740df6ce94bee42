//! MP4 tags with one damaged `ilst` item.

use super::*;

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
fn mp4_atoms_are_read_despite_damaged_ones() {
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
