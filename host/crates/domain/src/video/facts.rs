//! The metadata of one video file about the item that it contains.

use serde_json::{Map, Value as Json};

use crate::text::search_words;

/// The metadata of a movie's file about the movie.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MovieFacts {
    /// Identifies the movie across files: title and year.
    pub key: String,
    /// Title.
    pub title: String,
    /// Sort key.
    pub sort_title: String,
    /// Title in the original language.
    pub original_title: Option<String>,
    /// Year of release.
    pub year: Option<i32>,
    /// Release date with the known parts: `1995-12`.
    pub released_on: Option<String>,
    /// Plot summary.
    pub overview: Option<String>,
    /// Slogan on the poster.
    pub tagline: Option<String>,
    /// Such as `PG-13`.
    pub content_rating: Option<String>,
    /// The collection that the movie belongs to.
    pub collection: Option<String>,
    /// In the order of the file.
    pub genres: Vec<String>,
    /// In the order of the file.
    pub studios: Vec<String>,
    /// JSON array of objects.
    pub people: String,
    /// Ids in other databases: JSON object by name of the database.
    pub external_ids: String,
    /// Comment and texts of the plugin's own, for search; their beginnings.
    pub free_text: Option<String>,
}

/// The metadata of an episode's file about the show.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ShowFacts {
    /// Identifies the show across files: title and year.
    pub key: String,
    /// Title.
    pub title: String,
    /// Sort key.
    pub sort_title: String,
    /// Year of the first episode.
    pub year: Option<i32>,
    /// Plot summary.
    pub overview: Option<String>,
    /// Such as `TV-14`.
    pub content_rating: Option<String>,
    /// In the order of the file.
    pub genres: Vec<String>,
    /// Ids in other databases: JSON object by name of the database.
    pub external_ids: String,
}

/// The metadata of an episode's file about the episode.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EpisodeFacts {
    /// Identifies the episode across files.
    pub key: String,
    /// The show.
    pub show: ShowFacts,
    /// Identifies the season across files.
    pub season_key: String,
    /// Number of the season; 0 for specials.
    pub season: Option<i32>,
    /// Number within the season.
    pub number: Option<i32>,
    /// Last number, if the file contains several episodes.
    pub number_end: Option<i32>,
    /// Number counted from the first episode of the show.
    pub absolute: Option<i32>,
    /// Date of first broadcast as `2017-04-20`.
    pub air_date: Option<String>,
    /// Title.
    pub title: String,
    /// Sort key.
    pub sort_title: String,
    /// Plot summary.
    pub overview: Option<String>,
    /// JSON array of objects.
    pub people: String,
    /// Ids in other databases: JSON object by name of the database.
    pub external_ids: String,
    /// Comment and texts of the plugin's own, for search; their beginnings.
    pub free_text: Option<String>,
}

/// The item that a video file contains.
#[derive(Debug, Clone, PartialEq)]
pub enum VideoItem {
    /// A movie or a part of one.
    Movie(MovieFacts),
    /// One or several episodes.
    Episode(EpisodeFacts),
}

/// The metadata of one video file, as the scan stores it.
#[derive(Debug, Clone, PartialEq)]
pub struct VideoFacts {
    /// The movie or episode.
    pub item: VideoItem,
    /// Such as `Director's Cut`.
    pub edition: Option<String>,
    /// Part of a movie in several files, from 1.
    pub part: Option<i32>,
    /// Such as `matroska`.
    pub container: Option<String>,
    /// Bits per second of the whole file.
    pub bitrate: Option<i64>,
    /// Playing time in milliseconds.
    pub duration_ms: Option<i64>,
    /// Coded pixels.
    pub width: Option<i32>,
    /// Coded pixels.
    pub height: Option<i32>,
    /// JSON array of objects as in `docs/plugin-keys.md`, here and below.
    pub streams: String,
    /// JSON array of objects.
    pub chapters: String,
    /// Subtitle sidecars, JSON array of objects.
    pub subtitles: String,
    /// Artwork sidecars, JSON array of objects.
    pub artwork: String,
    /// The naming rule that matched the file's name.
    pub name_pattern: Option<String>,
    /// 0 to 1.
    pub name_confidence: Option<f64>,
}

impl MovieFacts {
    /// The words of the search index: titles, people and free text.
    pub fn search_text(&self) -> String {
        let original = self.original_title.as_deref().unwrap_or_default();
        let free_text = self.free_text.as_deref().unwrap_or_default();
        search_words(&format!(
            "{} {original} {} {free_text}",
            self.title,
            names(&self.people)
        ))
    }
}

impl EpisodeFacts {
    /// The words of the search index: titles of episode and show, and free text.
    pub fn search_text(&self) -> String {
        let free_text = self.free_text.as_deref().unwrap_or_default();
        search_words(&format!("{} {} {free_text}", self.title, self.show.title))
    }
}

/// The names in a JSON array of people.
fn names(people: &str) -> String {
    let people: Vec<Map<String, Json>> = serde_json::from_str(people).unwrap_or_default();
    let names = people.iter().filter_map(|person| person.get("name")?.as_str());
    names.collect::<Vec<_>>().join(" ")
}
