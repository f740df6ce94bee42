//! TIFF in all forms and byte orders, and hostile directories.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use photos::Photos;
use svc_plugin_api::{ExtractError, Extraction, Source, Value, run};

const SHORT: u16 = 3;
const LONG: u16 = 4;
const RATIONAL: u16 = 5;
const LONG8: u16 = 16;
const DIRECTORY8: u16 = 18;

/// Type, count and bytes.
type Stated = (u16, u64, Vec<u8>);

/// A form: the byte order and the width of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Form {
    little: bool,
    big: bool,
}

const FORMS: [Form; 4] = [
    Form {
        little: true,
        big: false,
    },
    Form {
        little: false,
        big: false,
    },
    Form {
        little: true,
        big: true,
    },
    Form {
        little: false,
        big: true,
    },
];

impl Form {
    fn number(self, number: u64, bytes: usize) -> Vec<u8> {
        match self.little {
            true => number.to_le_bytes()[..bytes].to_vec(),
            false => number.to_be_bytes()[8 - bytes..].to_vec(),
        }
    }

    fn offset(self, number: u64) -> Vec<u8> {
        self.number(number, if self.big { 8 } else { 4 })
    }

    fn header(self, first: u64) -> Vec<u8> {
        let order = if self.little { b"II" } else { b"MM" };
        match self.big {
            true => [
                &order[..],
                &self.number(43, 2),
                &self.number(8, 2),
                &[0, 0],
                &self.offset(first),
            ]
            .concat(),
            false => [&order[..], &self.number(42, 2), &self.offset(first)].concat(),
        }
    }

    /// A directory at this offset of the file, followed by the values that do not fit into its entries.
    fn directory(self, at: usize, entries: &[(u16, u16, u64, Vec<u8>)]) -> Vec<u8> {
        let (count, entry, room) = if self.big { (8, 20, 8) } else { (2, 12, 4) };
        let behind = at + count + entries.len() * entry + room;
        let (mut table, mut values) = (self.number(entries.len() as u64, count), Vec::<u8>::new());
        for (tag, kind, number, value) in entries {
            table.extend([self.number((*tag).into(), 2), self.number((*kind).into(), 2)].concat());
            table.extend(self.offset(*number));
            if value.len() <= room {
                table.extend(value.iter().chain(&[0; 8]).take(room));
            } else {
                table.extend(self.offset((behind + values.len()) as u64));
                values.extend(value);
            }
        }
        table.extend(self.offset(0));
        table.extend(values);
        table
    }

    /// A file with one directory.
    fn file(self, at: usize, entries: &[(u16, u16, u64, Vec<u8>)]) -> Vec<u8> {
        let mut file = self.header(at as u64);
        file.resize(at, 0);
        file.extend(self.directory(at, entries));
        file
    }

    /// A photo with a camera, a date and a location, in wide numbers if the form has them.
    fn photo(self) -> Vec<u8> {
        let pointer = |place: u64| (if self.big { DIRECTORY8 } else { LONG }, 1, self.offset(place));
        let side = |side: u64| (if self.big { LONG8 } else { LONG }, 1, self.offset(side));
        let rationals = |numbers: &[u64]| -> Stated {
            let bytes = numbers.iter().flat_map(|number| self.number(*number, 4));
            (RATIONAL, numbers.len() as u64 / 2, bytes.collect())
        };
        let text = |text: &str| (2_u16, text.len() as u64, text.as_bytes().to_vec());
        let short = |number: u64| (SHORT, 1, self.number(number, 2));
        let named = |tag: u16, (kind, count, value): Stated| (tag, kind, count, value);
        let main = [
            named(0x100, side(640)),
            named(0x101, side(480)),
            named(0x10f, text("Maker\0")),
            named(0x112, short(6)),
            named(0x8769, pointer(600)),
            named(0x8825, pointer(1000)),
        ];
        let exif = [
            named(0x829a, rationals(&[1, 250])),
            named(0x8827, short(400)),
            named(0x9003, text("2019:04:30 13:14:15\0")),
        ];
        let place = [named(1, text("S\0")), named(2, rationals(&[33, 1, 30, 1, 0, 1]))];
        let mut file = self.header(100);
        for (at, entries) in [(100, &main[..]), (600, &exif), (1000, &place)] {
            file.resize(at, 0);
            file.extend(self.directory(at, entries));
        }
        file
    }
}

