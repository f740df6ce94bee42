//! Artists: lists with filters and orders, single artists, counts and artwork as the caller may see them.

use std::collections::HashMap;

use crate::music::MusicRepository;
use crate::query::access_filter::AccessFilter;
use crate::query::item_filter::{Filtered, ItemFilter};
use crate::query::media_list::{MediaFilter, MediaOrder};
use crate::query::pages::{MediaRows, Sort, in_order};
#[cfg(test)]
use crate::query::pages::{OrderCase, order_cases_of};
use crate::query::where_clause::WhereClause;
use crate::search::Hits;
use svc_database::Result;
use svc_domain::change::ItemType;
use svc_domain::id::MusicArtistId;
use svc_domain::library::MediaScope;
use svc_domain::list::{ListRequest, Listing};
use svc_domain::music::Artist;
use svc_domain::text::fold;

/// Filter of artists. Genre and years must match one track that they are credited on, or a track of a release of
/// theirs.
#[derive(Debug, Clone, Default)]
pub struct ArtistFilter {
    /// With a track of this genre, ignoring case and diacritics.
    pub genre: Option<String>,
    /// With a track of this year or later.
    pub year_from: Option<i32>,
    /// With a track of this year or earlier.
    pub year_to: Option<i32>,
    /// Filters that all lists of items share.
    pub items: ItemFilter,
}

/// Order of a list of artists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArtistOrder {
    /// Sort name.
    Name,
    /// Time at which the item was first indexed.
    CreatedAt,
}

impl MediaOrder for ArtistOrder {
    fn sort(self) -> Sort {
        match self {
            Self::Name => Sort::text("name", "a.sort_name"),
            Self::CreatedAt => Sort::key("createdAt"),
        }
    }
}

const ARTISTS: MediaRows = MediaRows {
    from: "music_artists a",
    key: "a.artist_id",
};
const FILTERED: Filtered = Filtered {
    item: ItemType::MusicArtist,
    access: AccessFilter::Artists,
    key: ARTISTS.key,
    first_at: |moment| MusicArtistId::first_at(moment).get(),
};
const ARTIST_BY_ID: &str = "SELECT a.artist_id, a.name, a.sort_name, a.release_count, a.track_count, \
    a.mb_artist_id FROM music_artists a WHERE a.artist_id";
const ARTIST_TRACKS: &str =
    "SELECT l.artist_id, count(DISTINCT l.track_id) FROM track_artists l WHERE l.artist_id";
const ARTIST_RELEASES: &str =
    "SELECT l.artist_id, count(DISTINCT l.release_id) FROM release_artists l WHERE l.artist_id";
/// The tracks of an artist: tracks with a credit, and tracks of releases with a credit.
const TRACKS_OF_ARTIST: [&str; 2] = [
    "SELECT 1 FROM track_artists l JOIN music_tracks t ON t.track_id = l.track_id WHERE l.artist_id = a.artist_id",
    "SELECT 1 FROM release_artists l JOIN music_tracks t ON t.release_id = l.release_id \
     WHERE l.artist_id = a.artist_id",
];
const BY_ARTIST: &str = " GROUP BY l.artist_id";

#[derive(sqlx::FromRow, serde::Deserialize)]
struct ArtistRow {
    artist_id: i64,
    name: String,
    sort_name: String,
    release_count: i64,
    track_count: i64,
    mb_artist_id: Option<String>,
}

impl From<ArtistRow> for Artist {
    fn from(row: ArtistRow) -> Self {
        Self {
            id: row.artist_id.into(),
            name: row.name,
            sort_name: row.sort_name,
            release_count: row.release_count,
            track_count: row.track_count,
            artwork_release: None,
            mb_artist_id: row.mb_artist_id,
        }
    }
}

impl MediaFilter for ArtistFilter {
    type Order = ArtistOrder;

    const ROWS: MediaRows = ARTISTS;

    fn item_filter(&self) -> &ItemFilter {
        &self.items
    }

    fn where_clause(&self, scope: &MediaScope) -> WhereClause<'_> {
        let mut artists = WhereClause::of_media(AccessFilter::Artists, ARTISTS.key, scope);
        if self.genre.is_some() || self.year_from.is_some() || self.year_to.is_some() {
            artists.push_exists_in_any(&TRACKS_OF_ARTIST, |tracks| {
                tracks.push(
                    "EXISTS (SELECT 1 FROM track_genres k JOIN music_genres g ON g.genre_id = k.genre_id \
                     WHERE k.track_id = t.track_id AND g.key = ",
                    self.genre.as_deref().map(fold),
                    ")",
                );
                tracks.push("t.year >= ", self.year_from, "");
                tracks.push("t.year <= ", self.year_to, "");
                if let Some(access_condition) = AccessFilter::Tracks.condition("t.track_id", scope) {
                    tracks.push_condition(&access_condition);
                }
            });
        }
        self.items.restrict_to(&mut artists, FILTERED, scope);
        artists
    }
}

