//! Length limits of indexed texts. A tag can be as long as a plugin may return; PostgreSQL limits an index entry to a
//! third of a page.

use std::borrow::Cow;
use std::fmt::Write;

use sha2::{Digest, Sha256};

use svc_domain::text::{WORD_LENGTH, beginning};

/// Bytes of a key; a longer one ends in its digest, so that it stays unique.
const KEY_LENGTH: usize = 512;
/// Bytes of a sort key.
const SORT_LENGTH: usize = 256;
/// Bytes of the search words of an item.
const WORDS_LENGTH: usize = 1024;
/// Bytes of a failure reason.
const REASON_LENGTH: usize = 512;

/// Truncates a key to [`KEY_LENGTH`].
pub(crate) fn bounded_key(key: String) -> String {
    if key.len() <= KEY_LENGTH {
        return key;
    }
    let mut bounded = beginning(&key, KEY_LENGTH).to_owned();
    for byte in Sha256::digest(key.as_bytes()) {
        // Writing to a `String` cannot fail.
        let _ = write!(bounded, "{byte:02x}");
    }
    bounded
}

/// Truncates a sort key.
pub(crate) fn bounded_sort(text: &str) -> &str {
    beginning(text, SORT_LENGTH)
}

/// Truncates a failure reason.
pub(crate) fn bounded_reason(text: String) -> String {
    if text.len() <= REASON_LENGTH {
        text
    } else {
        beginning(&text, REASON_LENGTH).to_owned()
    }
}

/// Truncates search words, each and together.
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
