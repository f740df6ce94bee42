//! Vorbis comments: free names and texts.

use std::io::Result;

use svc_plugin_api::Source;

use super::{Findings, MAX_TEXT_BYTES};
use crate::items::comments;
use crate::tags::{Tags, key_of_name};

/// Reads the block between two places.
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
        // What is no UTF-8 is marked in the text: the rest of it still says something.
        tags.add(key, String::from_utf8_lossy(text));
    }
    findings.damaged("Vorbis comments", list.damaged_places);
    findings.add(tags);
    Ok(())
}
