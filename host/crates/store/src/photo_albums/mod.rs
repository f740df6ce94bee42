//! Photo albums: queries. `change.rs` has the changes.

mod change;

use std::collections::{HashMap, HashSet};

use sqlx::AssertSqlSafe;

pub use change::NewPhotoAlbum;

use crate::db::Database;
use crate::query::access_filter::AccessFilter;
use crate::query::pages::in_order;
use crate::query::where_clause::{WhereClause, direction};
use crate::search::{contains_all_words, rank_hits};
use svc_database::Result;
use svc_database::args::{Arg, args};
use svc_domain::id::{PhotoAlbumId, PhotoId, UserId};
use svc_domain::library::MediaScope;
use svc_domain::list::{Listing, Order, Pagination};
use svc_domain::photo_album::{AlbumViewers, PhotoAlbum};
use svc_domain::text::{query_words, sort_key};
use svc_domain::time::Timestamp;

/// Order of a list of albums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AlbumOrder {
    /// Name, ignoring case and diacritics.
    Name,
    /// Time of creation.
    CreatedAt,
    /// Time of the last change.
    ModifiedAt,
}

impl AlbumOrder {
    fn sql(self, order: Order) -> &'static str {
        match self {
            Self::Name => direction(
                order,
                "a.sort_name ASC, a.album_id ASC",
                "a.sort_name DESC, a.album_id DESC",
            ),
            Self::CreatedAt => direction(order, "a.album_id ASC", "a.album_id DESC"),
            Self::ModifiedAt => direction(
                order,
                "a.modified_at ASC, a.album_id ASC",
                "a.modified_at DESC, a.album_id DESC",
            ),
        }
    }
}

const ROWS: &str = "SELECT a.album_id, a.owner_user_id, a.name, a.description, a.everyone, a.modified_at \
    FROM photo_albums a";
const STATS: &str = "SELECT ap.album_id, count(*), min(p.taken_at), max(p.taken_at) FROM photo_album_photos ap \
    JOIN photos p ON p.photo_id = ap.photo_id WHERE ap.album_id";
const SHARES: &str = "SELECT album_id, user_id FROM photo_album_shares WHERE album_id";
const CHOSEN_COVERS: &str = "SELECT a.album_id, p.photo_id FROM photo_albums a \
    JOIN photo_album_photos ap ON ap.album_id = a.album_id AND ap.photo_id = a.cover_photo_id \
    JOIN photos p ON p.photo_id = ap.photo_id WHERE a.album_id";
const FIRST_PHOTOS: &str = "SELECT ap.album_id, ap.photo_id FROM photo_album_photos ap WHERE ap.album_id";

#[derive(sqlx::FromRow, serde::Deserialize)]
struct AlbumRow {
    album_id: i64,
    owner_user_id: i64,
    name: String,
    description: Option<String>,
    everyone: bool,
    modified_at: i64,
}

/// Condition that an account may read the album `a`.
fn seen_by(user: UserId) -> String {
    let user = user.get();
    format!(
        "(a.owner_user_id = {user} OR a.everyone OR EXISTS (SELECT 1 FROM photo_album_shares s \
         WHERE s.album_id = a.album_id AND s.user_id = {user}))"
    )
}

/// Photo albums.
#[derive(Debug, Clone)]
pub struct PhotoAlbumRepository {
    pub(crate) db: Database,
}

impl PhotoAlbumRepository {
    /// The albums that an account may read, with the photos of the scope.
    pub async fn list_photo_albums(
        &self,
        scope: &MediaScope,
        user: UserId,
        by: AlbumOrder,
        order: Order,
        page: Pagination,
    ) -> Result<Listing<PhotoAlbum>> {
        let albums = WhereClause::of(&seen_by(user));
        let (sql, values) = albums.count("photo_albums a");
        let total = self.db.pools().count(sql, values).await?;
        let (sql, values) = albums.page(ROWS, by.sql(order), page);
        Ok(Listing {
            items: self.photo_albums(scope, sql, &values).await?,
            total,
            next: None,
        })
    }

    /// An album that an account may read.
    pub async fn photo_album(
        &self,
        scope: &MediaScope,
        user: UserId,
        id: PhotoAlbumId,
    ) -> Result<Option<PhotoAlbum>> {
        let sql = format!("{ROWS} WHERE a.album_id = $1 AND {}", seen_by(user));
        Ok(self.photo_albums(scope, sql, &args![id.get()]).await?.pop())
    }

    /// Whether an account may read an album.
    pub async fn can_see_photo_album(&self, user: UserId, id: PhotoAlbumId) -> Result<bool> {
        let sql = format!(
            "SELECT count(*) FROM photo_albums a WHERE a.album_id = $1 AND {}",
            seen_by(user)
        );
        let count = self
            .db
            .pools()
            .count(AssertSqlSafe(sql), &args![id.get()])
            .await?;
        Ok(count > 0)
    }

    /// Ids and names of all albums that an account may read.
    pub(super) async fn photo_album_names(&self, user: UserId) -> Result<Vec<(i64, String)>> {
        let sql = format!(
            "SELECT a.album_id, a.name FROM photo_albums a WHERE {}",
            seen_by(user)
        );
        self.db.pools().fetch_page(AssertSqlSafe(sql), &[]).await
    }

    /// These albums, in this order, without an access check.
    pub(super) async fn photo_albums_by_id(
        &self,
        scope: &MediaScope,
        ids: &[i64],
    ) -> Result<Vec<PhotoAlbum>> {
        let rows = self
            .db
            .rows_of_listed(&format!("{ROWS} WHERE a.album_id"), ids, "")
            .await?;
        let albums = self.albums_of_rows(scope, rows).await?;
        Ok(in_order(ids, albums, |album| album.id.get()))
    }

