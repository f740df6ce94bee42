//! Editions of a movie, and the parts of a movie in several files.

use crate::text::display;
use crate::token::Token;

/// Words before "cut", "edition" or "version", with the name of the edition. Several may be combined. The last column
/// tells whether the phrase cannot be a title: "The Final Cut" and "The Original Version" may be.
const QUALIFIERS: &[(&[&str], &str, bool)] = &[
    (&["director's", "directors", "director"], "Director's", true),
    (&["producer's", "producers"], "Producer's", true),
    (&["collector's", "collectors", "collector"], "Collector's", true),
    (&["extended"], "Extended", true),
    (&["special"], "Special", true),
    (&["ultimate"], "Ultimate", true),
    (&["criterion"], "Criterion", true),
    (&["theatrical"], "Theatrical", true),
    (&["unrated"], "Unrated", true),
    (&["uncut"], "Uncut", true),
    (&["uncensored"], "Uncensored", true),
    (&["remastered"], "Remastered", true),
    (&["restored"], "Restored", true),
    (&["assembly"], "Assembly", true),
    (&["rogue"], "Rogue", true),
    (&["international"], "International", true),
    (&["imax"], "IMAX", true),
    (&["limited"], "Limited", true),
    (&["deluxe"], "Deluxe", true),
    (&["definitive"], "Definitive", true),
    (&["diamond"], "Diamond", true),
    (&["platinum"], "Platinum", true),
    (&["signature"], "Signature", true),
    (&["anniversary"], "Anniversary", true),
    (&["alternate", "alternative"], "Alternate", true),
    (&["integral"], "Integral", true),
    (&["despecialized"], "Despecialized", true),
    (&["fan"], "Fan", false),
    (&["original"], "Original", false),
    (&["complete"], "Complete", false),
    (&["final"], "Final", false),
    (&["noir"], "Noir", false),
    (&["festival"], "Festival", false),
    (&["tv"], "TV", false),
];

/// The words that the qualifiers apply to.
const NOUNS: &[(&str, &str)] = &[
    ("cut", "Cut"),
    ("edition", "Edition"),
    ("version", "Version"),
    ("release", "Release"),
    ("collection", "Collection"),
    ("edit", "Edit"),
];

/// Phrases that name an edition anywhere after the title.
const PHRASES: &[(&[&str], &str)] = &[
    (&["open", "matte"], "Open Matte"),
    (&["edition", "collector"], "Collector's Edition"),
    (&["edition", "speciale"], "Special Edition"),
    (&["edición", "especial"], "Special Edition"),
    (&["4k", "remaster"], "Remastered"),
    (&["4k", "remastered"], "Remastered"),
    (&["langfassung"], "Langfassung"),
    (&["kinofassung"], "Kinofassung"),
    (&["version", "longue"], "Version longue"),
    (&["black", "and", "chrome"], "Black and Chrome"),
];

/// Words that name an edition only after the year, between words of the release, or in brackets: alone they are words
/// of titles ("Uncut Gems").
const WORDS: &[(&[&str], &str)] = &[
    (&["extended"], "Extended"),
    (&["unrated"], "Unrated"),
    (&["uncut"], "Uncut"),
    (&["uncensored"], "Uncensored"),
    (&["theatrical"], "Theatrical"),
    (&["remastered"], "Remastered"),
    (&["restored"], "Restored"),
    (&["imax"], "IMAX"),
    (&["redux"], "Redux"),
    (&["criterion"], "Criterion"),
    (&["workprint"], "Workprint"),
    (&["despecialized"], "Despecialized"),
    (&["recut"], "Recut"),
    (&["fanedit"], "Fan Edit"),
    (&["dc"], "Director's Cut"),
    (&["se"], "Special Edition"),
];

/// An edition and the tokens that state it.
pub(crate) struct Edition {
    pub(crate) name: String,
    pub(crate) index: usize,
}

/// Removes an edition in Plex's bracket, `{edition-Director's Cut}`, from the name.
pub(crate) fn take_bracketed(name: &str) -> (String, Option<String>) {
    const OPENING: &str = "{edition-";
    let lower = name.to_ascii_lowercase();
    let found = lower.find(OPENING).and_then(|start| {
        let inside = name.get(start + OPENING.len()..)?;
        let end = inside.find('}')?;
        let front = name.get(..start)?;
        Some((
            format!("{front}{}", inside.get(end + 1..)?),
            display(inside.get(..end)?),
        ))
    });
    match found {
        Some((rest, edition)) => (rest, Some(edition).filter(|edition| !edition.is_empty())),
        None => (name.to_owned(), None),
    }
}

/// The edition in these words. `following` is the index of the first word after the title.
pub(crate) fn find(tokens: &[Token], following: usize) -> Option<Edition> {
    let anniversary = (1..tokens.len()).find_map(|index| {
        let ordinal = tokens.get(index)?;
        let (number, suffix) = (ordinal.text.trim_end_matches(char::is_alphabetic), ordinal.text);
        let is_ordinal = number.len() < suffix.len() && number.parse::<u8>().is_ok();
        (is_ordinal && tokens.get(index + 1)?.is("anniversary")).then(|| Edition {
            name: format!("{} Anniversary Edition", ordinal.text.to_ascii_lowercase()),
            index,
        })
    });
    anniversary
        .or_else(|| qualified(tokens, following))
        .or_else(|| longest(tokens, PHRASES, 1))
        .or_else(|| longest(tokens, WORDS, following.max(1)))
        .map(|mut edition| {
            // "Movie The Extended Edition".
            let article = edition.index.checked_sub(1).filter(|at| *at > 0);
            if article
                .and_then(|at| tokens.get(at))
                .is_some_and(|token| token.is("the"))
            {
                edition.index -= 1;
            }
            edition
        })
}

