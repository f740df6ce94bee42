//! Display forms of names (no extension, spaces as separators) and comparison of names.

/// Extensions of video files, in lower case. Other text after a dot belongs to the name ("St. Vincent").
const VIDEO_EXTENSIONS: &[&str] = &[
    "3g2", "3gp", "asf", "avi", "avs", "bik", "disc", "divx", "dv", "dvr-ms", "f4v", "flv", "iso", "m2t",
    "m2ts", "m2v", "m4v", "mk3d", "mka", "mkv", "mov", "mp2v", "mp4", "mpe", "mpeg", "mpg", "mts", "mxf",
    "nsv", "nut", "nuv", "ogg", "ogm", "ogv", "qt", "rec", "rm", "rmvb", "strm", "svq3", "tp", "trp", "ts",
    "ty", "vfw", "vob", "vro", "webm", "wmv", "wtv", "xvid",
];

/// Separators, which are removed at both ends of a name.
pub(crate) const EDGES: &[char] = &['-', '–', '—', '_', '.', ',', ':', ';', '~', '+', '|', '\u{3000}'];

/// The name without the extension of a video file.
pub fn stem(file_name: &str) -> &str {
    match file_name.rsplit_once('.') {
        Some((stem, extension))
            if !stem.is_empty()
                && VIDEO_EXTENSIONS
                    .iter()
                    .any(|known| extension.eq_ignore_ascii_case(known)) =>
        {
            stem
        }
        _ => file_name,
    }
}

/// Splits a path at `/` and `\` into folders and file. A drive letter is not a folder.
///
/// ```
/// let (folders, file) = naming::split_path(r"D:\TV\Show\1x01.mkv");
/// assert_eq!((folders.join("|").as_str(), file), ("TV|Show", "1x01.mkv"));
/// ```
pub fn split_path(path: &str) -> (Vec<String>, &str) {
    let mut parts: Vec<&str> = path
        .split(['/', '\\'])
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    let file = parts.pop().unwrap_or_default();
    if parts.first().is_some_and(|first| first.ends_with(':')) {
        parts.remove(0);
    }
    (parts.into_iter().map(str::to_owned).collect(), file)
}

/// The display form of a part of a name. Underscores become spaces; dots too if the name has no spaces, except
/// between the letters of an acronym ("S.H.O.W").
pub fn display(raw: &str) -> String {
    let raw = raw
        .trim_start_matches(|c: char| c.is_whitespace() || EDGES.contains(&c))
        .trim_end_matches(|c: char| c.is_whitespace() || c != '.' && EDGES.contains(&c));
    let spaced = raw.contains(char::is_whitespace) || raw.contains('_') && !raw.contains('.');
    let text = if spaced {
        raw.replace('_', " ")
    } else {
        undotted(&raw.replace('_', " "))
    };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    trimmed(&text).to_owned()
}

/// Turns dots into spaces, except between single capital letters.
fn undotted(raw: &str) -> String {
    let is_letter = |part: &str| part.len() == 1 && part.bytes().all(|byte| byte.is_ascii_uppercase());
    let mut text = String::with_capacity(raw.len());
    let mut before = "";
    let mut in_acronym = false;
    for part in raw.split('.') {
        if is_letter(before) && is_letter(part) {
            in_acronym = true;
            text.push('.');
        } else if !text.is_empty() {
            // "L.A.Confidential": the second dot belongs to the acronym too.
            text.push_str(if in_acronym && !part.is_empty() { ". " } else { " " });
            in_acronym = false;
        }
        text.push_str(part);
        before = part;
    }
    text
}

/// Removes separators and unclosed brackets at both ends. The last dot of "S.H.I.E.L.D." stays.
fn trimmed(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let shorter = text
            .trim_start_matches(|c: char| c.is_whitespace() || EDGES.contains(&c) || ")]}】）".contains(c))
            .trim_end_matches(|c: char| {
                c.is_whitespace() || (c != '.' && EDGES.contains(&c)) || "([{【（".contains(c)
            });
        let shorter = match shorter.strip_suffix('.') {
            Some(front) if !keeps_dot(front) => front,
            _ => shorter,
        };
        let shorter = ["()", "[]", "{}"]
            .iter()
            .fold(shorter, |text, empty| text.strip_suffix(empty).unwrap_or(text));
        if shorter.len() == text.len() {
            return text;
        }
        text = shorter;
    }
}

