//! Which container titles are real titles.

use crate::folder::is_generic;
use crate::text::{key, stem};
use crate::{marker, release};

/// Programs and sites that write their own name into the title.
const SPAM: &[&str] = &[
    "www.",
    "http:",
    "https:",
    "encoded by",
    "ripped by",
    "uploaded by",
    "downloaded from",
    "handbrake",
    "mkvmerge",
    "lavf",
    "avidemux",
    "virtualdub",
    "untitled",
    "torrent",
    "rarbg",
    "yts.",
    "no title",
    "visit ",
];

/// The title of a container, unless it is not a real one: the name of a release or of a file, an advertisement, or a
/// generic word.
pub fn container_title<'a>(title: Option<&'a str>, file_name: &str) -> Option<&'a str> {
    let title = title?.trim();
    let lower = title.to_lowercase();
    let has_release = release::release_start(title) < title.len();
    let is_file_name = stem(title) != title || !title.contains(' ') && title.contains(['.', '_']);
    let is_own_name = key(title) == key(stem(file_name));
    let is_spam = SPAM.iter().any(|spam| lower.contains(spam));
    let is_noise =
        title.chars().filter(|c| c.is_alphabetic()).count() < 2 && !title.chars().any(|c| c.is_ascii_digit());
    let is_title = !(has_release || is_file_name || is_own_name || is_spam || is_noise);
    (is_title && !is_generic(title) && marker::episodes_start(title).is_none()).then_some(title)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn container_title_of_a_release_or_a_program_is_none() {
        for title in [
            "Heat.1995.1080p.BluRay",
            "Heat 1080p x264",
            "heat",
            "other.mkv",
            "www.site.org",
            "Encoded by X",
            "Title 1",
            "Movie",
            "",
            " - ",
            "Dark S01E02",
            "HandBrake 1.0",
        ] {
            assert_eq!(container_title(Some(title), "Heat.mkv"), None, "{title}");
        }
        for title in ["Heat", "The Big Heat", "300", "2001: A Space Odyssey"] {
            assert_eq!(container_title(Some(title), "abc.mkv"), Some(title));
        }
    }
}