/// A noun with its qualifiers: "Extended Director's Cut", "Ultimate Edition".
fn qualified(tokens: &[Token], following: usize) -> Option<Edition> {
    let qualifier = |token: &Token| {
        QUALIFIERS
            .iter()
            .find(|(spellings, ..)| spellings.iter().any(|spelling| is_word(token, spelling)))
    };
    (1..tokens.len()).find_map(|noun| {
        let token = tokens.get(noun)?;
        let (_, called) = NOUNS.iter().find(|(word, _)| token.is(word))?;
        let fits = |index: &usize| {
            let found = tokens.get(*index).and_then(qualifier);
            found.is_some_and(|(.., sure)| *sure || *index >= following)
        };
        let first = (1..noun).rev().take_while(fits).last()?;
        let mut name = String::new();
        for token in tokens.get(first..noun)? {
            name.push_str(qualifier(token)?.1);
            name.push(' ');
        }
        name.push_str(called);
        Some(Edition { name, index: first })
    })
}

/// The longest phrase of the table at the first index, from `from` on, at which one matches.
fn longest(tokens: &[Token], table: &[(&[&str], &str)], from: usize) -> Option<Edition> {
    (from..tokens.len()).find_map(|index| {
        let here = tokens.get(index..)?;
        let fits = |words: &[&str]| {
            words.len() <= here.len() && words.iter().zip(here).all(|(word, token)| is_word(token, word))
        };
        let (_, name) = table
            .iter()
            .filter(|(words, _)| fits(words))
            .max_by_key(|(words, _)| words.len())?;
        Some(Edition {
            name: (*name).to_owned(),
            index,
        })
    })
}

fn is_word(token: &Token, word: &str) -> bool {
    token.is(word) || token.text.contains('’') && token.text.replace('’', "'").eq_ignore_ascii_case(word)
}

/// A part of a movie in several files.
pub(crate) struct Part {
    pub(crate) number: u32,
    pub(crate) index: usize,
    /// Whether the words have no other meaning: "Part 2" may belong to the title, "cd2" cannot.
    pub(crate) certain: bool,
}

/// The part in these words: `cd1`, `disc 2`, `part 1`, `pt2`. `following` as for [`find`].
pub(crate) fn part(text: &str, tokens: &[Token], following: usize) -> Option<Part> {
    (1..tokens.len()).find_map(|index| {
        let token = tokens.get(index)?;
        let (word, digits) = token.text.split_at(
            token
                .text
                .find(|c: char| c.is_ascii_digit())
                .unwrap_or(token.text.len()),
        );
        let is_carrier = ["cd", "disc", "disk", "dvd"]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known));
        let is_part = ["part", "pt"]
            .iter()
            .any(|known| word.eq_ignore_ascii_case(known));
        if !is_carrier && !is_part {
            return None;
        }
        let next = tokens.get(index + 1);
        let number = if digits.is_empty() {
            next.and_then(Token::number)?
        } else {
            digits.parse().ok()?
        };
        let last = index + usize::from(digits.is_empty()) + 1 == tokens.len();
        let dash_before = text
            .get(..token.start)
            .is_some_and(|front| front.trim_end().ends_with('-'));
        let carrier_fits = is_carrier && (last || index >= following) && number < 20;
        let certain = carrier_fits || is_part && (index >= following || dash_before && last);
        // "dvd5" and "dvd9" are sizes of discs.
        let is_disc_size = word.eq_ignore_ascii_case("dvd") && !digits.is_empty() && matches!(number, 5 | 9);
        (number > 0 && !is_disc_size && (certain || is_part && last)).then_some(Part {
            number,
            index,
            certain,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::tokens;

    #[test]
    fn edition_is_the_longest_phrase() {
        for (name, following, edition) in [
            ("Movie Extended Edition", 9, Some("Extended Edition")),
            (
                "Movie 1999 Extended Directors Cut",
                1,
                Some("Extended Director's Cut"),
            ),
            ("Uncut Gems", 9, None),
            ("Movie 2010 Unrated", 1, Some("Unrated")),
            ("Movie Director’s Cut", 9, Some("Director's Cut")),
            ("Movie 25th Anniversary", 9, Some("25th Anniversary Edition")),
        ] {
            let found = find(&tokens(name), following).map(|edition| edition.name);
            assert_eq!(found.as_deref(), edition, "{name}");
        }
    }

    #[test]
    fn part_is_certain_where_it_cannot_be_of_the_title() {
        for (name, following, part_number) in [
            ("Movie cd1", 9, Some((1, true))),
            ("Movie - part 2", 9, Some((2, true))),
            ("Movie Part 2", 9, Some((2, false))),
            ("Movie (2010) pt1", 1, Some((1, true))),
            ("Movie DVD9", 9, None),
            ("Part 2", 9, None),
        ] {
            let found = part(name, &tokens(name), following).map(|part| (part.number, part.certain));
            assert_eq!(found, part_number, "{name}");
        }
    }
}
