//! Archives that lie, overlap, explode or are cut off: an error or a warning, never a panic or endless work.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod archive;

use archive::{Archive, File, Lie, deflated, extract, pages, png, source, stored, value, zip};
use comics::Comics;
use svc_plugin_api::{ExtractError, Source, list_pages, read_page, read_picture, run};

fn lying(file: File, lie: Lie) -> File {
    File { lie, ..file }
}

#[track_caller]
fn warned(bytes: &[u8], expected: &str) {
    let warnings = extract(source(bytes)).warnings;
    assert!(
        warnings.iter().any(|warning| warning.contains(expected)),
        "{warnings:?}"
    );
}

#[test]
fn files_of_other_formats_are_refused_or_invalid() {
    let outcome = |bytes: &[u8]| run::<Comics>(&mut source(bytes)).unwrap_err();
    for (bytes, format) in [
        (b"Rar!\x1a\x07\x01\0".as_slice(), "RAR"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"%PDF-1.7", "PDF"),
    ] {
        assert!(
            matches!(outcome(bytes), ExtractError::Refused(reason) if reason.contains(format)),
            "{format}"
        );
    }
    for bytes in [b"".as_slice(), b"PK", b"PK\x03\x04", &[0; 100_000], b"text"] {
        assert!(matches!(outcome(bytes), ExtractError::Invalid(place) if place.offset.is_some()));
    }
}

#[test]
fn archive_without_pages_is_read_with_a_warning() {
    let empty = extract(source(&zip(&[])));
    assert_eq!(value(&empty, "item.page-count"), "0");
    assert_eq!(empty.warnings, ["the archive has no pages"]);
    assert_eq!(pages(&zip(&[stored("a.txt", "x")])), [b""; 0]);
}

#[test]
fn page_whose_size_is_a_lie_is_invalid() {
    let content = png(1, 1, 1);
    let right = content.len() as u32;
    for (size, packed, crc) in [
        (Some(right + 1), None, None),
        (Some(right - 1), None, None),
        (Some(1), None, None),
        (None, Some(10), None),
        (None, None, Some(0)),
    ] {
        let lie = Lie {
            size,
            packed,
            crc,
            ..Lie::default()
        };
        for file in [
            deflated("1.png", content.clone()),
            stored("1.png", content.clone()),
        ] {
            let archive = zip(&[lying(file, lie)]);
            let mut opened = source(&archive);
            let listed = list_pages::<Comics>(&mut opened).unwrap();
            assert_eq!(listed.len(), 1);
            let failure = read_page::<Comics>(&mut opened, 0).unwrap_err();
            assert!(
                matches!(&failure, ExtractError::Invalid(place) if place.offset == Some(0)),
                "{failure:?}"
            );
        }
    }
}

#[test]
fn bomb_is_not_unpacked_beyond_its_stated_size() {
    let zeros = vec![0; 100 << 20];
    // It says what it is: too large for a page.
    let honest = zip(&[deflated("1.png", zeros.clone()), deflated("2.png", png(2, 2, 2))]);
    assert_eq!(pages(&honest), [png(2, 2, 2)]);
    warned(&honest, "1 files are larger than 64 MiB");
    // It says that it is small.
    let lie = Lie {
        size: Some(1000),
        ..Lie::default()
    };
    let lying = zip(&[lying(deflated("1.png", zeros), lie)]);
    let failure = read_page::<Comics>(&mut source(&lying), 0).unwrap_err();
    assert!(matches!(failure, ExtractError::Invalid(_)), "{failure:?}");
    assert!(read_picture::<Comics>(&mut source(&lying), 0).is_err());
}

#[test]
fn files_that_share_their_bytes_are_left_out() {
    let mut files = vec![deflated("00.png", png(0, 0, 0))];
    for number in 1..50 {
        let lie = Lie {
            offset: Some(0),
            ..Lie::default()
        };
        files.push(lying(deflated(&format!("{number:02}.png"), png(0, 0, 0)), lie));
    }
    let archive = zip(&files);
    assert_eq!(pages(&archive).len(), 1);
    warned(&archive, "49 files overlap with others");
}

#[test]
fn files_outside_of_the_archive_are_left_out() {
    let lie = Lie {
        offset: Some(u32::MAX - 1),
        ..Lie::default()
    };
    let long = Lie {
        packed: Some(u32::MAX - 1),
        ..Lie::default()
    };
    let archive = zip(&[
        stored("1.png", png(1, 1, 1)),
        lying(stored("2.png", png(2, 2, 2)), lie),
        lying(stored("3.png", png(3, 3, 3)), long),
    ]);
    assert_eq!(pages(&archive), [png(1, 1, 1)]);
    warned(&archive, "2 files end outside of the archive");
}

