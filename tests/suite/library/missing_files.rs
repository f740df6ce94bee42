//! Unavailable disks, and deleted files.

use svc_domain::kind::MediaKind;
use svc_domain::scan::{RunOptions, RunStatus};
use svc_tests::indexed::Library;

fn with_tracks(count: u32) -> Library {
    let library = Library::new();
    for number in 0..count {
        library.track(
            &format!("music/{}/{number}.mp3", number % 7),
            &format!("Track {number}"),
        );
    }
    library.index();
    library
}

fn missing(library: &Library) -> i64 {
    library.number("SELECT count(*) FROM files WHERE status = 2")
}

#[test]
fn root_that_is_absent_or_empty_or_lost_most_changes_no_row_and_comes_back_unread() {
    let library = with_tracks(50);
    let (ids, content) = (library.ids(), library.content());
    let absent = |library: &Library| library.rename("music", "away");
    let empty = |library: &Library| {
        library.rename("music", "away");
        std::fs::create_dir(library.at("music")).unwrap();
    };
    let half = |library: &Library| {
        library.rename("music", "away");
        std::fs::create_dir(library.at("music")).unwrap();
        std::fs::create_dir(library.at("music/6")).unwrap();
        for entry in std::fs::read_dir(library.at("away/6")).unwrap() {
            let entry = entry.unwrap();
            std::fs::hard_link(entry.path(), library.at("music/6").join(entry.file_name())).unwrap();
        }
    };
    let ways: [(&str, &dyn Fn(&Library)); 3] = [("absent", &absent), ("empty", &empty), ("half", &half)];
    for (name, leave) in ways {
        leave(&library);
        let run = library.index();
        assert_eq!(run.status, RunStatus::Completed, "{name}");
        assert_eq!(run.warnings.len(), 1, "{name}: {:?}", run.warnings);
        assert!(!library.is_available("music"), "{name}");
        assert_eq!((missing(&library), library.ids()), (0, ids.clone()), "{name}");

        let _ = std::fs::remove_dir_all(library.at("music"));
        library.rename("away", "music");
        let run = library.index();
        assert!(library.is_available("music"), "{name}");
        assert_eq!(
            (run.files_opened, run.warnings.len()),
            (0, 0),
            "{name}: {:?}",
            run.warnings
        );
        assert_eq!(
            (library.ids(), library.content()),
            (ids.clone(), content.clone()),
            "{name}"
        );
    }
}

#[test]
fn root_that_is_renamed_away_in_mid_scan_loses_nothing_and_comes_back_unread() {
    let library = with_tracks(200);
    let (ids, content) = (library.ids(), library.content());
    for leave_mount_point in [false, true] {
        library.run_interrupted(|| {
            library.rename("music", "away");
            if leave_mount_point {
                std::fs::create_dir(library.at("music")).unwrap();
            }
        });
        assert_eq!((missing(&library), library.ids()), (0, ids.clone()));
        if leave_mount_point {
            library.remove("music");
        }
        library.rename("away", "music");
        assert_eq!(library.index().files_opened, 0);
        assert_eq!(
            (missing(&library), library.ids(), library.content()),
            (0, ids.clone(), content.clone())
        );
        assert!(library.is_available("music"));
    }
}

#[test]
fn dry_run_reports_too_many_missing_files() {
    let library = with_tracks(100);
    for number in (0..100).filter(|number| number % 7 != 0 && number % 2 == 0) {
        library.remove(&format!("music/{}/{number}.mp3", number % 7));
    }
    let dry = RunOptions {
        dry_run: true,
        ..RunOptions::default()
    };
    let (foretold, run) = (library.index_with(dry), library.index());
    assert_eq!(foretold.warnings, run.warnings);
    assert_eq!(run.warnings.len(), 1);
    assert_eq!(foretold.counts["music"].missing, run.counts["music"].missing);
    for run in [&foretold, &run] {
        assert!(library.log(run).iter().all(|line| line.event != "file_missing"));
    }
}

#[test]
fn many_missing_files_are_accepted_with_accept_missing() {
    let library = with_tracks(50);
    for folder in 0..5 {
        library.remove(&format!("music/{folder}"));
    }
    assert_eq!(library.index().counts["music"].missing, 36);
    assert_eq!((missing(&library), library.is_available("music")), (0, false));
    let accept = RunOptions {
        accept_missing: true,
        ..RunOptions::default()
    };
    library.index_with(accept);
    assert_eq!((missing(&library), library.is_available("music")), (36, true));
}

