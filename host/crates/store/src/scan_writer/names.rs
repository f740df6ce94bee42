//! Artists, releases and genres by key: found or added, and cached.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use crate::db::search_index::SearchIndex;
use crate::scan_writer::ids::for_ids;
use crate::scan_writer::upsert::propose;
use crate::scan_writer::{PersistOutcome, rows};
use crate::text::{bounded_key, bounded_sort, bounded_words};
use svc_database::Result;
use svc_database::Tx;
use svc_database::args::{Arg, args};
use svc_database::bulk::SqlTexts;
use svc_domain::id::IdGenerator;
use svc_domain::music::{Credit, ReleaseFacts};
use svc_domain::time::Timestamp;

/// Cached names of a type; the cache is cleared beyond it, so that its memory stays within some MiB.
const MAX_CACHED: usize = 8192;

/// Id by key. Every cached name is marked as dirty in the database.
#[derive(Debug, Default)]
pub(super) struct NameCache(HashMap<String, i64>);

impl NameCache {
    pub(super) fn get(&self, key: &str) -> Option<i64> {
        self.0.get(key).copied()
    }

    fn evict_if_full(&mut self) {
        if self.0.len() > MAX_CACHED {
            self.0.clear();
        }
    }
}

/// Names to look up that are not cached, each with the first item that has it, in order.
pub(super) struct MissingNames<'a, T> {
    places: HashMap<String, usize>,
    items: Vec<(String, &'a T)>,
}

impl<T> Default for MissingNames<'_, T> {
    fn default() -> Self {
        Self {
            places: HashMap::new(),
            items: Vec::new(),
        }
    }
}

impl<'a, T> MissingNames<'a, T> {
    fn get(&self, key: &str) -> Option<&'a T> {
        let place = *self.places.get(key)?;
        self.items.get(place).map(|(_, item)| *item)
    }

    /// Adds `key` unless it is cached or added already; returns whether it is new.
    pub(super) fn request(&mut self, cached: &NameCache, key: &str, item: &'a T) -> bool {
        if cached.0.contains_key(key) {
            return false;
        }
        match self.places.entry(key.to_owned()) {
            Entry::Occupied(_) => false,
            Entry::Vacant(place) => {
                place.insert(self.items.len());
                self.items.push((key.to_owned(), item));
                true
            }
        }
    }
}

/// The name caches of a scan.
#[derive(Debug)]
pub(super) struct Names {
    ids: Arc<IdGenerator>,
    pub(super) artists: NameCache,
    pub(super) releases: NameCache,
    pub(super) genres: NameCache,
}

pub(super) fn artist_key(credit: &Credit) -> String {
    bounded_key(credit.artist_key())
}

impl Names {
    pub(super) fn new(ids: Arc<IdGenerator>) -> Self {
        Self {
            ids,
            artists: NameCache::default(),
            releases: NameCache::default(),
            genres: NameCache::default(),
        }
    }

    pub(super) fn clear(&mut self) {
        self.artists.0.clear();
        self.releases.0.clear();
        self.genres.0.clear();
    }

    /// Trims the caches before the names of a part are collected: later entries stay until the part is stored.
    pub(super) fn evict_if_full(&mut self) {
        self.artists.evict_if_full();
        self.releases.evict_if_full();
        self.genres.evict_if_full();
    }

    /// Finds or adds artists.
    pub(super) async fn add_artists(
        &mut self,
        tx: &mut Tx,
        texts: &mut SqlTexts,
        wanted: MissingNames<'_, Credit>,
        now: Timestamp,
        added: &mut PersistOutcome,
    ) -> Result<()> {
        let proposed = propose(&self.ids, now, &wanted.items, |id, key, credit| {
            Some(args![
                id,
                key,
                credit.name.as_str(),
                bounded_sort(&credit.sort_name),
                credit.mb_artist_id.as_deref(),
            ])
        });
        let found: Vec<(i64, String)> = texts.fetch(tx, &rows::ARTISTS, &proposed.values).await?;
        let mut words = Vec::new();
        for (id, key) in found {
            if proposed.is_new(id)
                && let Some(credit) = wanted.get(&key)
            {
                words.extend([Arg::from(id), search_arg(&credit.name)]);
                added.added_artists.push((id.into(), credit.name.clone()));
            }
            self.artists.0.insert(key, id);
        }
        texts
            .execute(tx, SearchIndex::Artists.add(tx.engine()), &words)
            .await
    }

