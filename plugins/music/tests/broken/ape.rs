//! APE tags with one damaged item.

use super::*;

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
fn ape_items_are_read_despite_damaged_ones() {
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
