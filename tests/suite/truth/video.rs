//! Metadata of videos, compared with ffprobe.

use serde_json::Value;
use svc_domain::extraction::{Extraction, Value as FieldValue};
use svc_tests::foreign_media;
use svc_tests::sandbox::Sandbox;

use super::compare::{Comparison, field, truths};

/// Fields of a file.
const FIELDS: usize = 29;

#[test]
fn videos_agree_with_ffprobe() {
    let Some(folder) = foreign_media() else { return };
    let mut sandbox = Sandbox::new("movies");
    let mut comparison = Comparison::default();
    // Files that ffprobe cannot read are not compared.
    for truth in truths("video", "ok")
        .iter()
        .filter(|truth| truth["unreadable"] == false)
    {
        let path = truth["path"].as_str().unwrap();
        match sandbox.extract(&folder.join(path)) {
            Some(Ok(extraction)) => compare(&mut comparison, path, truth, &extraction.unwrap_or_default()),
            Some(Err(failure)) => comparison.unreadable(path, FIELDS, &failure.to_string()),
            None => comparison.unreadable(path, FIELDS, "no plugin for the extension"),
        }
    }
    comparison.must_match("video.toml");
}

fn compare(comparison: &mut Comparison, path: &str, truth: &Value, ours: &Extraction) {
    let streams = records(ours, "video.streams");
    let pictures = of_kind(&streams, "video");
    let first = pictures.first().map_or(&Value::Null, |stream| *stream);
    let mut note = |name: &str, truth: String, ours: String| {
        comparison.field(path, name, truth == ours, &truth, &ours);
    };
    let container = text(ours, "video.container");
    let family = match container.as_str() {
        "mp4" | "mov" => "mov,mp4,m4a,3gp,3g2,mj2",
        "matroska" | "webm" => "matroska,webm",
        other => other,
    };
    note("container", printed(&truth["container"]), family.to_owned());
    note("codec", printed(&truth["videoCodec"]), printed(&first["codec"]));
    note(
        "width",
        printed(&truth["width"]),
        ours.width.map(|side| side.to_string()).unwrap_or_default(),
    );
    note(
        "height",
        printed(&truth["height"]),
        ours.height.map(|side| side.to_string()).unwrap_or_default(),
    );
    // ffprobe counts against the clock.
    let rotation = truth["rotation"]
        .as_i64()
        .map(|degrees| (-degrees).rem_euclid(360).to_string());
    note(
        "rotation",
        rotation.unwrap_or_default(),
        printed(&first["rotation"]),
    );
    note(
        "video-streams",
        printed(&truth["videoStreams"]),
        pictures.len().to_string(),
    );
    note(
        "pictures",
        printed(&truth["attachedPictures"]),
        ours.pictures.len().to_string(),
    );
    for (kind, list, names) in [
        (
            "audio",
            &truth["audio"],
            &["codec", "channels", "sampleRate", "language", "title", "default"][..],
        ),
        (
            "subtitle",
            &truth["subtitles"],
            &["codec", "language", "title", "default", "forced"],
        ),
    ] {
        let wanted: Vec<&Value> = list.as_array().unwrap().iter().collect();
        for name in names {
            note(
                &format!("{kind}-{name}"),
                match *name {
                    "language" => tags(&wanted),
                    name => column(&wanted, name),
                },
                column(&of_kind(&streams, kind), name),
            );
        }
    }
    note("chapters", their_chapters(truth), our_chapters(ours));
    for (name, wanted, key) in [
        ("title", &truth["title"], "video.title"),
        ("description", &truth["tags"]["description"], "video.description"),
        ("comment", &truth["tags"]["comment"], "video.comment"),
        ("genre", &truth["tags"]["genre"], "video.genres"),
        ("show", &truth["tags"]["show"], "video.show"),
        ("season", &truth["tags"]["season_number"], "video.season"),
        ("episode", &truth["tags"]["episode_sort"], "video.episode"),
        ("year", &truth["tags"]["date"], "video.date"),
    ] {
        note(name, printed(wanted).trim().to_owned(), text(ours, key));
    }
    let seconds = truth["duration"].as_f64();
    let ms = ours.duration_ms.map(|ms| ms as f64);
    comparison.near(path, "duration", seconds.map(|s| s * 1000.0), ms, |truth| {
        (truth * 0.01).max(50.0)
    });
    let rate = truth["frameRate"].as_str().and_then(fraction);
    comparison.near(path, "frame-rate", rate, first["fps"].as_f64(), |truth| {
        truth * 0.01
    });
}

fn of_kind<'a>(streams: &'a [Value], kind: &str) -> Vec<&'a Value> {
    streams.iter().filter(|stream| stream["type"] == kind).collect()
}

/// `30000/1001`.
fn fraction(text: &str) -> Option<f64> {
    let (over, under) = text.split_once('/')?;
    let rate = over.parse::<f64>().ok()? / under.parse::<f64>().ok()?;
    Some(rate).filter(|rate| rate.is_finite() && *rate > 0.0)
}

/// A JSON scalar as text; empty for null.
fn printed(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The languages of all streams; ffprobe reports the code as it is in the file.
fn tags(streams: &[&Value]) -> String {
    let said: Vec<&str> = streams
        .iter()
        .map(|stream| match stream["language"].as_str() {
            None | Some("und") => "",
            Some("cze") => "cs",
            Some("eng") => "en",
            Some("fre") => "fr",
            Some("ger") => "de",
            Some("por") => "pt",
            Some("spa") => "es",
            Some(other) => panic!("no tag for {other}"),
        })
        .collect();
    said.join(" | ")
}

/// One field of all streams.
fn column(streams: &[&Value], name: &str) -> String {
    let said: Vec<String> = streams.iter().map(|stream| printed(&stream[name])).collect();
    said.join(" | ")
}

fn their_chapters(truth: &Value) -> String {
    let ms = |value: &Value| (value.as_f64().unwrap() * 1000.0).round();
    let chapters = truth["chapters"].as_array().unwrap().iter().map(|chapter| {
        let (start, end) = (ms(&chapter["start"]), ms(&chapter["end"]));
        // A chapter beyond the end of the file is empty.
        let end = if end > start {
            end.to_string()
        } else {
            String::new()
        };
        format!("{start}-{end} {}", printed(&chapter["title"]))
    });
    chapters.collect::<Vec<_>>().join(" | ")
}

fn our_chapters(ours: &Extraction) -> String {
    let chapters = records(ours, "video.chapters").into_iter().map(|chapter| {
        let (start, end) = (printed(&chapter["startMs"]), printed(&chapter["endMs"]));
        format!("{start}-{end} {}", printed(&chapter["title"]))
    });
    chapters.collect::<Vec<_>>().join(" | ")
}

/// The JSON objects of a list.
fn records(extraction: &Extraction, key: &str) -> Vec<Value> {
    match field(extraction, key) {
        Some(FieldValue::Texts(texts)) => texts
            .iter()
            .map(|text| serde_json::from_str(text).unwrap())
            .collect(),
        _ => Vec::new(),
    }
}

fn text(extraction: &Extraction, key: &str) -> String {
    match field(extraction, key) {
        Some(FieldValue::Text(text)) => text.clone(),
        Some(FieldValue::Texts(texts)) => texts.join("; "),
        Some(FieldValue::Integer(number)) => number.to_string(),
        Some(FieldValue::Date(date)) => date.year.to_string(),
        _ => String::new(),
    }
}