    /// The albums of photos that an account may read.
    pub async fn albums_of_photos(
        &self,
        user: UserId,
        photos: &[PhotoId],
    ) -> Result<HashMap<PhotoId, Vec<PhotoAlbumId>>> {
        let numbers: Vec<i64> = photos.iter().map(|photo| photo.get()).collect();
        let head = "SELECT ap.photo_id, ap.album_id FROM photo_album_photos ap \
                    JOIN photo_albums a ON a.album_id = ap.album_id WHERE ap.photo_id";
        let tail = format!("AND {} ORDER BY ap.album_id", seen_by(user));
        let rows: Vec<(i64, i64)> = self.db.rows_of_listed(head, &numbers, &tail).await?;
        let mut albums: HashMap<PhotoId, Vec<PhotoAlbumId>> = HashMap::new();
        for (photo, album) in rows {
            albums.entry(photo.into()).or_default().push(album.into());
        }
        Ok(albums)
    }

    async fn photo_albums(
        &self,
        scope: &MediaScope,
        sql: String,
        values: &[Arg<'_>],
    ) -> Result<Vec<PhotoAlbum>> {
        let rows = self.db.pools().fetch_page(AssertSqlSafe(sql), values).await?;
        self.albums_of_rows(scope, rows).await
    }

    async fn albums_of_rows(&self, scope: &MediaScope, rows: Vec<AlbumRow>) -> Result<Vec<PhotoAlbum>> {
        let ids: Vec<i64> = rows.iter().map(|row| row.album_id).collect();
        let seen = AccessFilter::Photos.and("p.photo_id", scope);
        let stats: Vec<(i64, i64, i64, i64)> = self
            .db
            .rows_of_listed(STATS, &ids, &format!("{seen} GROUP BY ap.album_id"))
            .await?;
        let stats: HashMap<i64, (i64, i64, i64)> = stats
            .into_iter()
            .map(|(id, count, from, to)| (id, (count, from, to)))
            .collect();
        let covers = self.album_covers(scope, &ids).await?;
        let mut shares: HashMap<i64, Vec<UserId>> = HashMap::new();
        let shared: Vec<(i64, i64)> = self.db.rows_of_listed(SHARES, &ids, "ORDER BY user_id").await?;
        for (album, user) in shared {
            shares.entry(album).or_default().push(user.into());
        }
        let album = |row: AlbumRow| {
            let stats = stats.get(&row.album_id);
            PhotoAlbum {
                id: row.album_id.into(),
                owner: row.owner_user_id.into(),
                name: row.name,
                description: row.description,
                viewers: AlbumViewers {
                    everyone: row.everyone,
                    users: shares.remove(&row.album_id).unwrap_or_default(),
                },
                photo_count: stats.map_or(0, |(count, ..)| *count),
                cover: covers.get(&row.album_id).map(|&photo| photo.into()),
                span: stats.map(|&(_, from, to)| (Timestamp::from_millis(from), Timestamp::from_millis(to))),
                modified_at: Timestamp::from_millis(row.modified_at),
            }
        };
        Ok(rows.into_iter().map(album).collect())
    }

    /// The chosen cover of each album if it is accessible, else the first accessible photo.
    async fn album_covers(&self, scope: &MediaScope, albums: &[i64]) -> Result<HashMap<i64, i64>> {
        let seen = AccessFilter::Photos.and("p.photo_id", scope);
        let chosen: Vec<(i64, i64)> = self.db.rows_of_listed(CHOSEN_COVERS, albums, &seen).await?;
        let mut covers: HashMap<i64, i64> = chosen.into_iter().collect();
        let known: HashSet<i64> = covers.keys().copied().collect();
        let others: Vec<i64> = albums.iter().copied().filter(|id| !known.contains(id)).collect();
        let first = format!(
            "AND ap.position = (SELECT x.position FROM photo_album_photos x \
             JOIN photos p ON p.photo_id = x.photo_id WHERE x.album_id = ap.album_id{seen} \
             ORDER BY x.position LIMIT 1)"
        );
        let first: Vec<(i64, i64)> = self.db.rows_of_listed(FIRST_PHOTOS, &others, &first).await?;
        covers.extend(first);
        Ok(covers)
    }

    /// The albums that an account may read whose name has, for each word of `text`, a word with that prefix. Albums
    /// are few, so their names need no index.
    pub async fn search_photo_albums(
        &self,
        scope: &MediaScope,
        user: UserId,
        text: &str,
        page: Pagination,
    ) -> Result<Listing<PhotoAlbum>> {
        let words = query_words(text);
        let mut found = self.photo_album_names(user).await?;
        found.retain(|(_, name)| contains_all_words(name, &words));
        for (_, name) in &mut found {
            *name = sort_key(name);
        }
        let total = found.len() as u64;
        let best = rank_hits(found, text, page);
        Ok(Listing::new(self.photo_albums_by_id(scope, &best).await?, total))
    }
}

/// The statements that read a page, one per order.
#[cfg(test)]
pub(super) fn order_cases() -> Vec<(String, Vec<Arg<'static>>)> {
    let orders = [AlbumOrder::Name, AlbumOrder::CreatedAt, AlbumOrder::ModifiedAt];
    let both = |by: AlbumOrder| [by.sql(Order::Ascending), by.sql(Order::Descending)];
    let page = |order| WhereClause::default().page(ROWS, order, Pagination::default());
    orders.into_iter().flat_map(both).map(page).collect()
}