    /// Finds or adds genres; the key of a genre is its folded name.
    pub(super) async fn add_genres(
        &mut self,
        tx: &mut Tx,
        texts: &mut SqlTexts,
        wanted: MissingNames<'_, String>,
        now: Timestamp,
    ) -> Result<()> {
        let proposed = propose(&self.ids, now, &wanted.items, |id, key, name| {
            Some(args![id, key, name.as_str()])
        });
        let found: Vec<(i64, String)> = texts.fetch(tx, &rows::GENRES, &proposed.values).await?;
        self.genres.0.extend(found.into_iter().map(|(id, key)| (key, id)));
        Ok(())
    }

    /// Finds or adds releases, and stores their titles and artists, which must be cached.
    pub(super) async fn add_releases(
        &mut self,
        tx: &mut Tx,
        texts: &mut SqlTexts,
        wanted: MissingNames<'_, ReleaseFacts>,
        now: Timestamp,
        added: &mut PersistOutcome,
    ) -> Result<()> {
        let proposed = propose(&self.ids, now, &wanted.items, |id, key, facts| {
            Some(args![
                id,
                key,
                facts.title.as_str(),
                bounded_sort(&facts.sort_title),
                facts.release_type.as_deref(),
                facts.year,
                facts.original_year,
                facts.mb_release_id.as_deref(),
                facts.mb_release_group_id.as_deref(),
            ])
        });
        let found: Vec<(i64, String)> = texts.fetch(tx, &rows::RELEASES, &proposed.values).await?;
        let (mut artists, mut words, mut known) = (Vec::new(), Vec::new(), Vec::new());
        for (id, key) in found {
            let is_new = proposed.is_new(id);
            if !is_new {
                known.push(id);
            }
            if let Some(facts) = wanted.get(&key) {
                if is_new {
                    added.added_releases.push((id.into(), facts.title.clone()));
                }
                words.extend([Arg::from(id), release_words(facts)]);
                self.credit(id, facts, &mut artists);
            }
            self.releases.0.insert(key, id);
        }
        if !known.is_empty() {
            mark_artists_of_releases(tx, &known).await?;
            for_ids(tx, "DELETE FROM release_artists WHERE release_id", &known, "").await?;
            for_ids(tx, SearchIndex::Releases.remove(tx.engine()), &known, "").await?;
        }
        texts.execute(tx, &rows::RELEASE_ARTISTS, &artists).await?;
        texts
            .execute(tx, SearchIndex::Releases.add(tx.engine()), &words)
            .await
    }

    fn credit(&self, release: i64, facts: &ReleaseFacts, values: &mut Vec<Arg<'_>>) {
        let mut seen = Vec::with_capacity(facts.artists.len());
        for credit in &facts.artists {
            let Some(artist) = self.artists.get(&artist_key(credit)) else {
                continue;
            };
            if !seen.contains(&(artist, credit.role)) {
                let position = i16::try_from(seen.len()).unwrap_or(i16::MAX);
                values.extend(args![release, position, artist, credit.role as i16]);
                seen.push((artist, credit.role));
            }
        }
    }
}

/// Marks the artists of these releases as dirty.
pub(super) async fn mark_artists_of_releases(tx: &mut Tx, releases: &[i64]) -> Result<()> {
    let head = "UPDATE music_artists SET dirty = TRUE WHERE NOT dirty AND artist_id IN \
                (SELECT artist_id FROM release_artists WHERE release_id";
    for_ids(tx, head, releases, ")").await
}

fn search_arg(text: &str) -> Arg<'static> {
    Arg::from(bounded_words(svc_domain::text::search_words(text)))
}

fn release_words(facts: &ReleaseFacts) -> Arg<'static> {
    let mut text = facts.title.clone();
    for credit in &facts.artists {
        text.push(' ');
        text.push_str(&credit.name);
    }
    search_arg(&text)
}
