//! Tests of video facts.

use super::*;
use crate::extraction::{Field, Value};

fn extraction(fields: Vec<(&str, Value)>) -> Extraction {
    let field = |(key, value): (&str, Value)| Field {
        key: key.to_owned(),
        value,
    };
    Extraction {
        fields: fields.into_iter().map(field).collect(),
        ..Extraction::default()
    }
}

fn facts(kind: MediaKind, fields: Vec<(&str, Value)>, folder: &str, name: &str) -> VideoFacts {
    let folder = RelativePath::from_stored(folder.to_owned());
    VideoFacts::from_extraction(&extraction(fields), &kind, &folder, name)
}

fn episode_key(fields: Vec<(&str, Value)>) -> String {
    match facts(MediaKind::tv(), fields, "Show/Season 1", "a.mkv").item {
        VideoItem::Episode(episode) => episode.key,
        VideoItem::Movie(_) => panic!("a movie"),
    }
}

#[test]
fn files_of_one_movie_have_one_key() {
    let of = |title: &str, name: &str| {
        let fields = vec![
            ("movie.title", Value::Text(title.to_owned())),
            ("movie.year", Value::Integer(1982)),
        ];
        match facts(MediaKind::movies(), fields, "", name).item {
            VideoItem::Movie(movie) => movie.key,
            VideoItem::Episode(_) => panic!("an episode"),
        }
    };
    assert_eq!(of("Blade Runner", "a.mkv"), of("BLADE RUNNER:", "b.mp4"));
    assert_ne!(of("Blade Runner", "a.mkv"), of("Blade Runner 2", "a.mkv"));
}

#[test]
fn episode_key_prefers_number_then_absolute_number_then_date_then_file() {
    let show = || ("tv.show", Value::Text("Show".to_owned()));
    let date = PartialDate {
        year: 2017,
        month: Some(4),
        day: Some(20),
        time_ms: None,
        offset_minutes: None,
    };
    assert_eq!(
        episode_key(vec![show(), ("tv.episode", Value::Integer(3))]),
        "show/s1e3"
    );
    assert_eq!(
        episode_key(vec![show(), ("tv.absolute", Value::Integer(13))]),
        "show/a13"
    );
    assert_eq!(
        episode_key(vec![show(), ("tv.air-date", Value::Date(date))]),
        "show/d2017-04-20"
    );
    assert_eq!(episode_key(vec![show()]), "show/fShow/Season 1/a.mkv");
}

#[test]
fn texts_that_are_no_json_objects_are_skipped() {
    let streams = vec![
        "{\"type\":\"video\"}".to_owned(),
        "[1]".to_owned(),
        "}".to_owned(),
    ];
    let facts = facts(
        MediaKind::movies(),
        vec![("video.streams", Value::Texts(streams))],
        "",
        "a.mkv",
    );
    assert_eq!(facts.streams, "[{\"type\":\"video\"}]");
}
