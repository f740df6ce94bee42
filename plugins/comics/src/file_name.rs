//! What the name of an archive says: series, number, volume, year and title.
//!
//! A name is read from its end to its start: groups in brackets, then the title behind ` - `, then the number, then the
//! volume; what is left is the series. The rules are in the order of the functions below, and `tests/names.rs` has an
//! example of each.

/// The parts of a name.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FileName {
    pub series: Option<String>,
    /// As written, without leading zeros: `12`, `1.5`, `7a`.
    pub number: Option<String>,
    pub volume: Option<i64>,
    /// The number of issues: `(of 12)`.
    pub count: Option<i64>,
    pub year: Option<u16>,
    /// 1 to 12.
    pub month: Option<u8>,
    pub title: Option<String>,
}

/// Words before a number. Those of an issue, then those of a volume.
const ISSUE_WORDS: [&str; 10] = [
    "#", "no", "nr", "issue", "ch", "chap", "chapter", "kapitel", "chapitre", "c",
];
const VOLUME_WORDS: [&str; 9] = ["v", "vol", "volume", "t", "tome", "band", "bd", "book", "livre"];

impl FileName {
    /// Parses the name of a file, with its extension.
    pub fn parse(name: &str) -> Self {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        Self::parse_stem(stem)
    }

    /// Parses a name without an extension, such as that of a folder.
    pub fn parse_stem(stem: &str) -> Self {
        let mut parts = Self::default();
        // `Some_Comic_012`, `Some.Comic.012`.
        let spaced = if stem.contains(' ') {
            stem.to_owned()
        } else if stem.contains('_') {
            stem.replace('_', " ")
        } else {
            dots_as_spaces(stem)
        };
        let text = parts.take_groups(&spaced);
        let (text, title) = split_title(&text);
        parts.title = title;
        let mut words: Vec<&str> = text.split_whitespace().collect();
        parts.take_number(&mut words);
        parts.take_volume(&mut words);
        if parts.number.is_none() && parts.volume.is_none() {
            parts.take_plain_number(&mut words);
        }
        let series = words.join(" ");
        let series = series.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | ',' | '_' | ':'));
        parts.series = (!series.is_empty()).then(|| series.to_owned());
        parts
    }

    /// Removes groups in brackets: a year, a month and year, `of 12`; the rest names scanners and formats.
    fn take_groups(&mut self, text: &str) -> String {
        let mut left = String::with_capacity(text.len());
        let mut group: Option<(char, String)> = None;
        for character in text.chars() {
            match &mut group {
                None => match closing(character) {
                    Some(end) => group = Some((end, String::new())),
                    None => left.push(character),
                },
                Some((end, inner)) if character == *end => {
                    self.read_group(inner.trim());
                    left.push(' ');
                    group = None;
                }
                Some((_, inner)) => inner.push(character),
            }
        }
        // A bracket that is not closed is part of the name.
        if let Some((end, inner)) = group {
            left.push(if end == ')' { '(' } else { '[' });
            left.push_str(&inner);
        }
        left
    }

    fn read_group(&mut self, group: &str) {
        if let Some(count) = group.strip_prefix("of ").and_then(whole) {
            self.count = self.count.or(Some(count));
            return;
        }
        let mut parts = group
            .split(['-', '/', '.', ' ', ','])
            .filter(|part| !part.is_empty());
        let (first, second, third) = (parts.next(), parts.next(), parts.next());
        let year_of = |part: Option<&str>| part.and_then(year);
        // `2019`, `2019-03`, `2019-2020`, `March 2019`.
        let (found, month) = match (year_of(first), year_of(second)) {
            (Some(found), None) if third.is_none_or(|day| whole(day).is_some()) => {
                (found, second.and_then(whole))
            }
            (Some(found), Some(_)) if third.is_none() => (found, None),
            (None, Some(found)) if third.is_none() => (found, first.and_then(month)),
            _ => return,
        };
        if second.is_some() && month.is_none() && year_of(second).is_none() {
            return;
        }
        if self.year.is_none() {
            self.year = Some(found);
            self.month = month
                .and_then(|month| u8::try_from(month).ok())
                .filter(|month| (1..=12).contains(month));
        }
    }

    /// A number behind a word of an issue: `#3`, `No. 3`, `Issue 3`, `ch 12`, `c012`. The last one counts.
    fn take_number(&mut self, words: &mut Vec<&str>) {
        if let Some((number, from, length)) = marked(words, &ISSUE_WORDS) {
            self.number = Some(number);
            self.take_rest(words, from, length);
        }
    }

    /// A volume behind its word: `v02`, `Vol. 2`, `Tome 3`, `T03`. The number of the issue may follow: `v2 012`.
    fn take_volume(&mut self, words: &mut Vec<&str>) {
        let Some((volume, from, length)) = marked(words, &VOLUME_WORDS) else {
            return;
        };
        let Some(volume) = volume.parse().ok() else { return };
        self.volume = Some(volume);
        if self.number.is_none()
            && let Some(next) = words.get(from + length)
            && let Some(number) = number(next)
        {
            self.number = Some(number);
            self.take_rest(words, from, length + 1);
        } else {
            self.take_rest(words, from, length);
        }
    }

    /// The last word that is a number, unless it is all that the series would have: `2000AD 1234`, `Saga 01-06`.
    fn take_plain_number(&mut self, words: &mut Vec<&str>) {
        // `3 of 6`: the words behind the first number are the count.
        let is_count = |at: usize| {
            let before = |back: usize| at.checked_sub(back).and_then(|at| words.get(at));
            before(1).is_some_and(|word| *word == "of")
                && before(2).is_some_and(|word| number(word).is_some())
        };
        let last = words.iter().rposition(|word| number(word).is_some());
        if let Some(at) = last.map(|at| if is_count(at) { at - 2 } else { at }) {
            self.number = words.get(at).and_then(|word| number(word));
            self.take_rest(words, at, 1);
        }
    }

    /// Removes `length` words, and takes those behind them as the title.
    fn take_rest(&mut self, words: &mut Vec<&str>, from: usize, length: usize) {
        let rest = words.get(from + length..).unwrap_or_default().join(" ");
        words.truncate(from);
        let rest = rest.trim_matches(|c: char| c.is_whitespace() || matches!(c, '-' | ',' | ':'));
        // `3 of 6` without brackets.
        if let Some(count) = rest.strip_prefix("of ").and_then(whole) {
            self.count = self.count.or(Some(count));
        } else if self.title.is_none() && !rest.is_empty() {
            self.title = Some(rest.to_owned());
        }
    }
}

