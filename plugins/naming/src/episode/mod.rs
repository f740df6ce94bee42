//! Episodes: show, season, number, date and title from a file's name and its folders.
//!
//! [`rules`] is the table of the rules, in the order in which they are tried; each finds a [`Found`] in a [`Name`].

mod numbered;
mod rules;
mod show;
mod words;

use svc_plugin_api::PartialDate;

use crate::folder::trailing_season;
use crate::text::stem;
use crate::{ids, junk};

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
    /// Where the release's words begin; no bare number is looked for behind.
    pub(super) limit: usize,
    /// The season of the folder, if it is one's.
    pub(super) season: Option<u32>,
    /// The key of the show's folder.
    pub(super) show_key: &'a str,
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
    let home = show::home(folders);
    let show_key = crate::text::key(&home.show.title);
    let name = Name {
        text: &text,
        limit: junk::release_start(&text),
        season: home.season,
        show_key: &show_key,
    };
    let by_file =
        rules::find(&name).map(|(rule, found)| (rule.pattern, rule.confidence, found, text.as_str()));
    let (pattern, confidence, found, matched_in) = by_file
        .filter(|(_, confidence, ..)| *confidence > rules::FOLDER_RELEASE || home.release.is_none())
        .or_else(|| rules::of_release_folder(home.release))
        .or_else(|| rules::of_season_folder(&home))?;
    let in_file = std::ptr::eq(matched_in, text.as_str());
    let front = if in_file {
        text.get(..found.start)
    } else {
        matched_in.get(..found.start)
    };
    let front = front.unwrap_or_default();
    // "Show 2nd Season - 04": the number is that of the season in front of it.
    let (front, season_in_front) = match trailing_season(front).filter(|_| found.absolute.is_some()) {
        Some((season, at)) => (front.get(..at).unwrap_or(front), Some(season)),
        None => (front, None),
    };
    let found = match season_in_front {
        Some(season) => Found {
            season: Some(season),
            episode: found.absolute,
            absolute: None,
            ..found
        },
        None => found,
    };
    let show = show::of(front, &home);
    let title = in_file.then(|| show::episode_title(&text, &found)).flatten();
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

/// The show that these folders belong to, for a file whose name says nothing; without a title where they do not.
pub fn show_of(folders: &[String]) -> crate::folder::ShowName {
    show::home(folders).show
}
