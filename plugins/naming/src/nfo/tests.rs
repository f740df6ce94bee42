//! Sidecars made in code: every element, several roots, URLs, encodings, and hostile files.

use svc_covers::covers;

use super::{Kind, Nfo, Role};

const MOVIE: &str = r#"<?xml version="1.0" encoding="UTF-8" standalone="yes" ?>
<movie>
  <title>Heat &amp; Dust</title><originaltitle>Heat</originaltitle><sorttitle>Heat 1</sorttitle>
  <year>1995</year><premiered>1995-12-15</premiered><runtime>170 min</runtime>
  <plot><![CDATA[Cops < robbers]]></plot><outline>Short</outline><tagline>A&#32;tag</tagline>
  <genre>Crime / Drama</genre><genre>Drama</genre><mpaa>US:R</mpaa><studio>Forward Pass</studio><tag>bank</tag>
  <uniqueid type="tmdb" default="true">949</uniqueid><uniqueid type="imdb">tt0113277</uniqueid><id>tt0113277</id>
  <director>Michael Mann</director><credits>Michael Mann</credits><producer>Art Linson</producer>
  <actor><name>Al Pacino</name><role>Hanna</role><thumb>x</thumb></actor><actor><name>Val Kilmer</name></actor>
  <set><name>Heat Collection</name><overview>All</overview></set><edition>Director's Cut</edition>
  <fileinfo><streamdetails><video><title>not this</title></video></streamdetails></fileinfo>
</movie>"#;

#[test]
fn nfo_of_a_movie_is_read_in_full() {
    let nfo = Nfo::read(MOVIE.as_bytes());
    assert_eq!(nfo.warnings, [""; 0]);
    let movie = nfo.first(Kind::Movie).unwrap();
    assert_eq!(movie.title.as_deref(), Some("Heat & Dust"));
    assert_eq!(movie.original_title.as_deref(), Some("Heat"));
    assert_eq!(movie.sort_title.as_deref(), Some("Heat 1"));
    assert_eq!((movie.year, movie.runtime), (Some(1995), Some(170)));
    assert_eq!(
        movie.premiered.map(|date| (date.year, date.month, date.day)),
        Some((1995, Some(12), Some(15)))
    );
    assert_eq!(movie.plot.as_deref(), Some("Cops < robbers"));
    assert_eq!(movie.outline.as_deref(), Some("Short"));
    assert_eq!(movie.tagline.as_deref(), Some("A tag"));
    assert_eq!(movie.genres, ["Crime", "Drama"]);
    assert_eq!(movie.content_rating.as_deref(), Some("US:R"));
    assert_eq!(
        (movie.studios.join(","), movie.tags.join(",")),
        ("Forward Pass".into(), "bank".into())
    );
    assert_eq!(movie.external_ids, ["tmdb:949", "imdb:tt0113277"]);
    assert_eq!(movie.collection.as_deref(), Some("Heat Collection"));
    assert_eq!(movie.edition.as_deref(), Some("Director's Cut"));
    let people: Vec<_> = movie
        .people
        .iter()
        .map(|person| (person.name.as_str(), person.role))
        .collect();
    assert_eq!(
        people,
        [
            ("Michael Mann", Role::Director),
            ("Michael Mann", Role::Writer),
            ("Art Linson", Role::Producer),
            ("Al Pacino", Role::Actor),
            ("Val Kilmer", Role::Actor),
        ]
    );
    assert_eq!(movie.people[3].character.as_deref(), Some("Hanna"));
}

#[test]
fn nfo_of_several_episodes_has_a_document_for_each() {
    for wrapped in [false, true] {
        let episodes = "<episodedetails><title>One</title><season>1</season><episode>1</episode></episodedetails>\n\
            <episodedetails><title>Two</title><season>1</season><episode>2</episode><displayepisode>-1</displayepisode>\
            <aired>2004-07-16</aired></episodedetails>";
        let text = if wrapped {
            format!("<xbmcmultiepisode>{episodes}</xbmcmultiepisode>")
        } else {
            episodes.to_owned()
        };
        let nfo = Nfo::read(text.as_bytes());
        let numbers: Vec<_> = nfo
            .all(Kind::Episode)
            .map(|one| (one.season, one.episode))
            .collect();
        assert_eq!(numbers, [(Some(1), Some(1)), (Some(1), Some(2))]);
        assert_eq!(nfo.documents[1].display_episode, None);
        assert_eq!(nfo.documents[1].aired.unwrap().day, Some(16));
    }
}

