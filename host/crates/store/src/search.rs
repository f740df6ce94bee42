//! Full-text search: finds and ranks the items of a type whose words start with those of the query.

use std::collections::HashMap;

use sqlx::AssertSqlSafe;

use crate::db::Database;
use crate::db::search_index::{SearchIndex, search_query};
use crate::query::access_filter::{AccessFilter, and_outside};
use svc_database::Engine;
use svc_database::Result;
use svc_database::args::args;
use svc_domain::library::MediaScope;
use svc_domain::list::{Listing, Pagination};
use svc_domain::text::{query_words, search_words, sort_key};

/// Titles of the items of an `IN` list with files outside a scope, which follows.
const TITLES_OUTSIDE: &str = "SELECT DISTINCT x.item_id, i.title FROM item_files x \
    JOIN items i ON i.item_id = x.item_id JOIN files f ON f.file_id = x.file_id \
    JOIN folders o ON o.folder_id = f.folder_id WHERE x.item_id";

impl SearchIndex {
    /// `FROM` and `WHERE` clauses of the items of the scope that match the words `$1`; of the items of plugins, all
    /// files are in the scope if `wholly`.
    fn hits(self, engine: Engine, scope: &MediaScope, wholly: bool) -> String {
        let key = self.key(engine);
        let mut and = self.items().and(key, scope);
        if let (true, Self::Items(_), Some(wholly)) = (wholly, self, self.items().wholly(key, scope)) {
            and = format!("{and} AND {wholly}");
        }
        let of_kind = match self {
            Self::Items(kind) => format!(
                " AND EXISTS (SELECT 1 FROM items ki WHERE ki.item_id = {key} AND ki.kind_ref = {kind})"
            ),
            _ => String::new(),
        };
        format!("{}{of_kind}{and}", self.matching(engine))
    }

    /// Selects the ids of the matches, ascending.
    fn find(self, engine: Engine, scope: &MediaScope, wholly: bool) -> String {
        let (key, hits) = (self.key(engine), self.hits(engine, scope, wholly));
        format!("SELECT {key} AS id{hits} ORDER BY {key}")
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
            Self::Items(_) => AccessFilter::Items,
        }
    }

    /// Condition that the item `key` matches the words `$number`.
    pub(crate) fn condition(self, engine: Engine, key: &str, number: usize) -> String {
        let matching = self.matching(engine).replace("$1", &format!("${number}"));
        format!("{key} IN (SELECT {}{matching})", self.key(engine))
    }
}

/// Up to this many hits are ranked. More hits come from a query that is too short to rank, and keep the order in
/// which they were indexed.
const RANKED: u32 = 200;

/// Rank of a hit, best first: the title equals the query, starts with it, contains it, or another field matched.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Equal,
    Beginning,
    Within,
    Elsewhere,
}

fn rank(query_text: &str, title: &str) -> Rank {
    let title = search_words(title);
    if title == query_text {
        Rank::Equal
    } else if title.starts_with(query_text) {
        Rank::Beginning
    } else if title.contains(query_text) {
        Rank::Within
    } else {
        Rank::Elsewhere
    }
}

/// Whether each query word is the prefix of a word in the name.
pub(crate) fn contains_all_words(name: &str, query_text: &[String]) -> bool {
    let name = search_words(name);
    let has = |word: &String| name.split(' ').any(|own| own.starts_with(word.as_str()));
    !query_text.is_empty() && query_text.iter().all(has)
}

/// Ranks hits by their sort titles and returns a page of their ids.
pub(crate) fn rank_hits(titles: Vec<(i64, String)>, text: &str, page: Pagination) -> Vec<i64> {
    let query_text = search_words(&sort_key(text));
    let mut ranked: Vec<_> = titles
        .into_iter()
        .map(|(id, title)| (rank(&query_text, &title), title, id))
        .collect();
    ranked.sort_unstable();
    part_of(ranked, page).map(|(.., id)| id).collect()
}

fn part_of<T>(list: Vec<T>, page: Pagination) -> impl Iterator<Item = T> {
    let skip = usize::try_from(page.skip).unwrap_or(usize::MAX);
    let take = usize::try_from(page.take).unwrap_or(0);
    list.into_iter().skip(skip).take(take)
}

impl SearchIndex {
    /// Selects the sort titles of items of an `IN` list.
    fn titles(self) -> Option<&'static str> {
        match self {
            Self::Tracks => Some("SELECT track_id, sort_title FROM music_tracks WHERE track_id"),
            Self::Releases => Some("SELECT release_id, sort_title FROM music_releases WHERE release_id"),
            Self::Artists => Some("SELECT artist_id, sort_name FROM music_artists WHERE artist_id"),
            Self::Photos => None,
            Self::Movies => Some("SELECT movie_id, sort_title FROM movies WHERE movie_id"),
            Self::Shows => Some("SELECT show_id, sort_title FROM tv_shows WHERE show_id"),
            Self::Episodes => Some("SELECT episode_id, sort_title FROM tv_episodes WHERE episode_id"),
            Self::Items(_) => Some("SELECT item_id, sort_title FROM items WHERE item_id"),
        }
    }
}

