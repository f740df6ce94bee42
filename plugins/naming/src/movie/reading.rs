//! Parses a single name, of a file or a folder.

use crate::edition::{self, Part};
use crate::site::without_sites;
use crate::text::display;
use crate::token::{Bracket, Token, leading_bracket, tokens};
use crate::{ids, marker, release, year};

/// One name, of a file or a folder, parsed.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) title: String,
    pub(super) year: Option<u16>,
    pub(super) year_is_bracketed: bool,
    pub(super) edition: Option<String>,
    pub(super) part: Option<(u32, bool)>,
    /// The title including a part that may belong to it.
    pub(super) title_with_part: Option<String>,
    pub(super) ids: Vec<String>,
    pub(super) matched: String,
    pub(super) has_release: bool,
}

/// Parses one name.
pub(super) fn read(name: &str) -> Reading {
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
