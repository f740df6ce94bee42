//! Episodes: show, season, number, date and title from a file's name and its folders.
//!
//! [`rules`] is the table of the rules, in the order in which they are tried; each finds a [`Found`] in a [`Name`].

mod date;
mod numbered;
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

/// What the names say of an episode. A part that no name has is absent, never guessed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EpisodeName {
    /// The show's title; empty where neither the file nor a folder has one.
    pub show: String,
    /// The year behind the show's title.
    pub show_year: Option<u16>,
    /// Whether the show's title is that of a folder.
    pub show_from_folder: bool,
    /// The season; 0 holds the specials.
    pub season: Option<u32>,
    /// Whether the season is that of a folder.
    pub season_from_folder: bool,
    /// The first episode in the file, within its season.
    pub episode: Option<u32>,
    /// The last one, where the file has more than one.
    pub episode_end: Option<u32>,
    /// The number through all seasons, as for anime.
    pub absolute: Option<u32>,
    /// The day of a show that is named by days.
    pub air_date: Option<PartialDate>,
    /// The episode's title.
    pub title: Option<String>,
    /// Ids of the file's own name.
    pub external_ids: Vec<String>,
    /// Ids of the show's folder.
    pub show_external_ids: Vec<String>,
    /// The rule that matched; the table is in the crate's documentation.
    pub pattern: &'static str,
    /// The piece of the name that it matched.
    pub matched: String,
    /// How sure that is, 0 to 1.
    pub confidence: f64,
}

/// A file's name and what its folders say, for the rules.
pub(super) struct Name<'a> {
    /// Without ending and ids.
    pub(super) text: &'a str,
    /// Where words and numbers begin.
    pub(super) starts: &'a [usize],
    /// Where the release's words begin; no bare number is looked for behind.
    pub(super) limit: usize,
    /// The season of the folder, if it is one's.
    pub(super) season: Option<u32>,
    /// The key of the show's folder.
    pub(super) show_key: &'a str,
    /// The words of the text.
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

/// What a rule found.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Found {
    /// The piece it went by, in bytes.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) season: Option<u32>,
    pub(super) episode: Option<u32>,
    pub(super) episode_end: Option<u32>,
    pub(super) absolute: Option<u32>,
    pub(super) date: Option<PartialDate>,
}

/// Reads an episode's name. `folders` are the names of the folders that the file is in, outermost first. `None`
/// where nothing says that this is an episode.
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
    // A list that names its show in each line.
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

/// The text in front of a number without its season, which is the number's then: "Show 2nd Season - 04",
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

/// The show that these folders belong to, for a file whose name says nothing; without a title where they do not.
pub fn show_of(folders: &[String]) -> crate::folder::ShowName {
    show::home(folders).show
}
