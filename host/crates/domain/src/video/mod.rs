//! Movies, TV shows, seasons and episodes as the store returns them. `facts` has the metadata of one file, which
//! `from_extraction` interprets; `source` has the files of an item; `json` parses stored JSON.

mod facts;
mod from_extraction;
mod json;
mod source;

pub use facts::{EpisodeFacts, MovieFacts, ShowFacts, VideoFacts, VideoItem};
pub use json::{Streams, chapters, external_ids, people, pictures, subtitle_files, texts};
pub use source::{
    ArtworkKind, AudioStream, Chapter, NameMatch, Subtitle, SubtitleOrigin, VideoSource, VideoStream,
};

use crate::id::{MovieId, TvEpisodeId, TvSeasonId, TvShowId};
use crate::time::Timestamp;
use crate::user_data::UserData;

/// A person who worked on a movie or an episode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// As written in the file.
    pub name: String,
    /// Such as `director` or `actor`.
    pub role: String,
    /// The character they play.
    pub character: Option<String>,
}

/// A movie.
#[derive(Debug, Clone, PartialEq)]
pub struct Movie {
    /// Id.
    pub id: MovieId,
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
    /// In order.
    pub genres: Vec<String>,
    /// In order.
    pub studios: Vec<String>,
    /// In order.
    pub people: Vec<Person>,
    /// Ids in other databases: name of the database, id.
    pub external_ids: Vec<(String, String)>,
    /// Files that the caller may access, best first.
    pub sources: Vec<VideoSource>,
    /// Of the requesting user; filled in by the service.
    pub user_data: UserData,
}

/// A TV show.
#[derive(Debug, Clone, PartialEq)]
pub struct Show {
    /// Id.
    pub id: TvShowId,
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
    /// In order.
    pub genres: Vec<String>,
    /// Ids in other databases: name of the database, id.
    pub external_ids: Vec<(String, String)>,
    /// Seasons with episodes that the caller may access.
    pub season_count: i64,
    /// Episodes that the caller may access.
    pub episode_count: i64,
    /// A poster or backdrop is among the sidecars.
    pub has_artwork: bool,
}

/// A season of a show.
#[derive(Debug, Clone, PartialEq)]
pub struct Season {
    /// Id.
    pub id: TvSeasonId,
    /// The show.
    pub show: TvShowId,
    /// 0 for specials; `None` for episodes of unknown season.
    pub number: Option<i32>,
    /// Episodes that the caller may access.
    pub episode_count: i64,
    /// A poster of the season is among the sidecars.
    pub has_artwork: bool,
}

/// An episode of a show.
#[derive(Debug, Clone, PartialEq)]
pub struct Episode {
    /// Id.
    pub id: TvEpisodeId,
    /// Id of the show.
    pub show: TvShowId,
    /// Title of the show.
    pub show_title: String,
    /// Id of the season.
    pub season: TvSeasonId,
    /// Number of the season.
    pub season_number: Option<i32>,
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
    /// In order.
    pub people: Vec<Person>,
    /// Ids in other databases: name of the database, id.
    pub external_ids: Vec<(String, String)>,
    /// Files that the caller may access, best first.
    pub sources: Vec<VideoSource>,
    /// Of the requesting user; filled in by the service.
    pub user_data: UserData,
}

/// An item that can have artwork among its sidecars.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VideoSubject {
    /// A movie.
    Movie(MovieId),
    /// A show.
    Show(TvShowId),
    /// A season.
    Season(TvSeasonId),
    /// An episode.
    Episode(TvEpisodeId),
}

impl Movie {
    /// When it was first indexed.
    pub fn created_at(&self) -> Timestamp {
        self.id.created_at()
    }

    /// In milliseconds: the sum of all parts of a movie, or the longest of several complete files.
    pub fn runtime_ms(&self) -> Option<i64> {
        if self.sources.iter().any(|source| source.part > Some(1)) {
            let known = self.sources.iter().filter_map(|source| source.duration_ms);
            known.reduce(i64::saturating_add)
        } else {
            longest(&self.sources)
        }
    }
}

impl Episode {
    /// When it was first indexed.
    pub fn created_at(&self) -> Timestamp {
        self.id.created_at()
    }

    /// In milliseconds, of the longest file.
    pub fn runtime_ms(&self) -> Option<i64> {
        longest(&self.sources)
    }

    /// How the name of the best file was parsed.
    pub fn name_match(&self) -> Option<&NameMatch> {
        self.sources.iter().find_map(|source| source.name_match.as_ref())
    }
}

fn longest(sources: &[VideoSource]) -> Option<i64> {
    sources.iter().filter_map(|source| source.duration_ms).max()
}

/// Whether the last scan found none of the files.
pub fn all_missing(sources: &[VideoSource]) -> bool {
    sources.iter().all(|source| source.missing)
}
