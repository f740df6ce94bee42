//! Moved files keep their identity.

use svc_tests::indexed::Library;

fn moved_from(library: &Library, run: &svc_domain::scan::Run) -> Vec<(String, String)> {
    let lines = library.log(run).into_iter();
    lines
        .filter_map(|line| Some((line.path.as_str().to_owned(), line.diff?)))
        .collect()
}

#[test]
fn renamed_or_moved_file_keeps_its_id_also_in_another_root() {
    let library = Library::new();
    library.track("music/a/1.mp3", "One");
    library.track("music/a/2.mp3", "Two");
    library.index();
    let before = library.ids();

    let mut place = "music/a/1.mp3".to_owned();
    for next in ["music/a/one.mp3", "music/b/c/one.mp3", "music2/one.mp3"] {
        library.rename(&place, next);
        let run = library.index();
        let counts = run.counts["music"];
        assert_eq!(
            (counts.added, counts.updated, counts.missing),
            (0, 1, 0),
            "{next}"
        );
        assert_eq!(library.ids()[next], before["music/a/1.mp3"]);
        let from = place.split_once('/').unwrap().1;
        let to = next.split_once('/').unwrap().1;
        let diff = format!("{{\"movedFrom\":\"{from}\"}}");
        assert_eq!(moved_from(&library, &run), [(to.to_owned(), diff)]);
        next.clone_into(&mut place);
    }
    assert_eq!(library.ids().len(), 2);
    assert_eq!(library.number("SELECT count(*) FROM files"), 2);
    assert_eq!(library.content(), library.content_of_a_clean_scan());
}

#[test]
fn directory_that_is_renamed_keeps_all_its_files() {
    let library = Library::new();
    for number in 1..=30 {
        library.track(&format!("music/Old/{number:02}.mp3"), &format!("Track {number}"));
    }
    library.index();
    let before: Vec<i64> = library.ids().into_values().collect();
    library.rename("music/Old", "music/New");
    let run = library.index();
    assert_eq!((run.counts["music"].added, run.counts["music"].updated), (0, 30));
    let after: Vec<i64> = library.ids().into_values().collect();
    assert_eq!(before, after);
    assert!(library.is_available("music"));
    assert_eq!(library.content(), library.content_of_a_clean_scan());
}

#[test]
fn ambiguous_duplicates_is_indexed_one_by_one_and_one_that_moves_is_known_again() {
    let library = Library::new();
    library.track("music/0.mp3", "One");
    for number in 1..=1_200 {
        let copy = library.at(&format!("music/{number}.mp3"));
        std::fs::copy(library.at("music/0.mp3"), copy).unwrap();
    }
    assert_eq!(library.index().counts["music"].added, 1_201);
    let before = library.ids();
    assert_eq!(before.len(), 1_201);
    library.rename("music/7.mp3", "music/moved.mp3");
    let counts = library.index().counts["music"];
    assert_eq!((counts.added, counts.updated, counts.missing), (0, 1, 0));
    assert_eq!(library.ids()["music/moved.mp3"], before["music/7.mp3"]);
    assert_eq!(library.content(), library.content_of_a_clean_scan());
}

#[test]
fn copy_is_a_file_of_its_own() {
    let library = Library::new();
    library.track("music/a.mp3", "One");
    library.index();
    let before = library.ids();
    std::fs::copy(library.at("music/a.mp3"), library.at("music/b.mp3")).unwrap();
    let run = library.index();
    assert_eq!(run.counts["music"].added, 1);
    assert_eq!(library.ids()["music/a.mp3"], before["music/a.mp3"]);
    // The copy is not a moved file, so it does not inherit the id of the first.
    library.remove("music/a.mp3");
    library.index();
    assert_ne!(library.ids()["music/b.mp3"], before["music/a.mp3"]);
}

#[test]
fn file_that_was_missing_for_long_is_known_again_at_another_place() {
    let library = Library::new();
    library.track("music/a.mp3", "One");
    library.track("music/b.mp3", "Two");
    library.index();
    let before = library.ids();
    library.rename("music/a.mp3", "aside.mp3");
    assert_eq!(library.index().counts["music"].missing, 1);
    assert_eq!(library.index().counts["music"].missing, 0);
    library.rename("aside.mp3", "music2/z.mp3");
    library.index();
    assert_eq!(library.ids()["music2/z.mp3"], before["music/a.mp3"]);
}

#[test]
fn copy_of_a_file_on_an_unavailable_disk_is_a_new_file() {
    let library = Library::new();
    library.track("music/a.mp3", "One");
    library.track("music2/b.mp3", "Two");
    library.index();
    let before = library.ids();
    std::fs::copy(library.at("music/a.mp3"), library.at("music2/copy.mp3")).unwrap();
    library.rename("music", "unmounted");
    library.index();
    assert_ne!(library.ids()["music2/copy.mp3"], before["music/a.mp3"]);
    library.rename("unmounted", "music");
    library.index();
    assert_eq!(library.ids()["music/a.mp3"], before["music/a.mp3"]);
}

