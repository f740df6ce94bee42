//! Names of archives: a table with an example for each rule.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod archive;

use archive::{extract, png, stored, value, zip};
use comics::file_name::FileName;
use svc_plugin_api::Source;

/// Name, series, number, volume, count, year and month, title; `-` if it is absent.
const NAMES: &[(&str, [&str; 6])] = &[
    // A number at the end, and a year in brackets.
    ("Series 012 (2019).cbz", ["Series", "12", "-", "-", "2019", "-"]),
    ("Series 012.cbz", ["Series", "12", "-", "-", "-", "-"]),
    (
        "Series 12 (Digital) (Zone-Empire).cbz",
        ["Series", "12", "-", "-", "-", "-"],
    ),
    (
        "The Series 001 (2019) (digital) (Son of Ultron).cbz",
        ["The Series", "1", "-", "-", "2019", "-"],
    ),
    ("Series 1.5 (2019).cbz", ["Series", "1.5", "-", "-", "2019", "-"]),
    ("Series 012a.cbz", ["Series", "12a", "-", "-", "-", "-"]),
    (
        "Series 1.MU (2017).cbz",
        ["Series", "1.MU", "-", "-", "2017", "-"],
    ),
    ("Series 000 (2019).cbz", ["Series", "0", "-", "-", "2019", "-"]),
    // A marked number.
    ("Series #3.cbz", ["Series", "3", "-", "-", "-", "-"]),
    ("Series # 3.cbz", ["Series", "3", "-", "-", "-", "-"]),
    ("X-Men 92 #1 (2016).cbz", ["X-Men 92", "1", "-", "-", "2016", "-"]),
    ("Series No. 7.cbz", ["Series", "7", "-", "-", "-", "-"]),
    ("Series Issue 7.cbz", ["Series", "7", "-", "-", "-", "-"]),
    ("Series Chapter 12.cbz", ["Series", "12", "-", "-", "-", "-"]),
    ("Series Ch.012.cbz", ["Series", "12", "-", "-", "-", "-"]),
    ("Series c012 (2020).cbz", ["Series", "12", "-", "-", "2020", "-"]),
    // A volume, with and without a number.
    ("Series v02 #3.cbz", ["Series", "3", "2", "-", "-", "-"]),
    (
        "Series v02 003 (2019).cbz",
        ["Series", "3", "2", "-", "2019", "-"],
    ),
    ("Series v02.cbz", ["Series", "-", "2", "-", "-", "-"]),
    ("Series v01 c003.cbz", ["Series", "3", "1", "-", "-", "-"]),
    ("Series Vol. 2.cbz", ["Series", "-", "2", "-", "-", "-"]),
    ("Series Vol.2 #14.cbz", ["Series", "14", "2", "-", "-", "-"]),
    (
        "Series, Volume 3 (2001).cbz",
        ["Series", "-", "3", "-", "2001", "-"],
    ),
    ("Astérix - Tome 05.cbz", ["Astérix", "-", "5", "-", "-", "-"]),
    (
        "Astérix T05 - Le Tour de Gaule.cbz",
        ["Astérix", "-", "5", "-", "-", "Le Tour de Gaule"],
    ),
    ("Serie Band 4 (1999).cbz", ["Serie", "-", "4", "-", "1999", "-"]),
    ("Series v2012 #1.cbz", ["Series", "1", "2012", "-", "-", "-"]),
    // Counts and ranges.
    (
        "Series 03 (of 06) (2019).cbz",
        ["Series", "3", "-", "6", "2019", "-"],
    ),
    ("Series 3 of 6.cbz", ["Series", "3", "-", "6", "-", "-"]),
    (
        "Series 001-005 (2019).cbz",
        ["Series", "1", "-", "-", "2019", "-"],
    ),
    ("Series v01-03.cbz", ["Series", "-", "1", "-", "-", "-"]),
    // Titles.
    (
        "Saga 01 - Chapter One (2012).cbz",
        ["Saga", "1", "-", "-", "2012", "Chapter One"],
    ),
    (
        "Saga #01 - Chapter One.cbz",
        ["Saga", "1", "-", "-", "-", "Chapter One"],
    ),
    (
        "Batman - Year One (1987).cbz",
        ["Batman - Year One", "-", "-", "-", "1987", "-"],
    ),
    ("Watchmen.cbz", ["Watchmen", "-", "-", "-", "-", "-"]),
    // Dates.
    (
        "Series 012 (March 2019).cbz",
        ["Series", "12", "-", "-", "2019-3", "-"],
    ),
    (
        "Series 012 (2019-03).cbz",
        ["Series", "12", "-", "-", "2019-3", "-"],
    ),
    (
        "Series 012 (2018-2019).cbz",
        ["Series", "12", "-", "-", "2018", "-"],
    ),
    // Digits that are part of the series.
    (
        "2000AD 1234 (2001).cbz",
        ["2000AD", "1234", "-", "-", "2001", "-"],
    ),
    ("Area 51 002.cbz", ["Area 51", "2", "-", "-", "-", "-"]),
    // Other separators.
    (
        "Some_Series_012_(2019).cbz",
        ["Some Series", "12", "-", "-", "2019", "-"],
    ),
    (
        "Some.Series.012.5.cbz",
        ["Some Series", "12.5", "-", "-", "-", "-"],
    ),
    (
        "[Group] Series 012 [ABCD1234].cbz",
        ["Series", "12", "-", "-", "-", "-"],
    ),
    // No series: a folder has to name it.
    ("012.cbz", ["-", "12", "-", "-", "-", "-"]),
    ("Chapter 3.cbz", ["-", "3", "-", "-", "-", "-"]),
    // Nothing at all.
    (".cbz", ["-", "-", "-", "-", "-", "-"]),
    ("( - #.cbz", ["( - #", "-", "-", "-", "-", "-"]),
];

