//! Video files of a batch, with their movies, shows, seasons and episodes.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::changes::NewChanges;
use crate::db::search_index::SearchIndex;
use crate::scan_writer::ids::for_ids;
use crate::scan_writer::upsert::{Proposed, Stored, propose};
use crate::scan_writer::video_genres::Genres;
use crate::scan_writer::video_values::{episode_values, movie_values, show_values, source_values};
use crate::scan_writer::{ScanWriter, StoredFile, rows};
use crate::text::{bounded_key, bounded_words};
use svc_database::Result;
use svc_database::Tx;
use svc_database::args::{Arg, args};
use svc_database::bulk::{Bulk, in_lists};
use svc_domain::change::ItemType;
use svc_domain::scan::FileRecord;
use svc_domain::text::search_words;
use svc_domain::time::Timestamp;
use svc_domain::video::{EpisodeFacts, ShowFacts, VideoFacts, VideoItem};

/// A movie keeps its id if all of its readable files, `$3` of them, change to the same new key, unless another movie
/// has that key.
const RENAME_MOVIE: &str = "UPDATE movies SET key = $2 WHERE movie_id = $1 AND key <> $2 \
    AND NOT EXISTS (SELECT 1 FROM movies m WHERE m.key = $2) \
    AND (SELECT count(*) FROM video_sources s JOIN files f ON f.file_id = s.source_id \
    WHERE s.movie_id = $1 AND f.status = 0) = $3";
const RENAME_EPISODE: &str = "UPDATE tv_episodes SET key = $2 WHERE episode_id = $1 AND key <> $2 \
    AND NOT EXISTS (SELECT 1 FROM tv_episodes e WHERE e.key = $2) \
    AND (SELECT count(*) FROM video_sources s JOIN files f ON f.file_id = s.source_id \
    WHERE s.episode_id = $1 AND f.status = 0) = $3";

/// The previous item of a known source.
#[derive(sqlx::FromRow)]
struct PreviousSource {
    source_id: i64,
    movie_id: Option<i64>,
    episode_id: Option<i64>,
    show_id: Option<i64>,
}

/// Shows that lost episodes to others in this scan: one that lost all to a single new show was renamed.
#[derive(Debug, Default)]
pub(super) struct RenamedShows {
    pub(super) heirs: HashMap<i64, HashSet<i64>>,
    pub(super) new: HashSet<i64>,
}

/// Marks the movies, episodes and shows of these sources as dirty.
pub(super) async fn unlink(tx: &mut Tx, sources: &[i64]) -> Result<()> {
    let marks = [
        "UPDATE movies SET dirty = TRUE WHERE NOT dirty AND movie_id IN \
         (SELECT movie_id FROM video_sources WHERE source_id",
        "UPDATE tv_episodes SET dirty = TRUE WHERE NOT dirty AND episode_id IN \
         (SELECT episode_id FROM video_sources WHERE source_id",
        "UPDATE tv_shows SET dirty = TRUE WHERE NOT dirty AND show_id IN (SELECT e.show_id FROM tv_episodes e \
         JOIN video_sources s ON s.episode_id = e.episode_id WHERE s.source_id",
    ];
    for head in marks {
        for_ids(tx, head, sources, ")").await?;
    }
    Ok(())
}

pub(super) fn words(text: String) -> Arg<'static> {
    Arg::from(bounded_words(text))
}

/// Facts by key without duplicates: the last extracted file determines the metadata.
fn by_key<'a, T>(items: impl Iterator<Item = (&'a str, &'a T)>) -> Vec<(String, &'a T)> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut unique: Vec<(String, &'a T)> = Vec::new();
    for (key, facts) in items {
        match places.get(key) {
            Some(&at) => {
                if let Some(place) = unique.get_mut(at) {
                    place.1 = facts;
                }
            }
            None => {
                places.insert(key, unique.len());
                unique.push((bounded_key(key.to_owned()), facts));
            }
        }
    }
    unique
}

