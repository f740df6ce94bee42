//! The table of rules, most reliable first.

use super::date::{date, short_date};
use super::numbered::{
    absolute_dash, bracketed, compact, folder_number, in_any_bracket, leading, padded, season_dash, trailing,
};
use super::range::more_episodes;
use super::show::Home;
use super::words::{chapter, episode_word, of_all, part, season_episode_words, special, special_of_group};
use super::{Found, Name};
use crate::cursor::{Cursor, word_starts};
use crate::folder::trailing_season;
use crate::vocabulary::counting::EPISODE_WORDS;

/// A rule with the name of its pattern and its confidence.
pub(super) struct Rule {
    pub(super) pattern: &'static str,
    pub(super) confidence: f64,
    find: fn(&Name) -> Option<Found>,
}

const fn rule(pattern: &'static str, confidence: f64, find: fn(&Name) -> Option<Found>) -> Rule {
    Rule {
        pattern,
        confidence,
        find,
    }
}

/// The pattern of a number at the start of the name.
pub(super) const LEADING: &str = "leading-number";

/// If the confidence of the file name is lower, the folder of a release ("Show.S01E02.720p-GRP") takes precedence.
pub(super) const FOLDER_RELEASE: f64 = 0.8;

/// Tried in this order; the first match wins. The crate's documentation has the same table.
const RULES: &[Rule] = &[
    rule("sxxexx", 0.98, sxxexx),
    rule("chapter", 0.95, chapter),
    rule("season-episode", 0.95, season_episode_words),
    rule("nxnn", 0.93, nxnn),
    rule("date", 0.9, date),
    rule("sxx-nn", 0.85, sxx_dash),
    rule("n-of-n", 0.83, of_all),
    rule("episode-word", 0.85, episode_word),
    rule("special", 0.65, special),
    rule("folder-season", 0.82, folder_number),
    rule("absolute-group", 0.81, absolute_of_group),
    rule("absolute", 0.65, absolute_dash),
    rule("absolute", 0.6, in_any_bracket),
    rule("part", 0.55, part),
    rule("special", 0.5, special_of_group),
    rule("season-only", 0.25, season_alone),
    rule("n-nn", 0.45, season_dash),
    rule(LEADING, 0.5, leading),
    rule("date", 0.5, short_date),
    rule("compact", 0.45, compact),
    rule("trailing-number", 0.35, trailing),
    rule("trailing-number", 0.3, padded),
];

/// The first rule that matches this name.
pub(super) fn find(name: &Name) -> Option<(&'static Rule, Found)> {
    RULES.iter().find_map(|rule| Some((rule, (rule.find)(name)?)))
}

/// The number in the name of a release's folder, for a file whose own name is less reliable.
pub(super) fn of_release_folder(release: Option<&str>) -> Option<(&'static str, f64, Found, &str)> {
    let text = release?;
    let starts: Vec<usize> = word_starts(text).collect();
    let name = Name::alone(text, &starts);
    let found = sxxexx(&name).or_else(|| date(&name))?;
    Some(("folder-release", FOLDER_RELEASE, found, text))
}

/// A file without a number in a season's folder.
pub(super) fn of_season_folder<'a>(home: &Home<'a>) -> Option<(&'static str, f64, Found, &'a str)> {
    let found = Found {
        season: None,
        ..Found::default()
    };
    home.season.map(|_| ("season-only", 0.25, found, ""))
}

/// `S01E02` and variants: `s1e2`, `S01xE02`, `S01x02`, `s01.e02`, `S3 E9`, `S01E01-E03`.
fn sxxexx(name: &Name) -> Option<Found> {
    name.starts().find_map(|start| {
        let mut cursor = Cursor::new(name.text, start);
        // "T" for "temporada": "T01E02".
        let season = cursor
            .any_word(&["s", "se", "t"])
            .then(|| cursor.number(1, 4))
            .flatten()?;
        let apart = cursor.skip(" ._-([])", 4) > 0;
        let crossed = !apart && cursor.word("x");
        let marked = apart && cursor.word_of(&EPISODE_WORDS) || cursor.any_word(&["ep", "e"]);
        if marked {
            cursor.skip(" ._", 1);
        }
        let episode = (crossed || marked).then(|| cursor.number(1, 4)).flatten()?;
        let mut end = more_episodes(&mut cursor, Some(season), episode);
        let close = cursor.at;
        end = end.max(later_mark(name, close, season, end));
        Some(Found {
            start,
            end: close,
            season: Some(season),
            episode: Some(episode),
            episode_end: Some(end),
            ..Found::default()
        })
    })
}

/// The last episode of a second complete mark: "S02E01-title-S02E02-title".
fn later_mark(name: &Name, from: usize, season: u32, last: u32) -> u32 {
    name.starts()
        .filter(|start| *start >= from)
        .filter_map(|start| full_mark(Cursor::new(name.text, start), season))
        .filter(|episode| *episode > last)
        .max()
        .unwrap_or(last)
}

fn full_mark(mut cursor: Cursor, season: u32) -> Option<u32> {
    let fits = cursor.word("s") && cursor.number(1, 4) == Some(season) && cursor.word("e");
    fits.then(|| cursor.number(1, 4))
        .flatten()
        .filter(|_| cursor.ends_word())
}

/// `1x02`, `01x02-04`, `2009x03`. Excludes picture sizes: seasons of three digits, episodes of four.
fn nxnn(name: &Name) -> Option<Found> {
    name.starts().find_map(|start| {
        let mut cursor = Cursor::new(name.text, start);
        let season = cursor.number(1, 4)?;
        let long = season > 99;
        if !cursor.word("x") || long && !crate::year::is_year(season) {
            return None;
        }
        let episode = cursor.number(1, 3).filter(|episode| !long || *episode <= 366)?;
        let end = more_episodes(&mut cursor, Some(season), episode);
        cursor.ends_number().then_some(Found {
            start,
            end: cursor.at,
            season: Some(season),
            episode: Some(episode),
            episode_end: Some(end),
            ..Found::default()
        })
    })
}

/// A season without an episode number in the file name.
fn season_alone(name: &Name) -> Option<Found> {
    let trailing = trailing_season(name.text)?;
    Some(Found {
        start: trailing.start,
        end: trailing.end,
        season: Some(trailing.season),
        ..Found::default()
    })
}

/// `S2 - 05`, as fansub groups number later seasons, and `S21 999`.
fn sxx_dash(name: &Name) -> Option<Found> {
    name.starts()
        .filter(|start| *start < name.limit)
        .find_map(|start| {
            let mut cursor = Cursor::new(name.text, start);
            let season = cursor.word("s").then(|| cursor.number(1, 2)).flatten()?;
            let apart = cursor.skip(" _.", 1) == 1;
            let dashed = apart && cursor.take("-").is_some() && cursor.skip(" _", 1) == 1;
            let number = cursor.at;
            let episode = apart.then(|| cursor.number(1, 4)).flatten()?;
            // Without a dash the number may be a year or a picture height.
            let fits =
                dashed || number < name.limit && cursor.at - number > 1 && !crate::year::is_year(episode);
            (fits && cursor.ends_number()).then_some(Found {
                start,
                end: cursor.at,
                season: Some(season),
                episode: Some(episode),
                ..Found::default()
            })
        })
}

fn absolute_of_group(name: &Name) -> Option<Found> {
    crate::token::leading_bracket(name.text)?;
    absolute_dash(name).or_else(|| bracketed(name))
}
