//! Finds the year in a name.

use crate::token::{Bracket, Token};

/// Years in brackets: from the first movies on.
const YEARS: std::ops::RangeInclusive<u32> = 1880..=2099;

/// Years without brackets. Higher numbers occur in titles ("Blade Runner 2049").
const BARE_YEARS: std::ops::RangeInclusive<u32> = 1900..=2039;

/// A year and the index of its token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Year {
    pub(crate) year: u16,
    pub(crate) index: usize,
    /// Whether it is in brackets, which is unambiguous.
    pub(crate) bracketed: bool,
}

fn within(token: &Token, years: &std::ops::RangeInclusive<u32>) -> Option<u16> {
    let year = token
        .number()
        .filter(|year| token.text.len() == 4 && years.contains(year))?;
    u16::try_from(year).ok()
}

/// Whether a number of four digits is more likely a year than an episode.
pub(crate) fn is_year(number: u32) -> bool {
    BARE_YEARS.contains(&number)
}

/// Whether a word may be a year without brackets.
pub(crate) fn is_bare(token: &Token) -> bool {
    within(token, &BARE_YEARS).is_some()
}

/// The year of a name: the first in brackets of its own, else the last that is a separate word. A year without
/// brackets is not the first word, not part of a date, and not after the first word of the release, whose index is
/// `limit`.
pub(crate) fn find(text: &str, tokens: &[Token], limit: Option<usize>) -> Option<Year> {
    let in_brackets = tokens.iter().enumerate().find_map(|(index, token)| {
        let year = within(token, &YEARS)?;
        is_first_in_bracket(text, token).then_some(Year {
            year,
            index,
            bracketed: true,
        })
    });
    if in_brackets.is_some() {
        return in_brackets;
    }
    let last = limit.map_or(tokens.len(), |limit| limit + 1);
    let bare = (1..tokens.len().min(last)).rev().find_map(|index| {
        let token = tokens.get(index)?;
        let year = within(token, &BARE_YEARS)?;
        (token.bracket == Bracket::None && !is_in_date(tokens, index)).then_some(Year {
            year,
            index,
            bracketed: false,
        })
    });
    bare.or_else(|| after_release(tokens, limit))
}

/// The first year among or after the words of the release ("Movie 480p 2001", "Film.German.2011.DVDRip").
fn after_release(tokens: &[Token], limit: Option<usize>) -> Option<Year> {
    (limit? + 1..tokens.len()).find_map(|index| {
        let year = within(tokens.get(index)?, &BARE_YEARS)?;
        (!is_in_date(tokens, index)).then_some(Year {
            year,
            index,
            bracketed: false,
        })
    })
}

/// Whether a year is the first text in a bracket: "(1995)", "[1995, Drama]"; but "(1990-1999)" is a range.
fn is_first_in_bracket(text: &str, token: &Token) -> bool {
    let before = text
        .get(..token.start)
        .and_then(|front| front.trim_end().chars().next_back());
    let following = text.get(token.end..).and_then(|rest| rest.chars().next());
    matches!(before, Some('(' | '[' | '{' | '（'))
        && following.is_some_and(|following| !matches!(following, '-' | '–' | '.' | '_'))
}

/// Whether the adjacent numbers make the year part of a date.
fn is_in_date(tokens: &[Token], index: usize) -> bool {
    let small = |at: Option<usize>| {
        at.and_then(|at| tokens.get(at))
            .filter(|token| (1..=2).contains(&token.text.len()))
            .and_then(Token::number)
            .is_some_and(|number| (1..=31).contains(&number))
    };
    (small(Some(index + 1)) && small(Some(index + 2)))
        || (small(index.checked_sub(1)) && small(index.checked_sub(2)))
            && tokens
                .get(index.saturating_sub(3))
                .is_none_or(|token| within(token, &BARE_YEARS).is_none())
}

#[cfg(test)]
mod tests {
    use super::find;
    use crate::token::tokens;

    #[test]
    fn year_of_a_name_is_no_part_of_a_title_or_date() {
        for (name, year) in [
            ("Movie (2010)", Some(2010)),
            ("Movie 2001 (2013)", Some(2013)),
            ("Blade Runner 2049", None),
            ("Blade.Runner.2049.2017", Some(2017)),
            ("2012", None),
            ("2001 A Space Odyssey 1968", Some(1968)),
            ("My Movie 2013.12.09", None),
            ("My Movie 2013-12-09 2013", Some(2013)),
            ("My Movie 09.12.2013", None),
            ("Movie (1920x1080)", None),
            ("Movie (1999, Drama)", Some(1999)),
            ("Movie (1990-1999)", None),
        ] {
            let found = find(name, &tokens(name), None).map(|year| year.year);
            assert_eq!(found, year, "{name}");
        }
    }
}
