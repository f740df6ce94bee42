//! Recomputes aggregates of movies, episodes, seasons and shows after the files of a scan, and deletes those without
//! files.

use crate::changes::NewChanges;
use crate::db::search_index::SearchIndex;
use crate::scan_writer::ids::{for_ids, ids, select_ids};
use crate::scan_writer::videos::{RenamedShows, words};
use crate::user_items::delete_user_items;
use svc_database::Result;
use svc_database::Tx;
use svc_database::args::{Arg, args};
use svc_database::bulk::SqlTexts;
use svc_domain::change::{ChangeKind, ItemType};
use svc_domain::text::search_words;

const DIRTY_MOVIES: &str = "SELECT movie_id FROM movies WHERE dirty LIMIT 256";
const DIRTY_EPISODES: &str = "SELECT episode_id FROM tv_episodes WHERE dirty LIMIT 256";
const DIRTY_SHOWS: &str = "SELECT show_id FROM tv_shows WHERE dirty LIMIT 256";

/// The durations of parts add up; of several whole files the longest counts.
const COUNT_MOVIES: &str = "UPDATE movies SET dirty = FALSE, \
    source_count = (SELECT count(*) FROM video_sources s WHERE s.movie_id = movies.movie_id), \
    runtime_ms = (SELECT CASE WHEN max(s.part) > 1 THEN CAST(sum(s.duration_ms) AS BIGINT) ELSE max(s.duration_ms) END \
    FROM video_sources s WHERE s.movie_id = movies.movie_id) WHERE movie_id";
const COUNT_EPISODES: &str = "UPDATE tv_episodes SET dirty = FALSE, \
    source_count = (SELECT count(*) FROM video_sources s WHERE s.episode_id = tv_episodes.episode_id), \
    runtime_ms = (SELECT max(s.duration_ms) FROM video_sources s WHERE s.episode_id = tv_episodes.episode_id) \
    WHERE episode_id";
// The picture purposes that `VideoSubject::front` uses for a season or a show.
const COUNT_SEASONS: &str = "UPDATE tv_seasons SET episode_count = \
    (SELECT count(*) FROM tv_episodes e WHERE e.season_id = tv_seasons.season_id), \
    has_artwork = EXISTS (SELECT 1 FROM tv_episodes e JOIN video_sources s ON s.episode_id = e.episode_id \
    WHERE e.season_id = tv_seasons.season_id AND s.artwork LIKE '%\"season-poster\"%') WHERE show_id";
const COUNT_SHOWS: &str = "UPDATE tv_shows SET dirty = FALSE, \
    has_artwork = EXISTS (SELECT 1 FROM tv_episodes e JOIN video_sources s ON s.episode_id = e.episode_id \
    WHERE e.show_id = tv_shows.show_id \
    AND (s.artwork LIKE '%\"show-poster\"%' OR s.artwork LIKE '%\"show-backdrop\"%')), \
    season_count = (SELECT count(*) FROM tv_seasons s WHERE s.show_id = tv_shows.show_id), \
    episode_count = (SELECT count(*) FROM tv_episodes e WHERE e.show_id = tv_shows.show_id) WHERE show_id";

/// Recomputes some dirty movies; returns their number.
pub(super) async fn recompute_movies(tx: &mut Tx, changes: &mut NewChanges) -> Result<u64> {
    let dirty = ids(tx, DIRTY_MOVIES).await?;
    for_ids(tx, COUNT_MOVIES, &dirty, "").await?;
    let head = "DELETE FROM movies WHERE source_count = 0 AND movie_id";
    let gone = select_ids(tx, head, &dirty, "RETURNING movie_id").await?;
    for_ids(tx, SearchIndex::Movies.remove(tx.engine()), &gone, "").await?;
    delete_user_items(tx, ItemType::Movie, &gone).await?;
    changes.extend(ItemType::Movie, ChangeKind::Removed, gone);
    Ok(dirty.len() as u64)
}

