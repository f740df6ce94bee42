//! Tokens of a name: words with their position, bracket and vocabulary class.

use crate::vocabulary::{self, Class, Kind, Sure};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bracket {
    None,
    Round,
    Square,
    Curly,
}

/// A run of letters and digits, with apostrophes inside it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) bracket: Bracket,
    pub(crate) kind: Kind,
}

impl Token<'_> {
    pub(crate) fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    pub(crate) fn is_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.is(word))
    }

    pub(crate) fn is_number(&self) -> bool {
        self.text.bytes().all(|byte| byte.is_ascii_digit())
    }

    pub(crate) fn number(&self) -> Option<u32> {
        self.is_number().then(|| self.text.parse().ok()).flatten()
    }
}

const MAX_TOKENS: usize = 128;

/// Splits a name into words.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::with_capacity(24);
    let mut bracket = Bracket::None;
    let mut start = None;
    let mut before = ' ';
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        let next = characters.peek().map_or(' ', |(_, next)| *next);
        let inside = matches!(character, '\'' | '’') && before.is_alphanumeric() && next.is_alphanumeric();
        if character.is_alphanumeric() || inside {
            start.get_or_insert(at);
        } else {
            push(&mut tokens, text, start.take(), at, bracket);
            bracket = after(bracket, character);
        }
        before = character;
    }
    push(&mut tokens, text, start, text.len(), bracket);
    tokens.truncate(MAX_TOKENS);
    name_pairs(text, &mut tokens);
    tokens
}

fn push<'a>(tokens: &mut Vec<Token<'a>>, text: &'a str, start: Option<usize>, end: usize, bracket: Bracket) {
    if let Some(start) = start
        && let Some(word) = text.get(start..end)
    {
        let kind = if bracket != Bracket::None && is_checksum(word) {
            Kind::CHECKSUM
        } else {
            vocabulary::kind(word)
        };
        tokens.push(Token {
            text: word,
            start,
            end,
            bracket,
            kind,
        });
    }
}

fn after(bracket: Bracket, character: char) -> Bracket {
    match character {
        '(' | '（' => Bracket::Round,
        '[' | '【' => Bracket::Square,
        '{' => Bracket::Curly,
        ')' | '）' | ']' | '】' | '}' => Bracket::None,
        _ => bracket,
    }
}

/// The eight hexadecimal digits of a checksum: "[A1B2C3D4]". Eight decimal digits are more likely a date.
fn is_checksum(word: &str) -> bool {
    word.len() == 8
        && word.bytes().all(|byte| byte.is_ascii_hexdigit())
        && !word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Classifies words that are split into two tokens, and channels ("5.1").
fn name_pairs(text: &str, tokens: &mut [Token]) {
    for index in 1..tokens.len() {
        let [.., first, second] = tokens.get(..=index).unwrap_or_default() else {
            continue;
        };
        let between = text.get(first.end..second.start).unwrap_or_default();
        if between.len() != 1 {
            continue;
        }
        let behind_sound = || {
            let before = index.checked_sub(2).and_then(|at| tokens.get(at));
            before.is_some_and(|before| before.kind.class == Class::Audio)
        };
        let is_channels = matches!(between, "." | "_")
            && first.text.len() == 1
            && first.is_number()
            && (second.is("1") && matches!(first.text, "5" | "6" | "7") || second.is("0") && behind_sound());
        let kind = if is_channels {
            Some(Kind::CHANNELS)
        } else {
            vocabulary::pair(first.text, second.text)
        };
        let Some(kind) = kind else { continue };
        for at in [index - 1, index] {
            if let Some(token) = tokens.get_mut(at)
                && token.kind.sure < Sure::Certain
            {
                token.kind = kind;
            }
        }
    }
}

/// The end of a leading bracket, such as a release group's ("[Group] Name"); `None` without one.
pub(crate) fn leading_bracket(text: &str) -> Option<usize> {
    let closing = match text.trim_start().chars().next()? {
        '[' => ']',
        '【' => '】',
        _ => return None,
    };
    let at = text.find(closing)?;
    Some(at + closing.len_utf8())
}
