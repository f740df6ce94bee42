//! What one video file says about what it shows.

use serde_json::{Map, Value as Json};

use crate::extraction::{Extraction, PartialDate};
use crate::fields::Fields;
use crate::kind::MediaKind;
use crate::path::{RelativePath, stem};
use crate::text::{fold, search_words, sort_key};

/// What a movie's file says about the movie.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MovieFacts {
    /// What makes two files the same movie: title and year.
    pub key: String,
    /// Title.
    pub title: String,
    /// By which it sorts.
    pub sort_title: String,
    /// In the language it was made in.
    pub original_title: Option<String>,
    /// Of the first showing.
    pub year: Option<i32>,
    /// The day, or as much of it as is known: `1995-12`.
    pub released_on: Option<String>,
    /// What it is about.
    pub overview: Option<String>,
    /// Its line on the poster.
    pub tagline: Option<String>,
    /// Such as `PG-13`.
    pub content_rating: Option<String>,
    /// The collection or set it is part of.
    pub collection: Option<String>,
    /// Genres in order.
    pub genres: Vec<String>,
    /// Studios in order.
    pub studios: Vec<String>,
    /// People, a JSON array of objects.
    pub people: String,
    /// Ids elsewhere, a JSON object by source.
    pub external_ids: String,
}

/// What an episode's file says about the show.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShowFacts {
    /// What makes two files of the same show: title and year.
    pub key: String,
    /// Title.
    pub title: String,
    /// By which it sorts.
    pub sort_title: String,
    /// Of the first episode.
    pub year: Option<i32>,
    /// What it is about.
    pub overview: Option<String>,
    /// Such as `TV-14`.
    pub content_rating: Option<String>,
    /// Genres in order.
    pub genres: Vec<String>,
    /// Ids elsewhere, a JSON object by source.
    pub external_ids: String,
}

/// What an episode's file says about the episode.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EpisodeFacts {
    /// What makes two files the same episode.
    pub key: String,
    /// The show.
    pub show: ShowFacts,
    /// What makes two episodes of the same season.
    pub season_key: String,
    /// Season; 0 are the specials.
    pub season: Option<i32>,
    /// Number in the season.
    pub number: Option<i32>,
    /// The last number, when the file holds several.
    pub number_end: Option<i32>,
    /// Number since the show began.
    pub absolute: Option<i32>,
    /// The day of the first showing, as `2017-04-20`.
    pub air_date: Option<String>,
    /// Title.
    pub title: String,
    /// By which it sorts.
    pub sort_title: String,
    /// What it is about.
    pub overview: Option<String>,
    /// People, a JSON array of objects.
    pub people: String,
    /// Ids elsewhere, a JSON object by source.
    pub external_ids: String,
}

/// What a video file shows.
#[derive(Debug, Clone, PartialEq)]
pub enum VideoItem {
    /// A movie, or a part of one.
    Movie(MovieFacts),
    /// An episode, or several.
    Episode(EpisodeFacts),
}

/// What one video file says: the record that the scan stores.
#[derive(Debug, Clone, PartialEq)]
pub struct VideoFacts {
    /// What it shows.
    pub item: VideoItem,
    /// Such as `Director's Cut`.
    pub edition: Option<String>,
    /// Part of a movie in several files, from 1.
    pub part: Option<i32>,
    /// Such as `matroska`.
    pub container: Option<String>,
    /// Bits a second over the whole file.
    pub bitrate: Option<i64>,
    /// Playing time in milliseconds.
    pub duration_ms: Option<i64>,
    /// Pixels as coded.
    pub width: Option<i32>,
    /// Pixels as coded.
    pub height: Option<i32>,
    /// Streams, a JSON array of objects as `docs/plugin-keys.md` has them.
    pub streams: String,
    /// Chapters, a JSON array of objects.
    pub chapters: String,
    /// Subtitle files beside it, a JSON array of objects.
    pub subtitles: String,
    /// Pictures beside it, a JSON array of objects.
    pub artwork: String,
    /// The rule by which the file's name was understood.
    pub name_pattern: Option<String>,
    /// How sure that is, 0 to 1.
    pub name_confidence: Option<f64>,
}

/// A JSON array of those texts that are JSON objects; a plugin may have sent anything.
fn objects(texts: &[String]) -> String {
    let objects = texts
        .iter()
        .filter_map(|text| serde_json::from_str::<Map<String, Json>>(text).ok());
    Json::Array(objects.map(Json::Object).collect()).to_string()
}

