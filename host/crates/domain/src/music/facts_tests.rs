//! Tests of track facts.

use super::*;
use crate::extraction::{Field, Value};

fn texts(key: &str, values: &[&str]) -> Field {
    Field {
        key: key.into(),
        value: Value::Texts(values.iter().map(|&v| v.into()).collect()),
    }
}

fn text(key: &str, value: &str) -> Field {
    Field {
        key: key.into(),
        value: Value::Text(value.into()),
    }
}

fn key_of(fields: Vec<Field>, folder: &str) -> Option<String> {
    let extraction = Extraction {
        fields,
        ..Extraction::default()
    };
    let facts = TrackFacts::from_extraction(
        &extraction,
        &RelativePath::from_stored(folder.into()),
        "01 Song.mp3",
    );
    facts.release.map(|release| release.key)
}

#[test]
fn release_with_album_artist_joins_folders_and_ignores_case() {
    let first = key_of(
        vec![
            text("music.album", "Blue"),
            texts("music.album-artists", &["Joni"]),
        ],
        "a/cd1",
    );
    let second = key_of(
        vec![
            text("music.album", "BLUE"),
            texts("music.album-artists", &["joni"]),
        ],
        "b",
    );
    assert_eq!(first, second);
}

#[test]
fn release_without_album_artist_stays_in_its_folder_but_joins_discs() {
    let album = || vec![text("music.album", "Hits"), texts("music.artists", &["X"])];
    assert_eq!(key_of(album(), "pop/CD 1"), key_of(album(), "pop/CD 2"));
    assert_ne!(key_of(album(), "pop"), key_of(album(), "rock"));
}

#[test]
fn facts_of_a_file_without_tags_take_the_file_name() {
    let facts = TrackFacts::from_extraction(&Extraction::default(), &RelativePath::root(), "The Song.mp3");
    assert_eq!(
        (facts.title.as_str(), facts.sort_title.as_str()),
        ("The Song", "song")
    );
    assert_eq!(facts.release, None);
}

#[test]
fn lists_of_different_length_are_not_matched_to_names() {
    let extraction = Extraction {
        fields: vec![
            texts("music.artists", &["A", "B"]),
            texts("music.mb-artist-ids", &["1"]),
        ],
        ..Extraction::default()
    };
    let facts = TrackFacts::from_extraction(&extraction, &RelativePath::root(), "x.mp3");
    assert!(facts.credits.iter().all(|credit| credit.mb_artist_id.is_none()));
}

#[test]
fn search_finds_words_of_the_beginning_of_the_comment() {
    let extraction = Extraction {
        fields: vec![text(
            "music.comment",
            &format!("Ripped by Ann {}zebra", "x ".repeat(200)),
        )],
        ..Extraction::default()
    };
    let facts = TrackFacts::from_extraction(&extraction, &RelativePath::root(), "x.mp3");
    let words = facts.search_text();
    assert!(words.contains("ripped") && !words.contains("zebra"), "{words}");
}
