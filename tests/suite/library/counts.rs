//! Counts of a run: each file is added, updated, unchanged or failed.

use svc_covers::covers;
use svc_domain::scan::{KindCounts, Run, RunType};
use svc_indexer::indexing::StartRun;
use svc_tests::indexed::{Library, plugins};

const NONE: KindCounts = KindCounts {
    found: 0,
    added: 0,
    updated: 0,
    unchanged: 0,
    missing: 0,
    errored: 0,
};

/// The log entries of a run about files.
fn lines(library: &Library, run: &Run) -> Vec<(String, String)> {
    let lines = library.log(run).into_iter().filter(|line| line.kind.is_some());
    let mut lines: Vec<_> = lines
        .map(|line| (line.event, line.path.as_str().to_owned()))
        .collect();
    lines.sort();
    lines
}

fn full(library: &Library) -> Run {
    library.run(StartRun::of_all(RunType::Full))
}

fn library_of_three() -> Library {
    let library = Library::new();
    library.track("music/1.mp3", "One");
    library.track("music/2.mp3", "Two");
    library.video("movies/Heat (1995).mp4");
    library
}

#[covers("A7")]
#[test]
fn full_run_over_unchanged_files_reads_all_updates_nothing_and_logs_nothing() {
    let library = library_of_three();
    let first = library.index();
    assert_eq!(
        first.counts["music"],
        KindCounts {
            found: 2,
            added: 2,
            ..NONE
        }
    );
    let run = full(&library);
    assert_eq!(run.files_opened, 3);
    let unchanged = |number| KindCounts {
        found: number,
        unchanged: number,
        ..NONE
    };
    assert_eq!(
        (run.counts["music"], run.counts["movies"]),
        (unchanged(2), unchanged(1))
    );
    assert_eq!(lines(&library, &run), []);
}

#[covers("A7")]
#[test]
fn each_file_that_a_run_finds_counts_once() {
    let library = library_of_three();
    library.index();
    library.track("music/2.mp3", "Two, and longer");
    library.track("music/3.mp3", "Three");
    library.write("music/4.mp3", "no music at all");
    let run = full(&library);
    let expected = KindCounts {
        found: 4,
        added: 1,
        updated: 1,
        unchanged: 1,
        errored: 1,
        ..NONE
    };
    assert_eq!(run.counts["music"], expected);
    let reported = [
        ("file_added", "3.mp3"),
        ("file_errored", "4.mp3"),
        ("file_updated", "2.mp3"),
    ];
    let reported = reported.map(|(event, path)| (event.to_owned(), path.to_owned()));
    assert_eq!(lines(&library, &run), reported);
}

#[covers("A7")]
#[test]
fn stale_file_is_counted_once() {
    let library = library_of_three();
    library.index();
    // Marks files as the job `reextract` does; one has outdated metadata.
    let database = library.database();
    database
        .execute("UPDATE plugins_seen SET digest = ''", [])
        .unwrap();
    let sql = "UPDATE files SET record_digest = 0 WHERE name = '2.mp3'";
    assert_eq!(database.execute(sql, []).unwrap(), 1);
    drop(database);
    let run = library.index();
    assert_eq!(run.files_opened, 3);
    let expected = KindCounts {
        found: 2,
        updated: 1,
        unchanged: 1,
        ..NONE
    };
    assert_eq!(run.counts["music"], expected);
    assert_eq!(
        lines(&library, &run),
        [("file_updated".to_owned(), "2.mp3".to_owned())]
    );
}

#[test]
fn part_of_a_directory_is_read_by_a_new_plugin_without_the_rest_of_it() {
    let library = Library::new();
    library.video("movies/a/Heat (1995).mp4");
    library.video("movies/b/Ronin (1998).mp4");
    library.index();
    let library = library.reopen(plugins(&["movies"]));
    let movies = svc_domain::kind::MediaKind::movies();
    let run = library.index_part(movies, "a");
    let expected = KindCounts {
        found: 1,
        unchanged: 1,
        ..NONE
    };
    assert_eq!((run.files_opened, run.counts["movies"]), (1, expected));
    assert_eq!(library.index().files_opened, 1, "the other one");
}
