//! Chapters of a file, from whichever of its places has most of them.

use serde_json::json;
use svc_plugin_api::clean_text;

/// Chapters of one file, as the server stores them at most.
pub const MAX_CHAPTERS: usize = 1000;

/// A chapter; times in milliseconds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Chapter {
    pub start_ms: u64,
    /// If the file states it.
    pub end_ms: Option<u64>,
    pub title: Option<String>,
}

/// Chapters as the contract wants them, one JSON object each, in order. A chapter without an end ends where the next one
/// starts, and the last one with the file.
pub fn json(mut chapters: Vec<Chapter>, duration_ms: u64) -> Vec<String> {
    chapters.retain(|chapter| duration_ms == 0 || chapter.start_ms < duration_ms);
    chapters.sort_by_key(|chapter| chapter.start_ms);
    chapters.truncate(MAX_CHAPTERS);
    let mut next = Some(duration_ms).filter(|duration| *duration > 0);
    for chapter in chapters.iter_mut().rev() {
        let stated = chapter.end_ms.filter(|end| *end > chapter.start_ms);
        chapter.end_ms = match (stated, next) {
            (Some(end), Some(next)) => Some(end.min(next)),
            (end, next) => end.or(next),
        };
        next = Some(chapter.start_ms);
    }
    chapters.iter().map(object).collect()
}

fn object(chapter: &Chapter) -> String {
    let mut object = json!({ "startMs": chapter.start_ms });
    if let Some(fields) = object.as_object_mut() {
        fields.extend(chapter.end_ms.map(|end| ("endMs".to_owned(), json!(end))));
        let title = chapter.title.as_deref().and_then(clean_text);
        fields.extend(title.map(|title| ("title".to_owned(), json!(title))));
    }
    object.to_string()
}

/// Of two lists the one that says more; the first if they are equally long.
pub fn longer(first: Vec<Chapter>, second: Vec<Chapter>) -> Vec<Chapter> {
    if second.len() > first.len() { second } else { first }
}

/// Chapters of Vorbis comments: `CHAPTER001=00:00:12.500` and `CHAPTER001NAME=Title`.
pub fn of_comments<'a>(comments: impl Iterator<Item = (&'a str, &'a str)> + Clone) -> Vec<Chapter> {
    let numbered = |key: &str| {
        let rest = key
            .get(..7)
            .filter(|word| word.eq_ignore_ascii_case("chapter"))
            .and(key.get(7..))?;
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (number, rest) = rest.split_at_checked(digits)?;
        Some((
            number.parse::<u32>().ok()?,
            rest.eq_ignore_ascii_case("name"),
            rest.is_empty(),
        ))
    };
    let mut chapters = Vec::new();
    for (key, value) in comments.clone() {
        let Some((number, _, true)) = numbered(key) else {
            continue;
        };
        let Some(start_ms) = clock(value) else { continue };
        let title = comments.clone().find_map(|(key, value)| {
            let is_own = numbered(key).is_some_and(|(other, is_name, _)| other == number && is_name);
            is_own.then(|| value.to_owned())
        });
        chapters.push(Chapter {
            start_ms,
            end_ms: None,
            title,
        });
        if chapters.len() >= MAX_CHAPTERS {
            break;
        }
    }
    chapters
}

/// `01:02:03.456` in milliseconds.
fn clock(text: &str) -> Option<u64> {
    let mut seconds = 0.0;
    for part in text.trim().splitn(3, ':') {
        let part: f64 = part
            .parse()
            .ok()
            .filter(|part: &f64| (0.0..100_000.0).contains(part))?;
        seconds = seconds * 60.0 + part;
    }
    Some((seconds * 1000.0).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_read_as_chapters() {
        let comments = [
            ("CHAPTER002", "00:01:00.500"),
            ("chapter002name", "Two"),
            ("CHAPTER001", "0:0:0"),
            ("CHAPTER001URL", "https://a.example"),
            ("CHAPTER003", "soon"),
            ("TITLE", "x"),
            ("CHAP", "1"),
        ];
        let chapters = of_comments(comments.into_iter());
        let expected = [
            r#"{"startMs":0,"endMs":60500}"#,
            r#"{"startMs":60500,"endMs":90000,"title":"Two"}"#,
        ];
        let objects = json(chapters, 90_000);
        let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
        assert_eq!(
            objects.iter().map(|object| parse(object)).collect::<Vec<_>>(),
            expected.map(parse)
        );
    }

    #[test]
    fn ends_stay_within_the_file_and_before_the_next_chapter() {
        let chapter = |start_ms, end_ms| Chapter {
            start_ms,
            end_ms,
            title: None,
        };
        let chapters = vec![
            chapter(5_000, Some(99_000)),
            chapter(0, Some(6_000)),
            chapter(8_000, Some(1)),
            chapter(11_000, None),
        ];
        let times = |duration| -> Vec<(u64, Option<u64>)> {
            json(chapters.clone(), duration)
                .iter()
                .map(|object| serde_json::from_str::<serde_json::Value>(object).unwrap())
                .map(|object| (object["startMs"].as_u64().unwrap(), object["endMs"].as_u64()))
                .collect()
        };
        assert_eq!(
            times(10_000),
            [(0, Some(5_000)), (5_000, Some(8_000)), (8_000, Some(10_000))]
        );
        assert_eq!(times(0)[3], (11_000, None));
    }
}
