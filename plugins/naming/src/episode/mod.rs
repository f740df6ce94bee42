//! Episodes: show, season, number, date and title from a file name and its folders.
//!
//! [`rules`] lists the rules in the order in which they are tried; each returns what it [`Found`] in a [`Name`].

mod date;
mod numbered;
mod range;
mod rules;
mod show;
mod words;

use svc_plugin_api::PartialDate;

use crate::cursor::word_starts;
use crate::folder::trailing_season;
use crate::site::without_sites;
use crate::text::stem;
use crate::token::{Token, tokens};
use crate::{ids, release};

/// The names of an episode, parsed. A part that no name states is absent, never guessed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EpisodeName {
    /// The show's title; empty if neither the file nor a folder states it.
    pub show: String,
    /// The year after the show's title.
    pub show_year: Option<u16>,
    pub show_from_folder: bool,
    /// 0 is the season of specials.
    pub season: Option<u32>,
    pub season_from_folder: bool,
    /// The first episode in the file, within its season.
    pub episode: Option<u32>,
    /// The last one, if the file contains several.
    pub episode_end: Option<u32>,
    /// The number across all seasons, as usual for anime.
    pub absolute: Option<u32>,
    /// The date of an episode that has a date instead of a number.
    pub air_date: Option<PartialDate>,
    pub title: Option<String>,
    /// Ids in the file name.
    pub external_ids: Vec<String>,
    /// Ids in the name of the show's folder.
    pub show_external_ids: Vec<String>,
    /// The rule that matched; the crate's documentation lists them.
    pub pattern: &'static str,
    /// The part of the name that the rule matched.
    pub matched: String,
    /// 0 to 1.
    pub confidence: f64,
}

/// The input of the rules: a file name and facts from its folders.
pub(super) struct Name<'a> {
    /// Without extension and ids.
    pub(super) text: &'a str,
    /// Where words and numbers begin.
    pub(super) starts: &'a [usize],
    /// Where the words of the release begin; bare numbers after it are ignored.
    pub(super) limit: usize,
    /// The season, if the file is in a season's folder.
    pub(super) season: Option<u32>,
    /// The normalized title of the show's folder.
    pub(super) show_key: &'a str,
    pub(super) tokens: &'a [Token<'a>],
}

impl<'a> Name<'a> {
    /// A name without a folder, in which any word may belong to the title.
    fn alone(text: &'a str, starts: &'a [usize]) -> Self {
        Self {
            text,
            starts,
            limit: text.len(),
            season: None,
            show_key: "",
            tokens: &[],
        }
    }

    pub(super) fn starts(&self) -> impl Iterator<Item = usize> {
        self.starts.iter().copied()
    }
}

/// The match of a rule.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    /// The matched bytes of the name.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) season: Option<u32>,
    pub(super) episode: Option<u32>,
    pub(super) episode_end: Option<u32>,
    pub(super) absolute: Option<u32>,
    pub(super) date: Option<PartialDate>,
}

/// Parses the name of an episode. `folders` are the names of its folders, outermost first. `None` if nothing
/// indicates an episode.
///
/// ```
/// let name = naming::episode(&["Dark (2017)".into(), "Staffel 2".into()], "03 - Gespenster.mkv").unwrap();
/// assert_eq!((name.show.as_str(), name.show_year), ("Dark", Some(2017)));
/// assert_eq!((name.season, name.episode, name.title.as_deref()), (Some(2), Some(3), Some("Gespenster")));
/// assert_eq!(name.pattern, "folder-season");
/// assert_eq!(naming::episode(&[], "Holiday.mp4"), None);
/// ```
pub fn episode(folders: &[String], file_name: &str) -> Option<EpisodeName> {
    let (text, external_ids) = ids::take_ids(stem(file_name));
    let text = without_sites(&text);
    let words = tokens(text);
    let home = show::home(folders);
    let show_key = crate::text::key(&home.show.title);
    let starts: Vec<usize> = word_starts(text).collect();
    let name = Name {
        text,
        starts: &starts,
        limit: release::start_of(text, &words),
        season: home.season,
        show_key: &show_key,
        tokens: &words,
    };
    let by_file = rules::find(&name).map(|(rule, found)| (rule.pattern, rule.confidence, found, text));
    let (pattern, confidence, found, matched_in) = by_file
        .filter(|(_, confidence, ..)| *confidence > rules::FOLDER_RELEASE || home.release.is_none())
        .or_else(|| rules::of_release_folder(home.release))
        .or_else(|| rules::of_season_folder(&home))?;
    let in_file = std::ptr::eq(matched_in, text);
    let front = matched_in.get(..found.start).unwrap_or_default();
    let (front, found) =
        with_season_in_front(show::without_number(date::without_trailing(front), &found), found);
    let mut show = show::of(front, &home, &found);
    let is_placed = found.episode.is_some() || found.absolute.is_some() || found.date.is_some();
    let mut title = (in_file && is_placed)
        .then(|| show::episode_title(&name, &found))
        .flatten();
    // Numbered lists state the show in each line.
    let in_list = pattern == rules::LEADING || found.date.is_some() || matches!(front, "[" | "(");
    if show.title.is_empty() && in_list {
        (show.title, title) = show::in_line(title, found.date.is_some());
    }
    Some(EpisodeName {
        show: show.title,
        show_year: show.year,
        show_from_folder: show.from_folder,
        season: found
            .season
            .or_else(|| home.season.filter(|_| found.absolute.is_none())),
        season_from_folder: found.season.is_none() && found.absolute.is_none() && home.season.is_some(),
        episode: found.episode,
        episode_end: found.episode_end.filter(|end| Some(*end) > found.episode),
        absolute: found.absolute,
        air_date: found.date,
        title,
        external_ids,
        show_external_ids: home.show.external_ids,
        pattern,
        matched: matched_in
            .get(found.start..found.end)
            .unwrap_or_default()
            .to_owned(),
        confidence,
    })
}

/// Removes the season from the text before an episode's number and assigns it to the number: "Show 2nd Season - 04",
/// "Show - Temporada 4 [HDTV][Cap.408]".
fn with_season_in_front(front: &str, found: Found) -> (&str, Found) {
    let is_numbered = found.episode.is_some() || found.absolute.is_some();
    let Some(trailing) = trailing_season(front)
        .filter(|trailing| is_numbered && found.season.is_none_or(|own| own == trailing.season))
    else {
        return (front, found);
    };
    let found = match found.season {
        Some(_) => found,
        None => Found {
            season: Some(trailing.season),
            episode: found.episode.or(found.absolute),
            absolute: None,
            ..found
        },
    };
    (front.get(..trailing.start).unwrap_or(front), found)
}

/// The show that these folders belong to, for a file whose name does not state it; without a title if they are no
/// show's.
pub fn show_of(folders: &[String]) -> crate::folder::ShowName {
    show::home(folders).show
}
