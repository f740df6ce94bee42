//! The precedence of container, sidecars and names, with files made in code.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use svc_fixtures::video::{Clip, VideoFormat};
use svc_plugin_api::{ExtractError, Extraction, Source, run};
use testing::{matroska, origin, source, value};
use tv::Tv;

fn extract(mut source: Source) -> Extraction {
    run::<Tv>(&mut source).unwrap().unwrap()
}

#[test]
fn episode_without_sidecar_is_read_from_its_name() {
    let episode = extract(source(
        "Dark - S01E02-E03 - Lies.mkv",
        "Container Title",
        &["TV", "Dark (2017) [tvdbid-5]", "Season 1"],
    ));
    assert_eq!(episode.title.as_deref(), Some("Lies"));
    assert_eq!((episode.duration_ms, episode.width), (Some(60_000), Some(1920)));
    for (key, expected) in [
        ("tv.show", "Dark"),
        ("tv.show-year", "2017"),
        ("tv.season", "1"),
        ("tv.episode", "2"),
        ("tv.episode-end", "3"),
        ("tv.show-external-ids", "tvdb:5"),
        ("tv.external-ids", "-"),
        ("name.pattern", "sxxexx"),
        ("name.matched", "S01E02-E03"),
        ("name.confidence", "0.98"),
    ] {
        assert_eq!(value(&episode, key), expected, "{key}");
    }
    assert_eq!(origin(&episode, "tv.season"), "name");
}

