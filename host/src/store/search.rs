//! Questions to the search index.

use sqlx::AssertSqlSafe;

use super::Store;
use super::args::args;
use super::dialect::{SearchIndex, search_query};
use super::error::Result;
use super::visibility::Visible;
use crate::domain::id::UserId;
use crate::domain::library::MediaScope;
use crate::domain::list::{Listing, Page};
use crate::domain::music::{Artist, Release, Track};
use crate::domain::photo::Photo;
use crate::domain::photo_album::PhotoAlbum;
use crate::domain::text::{asked_words, search_words, sort_key};
use crate::domain::video::{Episode, Movie, Show};

impl SearchIndex {
    fn items(self) -> Visible {
        match self {
            Self::Tracks => Visible::Tracks,
            Self::Releases => Visible::Releases,
            Self::Artists => Visible::Artists,
            Self::Photos => Visible::Photos,
            Self::Movies => Visible::Movies,
            Self::Shows => Visible::Shows,
            Self::Episodes => Visible::Episodes,
        }
    }
}

/// So many hits are put in the order of how well they fit. More of them are a question that was too short, and in the
/// order in which they were first indexed.
const RANKED: u32 = 200;

/// How well an item fits: its title is what was asked for, begins so, has it within; or it was found by something else.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    Equal,
    Beginning,
    Within,
    Elsewhere,
}

fn fit(asked: &str, title: &str) -> Fit {
    let title = search_words(title);
    if title == asked {
        Fit::Equal
    } else if title.starts_with(asked) {
        Fit::Beginning
    } else if title.contains(asked) {
        Fit::Within
    } else {
        Fit::Elsewhere
    }
}

/// Whether a name has, for each of the words that are asked for, one that begins with it.
fn has_all(name: &str, asked: &[String]) -> bool {
    let name = search_words(name);
    let has = |word: &String| name.split(' ').any(|own| own.starts_with(word.as_str()));
    !asked.is_empty() && asked.iter().all(has)
}

/// The part of a list that a page asks for, once its items, with the titles by which they sort, are in the order of how
/// well they fit.
fn best_of(titles: Vec<(i64, String)>, text: &str, page: Page) -> Vec<i64> {
    let asked = search_words(&sort_key(text));
    let mut ranked: Vec<_> = titles
        .into_iter()
        .map(|(id, title)| (fit(&asked, &title), title, id))
        .collect();
    ranked.sort_unstable();
    part_of(ranked, page).map(|(.., id)| id).collect()
}

/// The part of a whole list that a page asks for.
fn part_of<T>(list: Vec<T>, page: Page) -> impl Iterator<Item = T> {
    let skip = usize::try_from(page.skip).unwrap_or(usize::MAX);
    let take = usize::try_from(page.take).unwrap_or(0);
    list.into_iter().skip(skip).take(take)
}

impl SearchIndex {
    /// A query for the titles of items in an `IN` list, by which they sort.
    fn titles(self) -> Option<&'static str> {
        match self {
            Self::Tracks => Some("SELECT track_id, sort_title FROM music_tracks WHERE track_id"),
            Self::Releases => Some("SELECT release_id, sort_title FROM music_releases WHERE release_id"),
            Self::Artists => Some("SELECT artist_id, sort_name FROM music_artists WHERE artist_id"),
            Self::Photos => None,
            Self::Movies => Some("SELECT movie_id, sort_title FROM movies WHERE movie_id"),
            Self::Shows => Some("SELECT show_id, sort_title FROM tv_shows WHERE show_id"),
            Self::Episodes => Some("SELECT episode_id, sort_title FROM tv_episodes WHERE episode_id"),
        }
    }
}

