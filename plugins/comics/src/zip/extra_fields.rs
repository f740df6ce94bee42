//! The extra fields of a header, in the directory or before a file.

use super::u16_at;

/// The fields of a header: id and content.
pub(super) fn extra_fields(mut extra: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let (head, rest) = extra.split_at_checked(4)?;
        let (field, rest) = rest.split_at_checked(u16_at(head, 2).into())?;
        extra = rest;
        Some((u16_at(head, 0), field))
    })
}
