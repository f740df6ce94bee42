//! Bounds for texts that go into an index. Tags can be as long as a plugin may answer; PostgreSQL takes no index
//! entry of more than a third of a page, and both databases are better off without.

use std::borrow::Cow;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use svc_domain::text::{WORD_LENGTH, beginning};

/// Bytes of a key that are kept; a longer one ends in its digest, so that it stays unique.
const KEY_LENGTH: usize = 512;
/// Bytes by which titles and names are sorted.
const SORT_LENGTH: usize = 256;
/// Bytes of all words of an item.
const WORDS_LENGTH: usize = 1024;
/// Bytes of the reason that is kept of a failure.
const REASON_LENGTH: usize = 512;

/// A key that fits an index.
pub(crate) fn bounded_key(key: String) -> String {
    if key.len() <= KEY_LENGTH {
        return key;
    }
    let mut bounded = beginning(&key, KEY_LENGTH).to_owned();
    for byte in Sha256::digest(key.as_bytes()) {
        // Writing to a String does not fail.
        let _ = write!(bounded, "{byte:02x}");
    }
    bounded
}

/// The part of a sort key that decides.
pub(crate) fn bounded_sort(text: &str) -> &str {
    beginning(text, SORT_LENGTH)
}

/// The beginning of a failure's text.
pub(crate) fn bounded_reason(text: String) -> String {
    if text.len() <= REASON_LENGTH {
        text
    } else {
        beginning(&text, REASON_LENGTH).to_owned()
    }
}

/// Words that fit the search index: long ones cut, and no more of them than it takes.
pub(crate) fn bounded_words(words: String) -> Cow<'static, str> {
    if words.len() <= WORD_LENGTH {
        return words.into();
    }
    let mut bounded = String::with_capacity(words.len().min(WORDS_LENGTH));
    for word in words.split(' ').map(|word| beginning(word, WORD_LENGTH)) {
        if bounded.len() + word.len() >= WORDS_LENGTH {
            break;
        }
        if !bounded.is_empty() {
            bounded.push(' ');
        }
        bounded.push_str(word);
    }
    bounded.into()
}
