//! Archives of every form: the pages in their order, byte for byte.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod archive;

use archive::{Archive, File, deflated, extract, pages, png, source, stored, value, zip};
use comics::Comics;
use svc_plugin_api::{PageData, PageSize, PictureData, list_pages, read_picture};

/// Packs a file of this name and content.
type Pack = fn(&str, Vec<u8>) -> File;

/// Three pages in each way of packing.
fn ways() -> Vec<(&'static str, Pack)> {
    vec![
        ("stored", |name, content| stored(name, content)),
        ("deflated", |name, content| deflated(name, content)),
        ("descriptors", |name, content| File {
            descriptor: true,
            ..deflated(name, content)
        }),
        ("stored with descriptors", |name, content| File {
            descriptor: true,
            ..stored(name, content)
        }),
        ("zip64", |name, content| File {
            zip64: true,
            ..deflated(name, content)
        }),
        ("zip64 stored", |name, content| File {
            zip64: true,
            ..stored(name, content)
        }),
    ]
}

fn three(file: fn(&str, Vec<u8>) -> File) -> Vec<File> {
    vec![
        file("p10.png", png(10, 1, 10)),
        file("p9.png", png(9, 1, 9)),
        file("P1.PNG", png(1, 1, 1)),
    ]
}

fn expected() -> Vec<Vec<u8>> {
    vec![png(1, 1, 1), png(9, 1, 9), png(10, 1, 10)]
}

#[test]
fn pages_are_the_same_bytes_however_they_are_packed() {
    for (way, file) in ways() {
        let mut archive = Archive::new(&three(file));
        assert_eq!(pages(&archive.bytes()), expected(), "{way}");
        archive.comment = b"a comment with PK\x05\x06 in it, which is no record at the end".to_vec();
        assert_eq!(pages(&archive.bytes()), expected(), "{way} with a comment");
        archive.zip64_end = true;
        assert_eq!(pages(&archive.bytes()), expected(), "{way} with records of ZIP64");
        let behind = [b"#!/bin/sh\nexit\n".as_slice(), &archive.bytes()].concat();
        assert_eq!(pages(&behind), expected(), "{way} behind a program");
    }
}

#[test]
fn pages_of_an_archive_without_a_directory_are_found() {
    for (way, file) in ways() {
        let archive = Archive::new(&three(file));
        let whole = archive.bytes();
        // Cut within the directory, at its start, and within the last file.
        for cut in [whole.len() - 5, archive.files.len() + 50, archive.files.len()] {
            assert_eq!(pages(&whole[..cut]), expected(), "{way} cut at {cut}");
            let extraction = extract(source(&whole[..cut]));
            assert!(extraction.warnings[0].contains("the directory of the archive is damaged"));
        }
        let cut = archive.files.len() - 20;
        let left = pages(&whole[..cut]);
        assert_eq!(left, expected()[1..], "{way} cut within a file");
        let warnings = extract(source(&whole[..cut])).warnings;
        assert!(warnings[1].contains("the archive is cut off"), "{warnings:?}");
    }
}

#[test]
fn stored_pages_are_at_their_place_with_their_size() {
    let archive = zip(&[
        stored("1.jpg", png(640, 480, 1)),
        deflated("2.png", png(30_000, 20, 2)),
        stored("3.gif", b"no picture at all"),
    ]);
    let list = list_pages::<Comics>(&mut source(&archive)).unwrap();
    // The content counts, not the name.
    let types: Vec<_> = list.iter().map(|page| page.mime.as_str()).collect();
    assert_eq!(types, ["image/png", "image/png", "image/gif"]);
    let size = |width, height| Some(PageSize { width, height });
    assert_eq!(list[0].size, size(640, 480));
    assert_eq!(list[1].size, size(30_000, 20));
    assert_eq!(list[2].size, None);
    assert!(matches!(list[0].data, PageData::At(span) if span.length == png(0, 0, 0).len() as u64));
    assert!(matches!(list[1].data, PageData::OnRequest));
}

