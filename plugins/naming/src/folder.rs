//! Folder names: seasons, shows, and generic names.

use crate::cursor::{Cursor, word_starts};
use crate::site::without_sites;
use crate::text::{display, key, stem, strip_head};
use crate::token::tokens;
use crate::vocabulary::counting::{OF_WORDS, ORDINALS, SEASON_WORDS, SEASON_WORDS_AFTER, SHOW_WORDS};
use crate::vocabulary::{Kind, Sure};
use crate::{ids, marker, release, year};

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

/// Generic names that only sort files, reduced to letters and digits.
const GENERIC: &[&str] = &[
    "anime",
    "animes",
    "animation",
    "archive",
    "cartoons",
    "complete",
    "data",
    "disk",
    "disks",
    "documentaries",
    "done",
    "download",
    "downloads",
    "drive",
    "fernsehen",
    "film",
    "filme",
    "films",
    "hd",
    "home",
    "incoming",
    "kids",
    "kino",
    "library",
    "main",
    "media",
    "mnt",
    "movie",
    "movies",
    "new",
    "peliculas",
    "películas",
    "recordings",
    "season",
    "seasons",
    "serien",
    "serier",
    "series",
    "séries",
    "server",
    "shared",
    "share",
    "shows",
    "srv",
    "storage",
    "temp",
    "tmp",
    "torrents",
    "tv",
    "tvseries",
    "tvshows",
    "uhd",
    "unsorted",
    "video",
    "videos",
    "volume",
    "volumes",
    "4k",
    "title",
    "main feature",
    "feature",
    "disc",
    "track",
    "vts",
];

/// Words in names of folders with several movies.
const MANY: &[&str] = &[
    "anthology",
    "collection",
    "collections",
    "box",
    "boxset",
    "duology",
    "filme",
    "films",
    "movies",
    "pack",
    "quadrilogy",
    "sammlung",
    "saga",
    "trilogie",
    "trilogy",
    "trilogía",
    "hexalogy",
    "pentalogy",
];

/// Folders within a copied disc, and folders of extras.
const DISC: &[&str] = &[
    "video_ts",
    "audio_ts",
    "bdmv",
    "stream",
    "certificate",
    "backup",
    "hvdvd_ts",
];

/// Whether the name is generic: it only sorts files.
pub(crate) fn is_generic(name: &str) -> bool {
    let key = key(name);
    // A year, a letter, a title of a disc: "2016", "A-Z", "VTS_01_1", "title_t00".
    let is_counted = || {
        let word = key.trim_end_matches(|c: char| c.is_ascii_digit());
        ["vts", "title", "titlet", "track", "disc", "video", "movie"].contains(&word)
    };
    key.is_empty() || GENERIC.contains(&key.as_str()) || is_counted()
}

/// Whether the name implies that the folder contains more than one movie.
pub(crate) fn holds_many(name: &str) -> bool {
    let span = name
        .split(|c: char| !c.is_ascii_digit())
        .filter(|digits| digits.len() == 4)
        .count()
        > 1;
    let words = tokens(name);
    let only_numbers = words.iter().all(|token| token.is_number());
    let decade = words.iter().any(|token| token.text.ends_with("0s"));
    let many = words
        .iter()
        .any(|token| MANY.contains(&token.text.to_lowercase().as_str()));
    many || (decade && words.len() == 1) || (only_numbers && words.len() > 1 && span)
}

/// Whether the name is an obfuscated upload: mostly letters mixed with digits, and no word of a release.
pub(crate) fn is_scrambled(name: &str) -> bool {
    let words = tokens(stem(name));
    let is_mixed = |word: &str| {
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        word.len() >= 6 && digits > 0 && digits < word.len()
    };
    let known = words
        .iter()
        .any(|token| token.kind.sure > Sure::No && token.kind != Kind::CHECKSUM);
    let mixed: usize = words
        .iter()
        .filter(|token| is_mixed(token.text))
        .map(|token| token.text.len())
        .sum();
    let all: usize = words.iter().map(|token| token.text.len()).sum();
    !known && mixed >= 10 && mixed * 2 > all
}

pub(crate) fn is_disc_structure(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let disc = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
    DISC.contains(&name.as_str()) || disc.len() < name.len() && ["cd", "disc", "disk", "dvd"].contains(&disc)
}

/// The name of a show's folder, parsed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ShowName {
    pub title: String,
    /// The year of the first season, if stated.
    pub year: Option<u16>,
    /// Such as `tvdb:81189`.
    pub external_ids: Vec<String>,
}

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
