//! Languages as BCP 47, whatever a file or a name calls them: ISO 639-2 in either of its forms, packed letters,
//! QuickTime's numbers, tags in any case, names.
//!
//! One rule for all: the shortest code there is, as RFC 5646 wants it ("de", not "deu" or "ger"), script and region as
//! they are written there, and nothing where nothing is said. The host applies it once more to what plugins send.

mod table;

use oxilangtag::LanguageTag;
use table::{ALIASES, COUNTRIES, LANGUAGES, QUICKTIME, SCRIPTS, USUAL, WORDS};

/// The most bytes of what may name a language.
const MAX_BYTES: usize = 64;
/// The most bytes of a tag; longer ones are well-formed, and say nothing that a player could go by.
const MAX_TAG_BYTES: usize = 35;

/// The tag for what a file states as a language; `None` for what is none, and for one that is undetermined.
///
/// ```
/// assert_eq!(language::tag("ger").as_deref(), Some("de"));
/// assert_eq!(language::tag("zh_hans_tw").as_deref(), Some("zh-Hans-TW"));
/// assert_eq!(language::tag("und"), None);
/// ```
#[must_use]
pub fn tag(stated: &str) -> Option<String> {
    let stated = stated.trim_matches(|character: char| character.is_whitespace() || character == '\0');
    if stated.len() > MAX_BYTES {
        return None;
    }
    if let Some(known) = word(stated) {
        return Some(known.to_owned());
    }
    // "pt_BR.UTF-8" and "de_DE@euro" are those of a system.
    let plain = stated.split(['.', '@']).next()?.replace('_', "-");
    let parsed = LanguageTag::parse_and_normalize(&plain).ok()?;
    // "zh-yue" is "yue".
    let code = parsed.extended_language().unwrap_or(parsed.primary_language());
    let mut tag = shortest(code)?.to_owned();
    let rest = parsed.as_str().get(parsed.full_language().len()..)?;
    if !rest.is_empty() {
        tag.truncate(tag.find('-').unwrap_or(tag.len()));
    }
    match parsed.region() {
        // Not the country's code, however often it is taken for it.
        Some("UK") => tag.push_str(&rest.replacen("-UK", "-GB", 1)),
        _ => tag.push_str(rest),
    }
    (tag.len() <= MAX_TAG_BYTES).then_some(tag)
}

/// The tag of a word of a file's name: a code or a name of a language that such names are in. Any three letters may be
/// a code of ISO 639-3; here they are one only if they are known.
///
/// ```
/// assert_eq!(language::word("Deutsch"), Some("de"));
/// assert_eq!(language::word("cut"), None);
/// ```
#[must_use]
pub fn word(word: &str) -> Option<&'static str> {
    let word = word.to_lowercase();
    if word.is_empty() {
        return None;
    }
    let known = LANGUAGES.iter().find(|(code, terminology, bibliography, names)| {
        [*code, *terminology, *bibliography].contains(&word.as_str())
            || names.split('|').any(|name| name == word)
    });
    let known = known.map(|(code, ..)| *code);
    known.or_else(|| {
        ALIASES
            .iter()
            .find(|(alias, _)| *alias == word)
            .map(|(_, tag)| *tag)
    })
}

/// The script or region that a word behind a language says. `attached`: with a dash or an underscore between
/// ("en-IN"), where it may be any; else it may be a word of something else, and is one only if it is usual.
///
/// ```
/// assert_eq!(language::region("pt", "br", false), Some("BR"));
/// assert_eq!((language::region("en", "IN", true), language::region("en", "in", false)), (Some("IN"), None));
/// ```
#[must_use]
pub fn region(language: &str, word: &str, attached: bool) -> Option<&'static str> {
    let same = |known: &&str| known.eq_ignore_ascii_case(word);
    if word.eq_ignore_ascii_case("uk") && language.starts_with("en") {
        return Some("GB");
    }
    let said_of = language.split('-').next();
    let usual = SCRIPTS.into_iter().chain(USUAL.split(' ')).find(same);
    usual
        .or_else(|| COUNTRIES.split(' ').filter(|_| attached).find(same))
        .or_else(|| {
            let words = WORDS.iter().filter(|(_, of, _)| Some(*of) == said_of);
            words
                .map(|(known, _, part)| (known, *part))
                .find(|(known, _)| same(known))
                .map(|(_, part)| part)
        })
}

/// The language of a media header of MP4: three letters of five bits, or one of QuickTime's numbers.
#[must_use]
pub fn packed(number: u16) -> Option<String> {
    if number < 0x400 {
        return QUICKTIME.split(' ').nth(number.into()).map(str::to_owned);
    }
    let letter = |shift: u16| u8::try_from(number >> shift & 31).map_or('\0', |bits| char::from(bits + 0x60));
    tag(&[letter(10), letter(5), letter(0)].iter().collect::<String>())
}

/// The shortest code of a language.
fn shortest(code: &str) -> Option<&str> {
    if let Some(known) = word(code) {
        return Some(known);
    }
    let is_private = |code: &str| ("qaa".."qua").contains(&code);
    // Those of two letters are all known; those of three that are not stay, and longer ones were never given out.
    (code.len() == 3 && !matches!(code, "und" | "mis") && !is_private(code)).then_some(code)
}

#[cfg(test)]
mod tests;
