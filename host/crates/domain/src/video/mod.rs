//! Movies, shows, seasons and episodes as the store has them. `facts.rs` holds what one file says, `source.rs` a file
//! that shows one of them, `json.rs` reads what the store keeps as JSON.

mod facts;
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

/// Somebody who worked on a movie or an episode.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Their name.
    pub name: String,
    /// Such as `director` or `actor`.
    pub role: String,
    /// Whom they play.
    pub character: Option<String>,
}

/// A movie.
#[derive(Debug, Clone, PartialEq)]
pub struct Movie {
    /// Identifier.
    pub id: MovieId,
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
    /// In order.
    pub genres: Vec<String>,
    /// In order.
    pub studios: Vec<String>,
    /// In order.
    pub people: Vec<Person>,
    /// Ids elsewhere: source and id.
    pub external_ids: Vec<(String, String)>,
    /// Its files that the caller sees, the best first.
    pub sources: Vec<VideoSource>,
    /// What the user did with it who asks; the store does not know who does.
    pub user_data: UserData,
}

/// A show.
#[derive(Debug, Clone, PartialEq)]
pub struct Show {
    /// Identifier.
    pub id: TvShowId,
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
    /// In order.
    pub genres: Vec<String>,
    /// Ids elsewhere: source and id.
    pub external_ids: Vec<(String, String)>,
    /// Seasons that the caller sees.
    pub season_count: i64,
    /// Episodes that the caller sees.
    pub episode_count: i64,
    /// There is a poster or a backdrop beside its files.
    pub has_artwork: bool,
}

/// A season of a show.
#[derive(Debug, Clone, PartialEq)]
pub struct Season {
    /// Identifier.
    pub id: TvSeasonId,
    /// The show.
    pub show: TvShowId,
    /// 0 are the specials; `None` holds the episodes of no known season.
    pub number: Option<i32>,
    /// Episodes that the caller sees.
    pub episode_count: i64,
    /// There is a poster of it beside its files.
    pub has_artwork: bool,
}

/// An episode of a show.
#[derive(Debug, Clone, PartialEq)]
pub struct Episode {
    /// Identifier.
    pub id: TvEpisodeId,
    /// The show.
    pub show: TvShowId,
    /// The show's title.
    pub show_title: String,
    /// The season.
    pub season: TvSeasonId,
    /// The season's number.
    pub season_number: Option<i32>,
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
    /// In order.
    pub people: Vec<Person>,
    /// Ids elsewhere: source and id.
    pub external_ids: Vec<(String, String)>,
    /// Its files that the caller sees, the best first.
    pub sources: Vec<VideoSource>,
    /// What the user did with it who asks; the store does not know who does.
    pub user_data: UserData,
}

/// Something with pictures of its own beside its files.
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
    /// First indexed.
    pub fn created_at(&self) -> Timestamp {
        self.id.created_at()
    }

    /// Milliseconds. The parts of a movie play one after the other; of several whole files the longest counts.
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
    /// First indexed.
    pub fn created_at(&self) -> Timestamp {
        self.id.created_at()
    }

    /// Milliseconds, of the longest file.
    pub fn runtime_ms(&self) -> Option<i64> {
        longest(&self.sources)
    }

    /// How the name of the best file was understood.
    pub fn name_match(&self) -> Option<&NameMatch> {
        self.sources.iter().find_map(|source| source.name_match.as_ref())
    }
}

fn longest(sources: &[VideoSource]) -> Option<i64> {
    sources.iter().filter_map(|source| source.duration_ms).max()
}

/// Whether none of the files was there in the last run.
pub fn all_missing(sources: &[VideoSource]) -> bool {
    sources.iter().all(|source| source.missing)
}
