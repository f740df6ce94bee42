//! Interprets the extraction of a video file.

use serde_json::{Map, Value as Json};

use crate::extraction::{Extraction, PartialDate};
use crate::fields::{Fields, free_text};
use crate::kind::MediaKind;
use crate::path::{RelativePath, stem};
use crate::text::{fold, search_words, sort_key};
use crate::video::{EpisodeFacts, MovieFacts, ShowFacts, VideoFacts, VideoItem};

/// A JSON array of the texts that are JSON objects; other texts are skipped, since a plugin may send anything.
fn objects(texts: &[String]) -> String {
    let objects = texts
        .iter()
        .filter_map(|text| serde_json::from_str::<Map<String, Json>>(text).ok());
    Json::Array(objects.map(Json::Object).collect()).to_string()
}

/// A JSON object of texts in the form `source:id`.
fn external_ids(texts: &[String]) -> String {
    let ids = texts.iter().filter_map(|text| text.split_once(':'));
    let ids: Map<String, Json> = ids.map(|(source, id)| (source.to_owned(), id.into())).collect();
    Json::Object(ids).to_string()
}

/// The known parts of a date.
fn day(date: PartialDate) -> String {
    match (date.month, date.day) {
        (Some(month), Some(day)) => format!("{:04}-{month:02}-{day:02}", date.year),
        (Some(month), None) => format!("{:04}-{month:02}", date.year),
        (None, _) => format!("{:04}", date.year),
    }
}

fn key(title: &str, year: Option<i32>) -> String {
    let words = search_words(title);
    // A title without letters and digits is identified by its folded text.
    let words = if words.is_empty() { fold(title) } else { words };
    year.map_or_else(|| words.clone(), |year| format!("{words}/{year}"))
}

fn movie(fields: &Fields<'_>, extraction: &Extraction, name: &str) -> MovieFacts {
    let title = extraction
        .title
        .clone()
        .or_else(|| fields.text("movie.title"))
        .unwrap_or_else(|| stem(name).to_owned());
    let year = fields
        .number("movie.year")
        .or_else(|| fields.year("movie.released"));
    MovieFacts {
        key: key(&title, year),
        sort_title: sort_title(fields, "title-sort", &title),
        original_title: fields.text("movie.original-title"),
        year,
        released_on: fields.date("movie.released").map(day),
        overview: fields.text("movie.overview"),
        tagline: fields.text("movie.tagline"),
        content_rating: fields.text("movie.content-rating"),
        collection: fields.text("movie.collection"),
        genres: fields.texts("movie.genres").to_vec(),
        studios: fields.texts("movie.studios").to_vec(),
        people: objects(fields.texts("movie.people")),
        external_ids: external_ids(fields.texts("movie.external-ids")),
        free_text: free_text(extraction, "video.comment"),
        title,
    }
}

fn sort_title(fields: &Fields<'_>, key: &str, title: &str) -> String {
    fields
        .text(key)
        .map_or_else(|| sort_key(title), |sort| fold(&sort))
}

fn episode(fields: &Fields<'_>, extraction: &Extraction, folder: &RelativePath, name: &str) -> EpisodeFacts {
    let file_title = || stem(name).to_owned();
    let show_title = fields
        .text("tv.show")
        .unwrap_or_else(|| match folder.file_name() {
            "" => file_title(),
            name => name.to_owned(),
        });
    let year = fields.number("tv.show-year");
    let show = ShowFacts {
        key: key(&show_title, year),
        sort_title: sort_title(fields, "tv.show-sort", &show_title),
        title: show_title,
        year,
        overview: fields.text("tv.show-overview"),
        content_rating: fields.text("tv.content-rating"),
        genres: fields.texts("tv.genres").to_vec(),
        external_ids: external_ids(fields.texts("tv.show-external-ids")),
    };
    let season = fields.number("tv.season");
    let number = fields.number("tv.episode");
    let absolute = fields.number("tv.absolute");
    let air_date = fields.date("tv.air-date").map(day);
    let place = match (season, number, absolute, &air_date) {
        (season, Some(number), _, _) => format!("s{}e{number}", season.unwrap_or(1)),
        (_, None, Some(absolute), _) => format!("a{absolute}"),
        (_, None, None, Some(date)) => format!("d{date}"),
        // Without any number or date, each file is an episode of its own.
        (_, None, None, None) => format!("f{}", folder.join_text(name)),
    };
    // An episode with a number but no season belongs to season 1.
    let season = season.or_else(|| number.map(|_| 1));
    let title = extraction
        .title
        .clone()
        .unwrap_or_else(|| match (number, absolute, &air_date) {
            (Some(number), _, _) => format!("Episode {number}"),
            (None, Some(number), _) => format!("Episode {number}"),
            (None, None, Some(date)) => date.clone(),
            (None, None, None) => file_title(),
        });
    EpisodeFacts {
        key: format!("{}/{place}", show.key),
        season_key: season.map_or_else(|| format!("{}/-", show.key), |n| format!("{}/{n}", show.key)),
        show,
        season,
        number,
        number_end: fields.number("tv.episode-end"),
        absolute,
        air_date,
        sort_title: sort_title(fields, "title-sort", &title),
        title,
        overview: fields.text("tv.overview"),
        people: objects(fields.texts("tv.people")),
        external_ids: external_ids(fields.texts("tv.external-ids")),
        free_text: free_text(extraction, "video.comment"),
    }
}

impl VideoFacts {
    /// Interprets the extraction of the file `name` in `folder`, of the kind `movies` or `tv`.
    pub fn from_extraction(
        extraction: &Extraction,
        kind: &MediaKind,
        folder: &RelativePath,
        name: &str,
    ) -> Self {
        let fields = Fields::of(extraction);
        let item = if *kind == MediaKind::tv() {
            VideoItem::Episode(episode(&fields, extraction, folder, name))
        } else {
            VideoItem::Movie(movie(&fields, extraction, name))
        };
        Self {
            item,
            edition: fields.text("movie.edition"),
            part: fields.number("movie.part"),
            container: fields.text("video.container"),
            bitrate: fields.number("video.bitrate").map(i64::from),
            duration_ms: extraction.duration_ms.and_then(|ms| i64::try_from(ms).ok()),
            width: extraction.width.and_then(|pixels| i32::try_from(pixels).ok()),
            height: extraction.height.and_then(|pixels| i32::try_from(pixels).ok()),
            streams: objects(fields.texts("video.streams")),
            chapters: objects(fields.texts("video.chapters")),
            subtitles: objects(fields.texts("related.subtitles")),
            artwork: objects(fields.texts("related.artwork")),
            name_pattern: fields.text("name.pattern"),
            name_confidence: fields.real("name.confidence"),
        }
    }
}

#[cfg(test)]
#[path = "from_extraction_tests.rs"]
mod tests;
