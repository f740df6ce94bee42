//! Metadata of photos, compared with exiftool.

use serde_json::Value;
use svc_domain::extraction::{Extraction, PartialDate, Value as FieldValue};
use svc_tests::foreign_media;
use svc_tests::sandbox::Sandbox;

use super::compare::{Comparison, clean, field, leading_number, truths};

#[test]
fn photos_agree_with_exiftool() {
    let Some(folder) = foreign_media() else { return };
    let mut sandbox = Sandbox::new("photos");
    let mut comparison = Comparison::default();
    for truth in truths("photo", "ok") {
        let path = truth["path"].as_str().unwrap();
        match sandbox.extract(&folder.join(path)) {
            Some(Ok(extraction)) => compare(&mut comparison, path, &truth, &extraction.unwrap_or_default()),
            Some(Err(failure)) => comparison.unreadable(path, 17, &failure.to_string()),
            None => comparison.unreadable(path, 17, "no plugin for the extension"),
        }
    }
    comparison.must_match("photos.toml");
}

fn compare(comparison: &mut Comparison, path: &str, truth: &Value, ours: &Extraction) {
    let taken = match field(ours, "photo.taken-at") {
        Some(FieldValue::Date(date)) => Some(*date),
        _ => None,
    };
    let candidates = ["DateTimeOriginal", "CreateDate", "ModifyDate"];
    let wanted = candidates.iter().find_map(|name| moment(&truth[*name]));
    note(
        comparison,
        path,
        "taken-at",
        wanted.unwrap_or_default(),
        taken.map(to_the_second).unwrap_or_default(),
    );
    if moment(&truth["DateTimeOriginal"]).is_some() {
        let offset = taken
            .and_then(|date| date.offset_minutes)
            .map(|minutes| minutes.to_string());
        note(
            comparison,
            path,
            "offset",
            offset_minutes(&truth["OffsetTimeOriginal"]),
            offset.unwrap_or_default(),
        );
        let thousandths = taken.and_then(|date| date.time_ms).map_or(0, |ms| ms % 1000);
        note(
            comparison,
            path,
            "sub-second",
            subsecond(&truth["SubSecTimeOriginal"]),
            thousandths.to_string(),
        );
    }
    for (name, tag) in [("make", "Make"), ("model", "Model"), ("lens", "LensModel")] {
        let wanted = clean(&printed(&truth[tag]));
        note(
            comparison,
            path,
            name,
            wanted,
            our_text(ours, &format!("photo.{name}")),
        );
    }
    for (name, tag) in [("orientation", "Orientation"), ("iso", "ISO")] {
        let wanted = leading_number(printed(&truth[tag]).trim()).map(|number| number.to_string());
        let key = format!("photo.{name}");
        note(
            comparison,
            path,
            name,
            wanted.unwrap_or_default(),
            our_number(ours, &key).map(|n| n.to_string()).unwrap_or_default(),
        );
    }
    for (name, tag) in [
        ("aperture", "FNumber"),
        ("exposure-time", "ExposureTime"),
        ("focal-length", "FocalLength"),
    ] {
        let wanted = real(&truth[tag]).filter(|number| *number != 0.0);
        comparison.near(
            path,
            name,
            wanted,
            our_number(ours, &format!("photo.{name}")),
            |truth| truth.abs() * 0.001,
        );
    }
    for (name, tag, within) in [
        ("gps-latitude", "GPSLatitude", 0.000_001),
        ("gps-longitude", "GPSLongitude", 0.000_001),
        ("gps-altitude", "GPSAltitude", 0.01),
    ] {
        comparison.near(
            path,
            name,
            real(&truth[tag]),
            our_number(ours, &format!("photo.{name}")),
            |_| within,
        );
    }
    let sides = [
        ("width", "ImageWidth", ours.width),
        ("height", "ImageHeight", ours.height),
    ];
    for (name, tag, side) in sides {
        note(
            comparison,
            path,
            name,
            printed(&truth[tag]),
            side.map(|pixels| pixels.to_string()).unwrap_or_default(),
        );
    }
}

fn note(comparison: &mut Comparison, path: &str, name: &str, truth: String, ours: String) {
    comparison.field(path, name, truth == ours, &truth, &ours);
}

/// A JSON scalar as text; empty for null.
fn printed(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn real(value: &Value) -> Option<f64> {
    printed(value)
        .trim()
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
}

/// `YYYY-MM-DD HH:MM:SS` of a text that begins so, whatever its separators.
fn moment(value: &Value) -> Option<String> {
    let text = printed(value);
    let text = text.get(..19)?;
    let shape = text.char_indices().all(|(at, c)| match at {
        4 | 7 => [':', '-'].contains(&c),
        10 => [' ', 'T'].contains(&c),
        13 | 16 => c == ':',
        _ => c.is_ascii_digit(),
    });
    let date = format!("{}-{}-{} {}", &text[..4], &text[5..7], &text[8..10], &text[11..]);
    (shape && !date.starts_with("0000")).then_some(date)
}

fn to_the_second(date: PartialDate) -> String {
    let seconds = date.time_ms.unwrap_or(0) / 1000;
    format!(
        "{:04}-{:02}-{:02} {:02}:{:02}:{:02}",
        date.year,
        date.month.unwrap_or(0),
        date.day.unwrap_or(0),
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

fn offset_minutes(value: &Value) -> String {
    let text = printed(value);
    let text = text.trim();
    if text == "Z" {
        return "0".to_owned();
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let parts = text
        .strip_prefix(['+', '-'])
        .and_then(|rest| rest.split_once(':'));
    let minutes = parts
        .and_then(|(hours, minutes)| Some(hours.parse::<i64>().ok()? * 60 + minutes.parse::<i64>().ok()?));
    minutes
        .map(|minutes| (sign * minutes).to_string())
        .unwrap_or_default()
}

fn subsecond(value: &Value) -> String {
    let digits: String = printed(value)
        .chars()
        .take_while(char::is_ascii_digit)
        .take(3)
        .collect();
    format!("{digits:0<3}").parse::<u32>().unwrap_or(0).to_string()
}

fn our_text(extraction: &Extraction, key: &str) -> String {
    match field(extraction, key) {
        Some(FieldValue::Text(text)) => text.clone(),
        _ => String::new(),
    }
}

fn our_number(extraction: &Extraction, key: &str) -> Option<f64> {
    match field(extraction, key)? {
        FieldValue::Integer(number) => Some(*number as f64),
        FieldValue::Real(number) => Some(*number),
        FieldValue::Rational(number) => number.to_f64(),
        _ => None,
    }
}
