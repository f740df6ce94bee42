//! Sidecars of videos.

use svc_tests::indexed::Library;

const HEAT: &str = "movies/Heat (1995)/Heat (1995)";

fn movie(library: &Library) -> (String, String) {
    let sql = "SELECT title, coalesce(overview, '') FROM movies";
    library.rows(sql).pop().unwrap()
}

#[test]
fn sidecar_overrides_the_name_and_its_change_reads_its_movie_alone() {
    let library = Library::new();
    library.video(&format!("{HEAT}.mp4"));
    library.video("movies/Ronin (1998)/Ronin (1998).mp4");
    library.index();
    assert_eq!(library.number("SELECT count(*) FROM movies"), 2);

    library.write(
        &format!("{HEAT}.nfo"),
        "<movie><title>Heat</title><year>1995</year><plot>A crew.</plot></movie>",
    );
    let run = library.index();
    assert_eq!((run.files_opened, run.counts["movies"].updated), (1, 1));
    let reported = library.rows("SELECT title, overview FROM movies WHERE overview IS NOT NULL");
    assert_eq!(reported, [("Heat".to_owned(), "A crew.".to_owned())]);
    assert_eq!(library.index().files_opened, 0);

    library.remove(&format!("{HEAT}.nfo"));
    assert_eq!(library.index().files_opened, 1);
    assert_eq!(
        library.number("SELECT count(*) FROM movies WHERE overview IS NOT NULL"),
        0
    );
}

#[test]
fn movie_of_another_title_in_its_sidecar_keeps_its_id() {
    let library = Library::new();
    library.video(&format!("{HEAT}.mp4"));
    library.index();
    let id = library.number("SELECT movie_id FROM movies");
    library.write(
        &format!("{HEAT}.nfo"),
        "<movie><title>Hitze</title><year>1995</year></movie>",
    );
    library.index();
    assert_eq!(library.number("SELECT movie_id FROM movies"), id);
    assert_eq!(movie(&library).0, "Hitze");
}

#[test]
fn sidecar_of_the_show_above_is_read_with_its_episodes() {
    let library = Library::new();
    library.video("tv/Wire/Season 1/Wire S01E01.mp4");
    library.video("tv/Wire/Season 1/Wire S01E02.mp4");
    library.video("tv/Other/Season 1/Other S01E01.mp4");
    library.index();
    library.write(
        "tv/Wire/tvshow.nfo",
        "<tvshow><title>The Wire</title><plot>Baltimore.</plot></tvshow>",
    );
    let run = library.index();
    assert_eq!(run.counts["tv"].updated, 2);
    let shows = library.rows("SELECT title, coalesce(overview, '') FROM tv_shows ORDER BY 1");
    let expected = [("Other", ""), ("The Wire", "Baltimore.")];
    assert_eq!(shows, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
    assert_eq!(library.index().files_opened, 0);
}

#[test]
fn subtitles_and_pictures_beside_a_movie_are_known() {
    let library = Library::new();
    library.video(&format!("{HEAT}.mp4"));
    library.write(&format!("{HEAT}.en.forced.srt"), "1\n");
    library.write("movies/Heat (1995)/Subs/German.srt", "1\n");
    library.write("movies/Heat (1995)/poster.jpg", "x");
    library.index();
    let (subtitles, artwork) = library
        .rows("SELECT subtitles, artwork FROM video_sources")
        .pop()
        .unwrap();
    let subtitles: Vec<serde_json::Value> = serde_json::from_str(&subtitles).unwrap();
    let names: Vec<&str> = subtitles
        .iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"Heat (1995).en.forced.srt") && names.contains(&"Subs/German.srt"),
        "{names:?}"
    );
    assert!(
        subtitles
            .iter()
            .any(|one| one["forced"] == true && one["language"] == "en"),
        "{subtitles:?}"
    );
    assert!(artwork.contains("poster.jpg"), "{artwork}");
    library.remove("movies/Heat (1995)/Subs/German.srt");
    assert_eq!(library.index().counts["movies"].updated, 1);
}

#[test]
fn several_files_of_one_movie_are_its_sources() {
    let library = Library::new();
    library.video(&format!("{HEAT}.mp4"));
    library.video("movies/Heat (1995)/Heat (1995) {edition-Director's Cut}.mp4");
    library.video("movies/4k/Heat.1995.2160p.mp4");
    library.index();
    assert_eq!(library.number("SELECT count(*) FROM movies"), 1);
    assert_eq!(library.number("SELECT source_count FROM movies"), 3);
    let editions = "SELECT count(*) FROM video_sources WHERE edition IS NOT NULL";
    assert_eq!(library.number(editions), 1);
    library.remove("movies/4k/Heat.1995.2160p.mp4");
    library.index();
    library.purge();
    assert_eq!(library.number("SELECT source_count FROM movies"), 2);
}

#[test]
fn sidecar_that_is_broken_hostile_or_gone_costs_no_record() {
    let library = Library::new();
    for (number, content) in [
        "<movie><title>",
        "\u{0}\u{1}",
        "<!DOCTYPE x [<!ENTITY a \"b\">]><movie>&a;</movie>",
    ]
    .iter()
    .enumerate()
    {
        library.video(&format!("movies/Film {number} (2001).mp4"));
        library.write(&format!("movies/Film {number} (2001).nfo"), content);
    }
    std::os::unix::fs::symlink("/etc/passwd", library.at("movies/Film 0 (2001)-poster.jpg")).unwrap();
    let run = library.index();
    assert_eq!((run.counts["movies"].added, run.counts["movies"].errored), (3, 0));
    assert_eq!(library.number("SELECT count(*) FROM movies"), 3);
}