impl Store {
    /// The numbers of the items of the scope that have, for each word of `text`, a word that begins with it, case and
    /// diacritics aside. Those that fit best come first. Without a word, nothing is found.
    pub async fn search(
        &self,
        scope: &MediaScope,
        index: SearchIndex,
        text: &str,
        page: Page,
    ) -> Result<Listing<i64>> {
        let engine = self.pools().engine();
        let query = search_query(engine, &asked_words(text));
        if query.is_empty() {
            return Ok(Listing::new(Vec::new(), 0));
        }
        let (matching, key) = (index.matching(engine), index.key(engine));
        let and = index.items().and(key, scope);
        let find = format!("SELECT {key}{matching}{and} ORDER BY {key} LIMIT $2 OFFSET $3");
        // Looking a word up is what costs, not the hits: mostly this is the only time.
        let values = args![query.as_str(), i64::from(RANKED) + 1, 0_i64];
        let first: Vec<(i64,)> = self
            .pools()
            .fetch_page(AssertSqlSafe(find.clone()), &values)
            .await?;
        let found: Vec<i64> = first.into_iter().map(|(id,)| id).collect();
        if found.len() <= RANKED as usize {
            let total = found.len() as u64;
            let best = match index.titles() {
                Some(titles) => best_of(self.visible_rows(titles, &found, "").await?, text, page),
                None => part_of(found, page).collect(),
            };
            return Ok(Listing::new(best, total));
        }
        let count = AssertSqlSafe(format!("SELECT count(*){matching}{and}"));
        let total = self.remembered_count(count, &args![query.as_str()]).await?;
        if page.skip.saturating_add(u64::from(page.take)) > found.len() as u64 {
            let skip = i64::try_from(page.skip).unwrap_or(i64::MAX);
            let values = args![query.as_str(), i64::from(page.take), skip];
            let rows: Vec<(i64,)> = self.pools().fetch_page(AssertSqlSafe(find), &values).await?;
            return Ok(Listing::new(rows.into_iter().map(|(id,)| id).collect(), total));
        }
        Ok(Listing::new(part_of(found, page).collect(), total))
    }

    /// The albums that an account sees and that have, for each word of `text`, a word in their name that begins with
    /// it. Albums are few: their names are read, and need no index.
    pub async fn search_photo_albums(
        &self,
        scope: &MediaScope,
        user: UserId,
        text: &str,
        page: Page,
    ) -> Result<Listing<PhotoAlbum>> {
        let asked = asked_words(text);
        let mut found = self.photo_album_names(user).await?;
        found.retain(|(_, name)| has_all(name, &asked));
        for (_, name) in &mut found {
            *name = sort_key(name);
        }
        let total = found.len() as u64;
        let best = best_of(found, text, page);
        Ok(Listing::new(self.photo_albums_by_id(scope, &best).await?, total))
    }

    /// Artists that are found.
    pub async fn search_artists(
        &self,
        scope: &MediaScope,
        text: &str,
        page: Page,
    ) -> Result<Listing<Artist>> {
        let found = self.search(scope, SearchIndex::Artists, text, page).await?;
        let artists = self.artists_by_id(scope, &found.items).await?;
        Ok(found.with_items(artists))
    }

    /// Releases that are found.
    pub async fn search_releases(
        &self,
        scope: &MediaScope,
        text: &str,
        page: Page,
    ) -> Result<Listing<Release>> {
        let found = self.search(scope, SearchIndex::Releases, text, page).await?;
        let releases = self.releases_by_id(scope, &found.items).await?;
        Ok(found.with_items(releases))
    }

    /// Tracks that are found.
    pub async fn search_tracks(&self, scope: &MediaScope, text: &str, page: Page) -> Result<Listing<Track>> {
        let found = self.search(scope, SearchIndex::Tracks, text, page).await?;
        let tracks = self.tracks_by_id(&found.items).await?;
        Ok(found.with_items(tracks))
    }

    /// Photos that are found.
    pub async fn search_photos(&self, scope: &MediaScope, text: &str, page: Page) -> Result<Listing<Photo>> {
        let found = self.search(scope, SearchIndex::Photos, text, page).await?;
        let photos = self.photos_by_id(&found.items).await?;
        Ok(found.with_items(photos))
    }

    /// Movies that are found.
    pub async fn search_movies(&self, scope: &MediaScope, text: &str, page: Page) -> Result<Listing<Movie>> {
        let found = self.search(scope, SearchIndex::Movies, text, page).await?;
        let movies = self.movies_by_id(scope, &found.items).await?;
        Ok(found.with_items(movies))
    }

    /// Shows that are found.
    pub async fn search_shows(&self, scope: &MediaScope, text: &str, page: Page) -> Result<Listing<Show>> {
        let found = self.search(scope, SearchIndex::Shows, text, page).await?;
        let shows = self.shows_by_id(scope, &found.items).await?;
        Ok(found.with_items(shows))
    }

    /// Episodes that are found.
    pub async fn search_episodes(
        &self,
        scope: &MediaScope,
        text: &str,
        page: Page,
    ) -> Result<Listing<Episode>> {
        let found = self.search(scope, SearchIndex::Episodes, text, page).await?;
        let episodes = self.episodes_by_id(scope, &found.items).await?;
        Ok(found.with_items(episodes))
    }
}
