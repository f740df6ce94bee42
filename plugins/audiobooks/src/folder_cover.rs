//! The cover of a book that lies beside its files.

use svc_plugin_api::{MAX_PICTURE_BYTES, Source, picture_media_type};

use crate::place::{Place, stem};

/// Names of covers without their extensions, the likeliest first.
const NAMES: [&str; 4] = ["cover", "folder", "front", "poster"];

/// The name of the cover beside this file: a picture with the file's own name, else one of [`NAMES`]; else one of these in
/// the folder above a `CD 2`.
pub fn find(source: &mut Source) -> Option<String> {
    let own = stem(source.name()).to_lowercase();
    // Any other folder above contains several books.
    let is_disc = Place::parse(&source.folders(), source.name()).disc.is_some();
    let mut found: Vec<_> = source
        .related()
        .into_iter()
        .filter(|file| (1..=MAX_PICTURE_BYTES as u64).contains(&file.size))
        .filter_map(|file| Some((rank(&file.name, &own, is_disc)?, file.name)))
        .collect();
    found.sort_unstable();
    let mut names = found.into_iter().map(|(_, name)| name);
    names.find(|name| {
        let start = source.read_related(name, 12).unwrap_or_default();
        picture_media_type(&start).is_some()
    })
}

/// The smaller, the better.
fn rank(name: &str, own: &str, is_disc: bool) -> Option<(bool, usize)> {
    let (is_above, name) = match name.strip_prefix("../") {
        Some(name) => (true, name),
        None => (false, name),
    };
    if is_above && !is_disc {
        return None;
    }
    let stem = stem(name).to_lowercase();
    if stem == own && !is_above {
        return Some((is_above, 0));
    }
    let place = NAMES.iter().position(|known| *known == stem)?;
    Some((is_above, place + 1))
}
