//! Movies: title, year, edition, part and ids from a file name and its folder.

mod reading;

use crate::folder;
use crate::text::{is_alike, key, stem};
pub(crate) use reading::also_known;
use reading::{Reading, read};

/// The names of a movie, parsed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MovieName {
    /// The whole name if no rule matches.
    pub title: String,
    pub year: Option<u16>,
    /// Such as "Director's Cut".
    pub edition: Option<String>,
    /// The number of this file, if the movie is in several.
    pub part: Option<u32>,
    /// Such as `imdb:tt0113277`, `tmdb:949`.
    pub external_ids: Vec<String>,
    /// The rule that matched; the crate's documentation lists them.
    pub pattern: &'static str,
    /// The part of the name that the rule matched; empty if there is none.
    pub matched: String,
    /// 0 to 1.
    pub confidence: f64,
    pub from_folder: bool,
}

/// Parses the name of a movie. `folders` are the names of its folders, outermost first.
///
/// ```
/// let name = naming::movie(&["Heat (1995) [tmdbid-949]".into()], "heat-cd1.avi");
/// assert_eq!((name.title.as_str(), name.year, name.part), ("Heat", Some(1995), Some(1)));
/// assert_eq!(name.external_ids, ["tmdb:949"]);
/// ```
pub fn movie(folders: &[String], file_name: &str) -> MovieName {
    let file = read(stem(file_name));
    let folder = folders
        .iter()
        .rev()
        .find(|folder| !folder::is_disc_structure(folder) && !folder::is_scrambled(folder))
        .filter(|folder| !folder::is_generic(folder) && !folder::holds_many(folder))
        .map(|folder| read(stem(folder)));
    match folder {
        Some(folder) if folder_wins(&folder, &file) => joined(folder, file),
        Some(folder) => with_ids_of(folder, file),
        None => of_file(file),
    }
}

/// Whether the folder is this movie's and states more than the file.
fn folder_wins(folder: &Reading, file: &Reading) -> bool {
    if folder.title.is_empty() || file.year.is_some() && folder.year.is_some() && file.year != folder.year {
        return false;
    }
    let alike = is_alike(&folder.title, &file.title);
    match (folder.year, file.year) {
        (Some(_), None) => alike || is_abbreviation(file) || shares_word(&folder.title, &file.title),
        (Some(_), Some(_)) => alike || is_abbreviation(file) || folder.title.len() > file.title.len(),
        // A release's folder with an abbreviated file name.
        (None, None) if folder.has_release && (is_abbreviation(file) || alike && is_joined(&file.title)) => {
            true
        }
        // A folder without a year is the movie's if it has the same title in more words.
        (None, None) => {
            folder::is_generic(&file.title) || alike && key(&folder.title).len() >= key(&file.title).len()
        }
        (None, Some(_)) => false,
    }
}

/// Generic names ("movie", "VTS_01_1"), obfuscated ones, and those of a release only ("grp-mtx").
fn is_abbreviation(file: &Reading) -> bool {
    let words = file.title.split([' ', '-']).filter(|word| word.len() > 2).count();
    file.title.is_empty()
        || folder::is_generic(&file.title)
        || folder::is_scrambled(&file.title)
        || !file.title.contains(' ') && words <= 2
}

/// Whether the name is lower-case words joined by dashes, as release groups name files: "grp-repack-film".
fn is_joined(title: &str) -> bool {
    title.contains('-') && !title.contains([' ', '.', '_']) && title.to_lowercase() == title
}

fn shares_word(one: &str, other: &str) -> bool {
    let words = |name: &str| -> Vec<String> {
        let words = name.split(|c: char| !c.is_alphanumeric());
        words
            .filter(|word| word.chars().count() > 3)
            .map(str::to_lowercase)
            .collect()
    };
    let others = words(other);
    words(one).iter().any(|word| others.contains(word))
}

fn joined(folder: Reading, file: Reading) -> MovieName {
    let agree = key(&folder.title) == key(&file.title);
    let both = agree && folder.year.is_some() && folder.year == file.year;
    let (pattern, confidence) = match folder.year {
        Some(_) if both => ("folder-and-file", 0.98),
        Some(_) if folder.year_is_bracketed => ("folder-year", 0.93),
        Some(_) => ("folder-year", 0.85),
        None if agree => ("folder-and-file", 0.7),
        None => ("folder-title", 0.55),
    };
    // "Film Part 2" in the folder "Film Part 2" is the second movie; in "Film" it is the second file of the movie.
    let is_title = file
        .title_with_part
        .as_deref()
        .is_some_and(|with| key(with) == key(&folder.title));
    let part = file.part.filter(|(_, certain)| *certain || !is_title);
    let mut external_ids = folder.ids;
    add(&mut external_ids, file.ids);
    MovieName {
        title: folder.title,
        year: folder.year,
        edition: file.edition.or(folder.edition),
        part: part.map(|(number, _)| number),
        external_ids,
        pattern,
        matched: folder.matched,
        confidence,
        from_folder: !agree,
    }
}

fn with_ids_of(folder: Reading, file: Reading) -> MovieName {
    let alike = is_alike(&folder.title, &file.title) && (folder.year.is_none() || folder.year == file.year);
    let mut name = of_file(file);
    if alike {
        add(&mut name.external_ids, folder.ids);
        name.edition = name.edition.or(folder.edition);
    }
    name
}

fn of_file(file: Reading) -> MovieName {
    let (pattern, confidence) = match file.year {
        Some(_) if file.year_is_bracketed => ("title-year", 0.95),
        Some(_) => ("title-year", 0.85),
        None if file.has_release => ("title-release", 0.6),
        None => ("title", 0.4),
    };
    let certain = file.part.filter(|(_, certain)| *certain);
    MovieName {
        title: match file.title_with_part {
            Some(with) if certain.is_none() => with,
            _ => file.title,
        },
        year: file.year,
        edition: file.edition,
        part: certain.map(|(number, _)| number),
        external_ids: file.ids,
        pattern,
        matched: file.matched,
        confidence,
        from_folder: false,
    }
}

fn add(ids: &mut Vec<String>, more: Vec<String>) {
    for id in more {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
}