fn extract(bytes: Vec<u8>) -> Result<Option<Extraction>, ExtractError> {
    let mut source = Source::from_bytes("a.tif", bytes);
    let result = run::<Photos>(&mut source);
    assert!(source.host_reads() <= 64, "{} reads", source.host_reads());
    result
}

#[test]
fn every_form_has_the_same_fields() {
    let first = extract(FORMS[0].photo()).unwrap().unwrap();
    assert_eq!((first.width, first.height), (Some(640), Some(480)));
    assert_eq!(
        first.value("photo.mime-type").cloned(),
        Some(Value::Text("image/tiff".into()))
    );
    assert_eq!(
        first.value("photo.make").cloned(),
        Some(Value::Text("Maker".into()))
    );
    assert_eq!(first.value("photo.orientation").cloned(), Some(Value::Integer(6)));
    assert_eq!(first.value("photo.iso").cloned(), Some(Value::Integer(400)));
    assert_eq!(
        first.value("photo.gps-latitude").cloned(),
        Some(Value::Real(-33.5))
    );
    let Some(Value::Date(date)) = first.value("photo.taken-at").cloned() else {
        panic!("no date");
    };
    assert_eq!((date.year, date.month, date.day), (2019, Some(4), Some(30)));
    for form in &FORMS[1..] {
        assert_eq!(extract(form.photo()).unwrap().unwrap(), first, "{form:?}");
    }
}

#[test]
fn size_of_a_preview_is_not_the_photos() {
    for form in FORMS {
        let children = [form.offset(900), form.offset(700)].concat();
        let kind = if form.big { LONG8 } else { LONG };
        let size = |preview: u64, width: u64| {
            vec![
                (0xfe, LONG, 1, form.number(preview, 4)),
                (0x100, SHORT, 1, form.number(width, 2)),
                (0x101, SHORT, 1, form.number(50, 2)),
            ]
        };
        let main = [size(1, 160), vec![(0x14a, kind, 2, children)]].concat();
        let mut file = form.header(100);
        for (at, entries) in [(100, main), (700, size(0, 6000)), (900, size(1, 1000))] {
            file.resize(at, 0);
            file.extend(form.directory(at, &entries));
        }
        let extraction = extract(file).unwrap().unwrap();
        assert_eq!(
            (extraction.width, extraction.height),
            (Some(6000), Some(50)),
            "{form:?}"
        );
    }
}

#[test]
fn broken_and_cut_off_directories_end() {
    for form in FORMS {
        let whole = form.photo();
        for length in 0..whole.len() {
            let _ = extract(whole[..length].to_vec());
        }
        for index in 0..whole.len() {
            for byte in [0x00, 0x7f, 0xff] {
                let mut file = whole.clone();
                file[index] = byte;
                let _ = extract(file);
            }
        }
    }
}

#[test]
fn places_and_counts_beyond_every_file_cost_nothing() {
    for form in FORMS {
        for beyond in [
            u64::MAX,
            u64::MAX - 8,
            1 << 63,
            (1 << 32) + 8,
            u64::from(u32::MAX),
        ] {
            let far = form.header(beyond);
            assert!(
                matches!(extract(far), Err(ExtractError::Invalid(_))),
                "{form:?} {beyond}"
            );
            let entries: Vec<_> = [0x100, 0x101, 0x10f, 0x14a, 0x8769, 0x8825]
                .iter()
                .flat_map(|tag| {
                    [
                        (*tag, LONG, beyond, form.offset(beyond)),
                        (*tag, 13, 1, form.offset(beyond)),
                    ]
                })
                .collect();
            let file = form.file(16, &entries);
            let extraction = extract(file.clone());
            assert!(
                !matches!(extraction, Err(ExtractError::Io(_))),
                "{form:?} {beyond}: {extraction:?}"
            );
            // The same with the largest possible number of entries.
            let mut file = file;
            let count = form.number(u64::MAX, if form.big { 8 } else { 2 });
            file.resize(16, 0);
            file.extend(count);
            file.extend([0xff; 4096]);
            let _ = extract(file);
        }
        // A directory that is its own child.
        let own = [
            (0xfe, LONG, 1, form.number(1, 4)),
            (0x14a, LONG, 1, form.number(16, 4)),
        ];
        let _ = extract(form.file(16, &own));
    }
}

#[test]
fn bigtiff_with_offsets_of_another_size_is_broken() {
    for form in &FORMS[2..] {
        let mut file = form.photo();
        let size = form.number(4, 2);
        file[4..6].copy_from_slice(&size);
        assert!(matches!(extract(file), Err(ExtractError::Invalid(_))), "{form:?}");
    }
}