#[test]
fn nfo_of_an_address_has_its_id() {
    for (text, ids) in [
        ("https://www.imdb.com/title/tt0944947/\n", "imdb:tt0944947"),
        ("https://www.themoviedb.org/movie/30287-fallo", "tmdb:30287"),
        ("https://www.themoviedb.org/tv/1399", "tmdb:1399"),
        ("https://www.thetvdb.com/?tab=series&id=121361", "tvdb:121361"),
        ("http://thetvdb.com/?tab=series&amp;id=121361", "tvdb:121361"),
        (
            "<movie><title>A</title></movie>\nhttps://www.imdb.com/title/tt0113277",
            "imdb:tt0113277",
        ),
        (
            "<movie><title>A</title></movie>\nhttps://www.themoviedb.org/movie/1?a=1&b=2",
            "tmdb:1",
        ),
    ] {
        assert_eq!(Nfo::read(text.as_bytes()).linked_ids.join(","), ids, "{text}");
    }
}

#[test]
fn nfo_in_any_encoding_is_text() {
    let title = |bytes: &[u8]| {
        Nfo::read(bytes)
            .documents
            .first()
            .and_then(|document| document.title.clone())
    };
    let text = "<movie><title>Amélie – Ö</title></movie>";
    let expected = Some("Amélie – Ö".to_owned());
    let utf16 = |order: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(order).collect::<Vec<u8>>();
    assert_eq!(title(text.as_bytes()), expected);
    assert_eq!(title(&[b"\xef\xbb\xbf", text.as_bytes()].concat()), expected);
    assert_eq!(
        title(&[b"\xff\xfe".to_vec(), utf16(u16::to_le_bytes)].concat()),
        expected
    );
    assert_eq!(
        title(&[b"\xfe\xff".to_vec(), utf16(u16::to_be_bytes)].concat()),
        expected
    );
    assert_eq!(title(&utf16(u16::to_le_bytes)), expected);
    let western: &[u8] =
        b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><movie><title>Am\xe9lie \x96 \xd6</title></movie>";
    assert_eq!(title(western), expected);
    assert!(Nfo::read(western).warnings.is_empty());
    let wrongly = b"<?xml version=\"1.0\" encoding=\"UTF-8\"?><movie><title>Am\xe9lie</title></movie>";
    assert_eq!(title(wrongly).as_deref(), Some("Amélie"));
    assert_eq!(Nfo::read(wrongly).warnings.len(), 1);
}

#[test]
fn broken_nfo_keeps_the_elements_before_the_error() {
    for text in [
        "<movie><title>A</title><plot>cut",
        "<movie><title>A</title><plot>x</movie>",
        "<movie><title>A</title><plot>x</plott></movie>",
        "<movie><title>A</title><bad <<>",
        "<movie><title>A</title></genre></movie>",
    ] {
        let nfo = Nfo::read(text.as_bytes());
        assert_eq!(nfo.documents[0].title.as_deref(), Some("A"), "{text}");
    }
    assert_eq!(
        Nfo::read(b"<movie><title>Tom & Jerry &eacute;</title></movie>").documents[0]
            .title
            .as_deref(),
        Some("Tom & Jerry &eacute;")
    );
    assert_eq!(Nfo::read(b"\0\0\0").warnings.len(), 1);
    assert!(!Nfo::read(b"").warnings.is_empty());
}

#[covers("T40")]
#[test]
fn nfo_that_lies_costs_little() {
    let bomb =
        "<!DOCTYPE movie [<!ENTITY a \"xxxx\"><!ENTITY b \"&a;&a;&a;\">]><movie><title>&b;</title></movie>";
    assert_eq!(
        Nfo::read(bomb.as_bytes()).documents[0].title.as_deref(),
        Some("&b;")
    );
    let deep = format!("<movie>{}<title>A</title></movie>", "<a>".repeat(200_000));
    assert_eq!(Nfo::read(deep.as_bytes()).documents.len(), 1);
    let many = "<movie><title>A</title></movie>".repeat(20_000);
    assert_eq!(Nfo::read(many.as_bytes()).documents.len(), 64);
    let long = format!("<movie><title>{}", "A".repeat(2 * super::MAX_BYTES));
    let nfo = Nfo::read(long.as_bytes());
    assert_eq!(
        nfo.documents[0].title.as_ref().unwrap().len(),
        super::MAX_BYTES - 14
    );
    let actors = format!(
        "<movie>{}",
        "<actor><name>A</name><role>B</role></actor>".repeat(10_000)
    );
    assert_eq!(Nfo::read(actors.as_bytes()).documents[0].people.len(), 1);
    for length in 0..super::tests::MOVIE.len() {
        let cut = MOVIE.as_bytes().get(..length).unwrap();
        assert!(Nfo::read(cut).documents.len() < 2);
    }
}
