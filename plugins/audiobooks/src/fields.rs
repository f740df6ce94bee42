//! Writes the fields of a file: its tags first, then its folders and its name.

use svc_plugin_api::{ExtractionBuilder, Source, parse_date};

use crate::chapters::{self, MAX_CHAPTERS};
use crate::file::AudioFile;
use crate::place::{Place, stem};
use crate::tags::Tags;

/// Writes the fields of this file.
pub fn write(source: &Source, file: &AudioFile, extraction: &mut ExtractionBuilder) {
    let tags = &file.tags;
    let place = Place::parse(&source.folders(), source.name());
    let is_whole_book = source.extension() == "m4b";
    let text = |name: &'static str| tags.first(name);

    if let Some(title) = text("title") {
        extraction.title(title);
    }
    extraction.duration_ms(file.duration_ms);
    let author = text("album-artist").or(text("author")).or(text("artist"));
    extraction.text(
        "x.audiobooks.author",
        author.or(place.author.as_deref()).unwrap_or_default(),
    );
    // Parts have titles of their own, a whole book has that of the book.
    let by_title = text("title").filter(|_| is_whole_book);
    let book = text("album").or(by_title).or(place.book.as_deref());
    extraction.text("x.audiobooks.book", book.unwrap_or_else(|| stem(source.name())));
    extraction.text("x.audiobooks.subtitle", text("subtitle").unwrap_or_default());
    extraction.texts("x.audiobooks.authors", author.into_iter().flat_map(people));
    extraction.texts("x.audiobooks.narrators", narrators(tags, author));
    write_series(tags, extraction);
    extraction.positive(
        "x.audiobooks.disc",
        tags.number("disc").or(place.disc).unwrap_or(0),
    );
    extraction.positive(
        "x.audiobooks.track",
        tags.number("track").or(place.track).unwrap_or(0),
    );
    extraction.texts(
        "x.audiobooks.genres",
        tags.all("genre").flat_map(|text| text.split([';', '/', ','])),
    );
    let dates = tags.all("date").filter_map(parse_date);
    if let Some(date) = dates.max_by_key(|date| (date.month.is_some(), date.day.is_some())) {
        extraction.date("x.audiobooks.date", date);
    }
    for (key, names) in [
        ("x.audiobooks.publisher", &["publisher"][..]),
        ("x.audiobooks.description", &["description", "comment"]),
        ("x.audiobooks.language", &["language"]),
        ("x.audiobooks.asin", &["asin"]),
        ("x.audiobooks.isbn", &["isbn"]),
    ] {
        let found = names.iter().find_map(|name| tags.first(name));
        extraction.text(key, found.unwrap_or_default());
    }
    let chapters = chapters::json(file.chapters.clone(), file.duration_ms);
    extraction.records("item.chapters", chapters, MAX_CHAPTERS);
}

/// Those that are named as such; else the composers, where most programs put them, unless they wrote the book.
fn narrators<'a>(tags: &'a Tags, author: Option<&'a str>) -> Vec<&'a str> {
    let named: Vec<&str> = tags.all("narrator").flat_map(people).collect();
    if !named.is_empty() {
        return named;
    }
    let composers = tags
        .all("composer")
        .filter(move |composer| Some(*composer) != author);
    composers.flat_map(people).collect()
}

/// The names in a text.
fn people(text: &str) -> impl Iterator<Item = &str> {
    text.split([';', '/', ',', '&']).map(str::trim)
}

/// Name and number of the series; `Discworld #3` as one text in the grouping.
fn write_series(tags: &Tags, extraction: &mut ExtractionBuilder) {
    let grouping = tags.first("grouping").and_then(|text| text.rsplit_once('#'));
    let grouping = grouping.filter(|(_, number)| series_number(number).is_some());
    let series = tags.first("series").or(grouping.map(|(series, _)| series));
    let series = series.unwrap_or_default();
    // `Discworld #3` in the name of the series, too.
    let (name, own_number) = match series.rsplit_once('#') {
        Some((name, number)) if series_number(number).is_some() => (name, Some(number)),
        _ => (series, None),
    };
    let name = name.trim().trim_end_matches([',', ':', '-']).trim_end();
    extraction.text("x.audiobooks.series", name);
    let number = tags
        .first("series-number")
        .or(own_number)
        .or(grouping.map(|(_, number)| number));
    if let Some(number) = number.and_then(series_number) {
        extraction.real("x.audiobooks.series-number", number);
    }
}

/// `3`, `2.5`, `3/12`.
fn series_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(text.len());
    text.get(..end)?
        .parse()
        .ok()
        .filter(|number: &f64| number.is_finite())
}
