//! The show that an episode belongs to, and the title behind its number.

use super::Found;
use crate::folder::{self, ShowName, season_folder, show_folder, title_and_year, trailing_season};
use crate::junk;
use crate::marker;
use crate::text::{display, is_alike, key};
use crate::token::leading_bracket;

/// What the folders say.
#[derive(Debug, Default)]
pub(super) struct Home<'a> {
    /// The show; without a title where no folder names it.
    pub(super) show: ShowName,
    /// The season whose folder it is.
    pub(super) season: Option<u32>,
    /// The folder of this one release.
    pub(super) release: Option<&'a str>,
}

/// Reads the folders, the innermost first.
pub(super) fn home(folders: &[String]) -> Home<'_> {
    let mut home = Home::default();
    let mut left = folders;
    while let Some((last, outer)) = left.split_last() {
        left = outer;
        let parent = outer.last().map_or("", String::as_str);
        if folder::is_disc_structure(last) {
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
        // Above a season or an episode is the show; what only sorts is none.
        if folder::is_generic(last) {
            break;
        }
        if home.season.is_none() {
            home.season = trailing_season(last).map(|(season, _)| season);
        }
        home.show = show_folder(unbracketed(last));
        break;
    }
    home
}

/// Without the group that a folder begins with.
fn unbracketed(name: &str) -> &str {
    leading_bracket(name)
        .and_then(|end| name.get(end..))
        .filter(|rest| !key(rest).is_empty())
        .unwrap_or(name)
}

/// The show's title and where it is from.
#[derive(Debug)]
pub(super) struct Show {
    pub(super) title: String,
    pub(super) year: Option<u16>,
    pub(super) from_folder: bool,
}

/// The show of a file with this text in front of its number: the folder's where the file's says the same or less,
/// or where a season's folder stands between; else the file's.
pub(super) fn of(front: &str, home: &Home) -> Show {
    let (title, year) = title_and_year(show_part(front));
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
        title: if named { title } else { String::new() },
        year,
        from_folder: false,
    }
}

/// The text without the group in front; a name of brackets only ("[Group][Show]") has its show in the second.
fn show_part(front: &str) -> &str {
    let rest = unbracketed(front);
    let inner = rest
        .trim()
        .strip_prefix('[')
        .and_then(|inner| inner.split_once(']'));
    match inner {
        Some((inside, _)) if leading_bracket(front).is_some() => inside,
        _ if leading_bracket(front).is_some() && key(rest).is_empty() => "",
        _ => rest.get(..junk::release_start(rest)).unwrap_or(rest),
    }
}

/// The title behind an episode's number, up to the release's words.
pub(super) fn episode_title(text: &str, found: &Found) -> Option<String> {
    let rest = text.get(found.end..)?;
    // "-GRP" at once behind the number is the group.
    let tail = rest.strip_prefix('-');
    if tail.is_some_and(|tail| !tail.contains([' ', '.', '_', '-'])) {
        return None;
    }
    // The first word behind the number may be of the release, unlike the first of a name.
    let padded = format!("x {rest}");
    let end = junk::release_start(&padded);
    let title = padded.get(2..end)?;
    let open = title.find(['[', '{', '【']).unwrap_or(title.len());
    let title = display(title.get(..open)?);
    let title = title.trim_start_matches(|c: char| matches!(c, ')' | ']') || c.is_whitespace());
    // A number alone is a title behind a dash ("S01E01 - 1923"), and noise elsewhere ("s02e01_18536").
    let says = title.chars().any(char::is_alphabetic) || rest.starts_with(" - ");
    (says && !title.is_empty()).then(|| title.to_owned())
}
