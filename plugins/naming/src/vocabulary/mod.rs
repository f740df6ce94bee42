//! The vocabulary of releases: words after a title that describe the file.
//!
//! [`table`] lists them. A word is looked up once, when the name is tokenized. Words that no table can list, such as
//! `1920x1080` and `700MB`, are recognized by their form.

pub(crate) mod counting;
mod table;
pub(crate) mod words;

use std::sync::LazyLock;

use table::{ENDINGS, NUMBERED, PAIRS, TABLE, UNITS};

/// The meaning of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A word that the table does not have, which may belong to a title.
    Word,
    Resolution,
    /// The medium that the release was made from.
    Source,
    /// The video codec.
    Video,
    /// The audio codec and channels.
    Audio,
    /// Dynamic range and 3D.
    Picture,
    /// The streaming service.
    Service,
    /// An audio language.
    Language,
    /// How subtitles are included.
    Subtitles,
    /// Corrected releases, incomplete batches and the like.
    Status,
    Edition,
    /// The container.
    Format,
    /// The release group.
    Group,
    /// Size and checksum of the file.
    File,
}

/// The certainty that a word ends the title.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sure {
    No,
    /// Only if a certain word follows, with nothing but words of the release in between ("The French Dispatch" has
    /// none).
    Hint,
    /// Only if nothing but words of the release follows.
    Likely,
    /// Anywhere after the first word.
    Certain,
}

/// The entry of a word in the vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind {
    pub(crate) class: Class,
    pub(crate) sure: Sure,
    /// Whether the entry applies only to capitals, in a name that is not all capitals.
    pub(crate) capitals: bool,
}

impl Kind {
    /// A word that the table does not have.
    pub(crate) const WORD: Self = Self::new(Class::Word, Sure::No);

    pub(crate) const CHECKSUM: Self = Self::new(Class::File, Sure::Certain);

    /// The "5.1" of audio channels.
    pub(crate) const CHANNELS: Self = Self::new(Class::Audio, Sure::Hint);

    const fn new(class: Class, sure: Sure) -> Self {
        Self {
            class,
            sure,
            capitals: false,
        }
    }
}

/// Longer words are not looked up; all words of the table are shorter.
const LONGEST: usize = 24;

/// The table sorted by word. A word may have a second entry for capitals.
static WORDS: LazyLock<Vec<(&str, Kind)>> = LazyLock::new(|| {
    let mut words: Vec<(&str, Kind)> = TABLE
        .iter()
        .flat_map(|row| {
            let kind = Kind {
                capitals: row.capitals,
                ..Kind::new(row.class, row.sure)
            };
            row.words.split_ascii_whitespace().map(move |word| (word, kind))
        })
        .collect();
    words.sort_unstable_by_key(|(word, kind)| (*word, kind.capitals));
    words
});

/// The entry of a single word.
pub(crate) fn kind(word: &str) -> Kind {
    let mut buffer = [0; LONGEST];
    match lower(word, &mut buffer) {
        Some(lower) => look_up(lower).unwrap_or_else(|| shape(lower)),
        None => Kind::WORD,
    }
}

/// The entry of two adjacent words: "WEB-DL", "Blu-ray".
pub(crate) fn pair(first: &str, second: &str) -> Option<Kind> {
    PAIRS
        .iter()
        .find(|(one, other, _)| first.eq_ignore_ascii_case(one) && second.eq_ignore_ascii_case(other))
        .map(|(.., class)| Kind::new(*class, Sure::Certain))
}

/// Converts to lower case, without an allocation for ASCII; `None` for a word longer than [`LONGEST`].
fn lower<'a>(word: &str, buffer: &'a mut [u8; LONGEST]) -> Option<&'a str> {
    let bytes = buffer.get_mut(..word.len())?;
    bytes.copy_from_slice(word.as_bytes());
    bytes.make_ascii_lowercase();
    if !bytes.is_ascii() {
        let lower = word.to_lowercase();
        let bytes = buffer.get_mut(..lower.len())?;
        bytes.copy_from_slice(lower.as_bytes());
        return std::str::from_utf8(buffer.get(..lower.len())?).ok();
    }
    std::str::from_utf8(buffer.get(..word.len())?).ok()
}