#[test]
fn files_that_are_no_pages_are_left_out() {
    let archive = zip(&[
        stored("Comic/", ""),
        stored("Comic/Thumbs.db", "x"),
        stored("Comic/.DS_Store", "x"),
        stored("Comic/._01.png", png(1, 1, 1)),
        stored("__MACOSX/Comic/01.png", png(1, 1, 1)),
        stored("Comic/.hidden/01.png", png(1, 1, 1)),
        stored("Comic/readme.txt", "x"),
        stored("Comic/empty.png", ""),
        stored("Comic/noextension", png(1, 1, 1)),
        stored("Comic/02.png", png(2, 2, 2)),
        stored("Comic/01.png", png(1, 1, 1)),
    ]);
    assert_eq!(pages(&archive), [png(1, 1, 1), png(2, 2, 2)]);
    let extraction = extract(source(&archive));
    assert_eq!(value(&extraction, "item.page-count"), "2");
    assert_eq!(extraction.warnings, [""; 0]);
}

#[test]
fn names_may_begin_with_the_current_folder() {
    let archive = zip(&[
        stored("./ComicInfo.xml", "<ComicInfo><Title>T</Title></ComicInfo>"),
        stored("./pages/2.png", png(2, 2, 2)),
        stored("./pages/1.png", png(1, 1, 1)),
        stored("./.hidden/3.png", png(3, 3, 3)),
    ]);
    assert_eq!(pages(&archive), [png(1, 1, 1), png(2, 2, 2)]);
    assert_eq!(extract(source(&archive)).title.as_deref(), Some("T"));
}

#[test]
fn names_of_other_systems_are_ordered_by_what_they_say() {
    let file = |name: &[u8], flags, seed| File {
        name: name.to_vec(),
        flags,
        ..stored("", png(1, 1, seed))
    };
    let archive = zip(&[
        file("Ä2.png".as_bytes(), 1 << 11, 3),
        file(b"\x8e1.png", 0, 1),
        file("ä1b.png".as_bytes(), 0, 2),
        file(b"B\\1.png", 0, 0),
    ]);
    let seeds: Vec<u8> = pages(&archive)
        .iter()
        .map(|page| page[page.len() - 1] ^ png(1, 1, 0)[page.len() - 1])
        .collect();
    assert_eq!(seeds, [0, 1, 2, 3]);
}

#[test]
fn cover_is_at_its_place_or_unpacked_on_request() {
    let cover = png(7, 7, 7);
    let at_place = zip(&[stored("1.png", cover.clone()), stored("2.png", png(2, 2, 2))]);
    let pictures = extract(source(&at_place)).pictures;
    assert_eq!((pictures.len(), pictures[0].purpose.as_str()), (1, "front"));
    let PictureData::At(span) = pictures[0].data else {
        panic!("{pictures:?}");
    };
    assert_eq!(at_place[span.offset as usize..][..span.length as usize], cover);

    let packed = zip(&[deflated("1.png", cover.clone())]);
    let pictures = extract(source(&packed)).pictures;
    assert_eq!(pictures[0].data, PictureData::OnRequest);
    assert_eq!(read_picture::<Comics>(&mut source(&packed), 0).unwrap(), cover);
    read_picture::<Comics>(&mut source(&packed), 1).unwrap_err();
}

#[test]
fn extraction_reads_little_and_a_list_one_window_for_each_page() {
    let content: Vec<u8> = png(10, 10, 1).repeat(100);
    let files: Vec<File> = (0..200)
        .map(|n| stored(&format!("{n}.png"), content.clone()))
        .collect();
    let archive = zip(&files);
    let mut opened = source(&archive);
    svc_plugin_api::run::<Comics>(&mut opened).unwrap();
    assert!(opened.host_reads() <= 4, "{} reads", opened.host_reads());
    let mut opened = source(&archive);
    assert_eq!(list_pages::<Comics>(&mut opened).unwrap().len(), 200);
    assert!(opened.host_reads() <= 205, "{} reads", opened.host_reads());
}