/// A JSON object of `source:id` texts.
fn external_ids(texts: &[String]) -> String {
    let ids = texts.iter().filter_map(|text| text.split_once(':'));
    let ids: Map<String, Json> = ids.map(|(source, id)| (source.to_owned(), id.into())).collect();
    Json::Object(ids).to_string()
}

/// As much of a date as is known.
fn day(date: PartialDate) -> String {
    match (date.month, date.day) {
        (Some(month), Some(day)) => format!("{:04}-{month:02}-{day:02}", date.year),
        (Some(month), None) => format!("{:04}-{month:02}", date.year),
        (None, _) => format!("{:04}", date.year),
    }
}

fn key(title: &str, year: Option<i32>) -> String {
    let words = search_words(title);
    // A title of signs alone is still a title.
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
        // Nothing tells which episode it is: the file is one of its own.
        (_, None, None, None) => format!("f{}", folder.join_text(name)),
    };
    // An episode with a number and no season is of the only season there is.
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
    }
}

impl VideoFacts {
    /// The facts of the file `name` in `folder` of the kind `movies` or `tv`, from what the plugin read.
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

impl MovieFacts {
    /// The words under which the movie is found: its titles and people.
    pub fn search_text(&self) -> String {
        let original = self.original_title.as_deref().unwrap_or_default();
        search_words(&format!("{} {original} {}", self.title, names(&self.people)))
    }
}

impl EpisodeFacts {
    /// The words under which the episode is found: its title and show.
    pub fn search_text(&self) -> String {
        search_words(&format!("{} {}", self.title, self.show.title))
    }
}

/// The names in a JSON array of people.
fn names(people: &str) -> String {
    let people: Vec<Map<String, Json>> = serde_json::from_str(people).unwrap_or_default();
    let names = people.iter().filter_map(|person| person.get("name")?.as_str());
    names.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extraction::{Field, Value};

    fn extraction(fields: Vec<(&str, Value)>) -> Extraction {
        let field = |(key, value): (&str, Value)| Field {
            key: key.to_owned(),
            value,
        };
        Extraction {
            fields: fields.into_iter().map(field).collect(),
            ..Extraction::default()
        }
    }

    fn facts(kind: MediaKind, fields: Vec<(&str, Value)>, folder: &str, name: &str) -> VideoFacts {
        let folder = RelativePath::from_stored(folder.to_owned());
        VideoFacts::from_extraction(&extraction(fields), &kind, &folder, name)
    }

    fn episode_key(fields: Vec<(&str, Value)>) -> String {
        match facts(MediaKind::tv(), fields, "Show/Season 1", "a.mkv").item {
            VideoItem::Episode(episode) => episode.key,
            VideoItem::Movie(_) => panic!("a movie"),
        }
    }

    #[test]
    fn files_of_one_movie_have_one_key() {
        let of = |title: &str, name: &str| {
            let fields = vec![
                ("movie.title", Value::Text(title.to_owned())),
                ("movie.year", Value::Integer(1982)),
            ];
            match facts(MediaKind::movies(), fields, "", name).item {
                VideoItem::Movie(movie) => movie.key,
                VideoItem::Episode(_) => panic!("an episode"),
            }
        };
        assert_eq!(of("Blade Runner", "a.mkv"), of("BLADE RUNNER:", "b.mp4"));
        assert_ne!(of("Blade Runner", "a.mkv"), of("Blade Runner 2", "a.mkv"));
    }

    #[test]
    fn episode_is_known_by_number_then_absolute_number_then_date_then_file() {
        let show = || ("tv.show", Value::Text("Show".to_owned()));
        let date = PartialDate {
            year: 2017,
            month: Some(4),
            day: Some(20),
            time_ms: None,
            offset_minutes: None,
        };
        assert_eq!(
            episode_key(vec![show(), ("tv.episode", Value::Integer(3))]),
            "show/s1e3"
        );
        assert_eq!(
            episode_key(vec![show(), ("tv.absolute", Value::Integer(13))]),
            "show/a13"
        );
        assert_eq!(
            episode_key(vec![show(), ("tv.air-date", Value::Date(date))]),
            "show/d2017-04-20"
        );
        assert_eq!(episode_key(vec![show()]), "show/fShow/Season 1/a.mkv");
    }

    #[test]
    fn what_is_no_json_object_is_left_out() {
        let streams = vec![
            "{\"type\":\"video\"}".to_owned(),
            "[1]".to_owned(),
            "}".to_owned(),
        ];
        let facts = facts(
            MediaKind::movies(),
            vec![("video.streams", Value::Texts(streams))],
            "",
            "a.mkv",
        );
        assert_eq!(facts.streams, "[{\"type\":\"video\"}]");
    }
}
