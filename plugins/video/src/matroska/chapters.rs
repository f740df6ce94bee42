//! `Chapters`: those of the default edition, else of the first.

use crate::video::{Chapter, MAX_CHAPTERS};
use containers::bytes::text;
use containers::ebml::{element, elements, unsigned};

const EDITION: u32 = 0x45b9;
const EDITION_IS_HIDDEN: u32 = 0x45bd;
const EDITION_IS_DEFAULT: u32 = 0x45db;
const ATOM: u32 = 0xb6;
const START: u32 = 0x91;
const END: u32 = 0x92;
const IS_HIDDEN: u32 = 0x98;
const DISPLAY: u32 = 0x80;
const TITLE: u32 = 0x85;
const NS_PER_MS: u64 = 1_000_000;

/// Parses the body of `Chapters`. Nested chapters are ignored.
pub(super) fn read(body: &[u8]) -> Vec<Chapter> {
    let is_set = |edition, id| element(edition, id).is_some_and(|flag| unsigned(flag) != 0);
    let editions: Vec<&[u8]> = elements(body)
        .filter(|(id, edition)| *id == EDITION && !is_set(edition, EDITION_IS_HIDDEN))
        .map(|(_, edition)| edition)
        .collect();
    let default = editions
        .iter()
        .find(|edition| is_set(edition, EDITION_IS_DEFAULT));
    let Some(edition) = default.or(editions.first()) else {
        return Vec::new();
    };
    elements(edition)
        .filter(|(id, atom)| *id == ATOM && !is_set(atom, IS_HIDDEN))
        .take(MAX_CHAPTERS)
        .map(|(_, atom)| Chapter {
            start_ms: element(atom, START).map_or(0, unsigned) / NS_PER_MS,
            end_ms: element(atom, END).map(|end| unsigned(end) / NS_PER_MS),
            title: element(atom, DISPLAY)
                .and_then(|display| element(display, TITLE))
                .map(text),
        })
        .collect()
}
