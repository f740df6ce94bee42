//! One module for each tag format, which maps its names to [`crate::tags::Key`].

pub mod ape;
pub mod comments;
pub mod id3v1;
pub mod id3v2;
pub mod iff;
pub mod mp4;

use std::fmt::Display;

use crate::tags::Tags;

const MAX_WARNINGS: usize = 16;
pub const MAX_TEXT_BYTES: usize = 256 * 1024;

/// The tags of a file, best first, and warnings about unreadable parts.
#[derive(Debug, Default)]
pub struct Findings {
    pub tags: Vec<Tags>,
    pub warnings: Vec<String>,
}

impl Findings {
    /// Adds a tag, unless it is empty.
    fn add(&mut self, tags: Tags) {
        if !tags.is_empty() {
            self.tags.push(tags);
        }
    }

    /// Warns about damage in a list of items.
    fn damaged(&mut self, tag: &str, places: u32) {
        if places > 0 {
            let noun = if places == 1 { "place" } else { "places" };
            self.warn(format_args!(
                "read in part: the {tag} tag is damaged in {places} {noun}"
            ));
        }
    }

    /// Warns about a skipped item.
    fn skipped(&mut self, tag: &str, item: impl Display, reason: impl Display) {
        self.warn(format_args!("read in part: {item} of the {tag} tag: {reason}"));
    }

    pub fn warn(&mut self, warning: impl Display) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(warning.to_string());
        }
    }
}

/// UTF-8, else Latin-1, in which any bytes are valid.
fn utf8_or_latin1(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| latin1(bytes), str::to_owned)
}

fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}
