//! Boxes within bytes in memory, such as those of a sample entry.

use crate::bytes::Bytes;

/// Names and bodies of the boxes; a body that is cut off ends with the bytes.
pub fn boxes(bytes: &[u8]) -> impl Iterator<Item = ([u8; 4], &[u8])> {
    let mut rest = Bytes(bytes);
    std::iter::from_fn(move || {
        let size = usize::try_from(rest.be32()?).ok()?;
        let name = rest.array()?;
        let length = match size {
            0 => rest.0.len(),
            _ => size.checked_sub(8)?.min(rest.0.len()),
        };
        Some((name, rest.take(length)?))
    })
}

/// The body of the first box with this name.
pub fn body_of<'a>(bytes: &'a [u8], name: &[u8; 4]) -> Option<&'a [u8]> {
    boxes(bytes)
        .find(|(found, _)| found == name)
        .map(|(_, body)| body)
}