/// The ids of the items that one index found.
pub type Hits = Listing<i64>;

/// The search index.
#[derive(Debug, Clone)]
pub struct SearchRepository {
    pub(crate) db: Database,
}

impl SearchRepository {
    /// For each index, in the given order: the ids of the items of the scope that have, for each word of `text`, a
    /// word with that prefix, ignoring case and diacritics. Best matches come first. A text without words matches
    /// nothing.
    pub async fn search(
        &self,
        scope: &MediaScope,
        indexes: &[SearchIndex],
        text: &str,
        page: Pagination,
    ) -> Result<Vec<Hits>> {
        let query = search_query(self.db.pools().engine(), &query_words(text));
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
        for (index, mut ids) in indexes.iter().zip(found) {
            if let SearchIndex::Items(_) = index {
                ids = self.without_other_words(scope, ids, text).await?;
            }
            lists.push(if ids.len() <= RANKED as usize {
                let total = ids.len() as u64;
                let best = match index.titles() {
                    Some(titles) => rank_hits(self.db.rows_of_listed(titles, &ids, "").await?, text, page),
                    None => part_of(ids, page).collect(),
                };
                Listing::new(best, total)
            } else {
                self.many_hits(scope, *index, &query, ids, page).await?
            });
        }
        Ok(lists)
    }

    /// The first hits of each index, as pairs of index position and id, at most one more than are ranked. One query
    /// for all indexes: most have no hits, and each query costs a switch between threads.
    async fn first_hits(
        &self,
        scope: &MediaScope,
        indexes: &[SearchIndex],
        query: &str,
    ) -> Result<Vec<(i64, i64)>> {
        let engine = self.db.pools().engine();
        let lookups = indexes.iter().enumerate().map(|(place, index)| {
            let find = index.find(engine, scope, false);
            format!("SELECT CAST({place} AS BIGINT) AS place, id FROM ({find} LIMIT $2) AS hits_{place}")
        });
        let sql = lookups.collect::<Vec<_>>().join(" UNION ALL ");
        let values = args![query, i64::from(RANKED) + 1];
        let mut hits: Vec<(i64, i64)> = self.db.pools().fetch_page(AssertSqlSafe(sql), &values).await?;
        hits.sort_unstable();
        Ok(hits)
    }

    /// The hits without the items that match in files outside the scope. Of an item with such files, only the title
    /// counts, in which all its files agree. More hits than are ranked are returned as they are.
    async fn without_other_words(
        &self,
        scope: &MediaScope,
        mut hits: Vec<i64>,
        text: &str,
    ) -> Result<Vec<i64>> {
        let Some(outside) = and_outside(scope).filter(|_| hits.len() <= RANKED as usize) else {
            return Ok(hits);
        };
        let titles: Vec<(i64, String)> = self.db.rows_of_listed(TITLES_OUTSIDE, &hits, &outside).await?;
        let titles: HashMap<i64, String> = titles.into_iter().collect();
        let words = query_words(text);
        hits.retain(|id| match titles.get(id) {
            Some(title) => contains_all_words(title, &words),
            None => true,
        });
        Ok(hits)
    }

    /// A page of more hits than are ranked; `first` are the first of them.
    async fn many_hits(
        &self,
        scope: &MediaScope,
        index: SearchIndex,
        query: &str,
        first: Vec<i64>,
        page: Pagination,
    ) -> Result<Hits> {
        let engine = self.db.pools().engine();
        let count = AssertSqlSafe(format!("SELECT count(*){}", index.hits(engine, scope, true)));
        let total = self.db.cached_count(count, &args![query]).await?;
        let is_exact = !matches!(index, SearchIndex::Items(_)) || *scope == MediaScope::All;
        if is_exact && page.skip.saturating_add(u64::from(page.take)) <= first.len() as u64 {
            return Ok(Listing::new(part_of(first, page).collect(), total));
        }
        let skip = i64::try_from(page.skip).unwrap_or(i64::MAX);
        let values = args![query, i64::from(page.take), skip];
        let sql = AssertSqlSafe(format!("{} LIMIT $2 OFFSET $3", index.find(engine, scope, true)));
        let rows: Vec<(i64,)> = self.db.pools().fetch_page(sql, &values).await?;
        Ok(Listing::new(rows.into_iter().map(|(id,)| id).collect(), total))
    }
}
