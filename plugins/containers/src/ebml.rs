//! Elements of EBML, the structure of Matroska: an id, a size and a body, and a body may be elements again.

use std::io::Result;

use svc_plugin_api::Source;

/// The longest header: an id of 4 bytes and a size of 8.
const MAX_HEADER_BYTES: usize = 12;

/// The position of an element, in bytes of the file.
#[derive(Debug, Clone, Copy)]
pub struct Element {
    /// With its length marker, as the specification lists it.
    pub id: u32,
    /// Of the body.
    pub start: u64,
    /// The end of the body, as stated; `None` for an unknown size, which a live stream has: the body ends with the
    /// next element of its level.
    pub end: Option<u64>,
}

impl Element {
    /// The element whose header is at `offset`.
    ///
    /// # Errors
    /// If a read failed.
    pub fn at(source: &mut Source, offset: u64) -> Result<Option<Self>> {
        let head = match source.array_at::<MAX_HEADER_BYTES>(offset)? {
            Some(head) => header(&head),
            None => header(&source.bytes_at(offset, MAX_HEADER_BYTES)?),
        };
        Ok(head.map(|(id, size, length)| {
            let start = offset.saturating_add(length as u64);
            Self {
                id,
                start,
                end: size.map(|size| start.saturating_add(size)),
            }
        }))
    }

    /// The first `most` bytes of the body.
    ///
    /// # Errors
    /// If a read failed.
    pub fn bytes(&self, source: &mut Source, most: usize) -> Result<Vec<u8>> {
        let end = self.end.unwrap_or(u64::MAX);
        let length = usize::try_from(end.saturating_sub(self.start)).unwrap_or(usize::MAX);
        source.bytes_at(self.start, length.min(most))
    }
}

/// The id, the size unless it is unknown, and the length of a header.
pub fn header(bytes: &[u8]) -> Option<(u32, Option<u64>, usize)> {
    let id_length = bytes.first()?.leading_zeros() as usize + 1;
    if id_length > 4 {
        return None;
    }
    let (id, rest) = bytes.split_at_checked(id_length)?;
    let id = id.iter().fold(0, |id, byte| id << 8 | u32::from(*byte));
    let (size, size_length) = vint(rest)?;
    Some((id, size, id_length + size_length))
}

/// A number of variable length, and that length; `None` as the number if all its bits are ones, which means unknown.
pub fn vint(bytes: &[u8]) -> Option<(Option<u64>, usize)> {
    let first = bytes.first()?;
    let length = first.leading_zeros() as usize + 1;
    if length > 8 {
        return None;
    }
    let number = bytes
        .get(..length)?
        .iter()
        .fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    let ones = (1_u64 << (7 * length)) - 1;
    let number = number & ones;
    Some(((number != ones).then_some(number), length))
}

/// Ids and bodies of the elements in memory; a body that is cut off ends with the bytes.
pub fn elements(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (id, size, length) = header(rest)?;
        let body = rest.get(length..)?;
        let size = size
            .and_then(|size| usize::try_from(size).ok())
            .unwrap_or(usize::MAX);
        let (body, after) = body.split_at(size.min(body.len()));
        rest = after;
        Some((id, body))
    })
}

/// The body of the first element with this id.
pub fn element(bytes: &[u8], id: u32) -> Option<&[u8]> {
    elements(bytes)
        .find(|(found, _)| *found == id)
        .map(|(_, body)| body)
}

/// An unsigned integer; bytes after the eighth are ignored.
pub fn unsigned(body: &[u8]) -> u64 {
    body.iter()
        .take(8)
        .fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// A float of 4 or 8 bytes; 0 for any other length.
pub fn float(body: &[u8]) -> f64 {
    match body.len() {
        4 => body
            .first_chunk()
            .map_or(0.0, |bytes| f32::from_be_bytes(*bytes).into()),
        8 => body.first_chunk().map_or(0.0, |bytes| f64::from_be_bytes(*bytes)),
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_every_length_are_read() {
        assert_eq!(header(&[0xec, 0x81]), Some((0xec, Some(1), 2)));
        assert_eq!(header(&[0x42, 0x82, 0x40, 0x05]), Some((0x4282, Some(5), 4)));
        assert_eq!(header(&[0xec, 0xff]), Some((0xec, None, 2)));
        assert_eq!(
            header(&[0xec, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]),
            Some((0xec, None, 9))
        );
        for broken in [&[][..], &[0xec], &[0], &[0x08, 0, 0, 0, 0, 0x81], &[0xec, 0]] {
            assert_eq!(header(broken), None);
        }
    }

    #[test]
    fn elements_that_are_cut_off_end_with_the_bytes() {
        let found: Vec<_> = elements(&[0xec, 0x81, 7, 0xe7, 0x88, 1, 2]).collect();
        assert_eq!(found, [(0xec, &[7][..]), (0xe7, &[1, 2][..])]);
    }
}
