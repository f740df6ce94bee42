//! Books of one file and of several, in each format: every field, chapter and cover.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod books;

use std::io::Seek;

use audiobooks::Audiobooks;
use books::{Mp4, PICTURE, chapters, extract, flac, mp3, source, value};
use svc_plugin_api::{PictureData, read_picture, run};

fn book() -> Mp4 {
    Mp4 {
        seconds: 60,
        atoms: vec![
            (b"\xa9nam", "The Book: Unabridged"),
            (b"\xa9alb", "The Book"),
            (b"aART", "Ann Author"),
            (b"\xa9ART", "Ann Author, Ned Narrator"),
            (b"\xa9wrt", "Ned Narrator; Nora Narrator"),
            (b"\xa9gen", "Audiobook; Fantasy"),
            (b"\xa9day", "2019-05-02"),
            (b"desc", "A short text"),
            (b"ldes", "A longer text"),
            (b"\xa9pub", "A publisher"),
        ],
        free: vec![
            ("SERIES", "Series"),
            ("series-part", "2.5"),
            ("ASIN", "B000000000"),
            ("LANGUAGE", "en"),
            ("SUBTITLE", "A novel"),
        ],
        track: vec![(0, "One"), (20_000, "Two"), (40_500, "Drei ä")],
        list: vec![(0, "1"), (20_000, "2")],
        cover: true,
        place: None,
    }
}

#[test]
fn m4b_is_a_book_with_its_fields_chapters_and_cover() {
    let bytes = book().bytes();
    let found = extract("Folder/file.m4b", bytes.clone());
    assert_eq!(found.title.as_deref(), Some("The Book: Unabridged"));
    assert_eq!(found.duration_ms, Some(60_000));
    for (key, expected) in [
        ("author", "Ann Author"),
        ("authors", "Ann Author"),
        ("book", "The Book"),
        ("subtitle", "A novel"),
        ("narrators", "Ned Narrator|Nora Narrator"),
        ("series", "Series"),
        ("series-number", "2.5"),
        ("genres", "Audiobook|Fantasy"),
        ("date", "2019-05-02"),
        ("description", "A short text"),
        ("publisher", "A publisher"),
        ("language", "en"),
        ("asin", "B000000000"),
        ("disc", "-"),
        ("track", "-"),
    ] {
        assert_eq!(value(&found, key), expected, "{key}");
    }
    let expected = [
        (0, Some(20_000), "One".to_owned()),
        (20_000, Some(40_500), "Two".to_owned()),
        (40_500, Some(60_000), "Drei ä".to_owned()),
    ];
    assert_eq!(chapters(&found), expected);
    let PictureData::At(span) = found.pictures[0].data else {
        panic!("{:?}", found.pictures);
    };
    assert_eq!(
        (
            found.pictures[0].mime.as_str(),
            &bytes[span.offset as usize..][..span.length as usize]
        ),
        ("image/png", PICTURE)
    );
    assert_eq!(
        read_picture::<Audiobooks>(&mut source("a.m4b", bytes), 0).unwrap(),
        PICTURE
    );
}

#[test]
fn chapters_of_the_list_are_read_where_there_is_no_track() {
    let book = Mp4 {
        track: Vec::new(),
        list: vec![(0, "Intro"), (1_500, "")],
        ..book()
    };
    let found = extract("a.m4b", book.bytes());
    assert_eq!(
        chapters(&found),
        [
            (0, Some(1_500), "Intro".into()),
            (1_500, Some(60_000), "-".into())
        ]
    );
}

#[test]
fn mp3_has_chapters_narrator_and_series_of_its_tag() {
    let texts = [
        ("TIT2", "Chapter 3"),
        ("TALB", "The Book"),
        ("TPE1", "Reader"),
        ("TPE2", "Ann Author"),
        ("TXXX:NARRATOR", "Ned Narrator"),
        ("TCOM", "Somebody Else"),
        ("TRCK", "3/60"),
        ("TPOS", "2/4"),
        ("TDRC", "2019"),
        ("TIT1", "Discworld #3"),
        ("TLAN", "deu"),
    ];
    let parts = [(0, 2_000, "a"), (2_000, 4_000, "b")];
    let found = extract("x.mp3", mp3(&texts, &parts, true, 4));
    assert_eq!(found.title.as_deref(), Some("Chapter 3"));
    // The frames are a little longer than four seconds.
    assert!(
        (4_000..4_100).contains(&found.duration_ms.unwrap()),
        "{:?}",
        found.duration_ms
    );
    for (key, expected) in [
        ("author", "Ann Author"),
        ("book", "The Book"),
        ("narrators", "Ned Narrator"),
        ("series", "Discworld"),
        ("series-number", "3"),
        ("disc", "2"),
        ("track", "3"),
        ("date", "2019"),
        ("language", "deu"),
    ] {
        assert_eq!(value(&found, key), expected, "{key}");
    }
    assert_eq!(
        chapters(&found),
        [(0, Some(2_000), "a".into()), (2_000, Some(4_000), "b".into())]
    );
    assert_eq!(
        (found.pictures.len(), found.pictures[0].data),
        (1, PictureData::OnRequest)
    );
    let again = mp3(&texts, &parts, true, 4);
    assert_eq!(
        read_picture::<Audiobooks>(&mut source("x.mp3", again), 0).unwrap(),
        PICTURE
    );
}

