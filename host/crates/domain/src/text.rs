//! Texts made comparable: folding for search, sort keys.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Bytes of a word that the search index holds and looks at.
pub const WORD_LENGTH: usize = 64;

/// Letters that have no decomposition but that a searcher types without their stroke or ligature.
fn fold_letter(letter: char) -> Option<&'static str> {
    Some(match letter {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'đ' | 'ð' => "d",
        'ł' => "l",
        'þ' => "th",
        'ħ' => "h",
        'ı' => "i",
        'ŧ' => "t",
        _ => return None,
    })
}

/// Lower case without diacritics; compatibility forms resolved.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folded = String::with_capacity(text.len());
    for letter in text
        .nfkd()
        .filter(|&letter| !is_combining_mark(letter))
        .flat_map(char::to_lowercase)
    {
        match fold_letter(letter) {
            Some(plain) => folded.push_str(plain),
            None => folded.push(letter),
        }
    }
    folded
}

/// The words of a text, folded and separated by single spaces: what the search index holds and is asked for.
pub fn search_words(text: &str) -> String {
    let folded = fold(text);
    let mut words = String::with_capacity(folded.len());
    for word in folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    }
    words
}

/// The beginning of a text, of at most so many bytes.
pub fn beginning(text: &str, length: usize) -> &str {
    text.get(..text.floor_char_boundary(length)).unwrap_or(text)
}

/// The words that are to be looked up for a text, in no order: each as the index holds it, without those that are the
/// beginning of another, which find nothing else.
pub fn asked_words(text: &str) -> Vec<String> {
    let all = search_words(text);
    let words = all.split(' ').filter(|word| !word.is_empty());
    let mut words: Vec<&str> = words.map(|word| beginning(word, WORD_LENGTH)).collect();
    words.sort_unstable_by(|a, b| b.cmp(a));
    // A word stands right after those that begin with it.
    words.dedup_by(|word, longer| longer.starts_with(*word));
    words.into_iter().map(str::to_owned).collect()
}

/// The text by which a title or name sorts: folded, without a leading English article or leading punctuation.
pub fn sort_key(text: &str) -> String {
    let folded = fold(text);
    let start = folded.trim_start_matches(|c: char| !c.is_alphanumeric());
    let start = if start.is_empty() { folded.trim() } else { start };
    ["the ", "an ", "a "]
        .iter()
        .find_map(|article| start.strip_prefix(article).filter(|rest| !rest.trim().is_empty()))
        .unwrap_or(start)
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fold_removes_case_and_diacritics() {
        assert_eq!(fold("Björk Guðmundsdóttir"), "bjork gudmundsdottir");
        assert_eq!(fold("STRAẞE Øl ﬁne"), "strasse ol fine");
    }

    #[test]
    fn sort_key_drops_articles_but_keeps_a_title_that_is_one() {
        assert_eq!(sort_key("The Wall"), "wall");
        assert_eq!(sort_key("The The"), "the");
        assert_eq!(sort_key("\"Heroes\""), "heroes\"");
        assert_eq!(sort_key("!!!"), "!!!");
        assert_eq!(sort_key("A"), "a");
    }

    #[test]
    fn search_words_splits_at_everything_that_is_no_letter_or_digit() {
        assert_eq!(
            search_words("AC/DC – Back in Black (1980)"),
            "ac dc back in black 1980"
        );
    }

    #[test]
    fn asked_words_are_those_that_none_of_the_others_begins_with() {
        assert_eq!(asked_words(""), Vec::<String>::new());
        assert_eq!(
            asked_words("a a an AN á tim time-x timeless"),
            ["x", "timeless", "an"]
        );
        let many = "a ".repeat(4000);
        assert_eq!(asked_words(&many), ["a"]);
        let long = format!("{} {0}b", "ä".repeat(3000));
        assert_eq!(asked_words(&long), ["a".repeat(64)]);
        let odd = format!("x{}", "я".repeat(100));
        assert_eq!(
            asked_words(&odd),
            [format!("x{}", "я".repeat(31))],
            "no letter is cut"
        );
    }
}
