//! Finds the end of the title, where the words of the release begin.

use crate::text::is_article;
use crate::token::{Bracket, Token, leading_bracket, tokens};
use crate::vocabulary::{Class, Sure, is_shouted};
use crate::year;

/// What follows a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Following {
    /// A word that does not belong to the release.
    Other,
    /// The end of the name, or only hints up to it.
    Open,
    /// Words of the release, up to a certain one.
    Release,
}

/// Classifies the words of a name in one pass from last to first.
struct Judge<'a, 'b> {
    tokens: &'b [Token<'a>],
    /// Whether all letters have the same case, so that case carries no information.
    is_flat: bool,
    /// Whether the first word may begin a title.
    in_title: bool,
}

impl Judge<'_, '_> {
    fn sure(&self, token: &Token) -> Sure {
        let kind = token.kind;
        if kind.capitals {
            let counts = if self.is_flat {
                !self.in_title
            } else {
                is_shouted(token.text)
            };
            return if counts { self.raised(token) } else { Sure::No };
        }
        self.raised(token)
    }

    /// The certainty of a word in its context: a language is more certain in capitals (unless all of the name is),
    /// and if it is alone in brackets.
    fn raised(&self, token: &Token) -> Sure {
        let is_describing = matches!(
            token.kind.class,
            Class::Language | Class::Status | Class::Subtitles
        );
        let stands_out = !self.is_flat && is_shouted(token.text) || token.bracket != Bracket::None;
        if is_describing && stands_out && token.kind.sure == Sure::Hint {
            return Sure::Likely;
        }
        // "(VHS)" is a source; a bare "DVD" may belong to the title.
        let is_source = token.kind.class == Class::Source && token.kind.sure == Sure::Likely;
        if is_source && token.bracket != Bracket::None {
            return Sure::Certain;
        }
        token.kind.sure
    }

    /// Whether the words before a year may belong to the release: "Film.German.DL.2011.DVDRip", "Film.CAM.2011.XviD",
    /// but not "The.Good.German.2006.DVDRip", nor if a language follows the year as well.
    fn passes_year(&self, index: usize) -> bool {
        let token = |at: usize| self.tokens.get(at);
        if !token(index).is_some_and(year::is_bare) {
            return false;
        }
        let is_language = |token: &Token| token.kind.class == Class::Language && !token.kind.capitals;
        let before = (1..index).rev().map_while(token);
        before
            .take_while(|token| self.sure(token) > Sure::No)
            .any(|token| match token.kind.class {
                Class::Edition => true,
                Class::Source => !self.is_flat && is_shouted(token.text),
                Class::Language => {
                    let again = self.tokens.iter().skip(index).any(is_language);
                    // An adjective in an English title.
                    let is_phrase = self
                        .tokens
                        .first()
                        .is_some_and(|first| first.is_any(&["the", "a", "an"]));
                    !again && !is_phrase
                }
                _ => false,
            })
    }

    /// The first word of the release, not before `first`.
    fn release(&self, first: usize) -> Option<usize> {
        let mut found = None;
        let mut following = Following::Open;
        for (index, token) in self.tokens.iter().enumerate().skip(first).rev() {
            let sure = self.sure(token);
            let ends = match sure {
                Sure::Certain => true,
                Sure::Likely => following != Following::Other,
                Sure::Hint => following == Following::Release,
                Sure::No => false,
            };
            following = match following {
                _ if ends => Following::Release,
                Following::Open if sure == Sure::Hint => Following::Open,
                Following::Release if self.passes_year(index) => Following::Release,
                _ => Following::Other,
            };
            if ends {
                found = Some(index);
            }
        }
        found
    }
}

fn judge<'a, 'b>(tokens: &'b [Token<'a>], in_title: bool) -> Judge<'a, 'b> {
    let letters = || {
        let words = tokens.iter().filter(|token| token.kind.class == Class::Word);
        words.flat_map(|token| token.text.bytes())
    };
    let is_flat =
        !letters().any(|byte| byte.is_ascii_lowercase()) || !letters().any(|byte| byte.is_ascii_uppercase());
    Judge {
        tokens,
        is_flat,
        in_title,
    }
}

/// The index of the first word of the release. The first word of a name, and the words of a leading bracket, never
/// are.
pub(crate) fn release_index(text: &str, tokens: &[Token]) -> Option<usize> {
    let group_end = leading_bracket(text).unwrap_or(0);
    let mut first = tokens.iter().position(|token| token.start >= group_end)? + 1;
    // An article alone is not a title.
    if tokens.get(first - 1).is_some_and(|token| is_article(token.text)) {
        first += 1;
    }
    judge(tokens, true).release(first)
}

/// The byte offset of the first word of the release; the length of the text if there is none.
pub(crate) fn release_start(text: &str) -> usize {
    start_of(text, &tokens(text))
}

/// Like [`release_start`], for a text that is already tokenized.
pub(crate) fn start_of(text: &str, tokens: &[Token]) -> usize {
    release_index(text, tokens)
        .and_then(|index| tokens.get(index))
        .map_or(text.len(), |token| opening(text, token))
}

/// Like [`start_of`], from this byte offset on, where every word may be the first of the release.
pub(crate) fn start_after(text: &str, tokens: &[Token], from: usize) -> usize {
    let first = tokens.iter().position(|token| token.start >= from);
    first
        .and_then(|first| judge(tokens, false).release(first))
        .and_then(|index| tokens.get(index))
        .map_or(text.len(), |token| opening(text, token).max(from))
}

/// The byte offset of a word including its opening bracket.
pub(crate) fn opening(text: &str, token: &Token) -> usize {
    if token.bracket == Bracket::None {
        return token.start;
    }
    let front = text.get(..token.start).unwrap_or_default();
    front.rfind(['(', '[', '{', '（', '【']).unwrap_or(token.start)
}

#[cfg(test)]
mod tests {
    use super::release_start;

    #[test]
    fn release_words_end_the_title_where_they_cannot_be_of_it() {
        for (name, title) in [
            ("Super movie Multi", "Super movie "),
            ("The French Dispatch", "The French Dispatch"),
            ("Night.German.1080p.BluRay", "Night."),
            ("Night German 1080p", "Night "),
            ("Charlotte's Web", "Charlotte's Web"),
            ("Movie.Web-DL.1080p", "Movie."),
            ("Movie [WEBDL-720p]", "Movie "),
            ("Movie (1920x1080)", "Movie "),
            ("Movie DDP5.1 x", "Movie "),
            ("1080p", "1080p"),
            ("Mr. Holland's Opus", "Mr. Holland's Opus"),
            ("Dragon-HDC", "Dragon-"),
            ("Der.Film.German.2011.PAL.DVDR", "Der.Film."),
            ("The.Good.German.2006.720p", "The.Good.German.2006."),
            ("A.French.Film.FRENCH", "A.French.Film."),
            ("Mad.Max.1080p", "Mad.Max."),
            ("Movie.MAX.WEB-DL", "Movie."),
            ("MAD.MAX.1080P", "MAD.MAX."),
            ("Movie [A1B2C3D4]", "Movie "),
            ("The.Hybrid.1080p", "The.Hybrid."),
        ] {
            assert_eq!(&name[..release_start(name)], title, "{name}");
        }
    }
}