#[test]
fn names_are_parsed_by_rules() {
    let mut wrong = Vec::new();
    for (name, expected) in NAMES {
        let parsed = FileName::parse(name);
        let text = |part: Option<String>| part.unwrap_or_else(|| "-".to_owned());
        let month = parsed.month.map(|month| format!("-{month}")).unwrap_or_default();
        let found = [
            text(parsed.series),
            text(parsed.number),
            text(parsed.volume.map(|number| number.to_string())),
            text(parsed.count.map(|number| number.to_string())),
            text(parsed.year.map(|year| format!("{year}{month}"))),
            text(parsed.title),
        ];
        if found != *expected {
            wrong.push(format!("{name}: {found:?}, not {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn series_is_that_of_the_folder_if_the_name_has_none() {
    let archive = zip(&[stored("1.png", png(1, 1, 1))]);
    for (name, folders, series, title) in [
        ("012.cbz", &["Comics", "Saga (2012)"][..], "Saga", "Saga #12"),
        ("Chapter 3.cbz", &["Berserk"], "Berserk", "Berserk #3"),
        ("Saga 012.cbz", &["Other"], "Saga", "Saga #12"),
        ("012.cbz", &[], "-", "012"),
        ("Saga v02 #3.cbz", &[], "Saga", "Saga, Vol. 2 #3"),
        ("Watchmen.cbz", &["Comics"], "Watchmen", "Watchmen"),
    ] {
        let source = Source::from_bytes(name, archive.clone()).with_folders(folders.iter().copied());
        let comic = extract(source);
        assert_eq!(value(&comic, "series"), series, "{name}");
        assert_eq!(comic.title.as_deref(), Some(title), "{name}");
    }
}

#[test]
fn names_of_any_characters_never_panic() {
    let pieces = [
        "#", "v", "(", ")", "[", "1", "٣", "½", " ", "-", ".", "_", "of", "é", "2019", "vol.", " - ", "İ",
    ];
    let mut seed = 7_u32;
    for _ in 0..20_000 {
        let mut name = String::new();
        for _ in 0..(seed >> 28) + 1 {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            name.push_str(pieces[(seed >> 16) as usize % pieces.len()]);
        }
        let _ = FileName::parse(&name);
    }
}
