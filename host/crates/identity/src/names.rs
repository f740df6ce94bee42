//! Validation of usernames, display names and role names.

use std::result::Result;

use svc_domain::text::fold;

/// In characters.
const MAX_USERNAME: usize = 64;
/// In characters.
const MAX_DISPLAY_NAME: usize = 100;
/// In characters.
const MAX_ROLE_NAME: usize = 64;
/// Usernames with another meaning in the API.
const RESERVED_NAMES: [&str; 3] = ["guest", "public", "current"];

/// `/roles/assignments` is another resource.
const RESERVED_ROLE: &str = "assignments";

/// The normalised form that must be unique: case, diacritics and compatibility forms are ignored.
pub fn username_key(username: &str) -> String {
    fold(username)
}

/// Checks a username: visible characters, no surrounding space, not reserved.
///
/// # Errors
/// The reason, as text for the client.
pub fn check_username(name: &str) -> Result<String, &'static str> {
    let key = username_key(name);
    if name.is_empty() || key.is_empty() || name.chars().count() > MAX_USERNAME {
        Err("must have 1 to 64 characters")
    } else if name.trim() != name {
        Err("must not begin or end with a space")
    } else if name.chars().any(|c| c.is_control() || is_invisible(c)) {
        Err("must not contain control or invisible characters")
    } else if RESERVED_NAMES.contains(&key.as_str()) {
        Err("is reserved")
    } else {
        Ok(name.to_owned())
    }
}

/// Trims and checks a display name.
///
/// # Errors
/// The reason, as text for the client.
pub fn check_display_name(name: &str) -> Result<String, &'static str> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > MAX_DISPLAY_NAME {
        Err("must have 1 to 100 characters")
    } else if name.chars().any(|c| c.is_control() || is_invisible(c)) {
        Err("must not contain control or invisible characters")
    } else {
        Ok(name.to_owned())
    }
}

/// Checks the name of a role, which is part of URLs.
///
/// # Errors
/// The reason, as text for the client.
pub fn check_role_name(name: &str) -> Result<String, &'static str> {
    let fits = (1..=MAX_ROLE_NAME).contains(&name.len())
        && name
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-'))
        && name.starts_with(|first: char| first.is_ascii_lowercase());
    if name == RESERVED_ROLE {
        Err("is reserved")
    } else if fits {
        Ok(name.to_owned())
    } else {
        Err("must have 1 to 64 of a-z, 0-9, _ and -, and begin with a letter")
    }
}

/// A text of somebody else for people to read: at most `max` characters of it, with those escaped that are invisible or
/// that a terminal interprets.
pub(crate) fn printable(text: &str, max: usize) -> String {
    let mut shown = String::new();
    for (index, character) in text.chars().enumerate() {
        if index == max {
            shown.push('…');
            break;
        }
        if character.is_control() || is_invisible(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Characters that are invisible or change the text direction, with which two names could look equal.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usernames_with_invisible_characters_or_reserved_names_are_rejected() {
        for good in ["ada", "Ada Lovelace", "użytkownik", "李", "%", "a.b@c"] {
            assert!(check_username(good).is_ok(), "{good:?}");
        }
        let long = "x".repeat(65);
        for bad in [
            "",
            " ",
            " ada",
            "ada\n",
            "a\u{200b}b",
            "a\u{202e}b",
            "Guest",
            "ＧＵＥＳＴ",
            "current",
            &long,
        ] {
            assert!(check_username(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn printable_texts_are_short_and_without_control_characters() {
        for (text, expected) in [
            ("", ""),
            ("Ada", "Ada"),
            ("12345", "12345"),
            ("123456", "12345…"),
            ("a\nb", "a\\u{a}b"),
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("\u{202e}x", "\\u{202e}x"),
            ("李李李李李李", "李李李李李…"),
        ] {
            assert_eq!(printable(text, 5), expected, "{text:?}");
        }
    }

    #[test]
    fn role_names_that_need_escaping_in_urls_are_rejected() {
        for good in ["curator", "a", "night-shift_2"] {
            assert!(check_role_name(good).is_ok(), "{good:?}");
        }
        let long = "x".repeat(65);
        for bad in [
            "",
            "assignments",
            "Curator",
            "2nd",
            "a b",
            "a/b",
            "ä",
            "a\n",
            &long,
        ] {
            assert!(check_role_name(bad).is_err(), "{bad:?}");
        }
    }
}