/// The first release by title that has a picture, of each artist of an `IN` list.
fn artwork_of(scope: &MediaScope) -> String {
    let pictured = match AccessFilter::Tracks.condition("t.track_id", scope) {
        None => "r.artwork_track_id IS NOT NULL".to_owned(),
        Some(access_condition) => format!(
            "EXISTS (SELECT 1 FROM music_tracks t WHERE t.release_id = r.release_id \
             AND t.picture_index IS NOT NULL AND {access_condition})"
        ),
    };
    format!(
        "SELECT a.artist_id, (SELECT r.release_id FROM release_artists l \
         JOIN music_releases r ON r.release_id = l.release_id WHERE l.artist_id = a.artist_id AND {pictured} \
         ORDER BY r.sort_title, r.release_id LIMIT 1) FROM music_artists a WHERE a.artist_id"
    )
}

impl MusicRepository {
    /// Artists credited on a track or release.
    pub async fn list_artists(
        &self,
        scope: &MediaScope,
        filter: &ArtistFilter,
        request: &ListRequest<ArtistOrder>,
    ) -> Result<Listing<Artist>> {
        let (scope, page) = self.db.page_of_media(scope, filter, request).await?;
        let artists = self.artists_by_id(&scope, &page.items).await?;
        Ok(page.with_items(artists))
    }

    /// An artist in the scope.
    pub async fn artist(&self, scope: &MediaScope, id: MusicArtistId) -> Result<Option<Artist>> {
        let access_condition = AccessFilter::Artists.and(ARTISTS.key, scope);
        Ok(self.artists(scope, &[id.get()], &access_condition).await?.pop())
    }

    /// These artists, in this order, without an access check.
    pub(crate) async fn artists_by_id(&self, scope: &MediaScope, ids: &[i64]) -> Result<Vec<Artist>> {
        let artists = self.artists(scope, ids, "").await?;
        Ok(in_order(ids, artists, |artist| artist.id.get()))
    }

    async fn artists(&self, scope: &MediaScope, ids: &[i64], access_condition: &str) -> Result<Vec<Artist>> {
        let artwork = artwork_of(scope);
        let queries = [(ARTIST_BY_ID, access_condition), (artwork.as_str(), "")];
        let (rows, pictures) = self.db.rows_of_two_listed(queries, ids).await?;
        let mut artists: Vec<Artist> = rows.into_iter().map(|row: ArtistRow| row.into()).collect();
        let pictures: HashMap<i64, Option<i64>> = pictures.into_iter().collect();
        for artist in &mut artists {
            let release = pictures.get(&artist.id.get()).copied().flatten();
            artist.artwork_release = release.map(Into::into);
        }
        if *scope != MediaScope::All {
            // Stored counts include inaccessible tracks.
            let access_condition = AccessFilter::Tracks.and("l.track_id", scope) + BY_ARTIST;
            let tracks = self
                .db
                .counts_of_listed(ARTIST_TRACKS, ids, &access_condition)
                .await?;
            let access_condition = AccessFilter::Releases.and("l.release_id", scope) + BY_ARTIST;
            let releases = self
                .db
                .counts_of_listed(ARTIST_RELEASES, ids, &access_condition)
                .await?;
            for artist in &mut artists {
                artist.track_count = tracks.get(&artist.id.get()).copied().unwrap_or_default();
                artist.release_count = releases.get(&artist.id.get()).copied().unwrap_or_default();
            }
        }
        Ok(artists)
    }

    /// The artists of search hits.
    pub async fn artists_of_hits(&self, scope: &MediaScope, hits: Hits) -> Result<Listing<Artist>> {
        let artists = self.artists_by_id(scope, &hits.items).await?;
        Ok(hits.with_items(artists))
    }
}

/// The statements that read a page, one per order.
#[cfg(test)]
pub(crate) fn order_cases() -> Vec<OrderCase> {
    [ArtistOrder::Name, ArtistOrder::CreatedAt]
        .into_iter()
        .flat_map(|by| order_cases_of(ARTISTS, by.sort()))
        .chain(super::genres::order_cases())
        .collect()
}
