//! The show of an episode, and the title after its number.

use super::{Found, Name};
use crate::folder::{self, ShowName, season_folder, show_folder, title_and_year, trailing_season};
use crate::marker;
use crate::movie::also_known;
use crate::release;
use crate::text::{display, is_alike, key};
use crate::token::{leading_bracket, tokens};

/// The folders of a file, parsed.
#[derive(Debug, Default)]
pub(super) struct Home<'a> {
    /// Without a title if no folder states one.
    pub(super) show: ShowName,
    /// The season, if the file is in a season's folder.
    pub(super) season: Option<u32>,
    /// The folder of this release.
    pub(super) release: Option<&'a str>,
}

/// Reads the folders, innermost first.
pub(super) fn home(folders: &[String]) -> Home<'_> {
    let mut home = Home::default();
    let mut left = folders;
    while let Some((last, outer)) = left.split_last() {
        left = outer;
        let parent = outer.last().map_or("", String::as_str);
        if folder::is_disc_structure(last) || folder::is_scrambled(last) {
            continue;
        }
        if home.release.is_none() && home.season.is_none() && marker::episodes_start(last).is_some() {
            home.release = Some(last);
            continue;
        }
        if home.season.is_none()
            && let Some(season) = season_folder(last, parent)
        {
            home.season = Some(season);
            continue;
        }
        // The folder above a season or an episode is the show's, unless it only sorts files.
        if folder::is_generic(last) {
            break;
        }
        if home.season.is_none() {
            home.season = trailing_season(last).map(|trailing| trailing.season);
        }
        home.show = show_folder(unbracketed(last));
        break;
    }
    if home.show.title.is_empty()
        && let Some(release) = home.release
    {
        home.show = show_folder(unbracketed(release));
    }
    home
}

/// The name without a leading group in brackets.
fn unbracketed(name: &str) -> &str {
    leading_bracket(name)
        .and_then(|end| name.get(end..))
        .filter(|rest| !key(rest).is_empty())
        .unwrap_or(name)
}

/// The title of a show and its source.
#[derive(Debug)]
pub(super) struct Show {
    pub(super) title: String,
    pub(super) year: Option<u16>,
    pub(super) from_folder: bool,
}

/// The show of a file with this text before its number. The folder's title takes precedence if the file's is the same
/// or shorter, or if there is a season's folder in between. A generic name ("Series", "Video") counts as a title only
/// before a season or a date.
pub(super) fn of(front: &str, home: &Home, found: &Found) -> Show {
    let (title, year) = title_and_year(show_part(front), true);
    let folder = &home.show;
    let named = !title.is_empty() && !folder::is_generic(&title);
    if !folder.title.is_empty() && (!named || home.season.is_some() || is_alike(&folder.title, &title)) {
        return Show {
            from_folder: key(&folder.title) != key(&title),
            title: folder.title.clone(),
            year: folder.year.or(year),
        };
    }
    Show {
        title: if named || found.season.is_some() || found.date.is_some() {
            title
        } else {
            String::new()
        },
        year,
        from_folder: false,
    }
}

/// The text without a leading group; in a name of only brackets ("[Group][Show]") the show is in the second one.
fn show_part(front: &str) -> &str {
    let rest = unbracketed(front);
    let inner = rest
        .trim()
        .strip_prefix('[')
        .and_then(|inner| inner.split_once(']'));
    match inner {
        Some((inside, _)) if leading_bracket(front).is_some() => inside,
        _ if leading_bracket(front).is_some() && key(rest).is_empty() => "",
        _ => {
            let words = tokens(rest);
            let also = also_known(&words).and_then(|index| words.get(index));
            let end = release::start_of(rest, &words).min(also.map_or(rest.len(), |token| token.start));
            rest.get(..end).unwrap_or(rest)
        }
    }
}

/// Show and title of a line that begins with the number or the date: "003-004. Show - Title", "[1x05] Show - Title".
/// After a date the line may consist of the show alone.
pub(super) fn in_line(line: Option<String>, alone: bool) -> (String, Option<String>) {
    let Some(line) = line else {
        return (String::new(), None);
    };
    match line.split_once(" - ") {
        Some((show, title)) => (show.to_owned(), Some(title.to_owned())),
        None if alone && line.starts_with(char::is_alphabetic) => (line, None),
        None => (String::new(), Some(line)),
    }
}

/// Removes an absolute number before the number of a season's episode: "Show - 021 - S04E21".
pub(super) fn without_number<'a>(front: &'a str, found: &Found) -> &'a str {
    let trimmed = front.trim_end_matches([' ', '-', '.', '_']);
    let rest = trimmed.trim_end_matches(|character: char| character.is_ascii_digit());
    let number = trimmed.len() - rest.len();
    let dashed = rest.trim_end().ends_with('-');
    if found.season.is_some() && found.episode.is_some() && number == 3 && dashed {
        return rest.trim_end_matches([' ', '-']);
    }
    front
}

/// The title between the episode's number and the words of the release.
pub(super) fn episode_title(name: &Name, found: &Found) -> Option<String> {
    let rest = name.text.get(found.end..)?;
    // "-GRP" directly after the number is the group.
    let tail = rest.strip_prefix('-');
    if tail.is_some_and(|tail| !tail.contains([' ', '.', '_', '-'])) {
        return None;
    }
    // A number in brackets after the number is the absolute one: "- 39 (137) [720p]", "s10e15(233)".
    let from = found.end + other_number(rest);
    let end = release::start_after(name.text, name.tokens, from);
    let title = name.text.get(from..end)?;
    let open = title.find(['[', '{', '【']).unwrap_or(title.len());
    let title = display(title.get(..open)?);
    let title = title.trim_start_matches(|c: char| matches!(c, ')' | ']') || c.is_whitespace());
    // A single number is a title after a dash ("S01E01 - 1923") and noise elsewhere ("s02e01_18536"); several are a
    // title ("9-1-1") unless they are a date.
    let counts = title.contains('-') && !title.starts_with("19") && !title.starts_with("20");
    let is_title = title.chars().any(char::is_alphabetic) || counts || rest.starts_with(" - ");
    (is_title && !title.is_empty()).then(|| title.to_owned())
}

/// The length of a leading number in brackets, or of three digits between dashes.
fn other_number(rest: &str) -> usize {
    let dashed = rest.strip_prefix(" - ").and_then(|rest| rest.split_once(" - "));
    if let Some((number, following)) = dashed
        && number.len() == 3
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        return rest.len() - following.len() - 3;
    }
    let inside = rest
        .trim_start()
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'));
    match inside {
        Some((number, following)) if number.len() < 5 && number.bytes().all(|byte| byte.is_ascii_digit()) => {
            rest.len() - following.len()
        }
        _ => 0,
    }
}