/// The last number behind one of these words: as one word (`v02`) or two (`Vol. 2`). Its first word and their count.
fn marked(words: &[&str], marks: &[&str]) -> Option<(String, usize, usize)> {
    (0..words.len()).rev().find_map(|at| {
        let word = words.get(at)?;
        let lower = word.to_lowercase();
        let joined = marks.iter().find_map(|mark| {
            let rest = lower.strip_prefix(mark)?.trim_start_matches('.');
            number(rest)
        });
        if let Some(found) = joined {
            return Some((found, at, 1));
        }
        let is_mark = lower.len() > 1 && marks.contains(&lower.trim_end_matches('.')) || lower == "#";
        let found = number(words.get(at + 1)?).filter(|_| is_mark)?;
        Some((found, at, 2))
    })
}

/// A number as written, without leading zeros; of a range (`001-005`) the first. `None` for other words.
fn number(word: &str) -> Option<String> {
    let word = word.trim_start_matches('#').trim_end_matches(',');
    let first = match word.split_once('-') {
        Some((first, last)) if last.starts_with(|c: char| c.is_ascii_digit()) => first,
        _ => word,
    };
    let digits = first.find(|c: char| !c.is_ascii_digit()).unwrap_or(first.len());
    let (whole, rest) = first.split_at_checked(digits)?;
    // More digits are a date or a checksum.
    if !(1..=4).contains(&whole.len()) {
        return None;
    }
    let is_suffix = match rest.strip_prefix('.') {
        Some(part) => !part.is_empty() && part.len() <= 3 && part.chars().all(|c| c.is_ascii_alphanumeric()),
        None => rest.len() <= 1 && rest.chars().all(|c| c.is_ascii_lowercase()) || rest == "½",
    };
    let plain = whole.trim_start_matches('0');
    let plain = if plain.is_empty() { "0" } else { plain };
    is_suffix.then(|| format!("{plain}{rest}"))
}

/// The title behind ` - `, if what is before it has a number: `Saga 01 - Chapter One`.
fn split_title(text: &str) -> (String, Option<String>) {
    if let Some((before, title)) = text.split_once(" - ")
        && before.chars().any(|c| c.is_ascii_digit())
        && title.chars().any(char::is_alphabetic)
        && !title.split_whitespace().any(|word| word.starts_with('#'))
    {
        return (
            before.to_owned(),
            Some(title.trim().to_owned()).filter(|title| !title.is_empty()),
        );
    }
    (text.to_owned(), None)
}

/// Dots that separate words, not those of a number such as `1.5`.
fn dots_as_spaces(text: &str) -> String {
    let bytes = text.as_bytes();
    let is_digit = |at: Option<usize>| {
        let byte = at.and_then(|at| bytes.get(at));
        byte.is_some_and(u8::is_ascii_digit)
    };
    text.char_indices()
        .map(|(at, c)| match c {
            '.' if is_digit(at.checked_sub(1)) && is_digit(Some(at + 1)) => c,
            '.' => ' ',
            c => c,
        })
        .collect()
}

fn closing(character: char) -> Option<char> {
    match character {
        '(' => Some(')'),
        '[' => Some(']'),
        '{' => Some('}'),
        _ => None,
    }
}

fn whole(text: &str) -> Option<i64> {
    let text = text.trim();
    (text.len() <= 4)
        .then(|| text.parse().ok())
        .flatten()
        .filter(|number| *number > 0)
}

fn year(text: &str) -> Option<u16> {
    let is_year = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_year
        .then(|| text.parse().ok())
        .flatten()
        .filter(|year| (1800..=2199).contains(year))
}

/// A month by its number or its English name.
fn month(text: &str) -> Option<i64> {
    const NAMES: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let lower = text.to_lowercase();
    let named = NAMES.iter().position(|name| lower.starts_with(name));
    whole(text).or(named.and_then(|at| i64::try_from(at + 1).ok()))
}