#[test]
fn flac_has_chapters_of_its_comments() {
    let comments = [
        "ALBUM=Book",
        "ARTIST=Author",
        "TRACKNUMBER=2",
        "CHAPTER000=00:00:00.000",
        "CHAPTER000NAME=Start",
        "CHAPTER001=00:00:05.000",
    ];
    let found = extract("x.flac", flac(&comments, 10));
    assert_eq!(found.duration_ms, Some(10_000));
    assert_eq!(
        (value(&found, "author"), value(&found, "track")),
        ("Author".into(), "2".into())
    );
    assert_eq!(
        chapters(&found),
        [
            (0, Some(5_000), "Start".into()),
            (5_000, Some(10_000), "-".into())
        ]
    );
}

#[test]
fn parts_without_tags_are_of_the_book_that_their_folders_name() {
    for (path, author, book, disc, track) in [
        ("Author/Book/CD 2/03.mp3", "Author", "Book", "2", "3"),
        ("Author - Book/Part 7.mp3", "Author", "Book", "-", "7"),
        ("Author/Series/Book/12 - Title.mp3", "Author", "Book", "-", "12"),
        ("alone.mp3", "-", "alone", "-", "-"),
    ] {
        let found = extract(path, mp3(&[], &[], false, 1));
        let expected = [author, book, disc, track].map(str::to_owned);
        assert_eq!(
            ["author", "book", "disc", "track"].map(|key| value(&found, key)),
            expected,
            "{path}"
        );
    }
    // A whole book is called by its title rather than by its folder.
    let whole = Mp4 {
        seconds: 1,
        atoms: vec![(b"\xa9nam", "Title")],
        ..Mp4::default()
    };
    assert_eq!(
        value(&extract("Many books/a.m4b", whole.bytes()), "book"),
        "Title"
    );
    assert_eq!(
        value(&extract("The book/a.m4a", whole.bytes()), "book"),
        "The book"
    );
}

#[test]
fn cover_beside_the_files_is_that_of_a_file_without_one() {
    let jpeg = |number: u8| [b"\xff\xd8\xff\xe0 picture ".as_slice(), &[number]].concat();
    let part = || mp3(&[], &[], false, 1);
    // The names of the pictures, and which of them is the cover.
    for (path, names, expected) in [
        (
            "Book/01.mp3",
            &["back.jpg", "Folder.JPG", "cover.png"][..],
            Some(2),
        ),
        ("Book/01.mp3", &["cover.jpg", "01.jpeg"], Some(1)),
        ("Book/01.mp3", &["poster.webp"], Some(0)),
        ("Book/01.mp3", &["back.jpg", "../cover.jpg"], None),
        ("Book/CD 2/01.mp3", &["../Cover.jpg"], Some(0)),
        ("Book/CD 2/01.mp3", &["../cover.jpg", "front.jpg"], Some(1)),
        ("Book/CD 2/01.mp3", &["../01.jpg"], None),
    ] {
        let mut file = source(path, part());
        for (number, name) in (0..).zip(names) {
            file = file.with_related(name, jpeg(number));
        }
        let found = run::<Audiobooks>(&mut file).unwrap().unwrap();
        let pictures: Vec<_> = found
            .pictures
            .iter()
            .map(|picture| (picture.purpose.as_str(), picture.mime.as_str(), picture.data))
            .collect();
        match expected {
            None => {
                assert!(pictures.is_empty(), "{path}: {names:?}: {pictures:?}");
                file.rewind().unwrap();
                read_picture::<Audiobooks>(&mut file, 0).unwrap_err();
            }
            Some(number) => {
                assert_eq!(
                    pictures,
                    [("front", "image/jpeg", PictureData::OnRequest)],
                    "{path}: {names:?}"
                );
                file.rewind().unwrap();
                let read = read_picture::<Audiobooks>(&mut file, 0).unwrap();
                assert_eq!(read, jpeg(number), "{path}: {names:?}");
            }
        }
    }
}

#[test]
fn embedded_cover_comes_first_and_files_that_are_no_pictures_are_passed_over() {
    let mut with_own =
        source("Book/01.mp3", mp3(&[], &[], true, 1)).with_related("cover.jpg", b"\xff\xd8\xff\xe0");
    let found = run::<Audiobooks>(&mut with_own).unwrap().unwrap();
    assert_eq!(
        (found.pictures.len(), found.pictures[0].mime.as_str()),
        (1, "image/png")
    );
    with_own.rewind().unwrap();
    assert_eq!(read_picture::<Audiobooks>(&mut with_own, 0).unwrap(), PICTURE);
    // Neither an empty file nor one of another format hides the next one.
    let mut broken = source("Book/01.mp3", mp3(&[], &[], false, 1))
        .with_related("01.jpg", b"")
        .with_related("cover.jpg", b"<html>not found</html>")
        .with_related("folder.jpg", PICTURE);
    let found = run::<Audiobooks>(&mut broken).unwrap().unwrap();
    assert_eq!(
        (found.pictures.len(), found.pictures[0].mime.as_str()),
        (1, "image/png")
    );
    broken.rewind().unwrap();
    assert_eq!(read_picture::<Audiobooks>(&mut broken, 0).unwrap(), PICTURE);
}

#[test]
fn sixty_parts_agree_in_their_book_and_have_an_order() {
    let mut order = Vec::new();
    for number in 1..=60_u16 {
        let part = Mp4 {
            seconds: 10,
            atoms: vec![(b"\xa9alb", "The Book"), (b"\xa9ART", "Ann Author")],
            place: Some((number % 20 + 1, number / 20 + 1)),
            ..Mp4::default()
        };
        let found = extract(&format!("Book/{number}.m4a"), part.bytes());
        assert_eq!(
            (value(&found, "author"), value(&found, "book")),
            ("Ann Author".into(), "The Book".into())
        );
        let place = |key| value(&found, key).parse::<u16>().unwrap();
        order.push((place("disc"), place("track")));
    }
    let mut sorted = order.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(order.len(), sorted.len());
}
