//! Questions to the search index.

use sqlx::AssertSqlSafe;

use crate::db::Database;
use crate::db::Engine;
use crate::db::args::args;
use crate::db::dialect::{SearchIndex, search_query};
use crate::error::Result;
use crate::query::access_filter::AccessFilter;
use svc_domain::library::MediaScope;
use svc_domain::list::{Listing, Pagination};
use svc_domain::text::{asked_words, search_words, sort_key};

impl SearchIndex {
    /// Where the items of the scope are that have the words `$1`.
    fn hits(self, engine: Engine, scope: &MediaScope) -> String {
        let and = self.items().and(self.key(engine), scope);
        format!("{}{and}", self.matching(engine))
    }

    /// A query for their numbers, in order.
    fn find(self, engine: Engine, scope: &MediaScope) -> String {
        let key = self.key(engine);
        format!("SELECT {key} AS id{} ORDER BY {key}", self.hits(engine, scope))
    }

    fn items(self) -> AccessFilter {
        match self {
            Self::Tracks => AccessFilter::Tracks,
            Self::Releases => AccessFilter::Releases,
            Self::Artists => AccessFilter::Artists,
            Self::Photos => AccessFilter::Photos,
            Self::Movies => AccessFilter::Movies,
            Self::Shows => AccessFilter::Shows,
            Self::Episodes => AccessFilter::Episodes,
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
pub(crate) fn has_all(name: &str, asked: &[String]) -> bool {
    let name = search_words(name);
    let has = |word: &String| name.split(' ').any(|own| own.starts_with(word.as_str()));
    !asked.is_empty() && asked.iter().all(has)
}

/// The part of a list that a page asks for, once its items, with the titles by which they sort, are in the order of how
/// well they fit.
pub(crate) fn best_of(titles: Vec<(i64, String)>, text: &str, page: Pagination) -> Vec<i64> {
    let asked = search_words(&sort_key(text));
    let mut ranked: Vec<_> = titles
        .into_iter()
        .map(|(id, title)| (fit(&asked, &title), title, id))
        .collect();
    ranked.sort_unstable();
    part_of(ranked, page).map(|(.., id)| id).collect()
}

/// The part of a whole list that a page asks for.
fn part_of<T>(list: Vec<T>, page: Pagination) -> impl Iterator<Item = T> {
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

/// What was found by one index: the numbers of items.
pub type Hits = Listing<i64>;

/// The search index.
#[derive(Debug, Clone)]
pub struct SearchRepository {
    pub(crate) db: Database,
}

impl SearchRepository {
    /// For each of the indexes, in their order: the numbers of the items of the scope that have, for each word of `text`,
    /// a word that begins with it, case and diacritics aside. Those that fit best come first. Without a word, nothing is
    /// found.
    pub async fn search(
        &self,
        scope: &MediaScope,
        indexes: &[SearchIndex],
        text: &str,
        page: Pagination,
    ) -> Result<Vec<Hits>> {
        let query = search_query(self.db.pools().engine(), &asked_words(text));
        let mut found = vec![Vec::new(); indexes.len()];
        if query.is_empty() || indexes.is_empty() {
            return Ok(found.into_iter().map(|ids| Listing::new(ids, 0)).collect());
        }
        for (place, id) in self.first_hits(scope, indexes, &query).await? {
            let place = usize::try_from(place).unwrap_or(usize::MAX);
            if let Some(ids) = found.get_mut(place) {
                ids.push(id);
            }
        }
        let mut lists = Vec::with_capacity(indexes.len());
        for (index, ids) in indexes.iter().zip(found) {
            lists.push(if ids.len() <= RANKED as usize {
                let total = ids.len() as u64;
                let best = match index.titles() {
                    Some(titles) => best_of(self.db.rows_of_listed(titles, &ids, "").await?, text, page),
                    None => part_of(ids, page).collect(),
                };
                Listing::new(best, total)
            } else {
                self.many_hits(scope, *index, &query, ids, page).await?
            });
        }
        Ok(lists)
    }

    /// The first hits of each index, by its place in the list, and one more than are ranked. All are asked for at once:
    /// most indexes have none, and a question is a turn between threads.
    async fn first_hits(
        &self,
        scope: &MediaScope,
        indexes: &[SearchIndex],
        query: &str,
    ) -> Result<Vec<(i64, i64)>> {
        let engine = self.db.pools().engine();
        let lookups = indexes.iter().enumerate().map(|(place, index)| {
            let find = index.find(engine, scope);
            format!("SELECT CAST({place} AS BIGINT) AS place, id FROM ({find} LIMIT $2) AS hits_{place}")
        });
        let sql = lookups.collect::<Vec<_>>().join(" UNION ALL ");
        let values = args![query, i64::from(RANKED) + 1];
        let mut hits: Vec<(i64, i64)> = self.db.pools().fetch_page(AssertSqlSafe(sql), &values).await?;
        hits.sort_unstable();
        Ok(hits)
    }

    /// A page of more hits than are ranked, of which the first are these.
    async fn many_hits(
        &self,
        scope: &MediaScope,
        index: SearchIndex,
        query: &str,
        first: Vec<i64>,
        page: Pagination,
    ) -> Result<Hits> {
        let engine = self.db.pools().engine();
        let count = AssertSqlSafe(format!("SELECT count(*){}", index.hits(engine, scope)));
        let total = self.db.cached_count(count, &args![query]).await?;
        if page.skip.saturating_add(u64::from(page.take)) <= first.len() as u64 {
            return Ok(Listing::new(part_of(first, page).collect(), total));
        }
        let skip = i64::try_from(page.skip).unwrap_or(i64::MAX);
        let values = args![query, i64::from(page.take), skip];
        let sql = AssertSqlSafe(format!("{} LIMIT $2 OFFSET $3", index.find(engine, scope)));
        let rows: Vec<(i64,)> = self.db.pools().fetch_page(sql, &values).await?;
        Ok(Listing::new(rows.into_iter().map(|(id,)| id).collect(), total))
    }
}
