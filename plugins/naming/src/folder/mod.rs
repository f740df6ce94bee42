//! Folder names: seasons, shows, and generic names.

mod season;
mod show;

use crate::text::{key, stem};
use crate::token::tokens;
use crate::vocabulary::{Kind, Sure};
pub use season::season_folder;
pub(crate) use season::trailing_season;
pub(crate) use show::title_and_year;
pub use show::{ShowName, show_folder};

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
