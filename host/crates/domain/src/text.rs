//! Text normalization: folding for search, words of the search index, sort keys.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Bytes of a word that the search index stores and compares.
pub const WORD_LENGTH: usize = 64;

/// Letters without a Unicode decomposition that users type without their stroke or as two letters.
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

/// Lower case without diacritics; compatibility characters decomposed.
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

/// The words of a text, folded and separated by single spaces: the form in the search index and in its queries.
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

/// The longest prefix of at most `length` bytes that ends at a character boundary.
pub fn beginning(text: &str, length: usize) -> &str {
    text.get(..text.floor_char_boundary(length)).unwrap_or(text)
}

/// The words to look up for a query, in no order, as the index stores them. A word that is a prefix of another is
/// left out: it matches everything that the other matches.
pub fn query_words(text: &str) -> Vec<String> {
    let all = search_words(text);
    let words = all.split(' ').filter(|word| !word.is_empty());
    let mut words: Vec<&str> = words.map(|word| beginning(word, WORD_LENGTH)).collect();
    words.sort_unstable_by(|a, b| b.cmp(a));
    // In descending order a word directly follows the words that start with it.
    words.dedup_by(|word, longer| longer.starts_with(*word));
    words.into_iter().map(str::to_owned).collect()
}

/// The sort key of a title or name: folded, without a leading English article or leading punctuation.
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
    fn sort_key_drops_articles_but_not_the_whole_title() {
        assert_eq!(sort_key("The Wall"), "wall");
        assert_eq!(sort_key("The The"), "the");
        assert_eq!(sort_key("\"Heroes\""), "heroes\"");
        assert_eq!(sort_key("!!!"), "!!!");
        assert_eq!(sort_key("A"), "a");
    }

    #[test]
    fn search_words_splits_at_all_but_letters_and_digits() {
        assert_eq!(
            search_words("AC/DC – Back in Black (1980)"),
            "ac dc back in black 1980"
        );
    }

    #[test]
    fn asked_words_leave_out_prefixes_of_other_words() {
        assert_eq!(query_words(""), Vec::<String>::new());
        assert_eq!(
            query_words("a a an AN á tim time-x timeless"),
            ["x", "timeless", "an"]
        );
        let many = "a ".repeat(4000);
        assert_eq!(query_words(&many), ["a"]);
        let long = format!("{} {0}b", "ä".repeat(3000));
        assert_eq!(query_words(&long), ["a".repeat(64)]);
        let odd = format!("x{}", "я".repeat(100));
        assert_eq!(
            query_words(&odd),
            [format!("x{}", "я".repeat(31))],
            "cut at a character boundary"
        );
    }
}