impl ScanWriter {
    pub(super) async fn store_videos(
        &mut self,
        tx: &mut Tx,
        files: &[&StoredFile],
        now: Timestamp,
        changes: &mut NewChanges,
    ) -> Result<()> {
        let videos: Vec<(i64, &VideoFacts)> = files
            .iter()
            .filter_map(|stored| match &stored.file.record {
                FileRecord::Video(facts) => Some((stored.file.id.get(), &**facts)),
                _ => None,
            })
            .collect();
        if videos.is_empty() {
            return Ok(());
        }
        let known: Vec<i64> = files
            .iter()
            .filter(|f| f.file.known)
            .map(|f| f.file.id.get())
            .collect();
        let before = sources_before(tx, &known).await?;
        unlink(tx, &known).await?;
        preserve_ids(tx, &before, &videos).await?;
        let movies = self.store_movies(tx, &videos, now, changes).await?;
        let episodes = self.store_episodes(tx, &videos, &before, now, changes).await?;
        let mut values = Vec::with_capacity(videos.len() * rows::VIDEO_SOURCES.columns);
        for (id, facts) in &videos {
            let (movie, episode) = match &facts.item {
                VideoItem::Movie(movie) => (movies.get(&bounded_key(movie.key.clone())), None),
                VideoItem::Episode(episode) => (None, episodes.get(&bounded_key(episode.key.clone()))),
            };
            values.extend(source_values(*id, movie.copied(), episode.copied(), facts));
        }
        self.texts.execute(tx, &rows::VIDEO_SOURCES, &values).await
    }

    async fn store_movies(
        &mut self,
        tx: &mut Tx,
        videos: &[(i64, &VideoFacts)],
        now: Timestamp,
        changes: &mut NewChanges,
    ) -> Result<HashMap<String, i64>> {
        let movies = by_key(videos.iter().filter_map(|(_, facts)| match &facts.item {
            VideoItem::Movie(movie) => Some((movie.key.as_str(), movie)),
            VideoItem::Episode(_) => None,
        }));
        let proposed = propose(&self.ids, now, &movies, |id, key, movie| {
            Some(movie_values(id, key, movie))
        });
        let stored = self.upsert(tx, &rows::MOVIES, proposed).await?;
        let genres = stored
            .of(&movies)
            .map(|(id, movie)| (id, movie.genres.as_slice()));
        self.store_genres(tx, Genres::Movies, &genres.collect::<Vec<_>>())
            .await?;
        let texts = stored.of(&movies).map(|(id, movie)| (id, movie.search_text()));
        self.index(tx, SearchIndex::Movies, &stored, texts.collect())
            .await?;
        stored.record(&movies, ItemType::Movie, changes);
        Ok(stored.ids)
    }

    async fn store_episodes(
        &mut self,
        tx: &mut Tx,
        videos: &[(i64, &VideoFacts)],
        before: &HashMap<i64, PreviousSource>,
        now: Timestamp,
        changes: &mut NewChanges,
    ) -> Result<HashMap<String, i64>> {
        let episodes = by_key(videos.iter().filter_map(|(_, facts)| match &facts.item {
            VideoItem::Episode(episode) => Some((episode.key.as_str(), episode)),
            VideoItem::Movie(_) => None,
        }));
        if episodes.is_empty() {
            return Ok(HashMap::new());
        }
        let shows = self.store_shows(tx, &episodes, now, changes).await?;
        let seasons = self.store_seasons(tx, &episodes, &shows, now).await?;
        let show_of = |episode: &EpisodeFacts| shows.get(&bounded_key(episode.show.key.clone())).copied();
        let proposed = propose(&self.ids, now, &episodes, |id, key, episode| {
            let season = *seasons.get(&bounded_key(episode.season_key.clone()))?;
            Some(episode_values(id, key, show_of(episode)?, season, episode))
        });
        let stored = self.upsert(tx, &rows::EPISODES, proposed).await?;
        for (source, facts) in videos {
            if let (VideoItem::Episode(episode), Some(before)) = (&facts.item, before.get(source))
                && let (Some(old), Some(new)) = (before.show_id, show_of(episode))
                && old != new
            {
                self.renamed_shows.heirs.entry(old).or_default().insert(new);
            }
        }
        let texts = stored
            .of(&episodes)
            .map(|(id, episode)| (id, episode.search_text()));
        self.index(tx, SearchIndex::Episodes, &stored, texts.collect())
            .await?;
        stored.record(&episodes, ItemType::TvEpisode, changes);
        Ok(stored.ids)
    }

