//! Language tags by BCP 47 for the forms in which files and file names state languages: both codes of ISO 639-2,
//! packed letters, QuickTime's numbers, tags in any case, names.
//!
//! A tag has the shortest code of the language, as RFC 5646 requires ("de", not "deu" or "ger"), and script and
//! region in the standard's case. The host normalizes the tags of plugins by the same rules.

mod table;

use oxilangtag::LanguageTag;
use table::{ALIASES, COMMON_REGIONS, COUNTRIES, LANGUAGES, QUICKTIME, REGION_WORDS, SCRIPTS};

/// The most bytes of a text that may name a language.
const MAX_BYTES: usize = 64;
/// The most bytes of a tag. Longer tags may be well-formed, but no player supports them.
const MAX_TAG_BYTES: usize = 35;

/// The tag for a language that a file states; `None` for an undetermined language and for other text.
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
    // POSIX locales: "pt_BR.UTF-8", "de_DE@euro".
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
        // "UK" is not the country code, but is often used as such.
        Some("UK") => tag.push_str(&rest.replacen("-UK", "-GB", 1)),
        _ => tag.push_str(rest),
    }
    (tag.len() <= MAX_TAG_BYTES).then_some(tag)
}

/// The tag for a word of a file name: a code or a name of a language. Three letters count as a code of ISO 639-3 only
/// if the table has it.
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

/// The script or region in a word after a language. `attached` means that a dash or an underscore joins them
/// ("en-IN"), which allows every region; a separate word must be one of the usual regions, because it may mean
/// something else.
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
    let primary = language.split('-').next();
    let usual = SCRIPTS.into_iter().chain(COMMON_REGIONS.split(' ')).find(same);
    usual
        .or_else(|| COUNTRIES.split(' ').filter(|_| attached).find(same))
        .or_else(|| {
            let words = REGION_WORDS.iter().filter(|(_, of, _)| Some(*of) == primary);
            words
                .map(|(known, _, part)| (known, *part))
                .find(|(known, _)| same(known))
                .map(|(_, part)| part)
        })
}

/// The tag for the language field of an MP4 media header (`mdhd`): three letters of five bits each, or a number of
/// QuickTime's table.
#[must_use]
pub fn mp4_tag(number: u16) -> Option<String> {
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
    // The table has all codes of two letters. Unknown codes of three letters are kept; longer codes were never
    // assigned.
    (code.len() == 3 && !matches!(code, "und" | "mis") && !is_private(code)).then_some(code)
}

#[cfg(test)]
mod tests;