/// Recomputes some dirty episodes; returns their number.
pub(super) async fn recompute_episodes(tx: &mut Tx, changes: &mut NewChanges) -> Result<u64> {
    let dirty = ids(tx, DIRTY_EPISODES).await?;
    for_ids(tx, COUNT_EPISODES, &dirty, "").await?;
    let head = "UPDATE tv_shows SET dirty = TRUE WHERE NOT dirty AND show_id IN \
                (SELECT show_id FROM tv_episodes WHERE episode_id";
    for_ids(tx, head, &dirty, ")").await?;
    let head = "DELETE FROM tv_episodes WHERE source_count = 0 AND episode_id";
    let gone = select_ids(tx, head, &dirty, "RETURNING episode_id").await?;
    for_ids(tx, SearchIndex::Episodes.remove(tx.engine()), &gone, "").await?;
    delete_user_items(tx, ItemType::TvEpisode, &gone).await?;
    changes.extend(ItemType::TvEpisode, ChangeKind::Removed, gone);
    Ok(dirty.len() as u64)
}

/// Recomputes some dirty shows after their episodes; returns their number.
pub(super) async fn recompute_shows(
    tx: &mut Tx,
    moved: &RenamedShows,
    changes: &mut NewChanges,
) -> Result<u64> {
    let dirty = ids(tx, DIRTY_SHOWS).await?;
    for &show in &dirty {
        let heirs = moved.heirs.get(&show);
        if let Some(&heir) = heirs
            .filter(|heirs| heirs.len() == 1)
            .and_then(|heirs| heirs.iter().next())
            && moved.new.contains(&heir)
            && take_over_name(tx, show, heir).await?
        {
            changes.push(ItemType::TvShow, ChangeKind::Removed, heir);
            changes.push(ItemType::TvShow, ChangeKind::Updated, show);
        }
    }
    for_ids(tx, COUNT_SEASONS, &dirty, "").await?;
    for_ids(
        tx,
        "DELETE FROM tv_seasons WHERE episode_count = 0 AND show_id",
        &dirty,
        "",
    )
    .await?;
    for_ids(tx, COUNT_SHOWS, &dirty, "").await?;
    let head = "DELETE FROM tv_shows WHERE episode_count = 0 AND show_id";
    let gone = select_ids(tx, head, &dirty, "RETURNING show_id").await?;
    for_ids(tx, SearchIndex::Shows.remove(tx.engine()), &gone, "").await?;
    delete_user_items(tx, ItemType::TvShow, &gone).await?;
    changes.extend(ItemType::TvShow, ChangeKind::Removed, gone);
    Ok(dirty.len() as u64)
}

/// A show whose episodes all moved to one new show was renamed: it keeps its id and takes over the name and episodes
/// of the new one. `false` if it has episodes of its own.
async fn take_over_name(tx: &mut Tx, show: i64, heir: i64) -> Result<bool> {
    let left: Vec<(i64,)> = tx
        .fetch_all(
            "SELECT count(*) FROM tv_episodes WHERE show_id = $1",
            &args![show],
        )
        .await?;
    let new: Vec<(String, String)> = tx
        .fetch_all("SELECT key, title FROM tv_shows WHERE show_id = $1", &args![heir])
        .await?;
    let Some((key, title)) = new.into_iter().next().filter(|_| left.first() == Some(&(0,))) else {
        return Ok(false);
    };
    let steps = [
        "UPDATE tv_seasons SET show_id = $1 WHERE show_id = $2",
        "UPDATE tv_episodes SET show_id = $1 WHERE show_id = $2",
        "UPDATE tv_show_genres SET show_id = $1 WHERE show_id = $2",
        "UPDATE tv_shows SET (title, sort_title, year, overview, content_rating, genres, external_ids) = \
         (SELECT n.title, n.sort_title, n.year, n.overview, n.content_rating, n.genres, n.external_ids \
         FROM tv_shows n WHERE n.show_id = $2) WHERE show_id = $1",
    ];
    for sql in [
        "DELETE FROM tv_seasons WHERE show_id = $1",
        "DELETE FROM tv_show_genres WHERE show_id = $1",
    ] {
        tx.execute(sql, &args![show]).await?;
    }
    for sql in steps {
        tx.execute(sql, &args![show, heir]).await?;
    }
    tx.execute("DELETE FROM tv_shows WHERE show_id = $1", &args![heir])
        .await?;
    tx.execute(
        "UPDATE tv_shows SET key = $2 WHERE show_id = $1",
        &args![show, key],
    )
    .await?;
    for_ids(tx, SearchIndex::Shows.remove(tx.engine()), &[show, heir], "").await?;
    let values = [Arg::from(show), words(search_words(&title))];
    let mut texts = SqlTexts::default();
    texts
        .execute(tx, SearchIndex::Shows.add(tx.engine()), &values)
        .await?;
    Ok(true)
}
