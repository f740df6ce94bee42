//! `WM/Picture` values of ASF: type, length, media type and description in UTF-16, picture.

use std::io::Result;

use containers::bytes::{Bytes, utf16_le};
use svc_plugin_api::Source;

use super::{Found, add_at, purpose};
use crate::container::asf::{self, PictureValue};

pub(super) fn find(source: &mut Source, found: &mut Vec<Found>) -> Result<()> {
    for value in asf::pictures(source)? {
        if let Some((kind, stated, skip, length)) = describe(&value) {
            add_at(
                source,
                (value.offset + skip, length),
                purpose(kind),
                &stated,
                found,
            )?;
        }
    }
    Ok(())
}

fn describe(value: &PictureValue) -> Option<(u32, String, u64, u64)> {
    let mut rest = Bytes(&value.bytes);
    let kind = rest.u8()?.into();
    let length = rest.le32()?.into();
    let stated = text(&mut rest)?;
    text(&mut rest)?;
    let skip = (value.bytes.len() - rest.0.len()) as u64;
    (length <= rest.0.len() as u64).then_some((kind, stated, skip, length))
}

fn text(rest: &mut Bytes) -> Option<String> {
    let length = rest.0.chunks_exact(2).position(|pair| pair == [0, 0])? * 2 + 2;
    rest.take(length).map(utf16_le)
}