#[test]
fn missing_file_is_kept_and_restored_unread_and_purged_after_its_time() {
    let library = with_tracks(30);
    let ids = library.ids();
    library.rename("music/3/3.mp3", "aside.mp3");
    let run = library.index();
    assert_eq!(run.counts["music"].missing, 1);
    assert_eq!(missing(&library), 1);
    library.rename("aside.mp3", "music/3/3.mp3");
    let run = library.index();
    assert_eq!((run.files_opened, missing(&library)), (0, 0));
    assert_eq!(library.ids(), ids);

    library.remove("music/3/3.mp3");
    library.index();
    assert_eq!(library.number("SELECT count(*) FROM music_tracks"), 30);
    library.purge();
    assert_eq!(library.number("SELECT count(*) FROM music_tracks"), 29);
    assert_eq!(library.number("SELECT count(*) FROM files"), 29);
    assert_eq!(library.number("SELECT track_count FROM music_releases"), 29);
    assert_eq!(library.number("SELECT count(*) FROM changes WHERE change = 2"), 1);
}

#[test]
fn items_whose_only_file_is_broken_for_a_while_keep_their_ids() {
    const FILES: [&str; 3] = [
        "music/a.mp3",
        "movies/Heat (1995)/Heat (1995).mp4",
        "tv/The Wire/Season 1/The Wire S01E01.mp4",
    ];
    const ITEMS: [&str; 5] = [
        "SELECT release_id FROM music_releases",
        "SELECT artist_id FROM music_artists",
        "SELECT movie_id FROM movies",
        "SELECT show_id FROM tv_shows",
        "SELECT episode_id FROM tv_episodes",
    ];
    let library = Library::new();
    library.track(FILES[0], "One");
    library.video(FILES[1]);
    library.video(FILES[2]);
    library.index();
    let ids = ITEMS.map(|sql| library.number(sql));
    let sound = FILES.map(|path| std::fs::read(library.at(path)).unwrap());
    for path in FILES {
        library.write(path, "neither music nor film");
    }
    library.index();
    assert_eq!(library.number("SELECT count(*) FROM files WHERE status = 1"), 3);
    assert_eq!(ITEMS.map(|sql| library.number(sql)), ids);
    for (path, bytes) in FILES.iter().zip(&sound) {
        library.write(path, bytes);
    }
    library.index();
    assert_eq!(library.number("SELECT count(*) FROM files WHERE status = 0"), 3);
    assert_eq!(ITEMS.map(|sql| library.number(sql)), ids);
    assert_eq!(library.content(), library.content_of_a_clean_scan());

    // A temporary file that is never completed is removed with its file.
    for path in FILES {
        library.write(path, "neither music nor film");
    }
    library.index();
    for (path, root) in FILES.iter().zip(["music", "movies", "tv"]) {
        library.remove(path);
        // An empty root counts as unavailable.
        library.write(&format!("{root}/notes.txt"), "");
    }
    library.index();
    library.purge();
    for table in [
        "files",
        "music_releases",
        "music_artists",
        "movies",
        "tv_shows",
        "tv_episodes",
    ] {
        assert_eq!(
            library.number(&format!("SELECT count(*) FROM {table}")),
            0,
            "{table}"
        );
    }
}

#[test]
fn purge_leaves_a_disk_that_is_away_alone() {
    let library = with_tracks(10);
    library.remove("music/3/3.mp3");
    library.index();
    library.rename("music", "away");
    library.index();
    library.purge();
    assert_eq!(library.number("SELECT count(*) FROM files"), 10);
}

#[test]
fn last_track_that_goes_leaves_no_orphans() {
    let library = Library::new();
    library.track("music/a.mp3", "One");
    library.video("movies/Heat (1995).mp4");
    library.video("tv/The Wire/S01E01.mp4");
    library.index();
    for root in ["music/a.mp3", "movies/Heat (1995).mp4", "tv/The Wire"] {
        library.remove(root);
    }
    // An empty root counts as unavailable.
    for root in ["music", "movies", "tv"] {
        library.write(&format!("{root}/notes.txt"), "");
    }
    library.index();
    library.purge();
    for table in [
        "files",
        "music_tracks",
        "music_releases",
        "music_artists",
        "track_artists",
        "release_artists",
        "movies",
        "tv_shows",
        "tv_seasons",
        "tv_episodes",
        "video_sources",
        "folders",
    ] {
        assert_eq!(
            library.number(&format!("SELECT count(*) FROM {table}")),
            0,
            "{table}"
        );
    }
    for index in ["tracks", "releases", "artists", "movies", "shows", "episodes"] {
        assert_eq!(
            library.number(&format!("SELECT count(*) FROM search_{index}")),
            0,
            "{index}"
        );
    }
}

#[test]
fn part_of_a_library_that_is_gone_is_missing_and_the_rest_is_not_looked_at() {
    let library = with_tracks(50);
    library.remove("music/1");
    library.remove("music/2/2.mp3");
    let run = library.index_part(MediaKind::music(), "1");
    assert_eq!((run.counts["music"].found, run.counts["music"].missing), (0, 7));
    assert_eq!(missing(&library), 7);
    library.index();
    assert_eq!(missing(&library), 8);
}