#[test]
fn copies_that_are_renamed_together_are_distinguished_by_their_names() {
    let library = Library::new();
    let name = |book: &str, part: u8| format!("music/{book}/{book} - {part:02}.mp3");
    let written = std::time::SystemTime::now();
    for part in 1..=9 {
        library.track(&name("Walden", part), "Silence");
        let file = std::fs::File::options()
            .write(true)
            .open(library.at(&name("Walden", part)));
        file.unwrap().set_modified(written).unwrap();
    }
    library.index();
    let before = library.ids();
    library.rename("music/Walden", "music/Walden Pond");
    for part in 1..=9 {
        let from = format!("music/Walden Pond/Walden - {part:02}.mp3");
        library.rename(&from, &name("Walden Pond", part));
    }
    library.index();
    let after = library.ids();
    for part in 1..=9 {
        assert_eq!(after[&name("Walden Pond", part)], before[&name("Walden", part)]);
    }
}

#[test]
fn renamed_movie_and_show_keep_their_ids() {
    let library = Library::new();
    library.video("movies/Heat (1995)/Heat (1995).mp4");
    for episode in 1..=3 {
        library.video(&format!("tv/The Wire/Season 1/The Wire S01E0{episode}.mp4"));
    }
    library.index();
    let movies = "SELECT CAST(movie_id AS TEXT), title || year FROM movies";
    let shows = "SELECT CAST(show_id AS TEXT), title FROM tv_shows";
    let episodes =
        "SELECT CAST(episode_id AS TEXT), CAST(episode_number AS TEXT) FROM tv_episodes ORDER BY 1";
    let (movie, show, wire) = (library.rows(movies), library.rows(shows), library.rows(episodes));
    assert_eq!(
        (movie[0].1.as_str(), show[0].1.as_str(), wire.len()),
        ("Heat1995", "The Wire", 3)
    );

    library.rename("movies/Heat (1995)", "movies/Ronin (1998)");
    library.rename(
        "movies/Ronin (1998)/Heat (1995).mp4",
        "movies/Ronin (1998)/Ronin (1998).mp4",
    );
    library.rename("tv/The Wire", "tv/The Wiring");
    for episode in 1..=3 {
        let name = |show: &str| format!("tv/The Wiring/Season 1/{show} S01E0{episode}.mp4");
        library.rename(&name("The Wire"), &name("The Wiring"));
    }
    library.index();
    assert_eq!(
        library.rows(movies),
        [(movie[0].0.clone(), "Ronin1998".to_owned())]
    );
    assert_eq!(
        library.rows(shows),
        [(show[0].0.clone(), "The Wiring".to_owned())]
    );
    assert_eq!(library.rows(episodes), wire);
    assert_eq!(library.number("SELECT count(*) FROM tv_seasons"), 1);
}

#[test]
fn movie_and_episode_of_two_files_keep_their_ids_when_all_that_are_there_are_renamed() {
    let library = Library::new();
    let movie_path = |title: &str, more: &str| format!("movies/{title}/{title}{more}.mp4");
    let part = |show: &str, more: &str| format!("tv/{show}/Season 1/{show} S01E01{more}.mp4");
    for more in ["", " 2160p"] {
        library.video(&movie_path("Heat (1995)", more));
        library.video(&part("The Wire", more));
    }
    library.index();
    let movies = "SELECT CAST(movie_id AS TEXT), title || source_count FROM movies";
    let episodes = "SELECT CAST(e.episode_id AS TEXT), s.title || e.source_count \
                    FROM tv_episodes e JOIN tv_shows s USING (show_id)";
    let (movie, episode) = (library.rows(movies), library.rows(episodes));
    assert_eq!((movie.len(), movie[0].1.as_str()), (1, "Heat2"));
    assert_eq!((episode.len(), episode[0].1.as_str()), (1, "The Wire2"));
    let expect = |title: &str, show: &str| {
        let one = |before: &[(String, String)], now: &str| vec![(before[0].0.clone(), format!("{now}2"))];
        assert_eq!(library.rows(movies), one(&movie, title));
        assert_eq!(library.rows(episodes), one(&episode, show));
    };

    for more in ["", " 2160p"] {
        library.rename(
            &movie_path("Heat (1995)", more),
            &movie_path("Ronin (1998)", more),
        );
        library.rename(&part("The Wire", more), &part("The Wiring", more));
    }
    library.index();
    expect("Ronin", "The Wiring");

    // Missing files are ignored.
    library.remove(&movie_path("Ronin (1998)", ""));
    library.remove(&part("The Wiring", ""));
    library.index();
    assert_eq!(library.number("SELECT count(*) FROM files WHERE status = 2"), 2);
    library.rename(
        &movie_path("Ronin (1998)", " 2160p"),
        &movie_path("Casino (1995)", " 2160p"),
    );
    library.rename(&part("The Wiring", " 2160p"), &part("The Wired", " 2160p"));
    library.index();
    expect("Casino", "The Wired");
}
