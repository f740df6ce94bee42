//! The dialects of tags: how each of them says what [`crate::tags::Key`] names.

pub mod ape;
pub mod comments;
pub mod id3v1;
pub mod id3v2;
pub mod iff;
pub mod mp4;

use std::fmt::Display;

use crate::tags::Tags;

/// The most oddities that are told of a file.
const MAX_WARNINGS: usize = 16;
/// The most bytes of one text.
pub const MAX_TEXT_BYTES: usize = 256 * 1024;

/// What the tags of a file say, best first, and what of them could not be read.
#[derive(Debug, Default)]
pub struct Findings {
    /// The tags.
    pub tags: Vec<Tags>,
    /// Oddities.
    pub warnings: Vec<String>,
}

impl Findings {
    /// Takes a tag over, unless it says nothing.
    fn add(&mut self, tags: Tags) {
        if !tags.is_empty() {
            self.tags.push(tags);
        }
    }

    /// Notes the places at which a row of items was damaged.
    fn damaged(&mut self, tag: &str, places: u32) {
        if places > 0 {
            let noun = if places == 1 { "place" } else { "places" };
            self.warn(format_args!(
                "read in part: the {tag} tag is damaged in {places} {noun}"
            ));
        }
    }

    /// Notes an item that was passed over.
    fn skipped(&mut self, tag: &str, item: impl Display, reason: impl Display) {
        self.warn(format_args!("read in part: {item} of the {tag} tag: {reason}"));
    }

    /// Notes an oddity.
    pub fn warn(&mut self, warning: impl Display) {
        if self.warnings.len() < MAX_WARNINGS {
            self.warnings.push(warning.to_string());
        }
    }
}

/// A text of UTF-8, or else of Latin-1, which every sequence of bytes is.
fn utf8_or_latin1(bytes: &[u8]) -> String {
    std::str::from_utf8(bytes).map_or_else(|_| latin1(bytes), str::to_owned)
}

fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}
