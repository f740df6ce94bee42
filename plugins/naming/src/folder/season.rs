//! Seasons in folder names.

use super::{holds_many, is_generic, show_folder};
use crate::cursor::{Cursor, word_starts};
use crate::text::{key, strip_head};
use crate::vocabulary::counting::{OF_WORDS, ORDINALS, SEASON_WORDS, SEASON_WORDS_AFTER, SHOW_WORDS};
use crate::{marker, year};

/// Folders of specials.
const SPECIAL_FOLDERS: &[&str] = &[
    "specials",
    "special",
    "extras",
    "extra",
    "bonus",
    "ova",
    "ovas",
    "spezial",
    "speciale",
    "speciali",
    "especiales",
    "especiais",
    "spéciaux",
    "スペシャル",
    "спецвыпуски",
];

/// The season number of a folder within `parent`; 0 for specials. `None` if it is not a season's folder.
///
/// ```
/// assert_eq!(naming::season_folder("Staffel 2", "Dark"), Some(2));
/// assert_eq!(naming::season_folder("Dark Season 2", "Dark"), Some(2));
/// assert_eq!(naming::season_folder("Specials", "Dark"), Some(0));
/// assert_eq!(naming::season_folder("Dark Season 2", "Shows"), None);
/// ```
pub fn season_folder(name: &str, parent: &str) -> Option<u32> {
    if name.starts_with(char::is_alphanumeric)
        && let Some((season, _)) = season_at(name, 0)
    {
        return Some(season);
    }
    let headless = strip_head(name, &show_folder(parent).title).or_else(|| strip_head(name, parent));
    let rest = headless.unwrap_or(name);
    let key = key(rest);
    if SPECIAL_FOLDERS.contains(&key.as_str()) {
        return Some(0);
    }
    let start = rest.find(char::is_alphanumeric)?;
    // A bracket may be between the show and its season, but not between "Season" and its number.
    let opening = rest.get(..start).unwrap_or_default();
    if headless.is_none() && !opening.trim().is_empty() {
        return None;
    }
    season_at(rest, start).map(|(season, _)| season).or_else(|| {
        let alone = headless.is_none() && !is_generic(parent) && !holds_many(parent);
        alone.then(|| bare_number(rest)).flatten()
    })
}

/// A season at this offset, and where it ends: "Season 2", "S02", "2. Staffel", "Season II", "Second Season", "第2季",
/// "第二季".
fn season_at(text: &str, at: usize) -> Option<(u32, usize)> {
    let mut cursor = Cursor::new(text, at);
    let number = if cursor.word_of(&SEASON_WORDS) {
        let mut series = Cursor::new(text, at);
        let is_show = series.word_of(&SHOW_WORDS) && series.at == cursor.at;
        let apart = cursor.skip(" ._-#", 3) > 0;
        let number = cursor.number(1, if is_show { 2 } else { 4 });
        match number {
            None if apart => cursor.number_word().or_else(|| cursor.roman())?,
            number => number?,
        }
    } else if cursor.word("s")
        && let Some(number) = cursor.number(1, 4)
    {
        // "S01D02" is a disc of the season.
        let mut disc = cursor;
        if disc.word("d") && disc.number(1, 2).is_some() {
            cursor = disc;
        }
        number
    } else {
        cursor = Cursor::new(text, at);
        cursor.word("第");
        let number = cursor.number(1, 3).or_else(|| cursor.number_word())?;
        let _ = cursor.word_of(&ORDINALS);
        cursor.skip(" ._-", 2);
        if !cursor.word_of(&SEASON_WORDS) && !cursor.word_of(&SEASON_WORDS_AFTER) {
            return None;
        }
        number
    };
    // "Season 3of5".
    let mut of = cursor;
    of.skip(" ", 1);
    if of.word_of(&OF_WORDS) {
        of.skip(" ", 1);
        if of.number(1, 2).is_some() {
            cursor = of;
        }
    }
    // An episode's number must not follow: "s06e05", "Season 1 Episode 2".
    (cursor.ends_word() && marker::episodes_start(text).is_none()).then_some((number, cursor.at))
}

/// A folder named by a number only: a season or a year.
fn bare_number(name: &str) -> Option<u32> {
    let name = name.trim();
    let number: u32 = name
        .parse()
        .ok()
        .filter(|_| name.bytes().all(|byte| byte.is_ascii_digit()))?;
    (name.len() <= 2 || year::is_year(number)).then_some(number)
}

/// A season after the name of a show: "The.Show.S01.1080p", "The Show Season 2".
#[derive(Debug, Clone, Copy)]
pub(crate) struct TrailingSeason {
    pub(crate) season: u32,
    pub(crate) start: usize,
    pub(crate) end: usize,
}

/// The first season after the name of a show.
pub(crate) fn trailing_season(name: &str) -> Option<TrailingSeason> {
    let mut found = word_starts(name).filter(|start| *start > 0).filter_map(|start| {
        let (season, end) = season_at(name, start)?;
        Some(TrailingSeason { season, start, end })
    });
    let first = found.next()?;
    // "Great Series 00 S1": an unambiguous word takes precedence over one that occurs in titles.
    if Cursor::new(name, first.start).word_of(&SHOW_WORDS) {
        return Some(found.next().unwrap_or(first));
    }
    Some(first)
}
