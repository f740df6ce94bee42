//! Vorbis comments: text values with free names.

use std::io::Result;

use svc_plugin_api::Source;

use super::{Findings, MAX_TEXT_BYTES};
use crate::items::comments;
use crate::tags::{Tags, key_of_name};

/// Reads the comment block between two offsets.
///
/// # Errors
/// If a read failed.
pub fn read(source: &mut Source, start: u64, end: u64, findings: &mut Findings) -> Result<()> {
    let list = comments::list(source, start, end)?;
    let mut tags = Tags::default();
    for item in &list.items {
        let length = usize::try_from(item.end.saturating_sub(item.body)).unwrap_or(usize::MAX);
        let mut spare = Vec::new();
        let head = source.slice_at(item.body, length.min(comments::MAX_NAME), &mut spare)?;
        let Some(name) = comments::name_length(head).and_then(|length| head.get(..length)) else {
            continue;
        };
        let (Some(key), behind) = (key_of_name(&String::from_utf8_lossy(name)), name.len() + 1) else {
            continue;
        };
        let bytes = source.slice_at(item.body, length.min(MAX_TEXT_BYTES), &mut spare)?;
        let text = bytes.get(behind..).unwrap_or_default();
        // Invalid UTF-8 is replaced, so that the rest of the text is kept.
        tags.add(key, String::from_utf8_lossy(text));
    }
    findings.damaged("Vorbis comments", list.damaged_places);
    findings.add(tags);
    Ok(())
}