    async fn store_shows(
        &mut self,
        tx: &mut Tx,
        episodes: &[(String, &EpisodeFacts)],
        now: Timestamp,
        changes: &mut NewChanges,
    ) -> Result<HashMap<String, i64>> {
        let shows: Vec<(String, &ShowFacts)> = by_key(
            episodes
                .iter()
                .map(|(_, episode)| (episode.show.key.as_str(), &episode.show)),
        );
        let proposed = propose(&self.ids, now, &shows, |id, key, show| {
            Some(show_values(id, key, show))
        });
        let stored = self.upsert(tx, &rows::SHOWS, proposed).await?;
        let new = stored.ids.values().filter(|id| stored.is_new(**id));
        self.renamed_shows.new.extend(new);
        let genres = stored.of(&shows).map(|(id, show)| (id, show.genres.as_slice()));
        self.store_genres(tx, Genres::Shows, &genres.collect::<Vec<_>>())
            .await?;
        let texts = stored
            .of(&shows)
            .map(|(id, show)| (id, search_words(&show.title)));
        self.index(tx, SearchIndex::Shows, &stored, texts.collect())
            .await?;
        stored.record(&shows, ItemType::TvShow, changes);
        Ok(stored.ids)
    }

    async fn store_seasons(
        &mut self,
        tx: &mut Tx,
        episodes: &[(String, &EpisodeFacts)],
        shows: &HashMap<String, i64>,
        now: Timestamp,
    ) -> Result<HashMap<String, i64>> {
        let seasons = by_key(
            episodes
                .iter()
                .map(|(_, episode)| (episode.season_key.as_str(), *episode)),
        );
        let proposed = propose(&self.ids, now, &seasons, |id, key, episode| {
            let show = *shows.get(&bounded_key(episode.show.key.clone()))?;
            Some(args![id, key, show, episode.season])
        });
        Ok(self.upsert(tx, &rows::SEASONS, proposed).await?.ids)
    }

    async fn upsert(&mut self, tx: &mut Tx, bulk: &Bulk, proposed: Proposed<'_>) -> Result<Stored> {
        let rows = self.texts.fetch(tx, bulk, &proposed.values).await?;
        Ok(proposed.stored_as(rows))
    }

    /// Replaces the search index entries of items.
    async fn index(
        &mut self,
        tx: &mut Tx,
        index: SearchIndex,
        stored: &Stored,
        items: Vec<(i64, String)>,
    ) -> Result<()> {
        let known: Vec<i64> = items
            .iter()
            .map(|(id, _)| *id)
            .filter(|id| !stored.is_new(*id))
            .collect();
        for_ids(tx, index.remove(tx.engine()), &known, "").await?;
        let values: Vec<Arg<'_>> = items
            .into_iter()
            .flat_map(|(id, text)| [Arg::from(id), words(text)])
            .collect();
        self.texts.execute(tx, index.add(tx.engine()), &values).await
    }
}

async fn sources_before(tx: &mut Tx, known: &[i64]) -> Result<HashMap<i64, PreviousSource>> {
    let head = "SELECT s.source_id, s.movie_id, s.episode_id, e.show_id FROM video_sources s \
                LEFT JOIN tv_episodes e ON e.episode_id = s.episode_id WHERE s.source_id";
    let mut before = HashMap::new();
    for (sql, values) in in_lists(tx.engine(), head, known, "") {
        let rows: Vec<PreviousSource> = tx.fetch_all(sql, &values).await?;
        before.extend(rows.into_iter().map(|row| (row.source_id, row)));
    }
    Ok(before)
}

/// Renames items whose files changed to a new key, so that they keep their ids.
async fn preserve_ids(
    tx: &mut Tx,
    before: &HashMap<i64, PreviousSource>,
    videos: &[(i64, &VideoFacts)],
) -> Result<()> {
    // Number of sources by item and new key.
    let mut movies: BTreeMap<(i64, &str), i64> = BTreeMap::new();
    let mut episodes: BTreeMap<(i64, &str), i64> = BTreeMap::new();
    for (source, facts) in videos {
        let Some(before) = before.get(source) else {
            continue;
        };
        match (&facts.item, before.movie_id, before.episode_id) {
            (VideoItem::Movie(movie), Some(id), _) => {
                *movies.entry((id, movie.key.as_str())).or_default() += 1;
            }
            (VideoItem::Episode(episode), _, Some(id)) => {
                *episodes.entry((id, episode.key.as_str())).or_default() += 1;
            }
            _ => {}
        }
    }
    for (sql, items) in [(RENAME_MOVIE, movies), (RENAME_EPISODE, episodes)] {
        for ((id, key), sources) in items {
            tx.execute(sql, &args![id, bounded_key(key.to_owned()), sources])
                .await?;
        }
    }
    Ok(())
}