fn look_up(lower: &str) -> Option<Kind> {
    let at = WORDS.binary_search_by_key(&lower, |(word, _)| word).ok()?;
    WORDS.get(at).map(|(_, kind)| *kind)
}

/// In capitals, except for a lower-case i as scene releases write it ("LiNE").
pub(crate) fn is_shouted(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_uppercase())
        && !word.bytes().any(|byte| byte.is_ascii_lowercase() && byte != b'i')
}

/// Recognizes words by their form.
fn shape(lower: &str) -> Kind {
    let of = |class| Kind::new(class, Sure::Certain);
    if is_resolution(lower) {
        return of(Class::Resolution);
    }
    let Some(at) = lower.find(|character: char| character.is_ascii_digit()) else {
        return ending(lower);
    };
    let (word, digits) = lower.split_at(at);
    if digits.len() == 1 && NUMBERED.contains(&word) {
        return of(Class::Audio);
    }
    let unit = digits.trim_start_matches(|character: char| character.is_ascii_digit());
    if word.is_empty() && UNITS.contains(&unit) {
        return of(Class::File);
    }
    // "1CD" and "2CDs" are the number of files.
    if word.is_empty() && digits.len() == 3 && unit == "cd" {
        return Kind::new(Class::File, Sure::Likely);
    }
    Kind::WORD
}

/// A source with a suffix: "BRRipMux".
fn ending(lower: &str) -> Kind {
    let front = ENDINGS.iter().find_map(|ending| lower.strip_suffix(ending));
    match front.and_then(look_up) {
        Some(kind) if matches!(kind.class, Class::Source | Class::Service) && !kind.capitals => {
            Kind::new(Class::Source, Sure::Certain)
        }
        _ => Kind::WORD,
    }
}

/// Heights that mean a resolution if a `p` or an `i` follows.
const HEIGHTS: &[&str] = &[
    "240", "288", "360", "368", "400", "432", "480", "540", "544", "576", "640", "720", "810", "900", "960",
    "1080", "1440", "2160", "4320",
];

/// `1080p`, `576i50`, `1080p24`, `1920x1080`.
fn is_resolution(lower: &str) -> bool {
    if !lower.as_bytes().first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let height = lower.split_once(['p', 'i']).is_some_and(|(height, rate)| {
        HEIGHTS.contains(&height) && rate.len() < 4 && rate.bytes().all(|byte| byte.is_ascii_digit())
    });
    let size = || {
        lower.split_once(['x', '×']).is_some_and(|(width, height)| {
            let is_side =
                |side: &str| (3..=4).contains(&side.len()) && side.bytes().all(|b| b.is_ascii_digit());
            is_side(width) && is_side(height.trim_end_matches('p'))
        })
    };
    height || size()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vocabulary_has_each_word_once_and_in_small_letters() {
        let mut before = "";
        for (word, _) in WORDS.iter() {
            assert_ne!(*word, before, "twice");
            assert_eq!(*word, word.to_lowercase());
            assert!(
                word.len() <= LONGEST && word.chars().all(char::is_alphanumeric),
                "{word}"
            );
            before = word;
        }
    }

    #[test]
    fn kind_of_words_and_shapes() {
        for (word, class, sure) in [
            ("BluRay", Class::Source, Sure::Certain),
            ("BRRipMux", Class::Source, Sure::Certain),
            ("1080p24", Class::Resolution, Sure::Certain),
            ("1920x1080", Class::Resolution, Sure::Certain),
            ("700MB", Class::File, Sure::Certain),
            ("6ch", Class::File, Sure::Certain),
            ("DDP5", Class::Audio, Sure::Certain),
            ("Español", Class::Language, Sure::Hint),
            ("NF", Class::Service, Sure::Hint),
            ("LiNE", Class::Audio, Sure::Hint),
            ("Marathon", Class::Word, Sure::No),
            ("300", Class::Word, Sure::No),
        ] {
            let kind = kind(word);
            assert_eq!((kind.class, kind.sure), (class, sure), "{word}");
        }
        assert!(is_shouted("LiNE") && !is_shouted("Line") && !is_shouted("line"));
        assert_eq!(pair("Web", "DL").map(|kind| kind.class), Some(Class::Source));
    }
}
