//! Vorbis comments of which one is damaged.

use super::*;

pub(super) fn comment(text: &[u8]) -> Vec<u8> {
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

pub(super) fn intact_comments() -> [Vec<u8>; 4] {
    let mut texts = TEXTS.into_iter();
    ["TITLE", "ARTIST", "ALBUM", "TRACKNUMBER"]
        .map(|name| comment(format!("{name}={}", texts.next().unwrap()).as_bytes()))
}

pub(super) fn flac_with(vendor: u32, count: u32, items: &[Vec<u8>]) -> Vec<u8> {
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
fn vorbis_comments_are_read_despite_damaged_ones() {
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
fn vorbis_comments_after_a_vendor_of_a_wrong_length_are_read() {
    for vendor in [0, 1, 3, 5, 40, 100_000, u32::MAX] {
        let file = flac_with(vendor, 4, &intact_comments());
        assert_eq!(missing(&extract("a.flac", file)), [""; 0], "vendor {vendor}");
    }
}
