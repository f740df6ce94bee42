//! The precedence of the sources for each field of a movie.

use naming::MovieName;
use naming::nfo::{Document, Kind, Nfo};
use naming::record::{Origin, Record, container_title};
use svc_plugin_api::PartialDate;
use video::Tags;

/// Below this confidence the name has neither a year nor words of a release, and the container's title takes
/// precedence.
const SURE: f64 = 0.6;

/// Writes the fields of the sidecar first, then those of a reliable name, of the container, and of an unreliable
/// name.
pub(crate) fn write(record: &mut Record, nfo: &Nfo, name: &MovieName, tags: &Tags, file_name: &str) {
    if let Some(document) = nfo.first(Kind::Movie) {
        of_sidecar(record, document);
    }
    let linked = nfo
        .first(Kind::Movie)
        .map_or(&[][..], |document| &document.external_ids);
    record.external_ids(
        "movie.external-ids",
        &[
            (Origin::Nfo, linked),
            (Origin::Nfo, &nfo.linked_ids),
            (Origin::of_name(name.from_folder), &name.external_ids),
        ],
    );
    let named = Origin::of_name(name.from_folder);
    if name.confidence >= SURE {
        record.title(named, Some(&name.title));
    }
    record
        .integer("movie.year", named, name.year)
        .text("movie.edition", Origin::Name, name.edition.as_deref())
        .integer("movie.part", Origin::Name, name.part);
    of_container(record, tags, name.year, file_name);
    record.title(named, Some(&name.title));
    record.name(name.pattern, &name.matched, name.confidence);
}

fn of_sidecar(record: &mut Record, document: &Document) {
    let released = document.premiered.or(document.released);
    let overview = document.plot.as_deref().or(document.outline.as_deref());
    record
        .title(Origin::Nfo, document.title.as_deref())
        .text("title-sort", Origin::Nfo, document.sort_title.as_deref())
        .text(
            "movie.original-title",
            Origin::Nfo,
            document.original_title.as_deref(),
        )
        .text("movie.edition", Origin::Nfo, document.edition.as_deref())
        .text("movie.overview", Origin::Nfo, overview)
        .text("movie.tagline", Origin::Nfo, document.tagline.as_deref())
        .text(
            "movie.content-rating",
            Origin::Nfo,
            document.content_rating.as_deref(),
        )
        .text("movie.collection", Origin::Nfo, document.collection.as_deref())
        .integer(
            "movie.year",
            Origin::Nfo,
            document.year.or(released.map(|date| date.year)),
        )
        .date("movie.released", Origin::Nfo, released)
        .texts("movie.genres", Origin::Nfo, &document.genres)
        .texts("movie.studios", Origin::Nfo, &document.studios)
        .people("movie.people", &document.people);
}

fn of_container(record: &mut Record, tags: &Tags, named_year: Option<u16>, file_name: &str) {
    // A date of another year describes the file and not the movie.
    let fits = |date: &PartialDate| named_year.is_none_or(|year| year == date.year);
    let date = tags.date.filter(fits);
    record
        .title(
            Origin::Container,
            container_title(tags.title.as_deref(), file_name),
        )
        .integer("movie.year", Origin::Container, date.map(|date| date.year))
        .date(
            "movie.released",
            Origin::Container,
            date.filter(|date| date.month.is_some()),
        )
        .text("movie.overview", Origin::Container, tags.description.as_deref())
        .texts("movie.genres", Origin::Container, &tags.genres);
}
