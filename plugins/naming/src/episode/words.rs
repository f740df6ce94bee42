//! Rules for numbers with a word: "Season 3 Episode 9", "Ep03", "Folge 7", "第03話", "Cap.408", "3of5", "Part III".

use super::range::more_episodes;
use super::{Found, Name};
use crate::cursor::Cursor;
use crate::text::key;
use crate::token::leading_bracket;
use crate::vocabulary::counting::{
    EPISODE_WORDS, EPISODE_WORDS_AFTER, EXTRA_WORDS, OF_WORDS, ORDINALS, PART_WORDS, SEASON_WORDS,
    SPECIAL_WORDS,
};
use crate::vocabulary::is_shouted;
use crate::vocabulary::words::Words;

/// "Season 3 Episode 9", "Staffel 2 Folge 4", "Temporada 1 Capítulo 2".
pub(super) fn season_episode_words(name: &Name) -> Option<Found> {
    name.starts().find_map(|start| {
        let mut cursor = Cursor::new(name.text, start);
        let season = if cursor.word_of(&SEASON_WORDS) {
            cursor.skip(" ._-", 2);
            cursor.number(1, 4)?
        } else {
            let number = cursor.number(1, 2).or_else(|| cursor.number_word())?;
            let _ = cursor.word_of(&ORDINALS);
            cursor.skip(" ._", 2);
            cursor.word_of(&SEASON_WORDS).then_some(number)?
        };
        cursor.skip(" ._-,:()[]", 5);
        let episode = if cursor.word_of(&EPISODE_WORDS) || cursor.word("e") {
            cursor.skip(" ._-#", 3);
            cursor.number(1, 4)?
        } else {
            let number = cursor.number(1, 4)?;
            let mut following = cursor;
            let last = more_episodes(&mut following, None, number);
            following.skip(" ._", 2);
            let named = following.word_of(&EPISODE_WORDS_AFTER) && following.ends_word();
            return named.then(|| Found {
                season: Some(season),
                ..episode_found(start, following.at, number, last)
            });
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
    name.starts().find_map(|start| {
        let mut cursor = Cursor::new(name.text, start);
        let episode = if cursor.word_of(&EPISODE_WORDS) {
            let apart = cursor.skip(" ._-#", 3) > 0;
            match cursor.number(1, 4) {
                None if apart => cursor.number_word()?,
                number => number?,
            }
        } else if cursor.word("e") {
            cursor.number(1, 4)?
        } else {
            let counted = cursor.any_word(&["第", "제"]);
            let number = cursor
                .number(1, 4)
                .or_else(|| counted.then(|| cursor.number_word()).flatten())?;
            cursor.skip(" ._", 2);
            let counted = cursor.word_of(&EPISODE_WORDS_AFTER);
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

/// "Cap.408", "Cap.102_105": the season and two digits of the episode, as in Spanish releases. Numbers of two digits
/// match [`episode_word`].
pub(super) fn chapter(name: &Name) -> Option<Found> {
    name.starts().find_map(|start| {
        let mut cursor = Cursor::new(name.text, start);
        let named = cursor.word("cap");
        cursor.skip(" .", 2);
        let number = named.then(|| cursor.number(3, 4)).flatten()?;
        let mut further = cursor;
        further.take("-_");
        let last = further
            .number(3, 4)
            .filter(|last| last / 100 == number / 100 && *last > number);
        if last.is_some() {
            cursor = further;
        }
        (number % 100 > 0 && cursor.ends_word()).then_some(Found {
            start,
            end: cursor.at,
            season: Some(number / 100),
            episode: Some(number % 100),
            episode_end: last.map(|last| last % 100),
            ..Found::default()
        })
    })
}

/// "3of5", "(3 of 5)", "Part 3 of 5", "3-4of9": the number and the total.
pub(super) fn of_all(name: &Name) -> Option<Found> {
    name.starts().find_map(|start| {
        let mut cursor = Cursor::new(name.text, start);
        let number = cursor.number(1, 2).filter(|number| *number > 0)?;
        let mut further = cursor;
        further.take("-+&");
        let last = further.number(1, 2).filter(|last| *last > number);
        if last.is_some() {
            cursor = further;
        }
        let apart = cursor.skip(" ._", 1);
        let joined = cursor.word_of(&OF_WORDS);
        let again = cursor.skip(" ._", 1);
        let all = joined.then(|| cursor.number(1, 3)).flatten()?;
        let last = last.unwrap_or(number);
        if apart != again || last > all || !cursor.ends_word() {
            return None;
        }
        let front = name.text.get(..start)?.trim_end_matches([' ', '.', '_', '-']);
        let begin = front.rfind(|character: char| !character.is_alphanumeric());
        let begin = begin.map_or(0, |at| {
            at + front
                .get(at..)
                .and_then(|rest| rest.chars().next())
                .map_or(1, char::len_utf8)
        });
        let is_word = |words: &Words| {
            let mut word = Cursor::new(front, begin);
            word.word_of(words) && word.at == front.len()
        };
        // "Season 3of5" counts seasons.
        if is_word(&SEASON_WORDS) {
            return None;
        }
        let named = is_word(&PART_WORDS) || is_word(&EPISODE_WORDS);
        let start = if named { begin } else { start };
        Some(episode_found(start, cursor.at, number, last))
    })
}

/// "SP1", "OVA 2", "Special 3": episodes of season 0.
pub(super) fn special(name: &Name) -> Option<Found> {
    name.starts()
        .filter(|start| *start > 0 && *start < name.limit)
        .find_map(|start| {
            let mut cursor = Cursor::new(name.text, start);
            let named = cursor.word_of(&SPECIAL_WORDS);
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

/// "Show ONA v2", "NCOP1": extras of fansub groups, whose number is not an episode's.
pub(super) fn special_of_group(name: &Name) -> Option<Found> {
    let group = leading_bracket(name.text);
    name.starts()
        .filter(|start| *start > group.unwrap_or(0) && *start <= name.limit)
        .find_map(|start| {
            let mut cursor = Cursor::new(name.text, start);
            let named = cursor.word_of(&EXTRA_WORDS);
            let word = name.text.get(start..cursor.at)?;
            let _ = cursor.number(1, 2);
            // Without a group only in capitals and at the end: "Show - OVA [1080p]".
            let ends = cursor.ends_number()
                && name
                    .text
                    .get(cursor.at..name.limit)
                    .is_none_or(|rest| key(rest).is_empty());
            let fits = group.is_some() && cursor.ends_number() || is_shouted(word) && ends;
            (named && fits).then_some(Found {
                start,
                end: cursor.at,
                season: Some(0),
                ..Found::default()
            })
        })
}

/// "Part 3", "Part.III", "Part Two", "pt2".
pub(super) fn part(name: &Name) -> Option<Found> {
    name.starts().filter(|start| *start > 0).find_map(|start| {
        let mut cursor = Cursor::new(name.text, start);
        let named = cursor.word_of(&PART_WORDS);
        let apart = cursor.skip(" ._-", 3) > 0;
        let number = named
            .then(|| {
                cursor.number(1, 2).or_else(|| {
                    apart
                        .then(|| cursor.number_word().or_else(|| cursor.roman()))
                        .flatten()
                })
            })
            .flatten()?;
        cursor
            .ends_word()
            .then(|| episode_found(start, cursor.at, number, number))
    })
}
