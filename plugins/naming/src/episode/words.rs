//! Rules that go by a word or a date: "Season 3 Episode 9", "Ep03", "Folge 7", "第03話", "2017.04.20", "Part III".

use svc_plugin_api::{PartialDate, date_from_parts};

use super::rules::more_episodes;
use super::{Found, Name};
use crate::cursor::{Cursor, word_starts};
use crate::folder::SEASON_WORDS;

/// "Episode" in the languages of files, in lower case; the number follows.
const EPISODE_WORDS: &[&str] = &[
    "episode",
    "episodes",
    "episodio",
    "episódio",
    "épisode",
    "episod",
    "epizoda",
    "epizod",
    "epizóda",
    "ep",
    "eps",
    "folge",
    "teil",
    "aflevering",
    "afl",
    "avsnitt",
    "afsnit",
    "jakso",
    "odcinek",
    "odc",
    "díl",
    "bölüm",
    "bolum",
    "capitulo",
    "capítulo",
    "cap",
    "επεισόδιο",
    "эпизод",
    "серия",
    "выпуск",
    "rész",
    "chapter",
    "tập",
    "الحلقة",
    "פרק",
];

/// "Episode" behind its number: "03. Bölüm", "3 серия", "03화".
const WORDS_BEHIND: &[&str] = &[
    "серия",
    "эпизод",
    "выпуск",
    "bölüm",
    "bolum",
    "rész",
    "díl",
    "화",
    "회",
    "話",
    "话",
    "集",
];

const PART_WORDS: &[&str] = &["part", "pt", "parte", "partie", "часть", "del"];

const SPECIAL_WORDS: &[&str] = &["special", "sp", "ova", "oad", "ona"];

/// "Season 3 Episode 9", "Staffel 2 Folge 4", "Temporada 1 Capítulo 2".
pub(super) fn season_episode_words(name: &Name) -> Option<Found> {
    word_starts(name.text).find_map(|start| {
        let mut cursor = Cursor::new(name.text, start);
        let season = if cursor.any_word(SEASON_WORDS) {
            cursor.skip(" ._-", 2);
            cursor.number(1, 4)?
        } else {
            let number = cursor.number(1, 2)?;
            cursor.skip(" ._", 2);
            cursor.any_word(SEASON_WORDS).then_some(number)?
        };
        cursor.skip(" ._-,", 4);
        let episode = if cursor.any_word(EPISODE_WORDS) || cursor.word("e") {
            cursor.skip(" ._-#", 3);
            cursor.number(1, 4)?
        } else {
            let number = cursor.number(1, 4)?;
            cursor.skip(" ._", 2);
            cursor.any_word(WORDS_BEHIND).then_some(number)?
        };
        let end = more_episodes(&mut cursor, None, episode);
        cursor.ends_word().then_some(Found {
            start,
            end: cursor.at,
            season: Some(season),
            episode: Some(episode),
            episode_end: Some(end),
            ..Found::default()
        })
    })
}

/// "E03", "Ep_03-05", "Episode 16", "Folge 3", "第03話", "03화".
pub(super) fn episode_word(name: &Name) -> Option<Found> {
    word_starts(name.text).find_map(|start| {
        let mut cursor = Cursor::new(name.text, start);
        let episode = if cursor.any_word(EPISODE_WORDS) {
            cursor.skip(" ._-#", 3);
            cursor.number(1, 4)?
        } else if cursor.word("e") {
            cursor.number(1, 4)?
        } else {
            cursor.any_word(&["第", "제"]);
            let number = cursor.number(1, 4)?;
            cursor.skip(" ._", 2);
            let counted = cursor.any_word(WORDS_BEHIND);
            return counted.then_some(episode_found(start, cursor.at, number, number));
        };
        let end = more_episodes(&mut cursor, None, episode);
        cursor
            .ends_number()
            .then(|| episode_found(start, cursor.at, episode, end))
    })
}

fn episode_found(start: usize, end: usize, episode: u32, last: u32) -> Found {
    Found {
        start,
        end,
        episode: Some(episode),
        episode_end: Some(last),
        ..Found::default()
    }
}

/// "SP1", "OVA 2", "Special 3": episodes of season 0.
pub(super) fn special(name: &Name) -> Option<Found> {
    word_starts(name.text)
        .filter(|start| *start > 0 && *start < name.limit)
        .find_map(|start| {
            let mut cursor = Cursor::new(name.text, start);
            let named = cursor.any_word(SPECIAL_WORDS);
            cursor.skip(" ._-#", 3);
            let number = named.then(|| cursor.number(1, 3)).flatten()?;
            cursor.ends_number().then_some(Found {
                start,
                end: cursor.at,
                season: Some(0),
                episode: Some(number),
                ..Found::default()
            })
        })
}

/// "Part 3", "Part.III", "pt2".
pub(super) fn part(name: &Name) -> Option<Found> {
    word_starts(name.text)
        .filter(|start| *start > 0)
        .find_map(|start| {
            let mut cursor = Cursor::new(name.text, start);
            let named = cursor.any_word(PART_WORDS);
            let apart = cursor.skip(" ._-", 3) > 0;
            let number = named
                .then(|| {
                    cursor
                        .number(1, 2)
                        .or_else(|| apart.then(|| cursor.roman()).flatten())
                })
                .flatten()?;
            cursor
                .ends_word()
                .then(|| episode_found(start, cursor.at, number, number))
        })
}

/// A day: `2017.04.20`, `2017-04-20`, `2018_03_24`, `20170420`, `20.04.2017`, `2026年01月10日`.
pub(super) fn date(name: &Name) -> Option<Found> {
    word_starts(name.text).find_map(|start| {
        let cursor = Cursor::new(name.text, start);
        let (date, end) = year_first(cursor)
            .or_else(|| day_first(cursor))
            .or_else(|| compact_date(cursor))?;
        Some(Found {
            start,
            end,
            date: Some(date),
            ..Found::default()
        })
    })
}

fn year_first(mut cursor: Cursor) -> Option<(PartialDate, usize)> {
    let year = cursor.number(4, 4)?;
    let separator = cursor.take(".-_ 年/")?;
    let month = cursor.number(1, 2)?;
    let same = if separator == '年' {
        cursor.take("月")
    } else {
        cursor.take(&separator.to_string())
    };
    same?;
    let day = cursor.number(1, 2)?;
    if separator == '年' {
        cursor.take("日");
    }
    Some((whole_date(year, month, day)?, cursor.at))
}

fn day_first(mut cursor: Cursor) -> Option<(PartialDate, usize)> {
    let day = cursor.number(2, 2)?;
    let separator = cursor.take(".-_ ")?;
    let month = cursor.number(2, 2)?;
    cursor.take(&separator.to_string())?;
    let year = cursor.number(4, 4)?;
    Some((whole_date(year, month, day)?, cursor.at))
}

fn compact_date(mut cursor: Cursor) -> Option<(PartialDate, usize)> {
    let number = cursor.number(8, 8)?;
    let date = whole_date(number / 10_000, number / 100 % 100, number % 100)?;
    cursor.ends_word().then_some((date, cursor.at))
}

/// A date of all three parts, in the years of television.
fn whole_date(year: u32, month: u32, day: u32) -> Option<PartialDate> {
    let year = u16::try_from(year)
        .ok()
        .filter(|year| (1930..=2099).contains(year))?;
    date_from_parts(year, u8::try_from(month).ok(), u8::try_from(day).ok()).filter(|date| date.day.is_some())
}
