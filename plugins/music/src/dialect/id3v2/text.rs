//! Texts of frames in their encodings, separated by NUL.

const LATIN1: u8 = 0;
const UTF16: u8 = 1;
const UTF16_BE: u8 = 2;
const UTF8: u8 = 3;

pub(super) struct Texts<'a> {
    encoding: u8,
    rest: &'a [u8],
    /// The byte order of the first mark, which texts after it may omit.
    is_big_endian: Option<bool>,
}

impl<'a> Texts<'a> {
    pub(super) fn new(encoding: u8, rest: &'a [u8]) -> Self {
        Self {
            encoding,
            rest,
            is_big_endian: (encoding == UTF16_BE).then_some(true),
        }
    }

    /// The first text, and all texts after it.
    pub(super) fn two(mut self) -> Option<(String, String)> {
        Some((self.next()?, self.all()?))
    }

    /// All texts, separated by NUL.
    fn all(mut self) -> Option<String> {
        let mut all = self.next()?;
        while self.rest.iter().any(|byte| *byte != 0) {
            all.push('\0');
            all.push_str(&self.next()?);
        }
        Some(all)
    }

    /// The next text; `None` if it is invalid in its encoding.
    fn next(&mut self) -> Option<String> {
        let is_wide = matches!(self.encoding, UTF16 | UTF16_BE);
        let (text, rest) = if is_wide {
            let end = self.rest.chunks_exact(2).position(|unit| unit == [0, 0]);
            split(self.rest, end.map(|units| 2 * units), 2)
        } else {
            split(self.rest, self.rest.iter().position(|byte| *byte == 0), 1)
        };
        self.rest = rest;
        match self.encoding {
            LATIN1 => Some(super::super::latin1(text)),
            UTF16 | UTF16_BE => self.utf16(text),
            UTF8 => std::str::from_utf8(text).ok().map(str::to_owned),
            _ => None,
        }
    }

    fn utf16(&mut self, text: &[u8]) -> Option<String> {
        let (mark, unmarked) = text.split_at_checked(2).unwrap_or((&[], text));
        let (is_big_endian, text) = match mark {
            [0xff, 0xfe] => (Some(false), unmarked),
            [0xfe, 0xff] => (Some(true), unmarked),
            _ => (self.is_big_endian, text),
        };
        let is_big_endian = is_big_endian.unwrap_or_else(|| looks_big_endian(text));
        self.is_big_endian = Some(is_big_endian);
        // An odd byte at the end is from a NUL of one byte.
        let units = text.chunks_exact(2).filter_map(|unit| {
            let unit = *unit.first_chunk()?;
            Some(if is_big_endian {
                u16::from_be_bytes(unit)
            } else {
                u16::from_le_bytes(unit)
            })
        });
        char::decode_utf16(units).collect::<Result<_, _>>().ok()
    }
}

/// All texts, separated by NUL; `None` if one is invalid in its encoding.
pub(super) fn decode(encoding: u8, rest: &[u8]) -> Option<String> {
    Texts::new(encoding, rest).all()
}

/// The bytes before and after the terminator.
fn split(bytes: &[u8], end: Option<usize>, terminator: usize) -> (&[u8], &[u8]) {
    let (text, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
    (text, rest.get(terminator..).unwrap_or_default())
}

/// Whether UTF-16 without a mark is big-endian, by the zeros of Latin letters. The default is little-endian.
fn looks_big_endian(text: &[u8]) -> bool {
    let zeros = |first: usize| {
        text.iter()
            .skip(first)
            .step_by(2)
            .filter(|byte| **byte == 0)
            .count()
    };
    zeros(0) > zeros(1)
}
