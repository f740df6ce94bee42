//! Movies: title, year, edition, part and ids from a file name and its folder.

use crate::edition::{self, Part};
use crate::folder;
use crate::site::without_sites;
use crate::text::{display, is_alike, key, stem};
use crate::token::{Bracket, Token, leading_bracket, tokens};
use crate::{ids, marker, release, year};

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

/// One name, of a file or a folder, parsed.
#[derive(Debug, Default)]
struct Reading {
    title: String,
    year: Option<u16>,
    year_is_bracketed: bool,
    edition: Option<String>,
    part: Option<(u32, bool)>,
    /// The title including a part that may belong to it.
    title_with_part: Option<String>,
    ids: Vec<String>,
    matched: String,
    has_release: bool,
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

fn read(name: &str) -> Reading {
    let (name, ids) = ids::take_ids(name);
    let (name, edition) = edition::take_bracketed(&name);
    let text = without_number(without_group(without_sites(&name)));
    let tokens = tokens(text);
    let release_at = release::release_index(text, &tokens);
    let found_year = year::find(text, &tokens, release_at);
    let after_year = found_year.map(|year| year.index + 1);
    let following = [release_at, after_year]
        .into_iter()
        .flatten()
        .min()
        .unwrap_or(tokens.len());
    let found_edition = edition::find(&tokens, following);
    let part = edition::part(text, &tokens, following);

    let mut end = text.len();
    let mut start = 0;
    let mut limit = |index: Option<usize>| {
        if let Some(token) = index.and_then(|index| tokens.get(index)) {
            end = end.min(release::opening(text, token));
        }
    };
    limit(release_at);
    limit(found_edition.as_ref().map(|edition| edition.index));
    match found_year {
        Some(year) if year.index == 0 => start = year_end(text, &tokens),
        year => limit(year.map(|year| year.index)),
    }
    let (numbered, bonus) = show_marks(text, &tokens);
    limit(bonus);
    limit(also_known(&tokens));
    if let Some(token) = numbered.and_then(|index| tokens.get(index)) {
        start = start.max(token.end);
    }
    let mut without_part = end;
    if let Some(token) = part.as_ref().and_then(|part| tokens.get(part.index)) {
        without_part = end.min(release::opening(text, token));
    }
    let cut = marker::episodes_start(text)
        .filter(|at| *at > start)
        .unwrap_or(end);
    let title_of = |end: usize| display(closed(text.get(start..end.min(cut)).unwrap_or_default()));
    let is_certain = part.as_ref().is_none_or(|part: &Part| part.certain);
    let title = title_of(without_part);
    Reading {
        title: [title, display(text)]
            .into_iter()
            .find(|title| !title.is_empty())
            .unwrap_or_else(|| text.to_owned()),
        year: found_year.map(|year| year.year),
        year_is_bracketed: found_year.is_some_and(|year| year.bracketed),
        edition: edition.or(found_edition.map(|edition| edition.name)),
        title_with_part: (!is_certain).then(|| title_of(end)),
        part: part.map(|part| (part.number, part.certain)),
        ids,
        matched: matched(text, &tokens, found_year.map(|year| year.index).or(release_at)),
        has_release: release_at.is_some(),
    }
}

/// The end of a leading year, including its bracket.
fn year_end(text: &str, tokens: &[Token]) -> usize {
    tokens.first().map_or(0, |token| {
        token.end + usize::from(token.bracket != Bracket::None && text.len() > token.end)
    })
}

/// Removes a leading group in brackets. A name like "[REC] 2 (2009)" begins with its title: a group occurs only with
/// words of a release.
fn without_group(name: &str) -> &str {
    let following = leading_bracket(name)
        .and_then(|end| name.get(end..))
        .map(|rest| rest.trim_start_matches([' ', '.', '_', '-']));
    match following {
        Some(rest) if release::release_start(rest) < rest.len() || rest.contains('[') => {
            let words = tokens(rest.get(..release::release_start(rest)).unwrap_or(rest));
            let is_title = words
                .iter()
                .any(|word| word.number().is_none_or(|number| !year::is_year(number)));
            if is_title { rest } else { name }
        }
        _ => name,
    }
}

/// Removes a list number: "(1)The Film", "\[2\] The Film"; but "(500) Days" is a title.
fn without_number(name: &str) -> &str {
    // "01 - The Film", "02. The Film": a leading zero marks a list number.
    let padded = name.strip_prefix('0').and_then(|rest| {
        let following = rest.strip_prefix(|digit: char| digit.is_ascii_digit())?;
        let parted = following.trim_start_matches([' ', '.', '_', '-']);
        (parted.len() < following.len() && parted.starts_with(char::is_alphabetic)).then_some(parted)
    });
    if let Some(padded) = padded {
        return padded;
    }
    let inner = name.strip_prefix(['(', '[']);
    let following = inner.and_then(|inner| {
        let (number, following) = inner.split_once([')', ']'])?;
        let is_number = (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
        let following = following.trim_start_matches([' ', '.', '_', '-']);
        (is_number && following.starts_with(char::is_alphabetic)).then_some(following)
    });
    following.unwrap_or(name)
}

/// The marks of a movie within a collection, "Series-f21-Film", and of an extra, "Film-x02-Making Of": indices of
/// words.
fn show_marks(text: &str, tokens: &[Token]) -> (Option<usize>, Option<usize>) {
    let mark = |letter: char| {
        (1..tokens.len()).find(|index| {
            let Some(token) = tokens.get(*index) else {
                return false;
            };
            let number = token.text.strip_prefix(letter).unwrap_or_default();
            let is_number =
                (1..=2).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
            is_number
                && text.get(..token.start).is_some_and(|front| front.ends_with('-'))
                && text.get(token.end..).is_some_and(|rest| rest.starts_with('-'))
        })
    };
    (mark('f'), mark('x'))
}

/// The index of "aka" between two titles.
pub(crate) fn also_known(tokens: &[Token]) -> Option<usize> {
    (1..tokens.len().saturating_sub(1)).find(|index| tokens.get(*index).is_some_and(|token| token.is("aka")))
}

/// Removes a bracket at the end that describes the release ("Title \[字\]") or repeats the title in other words
/// ("Title (Another Title)"), but not one that continues it ("Birdman or (The Unexpected Virtue)").
fn closed(text: &str) -> &str {
    let text = text.trim_end();
    if let Some(open) = text.rfind('[').filter(|open| *open > 0 && text.ends_with(']')) {
        return text.get(..open).unwrap_or(text);
    }
    let other = text.find('(').filter(|open| *open > 0).and_then(|open| {
        let (front, bracket) = text.split_at_checked(open)?;
        let (inside, rest) = bracket.split_once(')').unwrap_or((bracket, ""));
        let is_end = rest.trim_matches([' ', '.', '_']).is_empty() || rest.trim_start().starts_with('-');
        let words = tokens(inside).len();
        let goes_on = tokens(front)
            .last()
            .is_none_or(|word| word.is_any(&["or", "oder", "ou", "o"]));
        (is_end && words > 1 && !goes_on).then_some(front)
    });
    other.unwrap_or(text)
}

fn matched(text: &str, tokens: &[Token], index: Option<usize>) -> String {
    let Some(token) = index.and_then(|index| tokens.get(index)) else {
        return String::new();
    };
    let start = release::opening(text, token);
    let closing = text.get(token.end..).and_then(|rest| rest.chars().next());
    let end = token.end
        + closing
            .filter(|c| start < token.start && ")]}）".contains(*c))
            .map_or(0, char::len_utf8);
    text.get(start..end).unwrap_or_default().to_owned()
}
