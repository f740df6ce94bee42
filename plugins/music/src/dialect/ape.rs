//! APE tags: text values with free names.

use std::io::Result;

use svc_plugin_api::Source;

use super::{Findings, MAX_TEXT_BYTES};
use crate::container::tail::ApeTag;
use crate::items::ape;
use crate::tags::{Tags, key_of_name};

/// Reads a tag of version 1 or 2, in which NUL separates several values.
///
/// # Errors
/// If a read failed.
pub fn read(source: &mut Source, tag: &ApeTag, findings: &mut Findings) -> Result<()> {
    let list = ape::list(source, tag)?;
    let mut tags = Tags::default();
    for item in list.items.iter().filter(|item| item.name.is_text()) {
        let name = item.name.key(source)?;
        if let Some(key) = key_of_name(&name) {
            let text = item.bytes(source, MAX_TEXT_BYTES)?;
            // Version 1 does not define the encoding.
            tags.add(key, super::utf8_or_latin1(&text));
        }
    }
    findings.damaged("APE", list.damaged_places);
    findings.add(tags);
    Ok(())
}
