//! Artists and genres.

use sqlx::AssertSqlSafe;

use crate::domain::id::MusicArtistId;
use crate::domain::library::MediaScope;
use crate::domain::list::{Listing, Order, Page};
use crate::domain::music::{Artist, Genre};
use crate::store::Store;
use crate::store::args::args;
use crate::store::error::Result;
use crate::store::select::{Conditions, direction};
use crate::store::visibility::Visible;

/// What a list of artists is ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArtistOrder {
    /// Sort name.
    Name,
    /// First indexed.
    CreatedAt,
}

/// What a list of genres is ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GenreOrder {
    /// Name, case and diacritics aside.
    Name,
}

impl ArtistOrder {
    fn sql(self, order: Order) -> &'static str {
        match self {
            Self::Name => direction(
                order,
                "sort_name ASC, artist_id ASC",
                "sort_name DESC, artist_id DESC",
            ),
            Self::CreatedAt => direction(order, "artist_id ASC", "artist_id DESC"),
        }
    }
}

impl GenreOrder {
    fn sql(self, order: Order) -> &'static str {
        match self {
            Self::Name => direction(order, "key ASC", "key DESC"),
        }
    }
}

const ARTIST: &str =
    "SELECT artist_id, name, sort_name, release_count, track_count, mb_artist_id FROM music_artists";
const ARTIST_KEY: &str = "music_artists.artist_id";
const ARTIST_TRACKS: &str =
    "SELECT l.artist_id, count(DISTINCT l.track_id) FROM track_artists l WHERE l.artist_id";
const ARTIST_RELEASES: &str =
    "SELECT l.artist_id, count(DISTINCT l.release_id) FROM release_artists l WHERE l.artist_id";
const BY_ARTIST: &str = " GROUP BY l.artist_id";
const GENRE: &str = "SELECT genre_id, name, track_count FROM music_genres";
const GENRE_KEY: &str = "music_genres.genre_id";
const GENRE_TRACKS: &str = "SELECT l.genre_id, count(*) FROM track_genres l WHERE l.genre_id";

#[derive(sqlx::FromRow)]
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
            mb_artist_id: row.mb_artist_id,
        }
    }
}

impl Store {
    /// Artists: everybody who is credited on a track or release.
    pub async fn list_artists(
        &self,
        scope: &MediaScope,
        by: ArtistOrder,
        order: Order,
        page: Page,
    ) -> Result<Listing<Artist>> {
        let artists = Conditions::of_media(Visible::Artists, ARTIST_KEY, scope);
        let (sql, values) = artists.count("music_artists");
        let total = self.pools().count(sql, values).await?;
        let (sql, values) = artists.page(ARTIST, by.sql(order), page);
        let rows: Vec<ArtistRow> = self.pools().fetch_all(AssertSqlSafe(sql), &values).await?;
        let items = self.artists(scope, rows).await?;
        Ok(Listing { items, total })
    }

    /// An artist.
    pub async fn artist(&self, scope: &MediaScope, id: MusicArtistId) -> Result<Option<Artist>> {
        let seen = Visible::Artists.and(ARTIST_KEY, scope);
        let sql = AssertSqlSafe(format!("{ARTIST} WHERE artist_id = $1{seen}"));
        let rows: Vec<ArtistRow> = self.pools().fetch_all(sql, &args![id.get()]).await?;
        Ok(self.artists(scope, rows).await?.pop())
    }

    async fn artists(&self, scope: &MediaScope, rows: Vec<ArtistRow>) -> Result<Vec<Artist>> {
        let mut artists: Vec<Artist> = rows.into_iter().map(Artist::from).collect();
        if *scope != MediaScope::All {
            // What is stored counts what is not seen as well.
            let ids: Vec<i64> = artists.iter().map(|artist| artist.id.get()).collect();
            let seen = Visible::Tracks.and("l.track_id", scope) + BY_ARTIST;
            let tracks = self.visible_counts(ARTIST_TRACKS, &ids, &seen).await?;
            let seen = Visible::Releases.and("l.release_id", scope) + BY_ARTIST;
            let releases = self.visible_counts(ARTIST_RELEASES, &ids, &seen).await?;
            for artist in &mut artists {
                artist.track_count = tracks.get(&artist.id.get()).copied().unwrap_or_default();
                artist.release_count = releases.get(&artist.id.get()).copied().unwrap_or_default();
            }
        }
        Ok(artists)
    }

    /// Genres.
    pub async fn list_genres(
        &self,
        scope: &MediaScope,
        by: GenreOrder,
        order: Order,
        page: Page,
    ) -> Result<Listing<Genre>> {
        let genres = Conditions::of_media(Visible::Genres, GENRE_KEY, scope);
        let (sql, values) = genres.count("music_genres");
        let total = self.pools().count(sql, values).await?;
        let (sql, values) = genres.page(GENRE, by.sql(order), page);
        let mut rows: Vec<(i64, String, i64)> = self.pools().fetch_all(AssertSqlSafe(sql), &values).await?;
        if *scope != MediaScope::All {
            let ids: Vec<i64> = rows.iter().map(|(id, ..)| *id).collect();
            let seen = Visible::Tracks.and("l.track_id", scope) + " GROUP BY l.genre_id";
            let tracks = self.visible_counts(GENRE_TRACKS, &ids, &seen).await?;
            for (id, _, count) in &mut rows {
                *count = tracks.get(id).copied().unwrap_or_default();
            }
        }
        let genre = |(id, name, track_count): (i64, _, _)| Genre {
            id: id.into(),
            name,
            track_count,
        };
        Ok(Listing {
            items: rows.into_iter().map(genre).collect(),
            total,
        })
    }
}

/// The statement that reads a page, for each order.
#[cfg(test)]
pub(in crate::store) fn order_cases() -> Vec<(String, Vec<crate::store::args::Arg<'static>>)> {
    let mut cases = Vec::new();
    for order in [Order::Ascending, Order::Descending] {
        for by in [ArtistOrder::Name, ArtistOrder::CreatedAt] {
            cases.push(Conditions::default().page(ARTIST, by.sql(order), Page::default()));
        }
        cases.push(Conditions::default().page(GENRE, GenreOrder::Name.sql(order), Page::default()));
    }
    cases
}
