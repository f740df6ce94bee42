//! Shows in folder names.

use super::trailing_season;
use crate::site::without_sites;
use crate::text::{display, key, stem};
use crate::token::tokens;
use crate::{ids, marker, release, year};

/// The name of a show's folder, parsed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShowName {
    pub title: String,
    /// The year of the first season, if stated.
    pub year: Option<u16>,
    /// Such as `tvdb:81189`.
    pub external_ids: Vec<String>,
}

/// Parses the name of a show's folder.
///
/// ```
/// let show = naming::show_folder("The.Show.P.I.(2010).S01.COMPLETE");
/// assert_eq!((show.title.as_str(), show.year), ("The Show P.I", Some(2010)));
/// ```
pub fn show_folder(name: &str) -> ShowName {
    let (name, external_ids) = ids::take_ids(name);
    let name = without_sites(stem(&name));
    let end = marker::episodes_start(name)
        .or_else(|| trailing_season(name).map(|season| season.start))
        .unwrap_or(name.len())
        .min(release::release_start(name));
    let front = name
        .get(..end)
        .filter(|front| !key(front).is_empty())
        .unwrap_or(name);
    let (title, year) = title_and_year(front, false);
    ShowName {
        title,
        year,
        external_ids,
    }
}

/// Splits the year off a show's name: a year in brackets, or at the end of words separated by dots. With `spaced`,
/// also a year after at least two words separated by spaces.
pub(crate) fn title_and_year(front: &str, spaced: bool) -> (String, Option<u16>) {
    let words = tokens(front);
    let found = year::find(front, &words, None);
    let cut = found.and_then(|year| {
        let token = words.get(year.index)?;
        let at_end = year.index + 1 == words.len();
        let joined = !front.trim().contains(' ') && front.contains(['.', '_']);
        // "Space 1999" is a title; after more words the number is a year.
        let fits = year.index > 0 && (year.bracketed || at_end && (joined || spaced && year.index > 1));
        fits.then(|| (release::opening(front, token), year.year))
    });
    match cut {
        Some((end, year)) => (display(front.get(..end).unwrap_or(front)), Some(year)),
        None => (display(front), None),
    }
}
