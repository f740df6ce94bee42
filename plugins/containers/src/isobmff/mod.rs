//! Boxes of the ISO base media file format: MP4, QuickTime, HEIC, AVIF, JPEG XL.
//!
//! A box is a size, a name and a body, and a body may be boxes again. [`Boxes`] walks the headers of one level in a
//! file, [`slice`] boxes that are in memory; which boxes to descend into is up to the caller.

pub mod slice;

use std::io::Result;

use svc_plugin_api::Source;

/// The most boxes of one parent that are walked.
const MAX_BOXES: usize = 4096;

/// The position of a box, in bytes of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BoxSpan {
    /// Four letters, not always printable.
    pub name: [u8; 4],
    /// Of the body.
    pub start: u64,
    /// The end of the body, clamped to the parent's.
    pub end: u64,
    /// Whether the stated size exceeds the parent: the file is truncated or the size is wrong.
    pub is_cut: bool,
}

impl BoxSpan {
    /// Bytes of the body.
    pub fn length(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }

    /// The first `most` bytes of the body.
    ///
    /// # Errors
    /// If a read failed.
    pub fn bytes(&self, source: &mut Source, most: usize) -> Result<Vec<u8>> {
        let length = usize::try_from(self.length()).unwrap_or(usize::MAX);
        source.bytes_at(self.start, length.min(most))
    }

    /// The boxes of the body.
    pub fn children(&self) -> Boxes {
        Boxes::between(self.start, self.end)
    }
}

/// Walks the first 4096 boxes of one parent and reads only their headers.
///
/// ```
/// use containers::isobmff::Boxes;
/// use svc_plugin_api::Source;
/// let bytes = b"\0\0\0\x0cftypisom\0\0\0\x0cfreeABCD".to_vec();
/// let mut source = Source::from_bytes("a.mp4", bytes);
/// let mut boxes = Boxes::of_file(&source);
/// while let Some(found) = boxes.next(&mut source).unwrap() {
///     assert_eq!(found.length(), 4);
/// }
/// let free = Boxes::of_file(&source).find(&mut source, b"free").unwrap().unwrap();
/// assert_eq!(free.bytes(&mut source, 2).unwrap(), b"AB");
/// ```
#[derive(Debug, Clone)]
pub struct Boxes {
    offset: u64,
    end: u64,
    left: usize,
}

impl Boxes {
    /// The boxes from `start` to `end`.
    pub fn between(start: u64, end: u64) -> Self {
        Self {
            offset: start,
            end,
            left: MAX_BOXES,
        }
    }

    /// The boxes of a whole file.
    pub fn of_file(source: &Source) -> Self {
        Self::between(0, source.size())
    }

    /// The next box; `None` at the end, and where a size is smaller than its own header.
    ///
    /// # Errors
    /// If a read failed.
    pub fn next(&mut self, source: &mut Source) -> Result<Option<BoxSpan>> {
        if self.left == 0 || self.offset.saturating_add(8) > self.end {
            return Ok(None);
        }
        let Some([a, b, c, d, name @ ..]) = source.array_at::<8>(self.offset)? else {
            return Ok(None);
        };
        let (header, size) = match u32::from_be_bytes([a, b, c, d]) {
            0 => (8, self.end - self.offset),
            1 => {
                let size = source.array_at::<8>(self.offset + 8)?;
                (16, size.map_or(0, u64::from_be_bytes))
            }
            size => (8, u64::from(size)),
        };
        if size < header {
            return Ok(None);
        }
        let stated_end = self.offset.saturating_add(size);
        let end = stated_end.min(self.end);
        let found = BoxSpan {
            name,
            start: (self.offset + header).min(end),
            end,
            is_cut: stated_end > self.end,
        };
        self.offset = end;
        self.left -= 1;
        Ok(Some(found))
    }

    /// The next box of this name.
    ///
    /// # Errors
    /// If a read failed.
    pub fn find(&mut self, source: &mut Source, name: &[u8; 4]) -> Result<Option<BoxSpan>> {
        while let Some(found) = self.next(source)? {
            if found.name == *name {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The box at the end of a path of names, the first of each name.
    ///
    /// # Errors
    /// If a read failed.
    pub fn descend(mut self, source: &mut Source, path: &[&[u8; 4]]) -> Result<Option<BoxSpan>> {
        let mut found = None;
        for name in path {
            let Some(span) = self.find(source, name)? else {
                return Ok(None);
            };
            self = match &span.name {
                b"meta" => Self::of_meta(source, &span)?,
                _ => span.children(),
            };
            found = Some(span);
        }
        Ok(found)
    }

    /// The boxes of a `meta` box. In MP4 they follow four bytes of version and flags, in QuickTime they do not.
    ///
    /// # Errors
    /// If a read failed.
    pub fn of_meta(source: &mut Source, meta: &BoxSpan) -> Result<Self> {
        let is_quicktime = matches!(
            source.array_at::<8>(meta.start)?,
            Some([.., b'h', b'd', b'l', b'r'])
        );
        let skip = if is_quicktime { 0 } else { 4 };
        Ok(Self::between(meta.start.saturating_add(skip), meta.end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn atom(name: &[u8; 4], body: &[u8]) -> Vec<u8> {
        [&(8 + body.len() as u32).to_be_bytes(), &name[..], body].concat()
    }

    fn names(bytes: Vec<u8>) -> Vec<([u8; 4], u64, bool)> {
        let mut source = Source::from_bytes("a", bytes);
        let mut boxes = Boxes::of_file(&source);
        let mut names = Vec::new();
        while let Some(found) = boxes.next(&mut source).unwrap() {
            names.push((found.name, found.length(), found.is_cut));
        }
        names
    }

    #[test]
    fn sizes_of_every_kind_are_read() {
        let wide = [&1_u32.to_be_bytes()[..], b"wide", &20_u64.to_be_bytes(), b"1234"].concat();
        let rest = [&[0; 4][..], b"rest", b"12345"].concat();
        assert_eq!(
            names([atom(b"free", b""), wide, rest].concat()),
            [(*b"free", 0, false), (*b"wide", 4, false), (*b"rest", 5, false)]
        );
    }

    #[test]
    fn wrong_sizes_end_the_walk() {
        let endless = [&1_u32.to_be_bytes()[..], b"mdat", &(1_u64 << 63).to_be_bytes()].concat();
        assert_eq!(names(endless), [(*b"mdat", 0, true)]);
        assert_eq!(names(vec![0, 0, 0, 7, b'a', b'b', b'c', b'd']), []);
        let cut = [&100_u32.to_be_bytes()[..], b"moov", b"12"].concat();
        assert_eq!(names(cut), [(*b"moov", 2, true)]);
        assert_eq!(names(atom(b"free", b"").repeat(MAX_BOXES + 1)).len(), MAX_BOXES);
    }

    #[test]
    fn descend_knows_both_kinds_of_meta() {
        let handler = atom(b"hdlr", &[0; 24]);
        let list = atom(b"ilst", b"1234");
        for version in [&[][..], &[0; 4]] {
            let meta = atom(b"meta", &[version, &handler, &list].concat());
            let mut source = Source::from_bytes("a", atom(b"moov", &atom(b"udta", &meta)));
            let path = [b"moov", b"udta", b"meta", b"ilst"];
            let found = Boxes::of_file(&source)
                .descend(&mut source, &path)
                .unwrap()
                .unwrap();
            assert_eq!(found.bytes(&mut source, 16).unwrap(), b"1234");
            assert_eq!(
                Boxes::of_file(&source)
                    .descend(&mut source, &[b"moov", b"trak"])
                    .unwrap(),
                None
            );
        }
    }
}
