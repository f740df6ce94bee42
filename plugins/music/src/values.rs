//! Parses the values of tags: numbers with totals, gains, genres, lists of people.

use lofty::id3::v1::GENRES;

/// `3/12`, `03`, `3 of 12`: number and total; `None` for 0 and for invalid text.
pub fn number_and_total(text: &str) -> (Option<u32>, Option<u32>) {
    let mut parts = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty());
    let text = text.trim();
    let mut next = || {
        parts
            .next()
            .and_then(|part| part.parse::<u32>().ok())
            .filter(|number| *number > 0)
    };
    match text.as_bytes().first() {
        Some(b'/') => (None, next()),
        Some(first) if first.is_ascii_digit() => {
            // "0/12" has a total but no number.
            let number = next();
            (
                number,
                if text.contains(['/', 'o', 'O', '-']) {
                    next()
                } else {
                    None
                },
            )
        }
        // A vinyl side such as "A1" is not a number.
        _ => (None, None),
    }
}

/// The leading number of `-6.29 dB`, `+1,5`, `0.98`.
pub fn real(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | ',' | 'e' | 'E')));
    let number = text.get(..end.unwrap_or(text.len()))?.replace(',', ".");
    number.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// R128 gains target -23 LUFS, ReplayGain -18.
const R128_OFFSET_DB: f64 = 5.0;

/// Converts an Opus R128 gain (Q7.8 fixed point) to ReplayGain, in dB.
pub fn r128_gain(text: &str) -> Option<f64> {
    text.trim()
        .parse::<i16>()
        .ok()
        .map(|gain| f64::from(gain) / 256.0 + R128_OFFSET_DB)
}

/// The genres in one text: ID3v1 numbers are resolved (`17`, `(17)`, `(4)Eurodisco`, `(RX)`), lists are split.
pub fn genres(text: &str) -> Vec<String> {
    text.split(['\0', ';'])
        .flat_map(|part| part.split(" / "))
        .flat_map(genre)
        .collect()
}

fn genre(text: &str) -> Vec<String> {
    let mut rest = text.trim();
    let mut names = Vec::new();
    // ID3v2.3: references in parentheses, optionally with a refinement; "((" is an escaped parenthesis.
    while let Some(open) = rest.strip_prefix('(').filter(|open| !open.starts_with('(')) {
        let Some((reference, after)) = open.split_once(')') else {
            break;
        };
        let Some(name) = numbered_genre(reference) else {
            break;
        };
        names.push(name.to_owned());
        rest = after.trim();
    }
    let rest = rest
        .strip_prefix('(')
        .filter(|rest| rest.starts_with('('))
        .unwrap_or(rest);
    match numbered_genre(rest) {
        Some(name) => names.push(name.to_owned()),
        // "(8)Jazz" is one genre; in "(4)Eurodisco" the text is the more precise one.
        None if !rest.is_empty() => {
            names.clear();
            names.push(rest.to_owned());
        }
        None => {}
    }
    names
}

fn numbered_genre(text: &str) -> Option<&'static str> {
    match text {
        "RX" => Some("Remix"),
        "CR" => Some("Cover"),
        _ if text.len() <= 3 => GENRES.get(text.parse::<usize>().ok()?).copied(),
        _ => None,
    }
}

/// The people in one text. `; ` always separates; ` / ` only if the tag format has no separator of its own. `/`
/// without spaces belongs to a name (AC/DC).
pub fn people(text: &str, slash: bool) -> impl Iterator<Item = &str> {
    text.split('\0')
        .flat_map(|part| part.split("; "))
        .flat_map(move |part| {
            let (first, second) = if slash {
                (Some(part.split(" / ")), None)
            } else {
                (None, Some(part))
            };
            first.into_iter().flatten().chain(second)
        })
}

/// `1`, `true`, `yes`.
pub fn boolean(text: &str) -> Option<bool> {
    match text.trim().trim_end_matches('\0') {
        "1" => Some(true),
        "0" => Some(false),
        text if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("yes") => Some(true),
        text if text.eq_ignore_ascii_case("false") || text.eq_ignore_ascii_case("no") => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_and_total_in_every_spelling() {
        assert_eq!(number_and_total("3/12"), (Some(3), Some(12)));
        assert_eq!(number_and_total(" 03 "), (Some(3), None));
        assert_eq!(number_and_total("3 of 12"), (Some(3), Some(12)));
        assert_eq!(number_and_total("/12"), (None, Some(12)));
        assert_eq!(number_and_total("0/0"), (None, None));
        assert_eq!(number_and_total("0/12"), (None, Some(12)));
        assert_eq!(number_and_total("A1"), (None, None));
        assert_eq!(number_and_total("99999999999999/1"), (None, Some(1)));
    }

    #[test]
    fn gains_lose_their_unit() {
        assert_eq!(real("-6.29 dB"), Some(-6.29));
        assert_eq!(real("+1,5"), Some(1.5));
        assert_eq!(real("dB"), None);
        assert_eq!(real("nan"), None);
        assert_eq!(r128_gain("-256"), Some(4.0));
        assert_eq!(r128_gain("99999"), None);
    }

    #[test]
    fn genres_are_resolved_and_split() {
        assert_eq!(genres("(17)"), ["Rock"]);
        assert_eq!(genres("17"), ["Rock"]);
        assert_eq!(genres("(4)Eurodisco"), ["Eurodisco"]);
        assert_eq!(genres("(51)(39)"), ["Techno-Industrial", "Noise"]);
        assert_eq!(genres("((17) is not it"), ["(17) is not it"]);
        assert_eq!(genres("(RX)"), ["Remix"]);
        assert_eq!(genres("Rock;Pop\0Jazz / Funk"), ["Rock", "Pop", "Jazz", "Funk"]);
        assert_eq!(genres("(unfinished"), ["(unfinished"]);
        assert_eq!(genres("2023"), ["2023"]);
        assert!(genres("").is_empty());
    }

    #[test]
    fn people_are_split_only_where_it_is_safe() {
        let split = |text, slash| people(text, slash).collect::<Vec<_>>();
        assert_eq!(split("A; B\0C", false), ["A", "B", "C"]);
        assert_eq!(split("AC/DC / B", true), ["AC/DC", "B"]);
        assert_eq!(split("A / B", false), ["A / B"]);
    }
}
