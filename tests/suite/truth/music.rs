//! Metadata of music, compared with mutagen and ffprobe.

use serde_json::Value;
use svc_domain::extraction::{Extraction, Value as FieldValue};
use svc_tests::foreign_media;
use svc_tests::sandbox::Sandbox;

use super::compare::{Comparison, clean, field, leading_number, truths};

const FIELDS: usize = 12;

#[test]
fn music_agrees_with_independent_tools() {
    let Some(folder) = foreign_media() else { return };
    let mut sandbox = Sandbox::new("music");
    let mut comparison = Comparison::default();
    for truth in truths("music", "ok") {
        let path = truth["path"].as_str().unwrap();
        match sandbox.extract(&folder.join(path)) {
            Some(Ok(extraction)) => compare(&mut comparison, path, &truth, &extraction.unwrap_or_default()),
            Some(Err(failure)) => comparison.unreadable(path, FIELDS, &failure.to_string()),
            None => comparison.unreadable(path, FIELDS, "no plugin for the extension"),
        }
    }
    comparison.must_match("music.toml");
}

/// The values of mutagen, then of ffprobe.
fn opinions(truth: &Value) -> Vec<&Value> {
    let second = &truth["ffprobe"];
    let mut opinions = vec![truth];
    opinions.extend((second.is_object() && second["unreadable"] != true).then_some(second));
    opinions
}

fn compare(comparison: &mut Comparison, path: &str, truth: &Value, ours: &Extraction) {
    let opinions = opinions(truth);
    let mut note = |name: &str, truths: Vec<String>, ours: String| {
        comparison.field(path, name, truths.contains(&ours), &truths.join(" or "), &ours);
    };
    let of = |names: [&str; 2], read: fn(&Value) -> String| -> Vec<String> {
        opinions
            .iter()
            .zip(names)
            .map(|(opinion, name)| read(&opinion[name]))
            .collect()
    };
    note(
        "title",
        of(["title", "title"], first_text),
        ours.title.clone().unwrap_or_default(),
    );
    note(
        "album",
        of(["album", "album"], first_text),
        text(ours, "music.album"),
    );
    note(
        "artist",
        of(["artist", "artist"], all_texts),
        texts(ours, "music.artists"),
    );
    note(
        "album-artist",
        of(["albumartist", "album_artist"], all_texts),
        texts(ours, "music.album-artists"),
    );
    note(
        "genre",
        of(["genre", "genre"], all_texts),
        texts(ours, "music.genres"),
    );
    note(
        "track",
        of(["track", "track"], number),
        integer(ours, "music.track-number"),
    );
    note(
        "disc",
        of(["disc", "disc"], number),
        integer(ours, "music.disc-number"),
    );
    note("date", of(["date", "date"], date), our_date(ours));
    note(
        "sample-rate",
        of(["sampleRate", "sampleRate"], number),
        integer(ours, "audio.sample-rate"),
    );
    note(
        "channels",
        of(["channels", "channels"], number),
        integer(ours, "audio.channels"),
    );

    let has_picture = (!ours.pictures.is_empty()).to_string();
    let mut pictures = vec![(truth["hasPicture"] == true).to_string()];
    pictures.extend(
        opinions
            .get(1)
            .map(|second| (second["pictures"].as_i64() > Some(0)).to_string()),
    );
    note("picture", pictures, has_picture);

    let milliseconds = |opinion: &&Value| opinion["duration"].as_f64().unwrap_or(0.0) * 1000.0;
    let durations: Vec<f64> = opinions.iter().map(milliseconds).collect();
    let ours = ours.duration_ms.unwrap_or(0) as f64;
    let agrees = durations
        .iter()
        .any(|truth| (truth - ours).abs() <= (truth * 0.01).max(50.0));
    comparison.field(
        path,
        "duration",
        agrees,
        &format!("{durations:?}"),
        &ours.to_string(),
    );
}

/// The texts of a list, or of the one text that it is.
fn listed(value: &Value) -> (Vec<&str>, bool) {
    match value {
        Value::Array(texts) => (texts.iter().filter_map(Value::as_str).collect(), false),
        Value::String(text) => (vec![text], true),
        _ => (Vec::new(), false),
    }
}

fn first_text(value: &Value) -> String {
    let (texts, _) = listed(value);
    texts
        .iter()
        .flat_map(|text| text.split('\0'))
        .map(clean)
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

fn all_texts(value: &Value) -> String {
    let (texts, single) = listed(value);
    let mut all: Vec<String> = Vec::new();
    for text in texts {
        let text = text.replace("; ", "\0").replace(" / ", "\0");
        let text = if single { text.replace(';', "\0") } else { text };
        for part in text.split('\0').map(clean).filter(|part| !part.is_empty()) {
            if !all.contains(&part) {
                all.push(part);
            }
        }
    }
    all.join(" | ")
}

fn number(value: &Value) -> String {
    let number = match value {
        Value::Number(number) => number.as_i64().filter(|number| *number != 0),
        Value::String(text) => leading_number(text.trim()),
        _ => None,
    };
    number.map(|number| number.to_string()).unwrap_or_default()
}

fn date(value: &Value) -> String {
    let (texts, _) = listed(value);
    let Some(first) = texts.first() else {
        return String::new();
    };
    let day = first.split(['T', ' ']).next().unwrap_or_default();
    let parts: Vec<i64> = day
        .split(['-', '/', ':', '.'])
        .map_while(leading_number)
        .take(3)
        .collect();
    joined(&parts)
}

fn joined(parts: &[i64]) -> String {
    parts
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("-")
}

fn our_date(extraction: &Extraction) -> String {
    let Some(FieldValue::Date(date)) = field(extraction, "music.date") else {
        return String::new();
    };
    let parts = [
        Some(i64::from(date.year)),
        date.month.map(i64::from),
        date.day.map(i64::from),
    ];
    joined(&parts.into_iter().flatten().collect::<Vec<_>>())
}

fn text(extraction: &Extraction, key: &str) -> String {
    match field(extraction, key) {
        Some(FieldValue::Text(text)) => text.clone(),
        _ => String::new(),
    }
}

fn texts(extraction: &Extraction, key: &str) -> String {
    match field(extraction, key) {
        Some(FieldValue::Texts(texts)) => texts.join(" | "),
        _ => String::new(),
    }
}

fn integer(extraction: &Extraction, key: &str) -> String {
    match field(extraction, key) {
        Some(FieldValue::Integer(number)) => number.to_string(),
        _ => String::new(),
    }
}