/// Whether a dot after this text belongs to the name: after a single capital ("A.I."), or after a short word ("Dr.",
/// "vs.") in a name with spaces.
fn keeps_dot(front: &str) -> bool {
    let word = front.rsplit([' ', '.']).next().unwrap_or_default();
    let letters = word.chars().count();
    letters == 1 && word.chars().all(char::is_uppercase) && front.contains('.') || front.ends_with("..")
}

/// Words that begin a title but are no title by themselves.
const ARTICLES: &[&str] = &[
    "the", "a", "an", "der", "die", "das", "ein", "eine", "le", "la", "les", "un", "une", "el", "los", "las",
    "una", "il", "lo", "gli", "o", "os", "as", "um", "uma", "de", "het", "een",
];

pub(crate) fn is_article(word: &str) -> bool {
    ARTICLES.iter().any(|article| word.eq_ignore_ascii_case(article))
}

/// The normalized form for comparison: letters and digits in lower case.
pub(crate) fn key(name: &str) -> String {
    name.chars()
        .filter(|character| character.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The rest of `name` after the letters and digits of `head`; `None` if it does not begin with them.
pub(crate) fn strip_head<'a>(name: &'a str, head: &str) -> Option<&'a str> {
    let head = key(head);
    let mut expected = head.chars();
    let mut end = 0;
    if head.is_empty() {
        return None;
    }
    for (at, character) in name.char_indices() {
        if !character.is_alphanumeric() {
            continue;
        }
        if expected.as_str().is_empty() {
            break;
        }
        for lower in character.to_lowercase() {
            if expected.next() != Some(lower) {
                return None;
            }
        }
        end = at + character.len_utf8();
    }
    let rest = name.get(end..).unwrap_or_default();
    let whole = rest.chars().next().is_none_or(|next| !next.is_alphanumeric());
    (expected.as_str().is_empty() && whole).then_some(rest)
}

/// Whether the names may mean the same: equal, one contained in the other, or the initials of its words.
pub(crate) fn is_alike(one: &str, other: &str) -> bool {
    let (first, second) = (key(one), key(other));
    if first.is_empty() || second.is_empty() {
        return false;
    }
    let initials = |name: &str| -> String {
        name.split(|c: char| !c.is_alphanumeric())
            .filter_map(|word| word.chars().next())
            .flat_map(char::to_lowercase)
            .collect()
    };
    first == second
        || first.len() > 2 && second.contains(&first)
        || second.len() > 2 && first.contains(&second)
        || first.len() > 1 && initials(other) == first
        || second.len() > 1 && initials(one) == second
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_of_names_is_what_a_person_writes() {
        for (raw, shown) in [
            ("The.Show.P.I", "The Show P.I"),
            ("S.H.O.W", "S.H.O.W"),
            ("L.A.Law", "L.A. Law"),
            ("the_simpsons-", "the simpsons"),
            ("St. Vincent ", "St. Vincent"),
            (" - Name (", "Name"),
            (
                "Marvel's Agents of S.H.I.E.L.D. - ",
                "Marvel's Agents of S.H.I.E.L.D.",
            ),
            ("3.Days.to.Kill.", "3 Days to Kill"),
            ("Was ist los?", "Was ist los?"),
            ("...", ""),
        ] {
            assert_eq!(display(raw), shown, "{raw}");
        }
    }

    #[test]
    fn stem_takes_the_endings_of_videos_only() {
        assert_eq!(stem("St. Vincent"), "St. Vincent");
        assert_eq!(stem("a.b.MKV"), "a.b");
        assert_eq!(stem(".mkv"), ".mkv");
    }

    #[test]
    fn strip_head_needs_whole_words() {
        assert_eq!(strip_head("[The.Show.S04]", "The Show"), Some(".S04]"));
        assert_eq!(strip_head("The Showers", "The Show"), None);
        assert_eq!(strip_head("ÄRA 1", "ära"), Some(" 1"));
    }

    #[test]
    fn names_alike_are_parts_and_initials() {
        assert!(is_alike("got", "Game of Thrones"));
        assert!(is_alike("The.Office", "the office us"));
        assert!(!is_alike("Downloads", "foo"));
    }
}
