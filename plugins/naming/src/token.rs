//! A name in words, each with its place and the bracket that it stands in.

/// The bracket around a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bracket {
    None,
    Round,
    Square,
    Curly,
}

/// A run of letters and digits; an apostrophe inside belongs to it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Token<'a> {
    pub(crate) text: &'a str,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) bracket: Bracket,
}

impl Token<'_> {
    pub(crate) fn is(&self, word: &str) -> bool {
        self.text.eq_ignore_ascii_case(word)
    }

    pub(crate) fn is_number(&self) -> bool {
        self.text.bytes().all(|byte| byte.is_ascii_digit())
    }

    pub(crate) fn number(&self) -> Option<u32> {
        self.is_number().then(|| self.text.parse().ok()).flatten()
    }
}

/// The most words of one name that are looked at.
const MAX_TOKENS: usize = 128;

/// The words of a name.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
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
    tokens
}

fn push<'a>(tokens: &mut Vec<Token<'a>>, text: &'a str, start: Option<usize>, end: usize, bracket: Bracket) {
    if let Some(start) = start
        && let Some(text) = text.get(start..end)
    {
        tokens.push(Token {
            text,
            start,
            end,
            bracket,
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

/// The end of the bracket that the name begins with, as a release group does ("[Group] Name"); `None` without one.
pub(crate) fn leading_bracket(text: &str) -> Option<usize> {
    let closing = match text.trim_start().chars().next()? {
        '[' => ']',
        '【' => '】',
        _ => return None,
    };
    let at = text.find(closing)?;
    Some(at + closing.len_utf8())
}
