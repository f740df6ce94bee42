//! Movies, shows, seasons and episodes: one query for the rows, one for their files.

mod episodes;
mod files;
pub(crate) mod movies;
mod shows;

use crate::db::Database;
use std::collections::HashMap;

pub use files::{SubtitleFile, VideoFileRepository};
pub use movies::{MovieFilter, MovieOrder, MovieRepository};
pub use shows::{ShowFilter, ShowOrder};

#[cfg(test)]
pub(super) use {movies::order_cases as movie_order_cases, shows::order_cases as show_order_cases};

use svc_domain::video::{NameMatch, Streams, VideoSource, chapters, pictures, subtitle_files};

/// TV shows, seasons and episodes.
#[derive(Debug, Clone)]
pub struct TvRepository {
    pub(crate) db: Database,
}

macro_rules! sources_of {
    ($column:literal) => {
        concat!(
            "SELECT s.",
            $column,
            " AS item_id, s.source_id, s.edition, s.part, s.container, s.bitrate, s.duration_ms, s.streams, \
             s.chapters, s.subtitles, s.artwork, s.name_pattern, s.name_confidence, f.size, \
             f.status = 1 AS errored, f.status = 2 AS missing \
             FROM video_sources s JOIN files f ON f.file_id = s.source_id \
             JOIN folders o ON o.folder_id = f.folder_id WHERE s.",
            $column
        )
    };
}

const OF_MOVIES: &str = sources_of!("movie_id");
const OF_EPISODES: &str = sources_of!("episode_id");

/// Purposes of a movie's or an episode's own pictures.
const OWN_PICTURES: [&str; 3] = ["poster", "thumb", "backdrop"];

#[derive(sqlx::FromRow, serde::Deserialize)]
struct SourceRow {
    item_id: i64,
    source_id: i64,
    edition: Option<String>,
    part: Option<i32>,
    container: Option<String>,
    bitrate: Option<i64>,
    duration_ms: Option<i64>,
    streams: String,
    chapters: String,
    subtitles: String,
    artwork: String,
    name_pattern: Option<String>,
    name_confidence: Option<f64>,
    size: i64,
    errored: bool,
    missing: bool,
}

impl From<SourceRow> for VideoSource {
    fn from(row: SourceRow) -> Self {
        let id = row.source_id.into();
        let streams = Streams::read(&row.streams, id);
        let mut subtitles = subtitle_files(&row.subtitles, id);
        subtitles.extend(streams.subtitles);
        Self {
            id,
            edition: row.edition,
            part: row.part,
            container: row.container,
            size: row.size,
            bitrate: row.bitrate,
            duration_ms: row.duration_ms,
            video: streams.video,
            audio: streams.audio,
            subtitles,
            chapters: chapters(&row.chapters),
            has_artwork: OWN_PICTURES
                .iter()
                .any(|purpose| !pictures(&row.artwork, purpose).is_empty()),
            name_match: row.name_pattern.map(|pattern| NameMatch {
                pattern,
                confidence: row.name_confidence,
            }),
            errored: row.errored,
            missing: row.missing,
        }
    }
}

/// Groups files by item, best first.
fn sources(rows: Vec<SourceRow>) -> HashMap<i64, Vec<VideoSource>> {
    let mut sources: HashMap<i64, Vec<VideoSource>> = HashMap::new();
    for row in rows {
        sources.entry(row.item_id).or_default().push(row.into());
    }
    for sources in sources.values_mut() {
        sources.sort_unstable_by_key(VideoSource::rank);
    }
    sources
}
