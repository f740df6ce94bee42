//! A new version of a plugin re-reads its own kind only.

use svc_tests::indexed::{Library, plugins, starved_plugins};

#[test]
fn new_version_of_a_plugin_reads_its_own_kind_again() {
    let library = Library::new();
    library.track("music/1.mp3", "One");
    library.video("movies/Heat (1995)/Heat (1995).mp4");
    library.write(
        "movies/Heat (1995)/movie.nfo",
        "<movie><title>Hitze</title></movie>",
    );
    library.video("movies/Ronin (1998).mp4");
    library.video("tv/The Wire/S01E01.mp4");
    library.index();
    assert_eq!(library.index().files_opened, 0);
    let (ids, content) = (library.ids(), library.content());

    let library = library.reopen(plugins(&["movies"]));
    let run = library.index();
    assert_eq!(run.files_opened, 2);
    assert_eq!(
        (run.counts["movies"].unchanged, run.counts["movies"].updated),
        (2, 0),
        "they say the same"
    );
    assert_eq!(
        (library.ids(), library.content()),
        (ids, content),
        "with what lies beside"
    );
    assert_eq!(library.index().files_opened, 0, "once");
    assert_eq!(
        library.number("SELECT count(*) FROM plugins_seen WHERE plugin_id = 'movies'"),
        1
    );
}

#[test]
fn files_that_wait_for_a_plugin_that_was_quarantined_are_reported_and_read_later() {
    let library = Library::new().reopen(starved_plugins());
    for number in 0..40 {
        library.track(&format!("music/{number}.mp3"), &number.to_string());
    }
    let run = library.index();
    assert_eq!((run.counts["music"].found, run.counts["music"].errored), (40, 40));
    let log = library.log(&run);
    let of = |event: &str| log.iter().filter(|line| line.event == event).count();
    assert!(of("file_errored") >= 5, "as many as shut it off");
    assert!(of("file_quarantined") > 0);
    assert_eq!(of("file_errored") + of("file_quarantined"), 40);
    let waits = log.iter().find(|line| line.event == "file_quarantined").unwrap();
    assert!(
        waits.plugin.as_deref().unwrap().starts_with("music "),
        "{waits:?}"
    );
    let reason = waits.reason.as_deref().unwrap();
    assert!(reason.contains("failures in a row"), "{reason}");

    let library = library.reopen(plugins(&["music"]));
    assert_eq!(library.index().counts["music"].errored, 0);
    assert_eq!(library.number("SELECT count(*) FROM music_tracks"), 40);
}
