//! The forms of names and texts in a manifest, each with the words that an error uses for it.

pub(super) const ID: &str = "2 to 40 lower-case letters, digits and hyphens, a letter first";
pub(super) const VERSION: &str = "three numbers such as 1.2.0; a suffix such as -beta.1 may follow";
pub(super) const INTERFACE: &str = "major and minor version such as 0.1";
pub(super) const EXTENSION: &str = "1 to 16 lower-case letters, digits, `+`, `-` or `_`, without the dot";
pub(super) const MEDIA_TYPE: &str = "a MIME type such as `image/jpeg`, in lower case";
pub(super) const LABEL: &str = "1 to 60 characters in one line";
pub(super) const LANGUAGE: &str = "a language such as `en` or `pt-BR`";

pub(super) fn is_id(text: &str) -> bool {
    (2..=40).contains(&text.len()) && is_name(text)
}

/// Lower-case letters, digits and hyphens, a letter first.
pub(super) fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

pub(super) fn is_line(text: &str, least: usize, most: usize) -> bool {
    (least..=most).contains(&text.chars().count()) && !text.chars().any(char::is_control)
}

pub(super) fn is_label(text: &str) -> bool {
    is_line(text, 1, 60) && text.trim() == text
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit())
}

pub(super) fn is_version(text: &str) -> bool {
    let (numbers, suffix) = text.split_once('-').unwrap_or((text, "0"));
    numbers.split('.').count() == 3
        && numbers.split('.').all(is_number)
        && (1..=40).contains(&suffix.len())
        && suffix
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'.' || b == b'-')
}

pub(super) fn is_interface(text: &str) -> bool {
    text.split_once('.')
        .is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}

pub(super) fn is_extension(text: &str) -> bool {
    (1..=16).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'_'))
}

pub(super) fn is_media_type(text: &str) -> bool {
    let is_part = |part: &str| {
        (1..=64).contains(&part.len())
            && part
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'.' | b'+' | b'-'))
    };
    text.split_once('/')
        .is_some_and(|(kind, subtype)| is_part(kind) && is_part(subtype))
}

/// A language of BCP 47: a primary tag and up to three subtags.
pub(super) fn is_language(text: &str) -> bool {
    let mut parts = text.split('-');
    let primary = parts.next().unwrap_or_default();
    (2..=3).contains(&primary.len())
        && primary.bytes().all(|b| b.is_ascii_lowercase())
        && text.split('-').count() <= 4
        && parts.all(|part| (2..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric()))
}
