//! The precedence of container, sidecars and names, with files made in code.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use movies::Movies;
use svc_fixtures::video::{Clip, VideoFormat};
use svc_plugin_api::{ExtractError, Extraction, Source, run};
use testing::{matroska, origin, source, value};

fn extract(mut source: Source) -> Extraction {
    run::<Movies>(&mut source).unwrap().unwrap()
}

#[test]
fn movie_without_a_sidecar_is_read_from_its_name() {
    let movie = extract(source("Heat.1995.Remastered.1080p.cd1.mkv", "", &["Movies"]));
    assert_eq!(movie.title.as_deref(), Some("Heat"));
    assert_eq!(
        (movie.duration_ms, movie.width, movie.height),
        (Some(60_000), Some(1920), Some(1080))
    );
    assert_eq!(value(&movie, "movie.year"), "1995");
    assert_eq!(value(&movie, "movie.edition"), "Remastered");
    assert_eq!(value(&movie, "movie.part"), "1");
    assert_eq!(value(&movie, "name.pattern"), "title-year");
    assert_eq!(value(&movie, "name.matched"), "1995");
    assert_eq!(value(&movie, "name.confidence"), "0.85");
    assert_eq!(value(&movie, "video.container"), "matroska");
    assert_eq!(origin(&movie, "title"), "name");
    assert_eq!(movie.warnings, [""; 0]);
}

#[test]
fn movie_with_a_sidecar_has_its_fields() {
    let nfo = r#"<movie><title>Heat</title><originaltitle>Heat (US)</originaltitle><sorttitle>Heat 1</sorttitle>
        <year>1995</year><premiered>1995-12-15</premiered><plot>Cops.</plot><tagline>Tag</tagline><mpaa>US:R</mpaa>
        <genre>Crime</genre><studio>One</studio><set><name>Heats</name></set><uniqueid type="tmdb">949</uniqueid>
        <director>Michael Mann</director><actor><name>Al Pacino</name><role>Hanna</role></actor></movie>
        https://www.imdb.com/title/tt0113277/"#;
    let movie = source(
        "abc.mkv",
        "Container Title",
        &["Movies", "Heat (1996) [tvdbid-5]"],
    )
    .with_related("movie.nfo", nfo)
    .with_related("abc.en.forced.srt", "")
    .with_related("Subs/3_German.srt", "")
    .with_related("poster.jpg", "");
    let movie = extract(movie);
    assert_eq!(movie.title.as_deref(), Some("Heat"));
    for (key, expected) in [
        ("movie.original-title", "Heat (US)"),
        ("title-sort", "Heat 1"),
        ("movie.year", "1995"),
        ("movie.released", "1995-Some(12)-Some(15)"),
        ("movie.overview", "Cops."),
        ("movie.tagline", "Tag"),
        ("movie.content-rating", "US:R"),
        ("movie.genres", "Crime"),
        ("movie.studios", "One"),
        ("movie.collection", "Heats"),
        ("movie.external-ids", "tmdb:949|imdb:tt0113277|tvdb:5"),
        (
            "movie.people",
            r#"{"name":"Michael Mann","role":"director"}|{"name":"Al Pacino","role":"actor","character":"Hanna"}"#,
        ),
        (
            "related.subtitles",
            concat!(
                r#"{"name":"abc.en.forced.srt","format":"srt","language":"en","forced":true,"hearingImpaired":false,"default":false}|"#,
                r#"{"name":"Subs/3_German.srt","format":"srt","language":"de","forced":false,"hearingImpaired":false,"default":false}"#
            ),
        ),
        ("related.artwork", r#"{"name":"poster.jpg","purpose":"poster"}"#),
        ("name.pattern", "folder-year"),
    ] {
        assert_eq!(value(&movie, key), expected, "{key}");
    }
    for key in ["title", "movie.year", "movie.people", "movie.external-ids"] {
        assert_eq!(origin(&movie, key), "nfo", "{key}");
    }
}

#[test]
fn movie_with_an_unreliable_name_has_the_title_of_its_container() {
    let movie = extract(source("holiday.mkv", "The Big Trip", &["Movies"]));
    assert_eq!(movie.title.as_deref(), Some("The Big Trip"));
    assert_eq!(
        (origin(&movie, "title"), value(&movie, "name.confidence")),
        ("container".into(), "0.4".into())
    );
    let movie = extract(source("holiday.mkv", "Some.Release.1080p.x264-GRP", &["Movies"]));
    assert_eq!(movie.title.as_deref(), Some("holiday"));
    let movie = extract(source("Heat (1995).mkv", "The Big Trip", &["Movies"]));
    assert_eq!(movie.title.as_deref(), Some("Heat"));
    let movie = extract(source("abc.mkv", "", &["Movies", "Heat (1995)"]));
    assert_eq!(
        (movie.title.as_deref(), origin(&movie, "title")),
        (Some("Heat"), "folder".into())
    );
}

#[test]
fn movie_of_any_container_has_fields_of_container_and_name() {
    for format in VideoFormat::ALL {
        let name = format!("Heat (1995).{}", format.extension());
        let movie = extract(Source::from_bytes(
            &name,
            Clip::movie("Trip", 60_000).encode(format),
        ));
        assert_eq!(movie.title.as_deref(), Some("Heat"), "{format:?}");
        assert_eq!(
            (movie.width, value(&movie, "movie.year")),
            (Some(1920), "1995".into()),
            "{format:?}"
        );
        assert_ne!(value(&movie, "video.streams"), "-", "{format:?}");
    }
}

#[test]
fn movie_with_a_damaged_sidecar_has_a_warning() {
    let movie = source("Heat (1995).mkv", "", &["Movies"]).with_related("Heat (1995).nfo", "<movie><year>19");
    let movie = extract(movie);
    assert_eq!(movie.title.as_deref(), Some("Heat"));
    assert_eq!(movie.warnings.len(), 1, "{:?}", movie.warnings);
    let note =
        source("Heat.mkv", "", &["Heat (1995)"]).with_related("grp.nfo", "ripped with love, tt0113277");
    let movie = extract(note);
    assert_eq!(
        (value(&movie, "movie.external-ids").as_str(), movie.warnings.len()),
        ("imdb:tt0113277", 0)
    );
    let note = source("Heat.mkv", "", &["Heat (1995)"]).with_related("grp.nfo", b"\xb0\xb1\xb2".to_vec());
    assert_eq!(extract(note).warnings, [""; 0]);
}

#[test]
fn movie_of_any_bytes_returns() {
    let whole = matroska("A");
    for length in (0..whole.len()).step_by(7) {
        let mut source = Source::from_bytes("a.mkv", whole[..length].to_vec());
        let _ = run::<Movies>(&mut source);
    }
    let mut text = Source::from_bytes("a.mkv", b"hello, this is a text".to_vec());
    assert!(matches!(run::<Movies>(&mut text), Err(ExtractError::Refused(_))));
}
