//! Artists and genres.

use sqlx::AssertSqlSafe;

use crate::domain::id::MusicArtistId;
use crate::domain::list::{Listing, Order, Page};
use crate::domain::music::{Artist, Genre};
use crate::store::Store;
use crate::store::args::args;
use crate::store::error::Result;
use crate::store::select::{Conditions, direction};

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
const GENRE: &str = "SELECT genre_id, name, track_count FROM music_genres";

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
    pub async fn list_artists(&self, by: ArtistOrder, order: Order, page: Page) -> Result<Listing<Artist>> {
        let all = Conditions::default();
        let (sql, values) = all.count("music_artists");
        let total = self.pools().count(sql, values).await?;
        let (sql, values) = all.page(ARTIST, by.sql(order), page);
        let rows: Vec<ArtistRow> = self.pools().fetch_all(AssertSqlSafe(sql), &values).await?;
        Ok(Listing {
            items: rows.into_iter().map(Artist::from).collect(),
            total,
        })
    }

    /// An artist.
    pub async fn artist(&self, id: MusicArtistId) -> Result<Option<Artist>> {
        let sql = AssertSqlSafe(format!("{ARTIST} WHERE artist_id = $1"));
        let row: Option<ArtistRow> = self.pools().fetch_optional(sql, &args![id.get()]).await?;
        Ok(row.map(Artist::from))
    }

    /// Genres.
    pub async fn list_genres(&self, by: GenreOrder, order: Order, page: Page) -> Result<Listing<Genre>> {
        let all = Conditions::default();
        let (sql, values) = all.count("music_genres");
        let total = self.pools().count(sql, values).await?;
        let (sql, values) = all.page(GENRE, by.sql(order), page);
        let rows: Vec<(i64, String, i64)> = self.pools().fetch_all(AssertSqlSafe(sql), &values).await?;
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
