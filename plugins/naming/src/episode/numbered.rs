//! Rules for numbers without a word: "02 - Name" in a season's folder, "Show - 013", "[04]", "203".

use super::range::more_episodes;
use super::{Found, Name};
use crate::cursor::Cursor;
use crate::text::key;
use crate::token::{Bracket, leading_bracket};
use crate::year::is_year;

/// Numbers of picture heights and codecs.
const NO_EPISODES: &[u32] = &[264, 265, 266, 480, 540, 576, 720, 1080, 2160];

/// A file in a season's folder: the leading number, the one after a dash, or the last.
pub(super) fn folder_number(name: &Name) -> Option<Found> {
    let season = name.season?;
    let number = leading_number(name)
        .or_else(|| dashed(name))
        .or_else(|| in_bracket(name))
        .or_else(|| last_number(name))?;
    Some(without_season(number, season))
}

/// Removes the season's digits: "203" in the folder of season 2 is episode 3; likewise "2003" or "1203" in season 12.
fn without_season(found: Found, season: u32) -> Found {
    let inner = found
        .episode
        .filter(|episode| season > 0 && *episode > 100 && episode / 100 == season && episode % 100 > 0);
    match inner {
        Some(episode) if found.episode_end == found.episode => Found {
            episode: Some(episode % 100),
            episode_end: None,
            season: Some(season),
            ..found
        },
        _ => found,
    }
}

/// "02 - Name", "02-03 - Name", "2. Name", "16 Name". Skips the title of a show whose title is a number ("24 - 05").
fn leading_number(name: &Name) -> Option<Found> {
    let group = leading_bracket(name.text).unwrap_or(0);
    let start = group + name.text.get(group..)?.find(char::is_alphanumeric)?;
    let mut cursor = Cursor::new(name.text, start);
    let episode = cursor.number(1, 4)?;
    let digits = name.text.get(start..cursor.at)?;
    let year_like = digits.len() == 4 && is_year(episode) && cursor.at < name.text.len();
    let is_show = digits == name.show_key && cursor.at < name.text.len();
    if year_like || is_show || cursor.at > name.limit {
        return None;
    }
    let end = more_episodes(&mut cursor, None, episode);
    let fits = cursor.ends_number() && cursor.peek() != Some('\'');
    fits.then_some(Found {
        start,
        end: cursor.at,
        episode: Some(episode),
        episode_end: Some(end),
        ..Found::default()
    })
}

/// The number after a dash between spaces: "Show - 013v2 [720p]", "Show_-_13_".
fn dashed(name: &Name) -> Option<Found> {
    let dashes = name
        .text
        .match_indices(['-', '–'])
        .map(|(at, _)| at)
        .filter(|at| *at > 0);
    dashes.filter(|at| *at < name.limit).find_map(|at| {
        let before = name.text.get(..at)?.chars().next_back()?;
        let mut cursor = Cursor::new(name.text, at);
        cursor.take("-–");
        let spaced = matches!(before, ' ' | '_' | '.') && cursor.skip(" _.#", 2) > 0;
        let start = cursor.at;
        let episode = spaced.then(|| cursor.number(1, 4)).flatten()?;
        let year_like = cursor.at - start == 4 && is_year(episode);
        let end = more_episodes(&mut cursor, None, episode);
        (!year_like && cursor.ends_number()).then_some(Found {
            start: at,
            end: cursor.at,
            episode: Some(episode),
            episode_end: Some(end),
            ..Found::default()
        })
    })
}

/// The same as an absolute number.
pub(super) fn absolute_dash(name: &Name) -> Option<Found> {
    dashed(name).map(absolute)
}

/// A bracket with only a number: "[04]", "[04v2]", "[01-12]".
fn in_bracket(name: &Name) -> Option<Found> {
    name.text
        .match_indices(['[', '【'])
        .filter(|(at, _)| *at > 0)
        .find_map(|(at, bracket)| {
            let mut cursor = Cursor::new(name.text, at + bracket.len());
            cursor.word("第");
            let number = cursor.number(1, 4).filter(|number| !is_year(*number))?;
            let last = more_episodes(&mut cursor, None, number);
            cursor.ends_number();
            cursor.any_word(&["话", "話", "集", "回"]);
            matches!(cursor.peek(), Some(']' | '】')).then_some(Found {
                start: at,
                end: cursor.at,
                episode: Some(number),
                episode_end: Some(last),
                ..Found::default()
            })
        })
}

/// The same as an absolute number.
pub(super) fn bracketed(name: &Name) -> Option<Found> {
    in_bracket(name).map(absolute)
}

/// The same in parentheses, or without a group: "Show_\[04\]", "Show (04) \[720p\]". At least two digits.
pub(super) fn in_any_bracket(name: &Name) -> Option<Found> {
    name.tokens
        .iter()
        .filter(|token| {
            token.bracket != Bracket::None && token.start > 1 && (2..=3).contains(&token.text.len())
        })
        .find_map(|token| {
            let number = token.number().filter(|number| !NO_EPISODES.contains(number))?;
            let before = name.text.get(..token.start)?.chars().next_back()?;
            let following = name.text.get(token.end..)?.chars().next()?;
            let alone = matches!((before, following), ('[', ']') | ('(', ')') | ('【', '】'));
            alone.then(|| {
                absolute(Found {
                    start: token.start - before.len_utf8(),
                    end: token.end,
                    episode: Some(number),
                    ..Found::default()
                })
            })
        })
}

