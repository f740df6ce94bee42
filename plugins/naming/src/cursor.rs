//! A cursor over a name, with the small parsing steps of the rules.

use crate::vocabulary::counting::NUMBER_WORDS;
use crate::vocabulary::words::Words;

/// Whether a word may begin between these two characters: after any character that is not alphanumeric, and where a
/// script without spaces changes to Latin ("결혼E01").
pub(crate) fn begins_word(before: Option<char>, here: char) -> bool {
    before.is_none_or(|before| !before.is_alphanumeric() || (before >= '\u{2e80}' && here.is_ascii()))
}

/// The byte offsets at which a word or a number begins.
pub(crate) fn word_starts(text: &str) -> impl Iterator<Item = usize> {
    let mut before = None;
    text.char_indices().filter_map(move |(at, character)| {
        let begins = begins_word(before, character);
        before = Some(character);
        begins.then_some(at)
    })
}

/// A position in a text. A step that does not match leaves the position unchanged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    text: &'a str,
    /// In bytes, always at a character boundary.
    pub(crate) at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str, at: usize) -> Self {
        Self { text, at }
    }

    pub(crate) fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(crate) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Takes one of these characters.
    pub(crate) fn take(&mut self, characters: &str) -> Option<char> {
        let character = self.peek().filter(|character| characters.contains(*character))?;
        self.at += character.len_utf8();
        Some(character)
    }

    /// Skips at most `most` of these characters and returns their number.
    pub(crate) fn skip(&mut self, characters: &str, most: usize) -> usize {
        (0..most).take_while(|_| self.take(characters).is_some()).count()
    }

    /// Takes this word, given in lower case, ignoring case. The word may continue.
    pub(crate) fn word(&mut self, word: &str) -> bool {
        if word.is_ascii() {
            let head = self.rest().as_bytes().get(..word.len());
            let fits = head.is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()));
            self.at += if fits { word.len() } else { 0 };
            return fits;
        }
        let mut rest = self.rest().char_indices();
        for expected in word.chars() {
            let fits = rest.next().is_some_and(|(_, character)| {
                character == expected || character.to_lowercase().eq(std::iter::once(expected))
            });
            if !fits {
                return false;
            }
        }
        self.at += rest.next().map_or(self.rest().len(), |(offset, _)| offset);
        true
    }

    /// Takes the longest word of this set.
    pub(crate) fn word_of(&mut self, words: &Words) -> bool {
        match self.rest().as_bytes().first() {
            Some(first) => self.longest(words.beginning_with(first.to_ascii_lowercase())),
            None => false,
        }
    }

    /// Takes the longest of these words.
    pub(crate) fn any_word(&mut self, words: &[&str]) -> bool {
        self.longest(words.iter())
    }

    fn longest<'w>(&mut self, words: impl Iterator<Item = &'w &'w str>) -> bool {
        let mut end = None;
        for word in words {
            let mut tried = *self;
            if tried.word(word) {
                end = end.max(Some(tried.at));
            }
        }
        self.at = end.unwrap_or(self.at);
        end.is_some()
    }

    /// Takes a number of `least` to `most` digits that no digit follows.
    pub(crate) fn number(&mut self, least: usize, most: usize) -> Option<u32> {
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        if digits < least || digits > most {
            return None;
        }
        let number = self.rest().get(..digits)?.parse().ok()?;
        self.at += digits;
        Some(number)
    }

    /// Takes a Roman number from I to XX that is a whole word.
    pub(crate) fn roman(&mut self) -> Option<u32> {
        let word: String = self
            .rest()
            .chars()
            .take_while(|character| character.is_alphanumeric())
            .collect();
        let number = ROMAN.iter().position(|roman| word.eq_ignore_ascii_case(roman))? + 1;
        self.at += word.len();
        u32::try_from(number).ok()
    }

    /// Takes a spelled-out number that is a whole word: "One", "zwei", "十二".
    pub(crate) fn number_word(&mut self) -> Option<u32> {
        let mut tried = *self;
        if let Some(number) = tried.chinese() {
            *self = tried;
            return Some(number);
        }
        for (number, words) in (1..).zip(NUMBER_WORDS) {
            let mut tried = *self;
            if tried.word_of(words) && tried.ends_word() {
                *self = tried;
                return Some(number);
            }
        }
        None
    }

    /// A Chinese number below 100: "二", "十二", "二十", "二十三".
    fn chinese(&mut self) -> Option<u32> {
        let digit = |character: Option<char>| {
            let at = "一二三四五六七八九"
                .chars()
                .position(|digit| Some(digit) == character)?;
            u32::try_from(at + 1).ok()
        };
        let first = digit(self.peek());
        if first.is_some() {
            self.at += "一".len();
        }
        if self.take("十").is_none() {
            return first;
        }
        let last = digit(self.peek());
        if last.is_some() {
            self.at += "一".len();
        }
        Some(first.unwrap_or(1) * 10 + last.unwrap_or(0))
    }

    /// Whether no letter or digit follows.
    pub(crate) fn ends_word(&self) -> bool {
        self.peek().is_none_or(|next| !next.is_alphanumeric())
    }

    /// Like [`Self::ends_word`], after taking a version such as "v2".
    pub(crate) fn ends_number(&mut self) -> bool {
        let mut version = *self;
        version.skip(" _", 1);
        if version.word("v") && version.number(1, 1).is_some() && version.ends_word() {
            *self = version;
        }
        self.ends_word()
    }
}

const ROMAN: &[&str] = &[
    "i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi",
    "xvii", "xviii", "xix", "xx",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursor_step_that_does_not_fit_stays() {
        let mut cursor = Cursor::new("Сезон12x", 0);
        assert!(!cursor.word("season"));
        assert!(cursor.any_word(&["се", "сезон"]));
        assert_eq!(cursor.number(1, 1), None);
        assert_eq!(cursor.number(1, 2), Some(12));
        assert!(!cursor.ends_word());
        assert_eq!(cursor.take("xy"), Some('x'));
        assert!(cursor.peek().is_none() && cursor.ends_word());
        assert_eq!(Cursor::new("IV", 0).roman(), Some(4));
        assert_eq!(Cursor::new("Ivy", 0).roman(), None);
        for (text, number) in [
            ("Two.", Some(2)),
            ("Twofold", None),
            ("二十三集", Some(23)),
            ("十二", Some(12)),
        ] {
            assert_eq!(Cursor::new(text, 0).number_word(), number, "{text}");
        }
    }

    #[test]
    fn word_starts_after_separators_and_at_a_change_of_script() {
        assert_eq!(word_starts("ab-cd").collect::<Vec<_>>(), [0, 3]);
        assert_eq!(word_starts("결혼E1").count(), 2);
    }
}
