//! Tags that are free names and texts: Vorbis comments and APE.

use lofty::ape::ApeTag;
use lofty::ogg::tag::VorbisComments;
use lofty::tag::ItemValue;

use crate::tags::Tags;

/// The statements of Vorbis comments.
pub fn read_vorbis(comments: &VorbisComments) -> Tags {
    let mut tags = Tags::default();
    for (name, text) in comments.items() {
        tags.add_named(name, text);
    }
    tags
}

/// The statements of an APE tag, version 1 or 2. Several values are separated by NUL.
pub fn read_ape(tag: &ApeTag) -> Tags {
    let mut tags = Tags::default();
    for item in tag {
        if let ItemValue::Text(text) = item.value() {
            tags.add_named(item.key(), text);
        }
    }
    tags
}
