//! A new version of a plugin reads its own kind again, and nothing else.

use svc_tests::indexed::{Library, plugins};

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
        (run.counts["movies"].updated, run.counts["music"].updated),
        (2, 0)
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
