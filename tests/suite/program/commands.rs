//! `svc index` and `svc inspect`.

use std::fs;
use std::path::Path;

use serde_json::Value;
use svc_fixtures::{Expectation, Format, Track, awkward_tree, sample_library};
use svc_tests::program::run;

/// Indexes music below `media`; returns the summary.
fn index(data: &Path, media: &Path, more: &[&str]) -> Value {
    let (data, media) = (data.to_str().unwrap(), media.to_str().unwrap());
    let output = run(&[
        &["index", "--json", "--data-dir", data, "--music-dir", media],
        more,
    ]
    .concat());
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn index_finds_the_whole_sample_library() {
    let dir = tempfile::tempdir().unwrap();
    let (media, data) = (dir.path().join("media"), dir.path().join("data"));
    let manifest = sample_library(&media, 1).unwrap();
    let (music, photos) = (media.join("music"), media.join("photos"));
    let summary = index(&data, &music, &["--photos-dir", photos.to_str().unwrap()]);
    assert_eq!(
        summary["counts"]["music"]["added"],
        manifest.tracks.len(),
        "{summary}"
    );
    assert_eq!(
        summary["counts"]["photos"]["added"],
        manifest.photos.len(),
        "{summary}"
    );
    assert_eq!(summary["failuresTotal"], 0, "{summary}");
}

#[test]
fn second_quick_run_opens_no_file_and_a_full_one_opens_all() {
    let dir = tempfile::tempdir().unwrap();
    let (media, data) = (dir.path().join("media"), dir.path().join("data"));
    fs::create_dir(&media).unwrap();
    svc_fixtures::many_files(&media, 40, 1).unwrap();
    assert_eq!(index(&data, &media, &[])["filesOpened"], 40);
    let quick = index(&data, &media, &[]);
    assert_eq!(
        (&quick["filesOpened"], &quick["counts"]["music"]["unchanged"]),
        (&0.into(), &40.into()),
        "{quick}"
    );
    let full = index(&data, &media, &["--full"]);
    assert_eq!(
        (&full["filesOpened"], &full["counts"]["music"]["unchanged"]),
        (&40.into(), &40.into()),
        "{full}"
    );
}

#[test]
fn quick_run_sees_changed_new_and_missing_files() {
    let dir = tempfile::tempdir().unwrap();
    let (media, data) = (dir.path().join("media"), dir.path().join("data"));
    fs::create_dir(&media).unwrap();
    for name in ["a", "b", "c"] {
        Track::new(name)
            .release("R")
            .write(&media.join(format!("{name}.flac")), Format::Flac)
            .unwrap();
    }
    index(&data, &media, &[]);
    Track::new("changed title")
        .release("Other")
        .write(&media.join("a.flac"), Format::Flac)
        .unwrap();
    Track::new("d")
        .release("R")
        .write(&media.join("d.mp3"), Format::Mp3)
        .unwrap();
    fs::remove_file(media.join("b.flac")).unwrap();
    let counts = index(&data, &media, &[])["counts"]["music"].clone();
    let expected = serde_json::json!(
        { "found": 3, "added": 1, "updated": 1, "unchanged": 1, "missing": 1, "errored": 0 });
    assert_eq!(counts, expected);
    Track::new("b")
        .release("R")
        .write(&media.join("b.flac"), Format::Flac)
        .unwrap();
    let back = index(&data, &media, &[]);
    assert_eq!(back["counts"]["music"]["found"], 4, "{back}");
    assert_eq!(index(&data, &media, &[])["filesOpened"], 0);
}

#[test]
fn empty_root_loses_no_row() {
    let dir = tempfile::tempdir().unwrap();
    let (media, data, away) = (
        dir.path().join("media"),
        dir.path().join("data"),
        dir.path().join("away"),
    );
    fs::create_dir(&media).unwrap();
    svc_fixtures::many_files(&media, 30, 1).unwrap();
    index(&data, &media, &[]);
    fs::rename(&media, &away).unwrap();
    fs::create_dir(&media).unwrap();
    let gone = index(&data, &media, &[]);
    assert_eq!(gone["counts"]["music"]["missing"], 0, "{gone}");
    assert!(gone["warnings"][0].as_str().unwrap().contains("empty"), "{gone}");
    fs::remove_dir(&media).unwrap();
    fs::rename(&away, &media).unwrap();
    let back = index(&data, &media, &[]);
    assert_eq!(
        (&back["filesOpened"], &back["counts"]["music"]["unchanged"]),
        (&0.into(), &30.into()),
        "{back}"
    );
}

#[test]
fn mostly_vanished_root_marks_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let (media, data) = (dir.path().join("media"), dir.path().join("data"));
    fs::create_dir(&media).unwrap();
    svc_fixtures::many_files(&media, 60, 1).unwrap();
    index(&data, &media, &[]);
    let mut left = 3;
    remove_all_but(&media, &mut left);
    let run = index(&data, &media, &[]);
    assert!(
        run["warnings"].to_string().contains("none is marked as missing"),
        "{run}"
    );
    let database = rusqlite::Connection::open(data.join("svc.db")).unwrap();
    let missing: i64 = database
        .query_row("SELECT count(*) FROM files WHERE status = 2", [], |row| {
            row.get(0)
        })
        .unwrap();
    assert_eq!(missing, 0);
}

fn remove_all_but(folder: &Path, left: &mut usize) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            remove_all_but(&path, left);
        } else if *left > 0 {
            *left -= 1;
        } else {
            fs::remove_file(path).unwrap();
        }
    }
}

#[test]
fn awkward_names_and_broken_files_end_as_expected() {
    let dir = tempfile::tempdir().unwrap();
    let (media, data) = (dir.path().join("media"), dir.path().join("data"));
    fs::create_dir(&media).unwrap();
    let tree = awkward_tree(&media).unwrap();
    let media = tree.root.clone();
    let summary = index(&data, &media, &[]);
    assert_eq!(summary["status"], "completed");
    let indexed = tree
        .entries
        .iter()
        .filter(|entry| entry.expectation == Expectation::Indexed)
        .count();
    assert!(
        summary["counts"]["music"]["added"].as_u64().unwrap() >= indexed as u64,
        "{indexed} files must be indexed: {summary}"
    );
    assert_eq!(
        index(&data, &media, &[])["counts"]["music"]["added"],
        0,
        "the second run adds nothing"
    );
}

#[test]
fn inspect_prints_tags_or_the_reason_of_failure() {
    let dir = tempfile::tempdir().unwrap();
    let (song, text) = (dir.path().join("song.flac"), dir.path().join("broken.flac"));
    Track::new("A Title")
        .artist("One")
        .artist("Two")
        .write(&song, Format::Flac)
        .unwrap();
    fs::write(&text, "not music").unwrap();
    let shown = run(&["inspect", "--json", song.to_str().unwrap()]);
    let shown: Value = serde_json::from_slice(&shown.stdout).unwrap();
    assert_eq!(shown["extraction"]["title"], "A Title");
    assert_eq!(
        shown["extraction"]["fields"]["music.artists"],
        serde_json::json!(["One", "Two"])
    );
    let broken = run(&["inspect", text.to_str().unwrap()]);
    assert_eq!(broken.status.code(), Some(1));
    let unknown = run(&["inspect", "/etc/hostname"]);
    assert!(
        String::from_utf8(unknown.stderr)
            .unwrap()
            .contains("no plugin reads")
    );
}