#[test]
fn encrypted_and_unknown_methods_are_unsupported_if_all_are() {
    let encrypted = File {
        flags: 1,
        ..stored("1.png", png(1, 1, 1))
    };
    let zstd = Lie {
        method: Some(93),
        ..Lie::default()
    };
    let packed = lying(stored("2.png", png(2, 2, 2)), zstd);
    let failure = run::<Comics>(&mut source(&zip(&[encrypted.clone(), packed.clone()]))).unwrap_err();
    assert!(matches!(failure, ExtractError::Unsupported(_)), "{failure:?}");
    let some = zip(&[encrypted, packed, stored("3.png", png(3, 3, 3))]);
    assert_eq!(pages(&some), [png(3, 3, 3)]);
    warned(&some, "2 pages are encrypted");
}

#[test]
fn damaged_header_costs_its_page_only() {
    let files = [stored("1.png", png(1, 1, 1)), deflated("2.png", png(2, 2, 2))];
    let mut archive = zip(&files);
    archive[0] = b'X';
    let mut opened = source(&archive);
    assert_eq!(list_pages::<Comics>(&mut opened).unwrap().len(), 2);
    let failure = read_page::<Comics>(&mut opened, 0).unwrap_err();
    assert!(matches!(failure, ExtractError::Invalid(_)), "{failure:?}");
    assert_eq!(read_page::<Comics>(&mut opened, 1).unwrap(), png(2, 2, 2));
    warned(&archive, "the cover, 1.png, is damaged");
}

#[test]
fn truncated_and_altered_archives_never_panic() {
    let info =
        "<ComicInfo><Series>A</Series><Pages><Page Image=\"0\" Type=\"FrontCover\"/></Pages></ComicInfo>";
    let mut archive = Archive::new(&[
        deflated("ComicInfo.xml", info),
        File {
            descriptor: true,
            ..deflated("1.png", png(1, 1, 1))
        },
        File {
            zip64: true,
            ..stored("2.png", png(2, 2, 2))
        },
    ]);
    archive.zip64_end = true;
    let whole = archive.bytes();
    let try_all = |bytes: Vec<u8>| {
        let mut opened = Source::from_bytes("A.cbz", bytes);
        let _ = run::<Comics>(&mut opened);
        for index in 0..list_pages::<Comics>(&mut opened).map_or(0, |list| list.len()) {
            let _ = read_page::<Comics>(&mut opened, index as u32);
        }
    };
    for cut in 0..whole.len() {
        if cut % 7 == 0 || cut > archive.files.len() {
            try_all(whole[..cut].to_vec());
        }
    }
    for at in 0..whole.len() {
        for with in [0xff, 0x01, 0x80] {
            let mut altered = whole.clone();
            altered[at] ^= with;
            if with == 0xff || at > archive.files.len() || at < 200 {
                try_all(altered);
            }
        }
    }
}

#[test]
fn heads_of_pictures_that_lie_never_panic() {
    let starts: [&[u8]; 6] = [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
        b"\xff\xd8\xff\xe0\x00\x10JFIF\0",
        b"GIF89a",
        b"RIFF\x10\0\0\0WEBPVP8 ",
        b"RIFF\x10\0\0\0WEBPVP8X",
        b"BM\x10\0\0\0\0\0\0\0",
    ];
    let mut seed = 1_u32;
    let files: Vec<File> = (0..3000)
        .map(|number| {
            let mut content = starts[number % starts.len()].to_vec();
            for _ in 0..number / 50 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                content.push((seed >> 24) as u8);
            }
            stored(&format!("{number}.png"), content)
        })
        .collect();
    assert_eq!(
        list_pages::<Comics>(&mut source(&zip(&files))).unwrap().len(),
        3000
    );
}

#[test]
fn more_pages_than_a_list_may_have_are_left_out() {
    let files: Vec<File> = (0..10_050).map(|n| stored(&format!("{n}.png"), "x")).collect();
    let archive = zip(&files);
    assert_eq!(list_pages::<Comics>(&mut source(&archive)).unwrap().len(), 10_000);
    warned(&archive, "more than 10000 pages");
}
