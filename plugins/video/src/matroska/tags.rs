//! `Tags`: values with a target level: movie or episode (50), season (60), show (70).

use crate::tags::Tags;
use crate::video::SimpleTag;
use containers::bytes::text;
use containers::ebml::{element, elements, unsigned};

const TAG: u32 = 0x7373;
const TARGETS: u32 = 0x63c0;
const LEVEL: u32 = 0x68ca;
const SIMPLE_TAG: u32 = 0x67c8;
const NAME: u32 = 0x45a3;
const VALUE: u32 = 0x4487;
/// Target ids of tracks, and of editions, chapters and attachments.
const TRACK_UID: u32 = 0x63c5;
const PART_UIDS: [u32; 3] = [0x63c9, 0x63c4, 0x63c6];

const EPISODE: u64 = 50;
const SEASON: u64 = 60;
const SHOW: u64 = 70;
const MAX_SIMPLE_TAGS: usize = 512;

/// Adds the tags in the body of `Tags`, except those of chapters and attachments.
pub(super) fn read(body: &[u8], simple_tags: &mut Vec<SimpleTag>) {
    for (_, tag) in elements(body).filter(|(id, _)| *id == TAG) {
        let targets = element(tag, TARGETS).unwrap_or_default();
        let is_of = |ids: &[u32]| elements(targets).any(|(id, uid)| ids.contains(&id) && unsigned(uid) != 0);
        if is_of(&PART_UIDS) {
            continue;
        }
        let is_of_track = is_of(&[TRACK_UID]);
        let level = element(targets, LEVEL).map_or(EPISODE, unsigned);
        for (_, simple) in elements(tag).filter(|(id, _)| *id == SIMPLE_TAG) {
            if let (Some(name), Some(value)) = (element(simple, NAME), element(simple, VALUE))
                && simple_tags.len() < MAX_SIMPLE_TAGS
            {
                simple_tags.push(SimpleTag {
                    level,
                    is_of_track,
                    name: text(name).to_ascii_uppercase(),
                    value: text(value),
                });
            }
        }
    }
}

/// Adds the tags of the whole file. A part number is an episode's only if a higher level is present.
pub(super) fn apply(simple_tags: &[SimpleTag], tags: &mut Tags) {
    let of_file = || simple_tags.iter().filter(|tag| !tag.is_of_track);
    let is_part = of_file().any(|tag| tag.level >= SEASON);
    for SimpleTag {
        level, name, value, ..
    } in of_file()
    {
        match (*level, name.as_str()) {
            (SHOW.., "TITLE") => tags.add("SHOW", value),
            (SEASON..SHOW, "PART_NUMBER") => tags.add("SEASON", value),
            (SEASON.., _) => {}
            (EPISODE.., "TITLE") if is_part => {
                tags.add("EPISODE_TITLE", value);
                tags.add("TITLE", value);
            }
            (EPISODE.., "PART_NUMBER") if is_part => tags.add("EPISODE", value),
            _ => tags.add(name, value),
        }
    }
}