/// "4-12 - Name" outside a season's folder: season and episode.
pub(super) fn season_dash(name: &Name) -> Option<Found> {
    let mut cursor = Cursor::new(name.text, 0);
    let season = cursor.number(1, 2).filter(|season| *season > 0)?;
    let dashed = name.season.is_none() && cursor.take("-").is_some();
    let episode = dashed.then(|| cursor.number(2, 2)).flatten()?;
    let fits = cursor.ends_word() && cursor.peek() != Some('-');
    fits.then_some(Found {
        end: cursor.at,
        season: Some(season),
        episode: Some(episode),
        ..Found::default()
    })
}

/// "02 - Name", "12": an absolute number.
pub(super) fn leading(name: &Name) -> Option<Found> {
    leading_number(name).map(absolute)
}

/// "show.203.title", "show_102", "show.1013", "show.103.104": a season and an episode of two digits. In the release
/// of a fansub group it is an absolute number.
pub(super) fn compact(name: &Name) -> Option<Found> {
    if leading_bracket(name.text).is_some() {
        return None;
    }
    name.starts()
        .filter(|start| *start > 0 && *start < name.limit)
        .find_map(|start| {
            let before = name.text.get(..start)?.chars().next_back()?;
            let mut cursor = Cursor::new(name.text, start);
            let number = compact_number(&mut cursor).filter(|_| matches!(before, '.' | '_'))?;
            let mut last = number;
            loop {
                let mut further = cursor;
                let joined = further.take(".-_").is_some();
                let next = joined.then(|| compact_number(&mut further)).flatten();
                match next {
                    Some(next) if next == last + 1 => (last, cursor) = (next, further),
                    _ => break,
                }
            }
            Some(Found {
                start,
                end: cursor.at,
                season: Some(number / 100),
                episode: Some(number % 100),
                episode_end: Some(last % 100),
                ..Found::default()
            })
        })
}

fn compact_number(cursor: &mut Cursor) -> Option<u32> {
    let number = cursor
        .number(3, 4)
        .filter(|number| *number > 100 && number % 100 > 0 && number / 100 < 40)?;
    let fits = cursor.ends_word() && !NO_EPISODES.contains(&number) && !is_year(number);
    fits.then_some(number)
}

/// "The Show 82": the last number before the words of the release.
pub(super) fn trailing(name: &Name) -> Option<Found> {
    last_number(name).map(absolute)
}

fn last_number(name: &Name) -> Option<Found> {
    let group = leading_bracket(name.text).unwrap_or(0);
    let front = name.text.get(..name.limit)?;
    let mut plain =
        name.tokens.iter().rev().filter(|token| {
            token.bracket == Bracket::None && token.start >= group && token.end <= name.limit
        });
    let last = plain.next()?;
    let mut plain = plain.peekable();
    plain.peek()?;
    let digits = last.text.strip_suffix(|c: char| c == 'v').unwrap_or(last.text);
    let mut cursor = Cursor::new(name.text, last.start);
    let number = cursor
        .number(1, 4)
        .filter(|number| !NO_EPISODES.contains(number) && *number > 0)?;
    let year_like = digits.len() == 4 && is_year(number);
    let is_show = key(front.get(group..)?) == name.show_key;
    let fits = cursor.ends_number() && !year_like && !is_show;
    // "Show 01-12".
    let range = plain.next().and_then(|first| {
        let joint = name.text.get(first.end..last.start)?;
        let first_number = first.number().filter(|first| *first > 0 && *first < number)?;
        (matches!(joint, "-" | "~" | "–") && !is_year(first_number)).then_some((first.start, first_number))
    });
    let (start, first) = range.unwrap_or((number_sign(front, last.start), number));
    fits.then_some(Found {
        start,
        end: cursor.at,
        episode: Some(first),
        episode_end: Some(number),
        ..Found::default()
    })
}

/// A number of two digits with a leading zero before a title: "Show.05.Title", "Show 05. Title".
pub(super) fn padded(name: &Name) -> Option<Found> {
    let group = leading_bracket(name.text).unwrap_or(0);
    name.tokens
        .iter()
        .skip(1)
        .filter(|token| token.bracket == Bracket::None && token.start > group && token.end <= name.limit)
        .find(|token| token.text.len() == 2 && token.text.starts_with('0') && token.is_number())
        .map(|token| {
            absolute(Found {
                start: token.start,
                end: token.end,
                episode: token.number(),
                ..Found::default()
            })
        })
}

/// The start of a number including the sign before it: "#12", "No. 12", "Nr.12".
fn number_sign(text: &str, start: usize) -> usize {
    let front = text.get(..start).unwrap_or_default().trim_end_matches([' ', '.']);
    let sign = ["#", "№", " No", " Nr", "_No", "_Nr"]
        .iter()
        .find_map(|sign| front.strip_suffix(sign));
    sign.map_or(start, str::len)
}

fn absolute(found: Found) -> Found {
    // A range stays a range of episodes: there is no field for a second absolute number.
    match found.episode_end {
        Some(end) if Some(end) > found.episode => found,
        _ => Found {
            absolute: found.episode,
            episode: None,
            episode_end: None,
            ..found
        },
    }
}