#[test]
fn episode_with_sidecars_has_their_fields() {
    let own = r#"<episodedetails><title>Lügen</title><season>1</season><episode>2</episode><aired>2017-12-01</aired>
        <plot>Missing.</plot><mpaa>DE:16</mpaa><uniqueid type="tvdb">6368</uniqueid><director>Baran bo Odar</director>
        </episodedetails>"#;
    let show = r#"<tvshow><title>Dark (DE)</title><sorttitle>Dark 1</sorttitle><premiered>2017-12-01</premiered>
        <plot>A town.</plot><genre>Drama</genre><uniqueid type="imdb">tt5753856</uniqueid></tvshow>"#;
    let episode = source("dark.s01e09.mkv", "", &["TV", "Dark", "Season 1"])
        .with_related("dark.s01e09.nfo", own)
        .with_related("../tvshow.nfo", show)
        .with_related("dark.s01e09.de.srt", "")
        .with_related("dark.s01e09-thumb.jpg", "")
        .with_related("poster.jpg", "")
        .with_related("../poster.jpg", "");
    let episode = extract(episode);
    assert_eq!(episode.title.as_deref(), Some("Lügen"));
    for (key, expected) in [
        ("tv.show", "Dark (DE)"),
        ("tv.show-sort", "Dark 1"),
        ("tv.show-overview", "A town."),
        ("tv.show-year", "2017"),
        ("tv.overview", "Missing."),
        ("tv.content-rating", "DE:16"),
        ("tv.season", "1"),
        ("tv.episode", "2"),
        ("tv.air-date", "2017-Some(12)-Some(1)"),
        ("tv.genres", "Drama"),
        ("tv.people", r#"{"name":"Baran bo Odar","role":"director"}"#),
        ("tv.external-ids", "tvdb:6368"),
        ("tv.show-external-ids", "imdb:tt5753856"),
        (
            "related.subtitles",
            r#"{"name":"dark.s01e09.de.srt","format":"srt","language":"de","forced":false,"hearingImpaired":false,"default":false}"#,
        ),
        (
            "related.artwork",
            concat!(
                r#"{"name":"dark.s01e09-thumb.jpg","purpose":"thumb"}|"#,
                r#"{"name":"poster.jpg","purpose":"season-poster"}|{"name":"../poster.jpg","purpose":"show-poster"}"#
            ),
        ),
    ] {
        assert_eq!(value(&episode, key), expected, "{key}");
    }
    for key in ["title", "tv.show", "tv.episode", "tv.people"] {
        assert_eq!(origin(&episode, key), "nfo", "{key}");
    }
}

#[test]
fn episodes_of_one_file_are_a_range() {
    let own = "<episodedetails><title>One</title><season>1</season><episode>1</episode></episodedetails>\n\
        <episodedetails><title>Two</title><season>1</season><episode>2</episode></episodedetails>";
    let episode = extract(source("x.mkv", "", &["Dark"]).with_related("x.nfo", own));
    assert_eq!(episode.title.as_deref(), Some("One / Two"));
    assert_eq!(
        (value(&episode, "tv.episode"), value(&episode, "tv.episode-end")),
        ("1".into(), "2".into())
    );
    let one = "<episodedetails><season>1</season><episode>5</episode></episodedetails>";
    let episode = extract(source("S01E01-E02.mkv", "", &["Dark"]).with_related("S01E01-E02.nfo", one));
    assert_eq!(
        (value(&episode, "tv.episode"), value(&episode, "tv.episode-end")),
        ("5".into(), "-".into())
    );
}

#[test]
fn episode_of_a_day_or_of_all_seasons_has_no_season() {
    let episode = extract(source("The Daily Show 2017.04.20 Guest.mkv", "", &["TV"]));
    assert_eq!(
        (value(&episode, "tv.air-date"), value(&episode, "tv.season")),
        ("2017-Some(4)-Some(20)".into(), "-".into())
    );
    let episode = extract(source("[Group] Show - 013 [720p].mkv", "", &["Anime"]));
    assert_eq!(
        (value(&episode, "tv.absolute"), value(&episode, "tv.episode")),
        ("13".into(), "-".into())
    );
    assert_eq!(value(&episode, "tv.show"), "Show");
}

#[test]
fn episode_without_a_number_is_kept_with_the_show_of_its_folder() {
    let episode = extract(source("Making_of.mkv", "", &["TV", "Dark (2017)"]));
    assert_eq!(episode.title.as_deref(), Some("Making of"));
    assert_eq!(
        (value(&episode, "tv.show"), origin(&episode, "tv.show")),
        ("Dark".into(), "folder".into())
    );
    assert_eq!(
        (value(&episode, "tv.episode"), value(&episode, "name.pattern")),
        ("-".into(), "none".into())
    );
    let episode = extract(source("Lies.mkv", "", &["TV", "Dark", "Season 1"]));
    assert_eq!(
        (value(&episode, "tv.season"), origin(&episode, "tv.season")),
        ("1".into(), "folder".into())
    );
    assert_eq!(
        (value(&episode, "name.pattern"), episode.title.as_deref()),
        ("season-only".into(), Some("Lies"))
    );
}

#[test]
fn episode_of_a_name_without_number_takes_that_of_its_container() {
    let clip = Clip::movie("Lies", 60_000)
        .tag("SHOW", "Dark (DE)")
        .tag("SEASON", "1")
        .tag("EPISODE", "2");
    let tagged = |name: &str| {
        let bytes = clip.encode(VideoFormat::Mp4);
        extract(Source::from_bytes(name, bytes).with_folders(["TV", "Dark"]))
    };
    let episode = tagged("abc.mp4");
    for (key, expected) in [("tv.show", "Dark (DE)"), ("tv.season", "1"), ("tv.episode", "2")] {
        assert_eq!(value(&episode, key), expected, "{key}");
        assert_eq!(origin(&episode, key), "container", "{key}");
    }
    assert_eq!(episode.title.as_deref(), Some("Lies"));
    let episode = tagged("Dark - S03E04.mp4");
    for (key, expected) in [("tv.show", "Dark"), ("tv.season", "3"), ("tv.episode", "4")] {
        assert_eq!(value(&episode, key), expected, "{key}");
    }
    assert_eq!(episode.title.as_deref(), Some("Lies"));
}

#[test]
fn episode_with_a_broken_sidecar_has_a_warning() {
    let episode =
        source("S01E02.mkv", "The Lie", &["Dark"]).with_related("tvshow.nfo", "<tvshow><title>Dark</ti");
    let episode = extract(episode);
    assert_eq!(value(&episode, "tv.show"), "Dark");
    assert_eq!(
        (episode.title.as_deref(), origin(&episode, "title")),
        (Some("The Lie"), "container".into())
    );
    assert_eq!(episode.warnings.len(), 1, "{:?}", episode.warnings);
}

#[test]
fn episode_of_any_bytes_ends() {
    let whole = matroska("A");
    for length in (0..whole.len()).step_by(7) {
        let mut source = Source::from_bytes("S01E01.mkv", whole[..length].to_vec());
        let _ = run::<Tv>(&mut source);
    }
    let mut text = Source::from_bytes("S01E01.mkv", b"hello, this is a text".to_vec());
    assert!(matches!(run::<Tv>(&mut text), Err(ExtractError::Refused(_))));
}
