//! Which files a run reads, and which it ignores.

use svc_domain::kind::MediaKind;
use svc_domain::scan::RunOptions;
use svc_indexer::indexing::StartRun;
use svc_tests::indexed::Library;

#[test]
fn ignored_files_are_missing_until_the_rule_is_removed() {
    let library = Library::new();
    for path in [
        "music/a/1.mp3",
        "music/a/2.mp3",
        "music/b/3.mp3",
        "music/c/d/4.mp3",
        "music/e/5.mp3",
    ] {
        library.track(path, path);
    }
    library.index();
    assert_eq!(library.ids().len(), 5);
    library.write("music/.svcignore", "/b/\n2.mp3\n");
    library.write("music/c/.nomedia", "");
    library.write("music/c/d/.svcignore", "!4.mp3\n");
    library.index();
    let left: Vec<String> = library.ids().into_keys().collect();
    assert_eq!(left, ["music/a/1.mp3", "music/e/5.mp3"]);
    assert!(
        library.is_available("music"),
        "what is left out on purpose is no loss"
    );
    library.remove("music/.svcignore");
    library.remove("music/c/.nomedia");
    let run = library.index();
    assert_eq!((library.ids().len(), run.files_opened), (5, 0));
}

#[test]
fn run_that_is_held_has_stored_all_that_it_has_read() {
    let library = Library::new();
    for number in 0..300 {
        library.track(&format!("music/{}/{number}.mp3", number % 7), &number.to_string());
    }
    let run = library.run_held(|held| {
        let stored = library.ids().len();
        assert!(stored < 300, "it was held too late");
        assert_eq!(held.counts["music"].added, stored as u64);
        assert_eq!(held.files_opened, stored as u64);
    });
    assert_eq!((run.counts["music"].added, library.ids().len()), (300, 300));
}

#[test]
fn ignored_files_go_however_many_they_are_and_are_no_loss() {
    let library = Library::new();
    for number in 0..30 {
        library.track(&format!("music/a/x{number}.mp3"), &number.to_string());
    }
    library.track("music/a/kept.mp3", "Kept");
    library.index();
    library.write("music/.svcignore", "x*.mp3\n");
    let run = library.index();
    assert_eq!(run.counts["music"].missing, 30);
    assert_eq!(
        library.ids().into_keys().collect::<Vec<_>>(),
        ["music/a/kept.mp3"]
    );
    assert!(library.is_available("music"));
}

#[test]
fn dry_run_reports_changes_and_stores_nothing() {
    let library = Library::new();
    library.track("music/1.mp3", "One");
    library.track("music/2.mp3", "Two");
    library.index();
    let before = (library.ids(), library.content());
    library.track("music/1.mp3", "One, but longer");
    library.remove("music/2.mp3");
    library.track("music/new/3.mp3", "Three");
    let dry = RunOptions {
        dry_run: true,
        ..RunOptions::default()
    };
    let run = library.index_with(dry);
    let counts = run.counts["music"];
    assert_eq!(
        (counts.found, counts.added, counts.updated, counts.missing),
        (2, 1, 1, 1)
    );
    assert_eq!(run.files_opened, 0);
    assert_eq!((library.ids(), library.content()), before);
    let mut lines: Vec<_> = library
        .log(&run)
        .into_iter()
        .filter(|line| line.kind.is_some())
        .map(|line| (line.event, line.path.as_str().to_owned()))
        .collect();
    lines.sort();
    let expected = [
        ("file_added", "new/3.mp3"),
        ("file_missing", "2.mp3"),
        ("file_updated", "1.mp3"),
    ];
    assert_eq!(
        lines,
        expected.map(|(event, path)| (event.to_owned(), path.to_owned()))
    );
    let run = library.index();
    assert_eq!((run.counts["music"].added, run.counts["music"].updated), (1, 1));
    library.purge();
    assert_eq!(library.content(), library.content_of_a_clean_scan());
}

#[test]
fn run_of_one_kind_or_part_leaves_the_rest_alone() {
    let library = Library::new();
    library.track("music/a/1.mp3", "One");
    library.track("music/b/2.mp3", "Two");
    library.video("movies/Heat (1995).mp4");
    let kinds = RunOptions {
        media_kinds: vec![MediaKind::movies()],
        ..RunOptions::default()
    };
    library.index_with(kinds);
    assert_eq!(
        library.ids().into_keys().collect::<Vec<_>>(),
        ["movies/Heat (1995).mp4"]
    );
    library.index_part(MediaKind::music(), "b");
    assert_eq!(library.ids().len(), 2);
    // The path of a file selects its directory.
    library.track("music/b/3.mp3", "Three");
    let run = library.index_part(MediaKind::music(), "b/3.mp3");
    assert_eq!((run.counts["music"].added, run.warnings.len()), (1, 0));
    // Symbolic links do not leave the root.
    std::os::unix::fs::symlink(library.at("movies"), library.at("music/out")).unwrap();
    library.track("movies/4.mp3", "Four");
    assert!(library.has_part(MediaKind::music(), "b"));
    assert!(!library.has_part(MediaKind::music(), "out"));
    assert!(!library.has_part(MediaKind::music(), "nowhere"));
    assert_eq!(library.ids().len(), 3);
    library.remove("movies/4.mp3");
    library.remove("music/out");
    library.index();
    assert_eq!(library.content(), library.content_of_a_clean_scan());
}

#[test]
fn run_logs_its_beginning_its_files_and_its_end() {
    let library = Library::new();
    library.track("music/1.mp3", "One");
    library.write("music/2.mp3", "no music at all");
    let run = library.run(StartRun::of_all(svc_domain::scan::RunType::Full));
    let events: Vec<String> = library.log(&run).into_iter().map(|line| line.event).collect();
    assert_eq!(events.first().unwrap(), "run_started");
    assert_eq!(events.last().unwrap(), "run_completed");
    assert!(events.contains(&"file_added".to_owned()) && events.contains(&"file_errored".to_owned()));
}
