//! Changes of photo albums. Each method is one transaction that locks the album first, and changes nothing if the
//! album has another owner.

use std::collections::HashSet;

use crate::photo_albums::PhotoAlbumRepository;
use crate::query::access_filter::AccessFilter;
use crate::text::bounded_sort;
use svc_database::Result;
use svc_database::args::args;
use svc_database::bulk::{Bulk, SqlTexts, in_lists};
use svc_database::write_queue::WritePriority;
use svc_database::write_queue::WriteTx;
use svc_database::{Record, Tx};
use svc_domain::id::{PhotoAlbumId, PhotoId, UserId};
use svc_domain::library::MediaScope;
use svc_domain::photo_album::{AlbumPhotoOutcome, AlbumViewers, PhotoAlbumPatch};
use svc_domain::text::sort_key;
use svc_domain::time::Timestamp;

/// A new album.
#[derive(Debug, Clone)]
pub struct NewPhotoAlbum {
    /// Id.
    pub id: PhotoAlbumId,
    /// Its owner.
    pub owner: UserId,
    /// Its name.
    pub name: String,
    /// Description.
    pub description: Option<String>,
    /// Accounts besides the owner that may read it.
    pub viewers: AlbumViewers,
}

static SHARE: Bulk = Bulk {
    head: "INSERT INTO photo_album_shares (album_id, user_id) VALUES",
    columns: 2,
    constants: "",
    tail: "",
};
static ADD: Bulk = Bulk {
    head: "INSERT INTO photo_album_photos (album_id, photo_id, position) VALUES",
    columns: 3,
    constants: "",
    tail: "",
};
const LOCK: &str = "UPDATE photo_albums SET modified_at = modified_at WHERE album_id = $1 AND owner_user_id = $2 RETURNING everyone";

async fn ids_of<T: From<i64>>(tx: &mut Tx, head: &str, ids: &[i64], tail: &str) -> Result<Vec<T>> {
    let rows: Vec<(i64,)> = rows_of(tx, head, ids, tail).await?;
    Ok(rows.into_iter().map(|(id,)| T::from(id)).collect())
}

async fn rows_of<T: Record>(tx: &mut Tx, head: &str, ids: &[i64], tail: &str) -> Result<Vec<T>> {
    let mut rows = Vec::new();
    for (sql, values) in in_lists(tx.engine(), head, ids, tail) {
        rows.extend(tx.fetch_all(sql, &values).await?);
    }
    Ok(rows)
}

async fn share(tx: &mut Tx, album: PhotoAlbumId, users: &[UserId]) -> Result<()> {
    let values: Vec<_> = users
        .iter()
        .flat_map(|user| args![album.get(), user.get()])
        .collect();
    SqlTexts::default().execute(tx, &SHARE, &values).await
}

async fn touch(tx: &mut Tx, album: PhotoAlbumId, now: Timestamp) -> Result<()> {
    let sql = "UPDATE photo_albums SET modified_at = $2 WHERE album_id = $1";
    tx.execute(sql, &args![album.get(), now]).await.map(drop)
}

/// Outcome of each photo, in the order of the request.
type PhotoOutcomes = Vec<(PhotoId, AlbumPhotoOutcome)>;

impl PhotoAlbumRepository {
    /// Adds an album if its owner has fewer than `most`; returns whether it was added.
    pub async fn insert_photo_album(&self, new: &NewPhotoAlbum, most: i64, now: Timestamp) -> Result<bool> {
        let mut tx = self.db.write(WritePriority::Interactive).await?;
        let sort_name = sort_key(&new.name);
        let sql = "INSERT INTO photo_albums (album_id, owner_user_id, name, sort_name, description, everyone, \
                   modified_at) SELECT $1, $2, $3, $4, $5, $6, $7 \
                   WHERE (SELECT count(*) FROM photo_albums WHERE owner_user_id = $2) < $8";
        let values = args![
            new.id.get(),
            new.owner.get(),
            new.name.as_str(),
            bounded_sort(&sort_name),
            new.description.as_deref(),
            new.viewers.everyone,
            now,
            most,
        ];
        if tx.execute(sql, &values).await? == 0 {
            return Ok(false);
        }
        share(&mut tx, new.id, &new.viewers.users).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Opens a transaction that locks an album of this owner; returns its previous readers. `None` if there is no
    /// such album.
    async fn open_photo_album(
        &self,
        owner: UserId,
        id: PhotoAlbumId,
    ) -> Result<Option<(WriteTx, AlbumViewers)>> {
        let mut tx = self.db.write(WritePriority::Interactive).await?;
        let locked: Vec<(bool,)> = tx.fetch_all(LOCK, &args![id.get(), owner.get()]).await?;
        let Some((everyone,)) = locked.first().copied() else {
            return Ok(None);
        };
        let sql = "SELECT user_id FROM photo_album_shares WHERE album_id = $1 ORDER BY user_id";
        let users: Vec<(i64,)> = tx.fetch_all(sql, &args![id.get()]).await?;
        let users = users.into_iter().map(|(user,)| user.into()).collect();
        Ok(Some((tx, AlbumViewers { everyone, users })))
    }

    /// Changes an album of this owner; returns the readers before and after. A cover outside of the album is ignored.
    pub async fn update_photo_album(
        &self,
        owner: UserId,
        id: PhotoAlbumId,
        patch: &PhotoAlbumPatch,
        now: Timestamp,
    ) -> Result<Option<AlbumViewers>> {
        let Some((mut tx, before)) = self.open_photo_album(owner, id).await? else {
            return Ok(None);
        };
        if let Some(name) = &patch.name {
            let sql = "UPDATE photo_albums SET name = $2, sort_name = $3 WHERE album_id = $1";
            let sort_name = sort_key(name);
            tx.execute(sql, &args![id.get(), name.as_str(), bounded_sort(&sort_name)])
                .await?;
        }
        if let Some(description) = &patch.description {
            let sql = "UPDATE photo_albums SET description = $2 WHERE album_id = $1";
            tx.execute(sql, &args![id.get(), description.as_deref()]).await?;
        }
        if let Some(everyone) = patch.everyone {
            let sql = "UPDATE photo_albums SET everyone = $2 WHERE album_id = $1";
            tx.execute(sql, &args![id.get(), everyone]).await?;
        }
        if let Some(cover) = patch.cover {
            let sql = "UPDATE photo_albums SET cover_photo_id = (SELECT photo_id FROM photo_album_photos \
                       WHERE album_id = $1 AND photo_id = $2) WHERE album_id = $1";
            tx.execute(sql, &args![id.get(), cover.map(PhotoId::get)]).await?;
        }
        let mut after = AlbumViewers {
            everyone: patch.everyone.unwrap_or(before.everyone),
            users: Vec::new(),
        };
        if let Some(users) = &patch.users {
            let sql = "DELETE FROM photo_album_shares WHERE album_id = $1";
            tx.execute(sql, &args![id.get()]).await?;
            share(&mut tx, id, users).await?;
            after.users = users.clone();
        }
        touch(&mut tx, id, now).await?;
        tx.commit().await?;
        Ok(Some(before.union(after)))
    }

    /// Deletes an album of this owner, without its photos; returns its readers.
    pub async fn delete_photo_album(&self, owner: UserId, id: PhotoAlbumId) -> Result<Option<AlbumViewers>> {
        let Some((mut tx, viewers)) = self.open_photo_album(owner, id).await? else {
            return Ok(None);
        };
        tx.execute("DELETE FROM photo_albums WHERE album_id = $1", &args![id.get()])
            .await?;
        tx.commit().await?;
        Ok(Some(viewers))
    }

    /// Appends accessible photos to an album of this owner, up to `most` in all; photos that it contains keep their
    /// position. Returns the outcome of each photo, the added ones, and the readers.
    pub async fn add_to_photo_album(
        &self,
        scope: &MediaScope,
        (owner, id): (UserId, PhotoAlbumId),
        photos: &[PhotoId],
        most: i64,
        now: Timestamp,
    ) -> Result<Option<(PhotoOutcomes, Vec<PhotoId>, AlbumViewers)>> {
        let Some((mut tx, viewers)) = self.open_photo_album(owner, id).await? else {
            return Ok(None);
        };
        let numbers: Vec<i64> = photos.iter().map(|photo| photo.get()).collect();
        let seen = AccessFilter::Photos.and("p.photo_id", scope);
        let head = "SELECT p.photo_id FROM photos p WHERE p.photo_id";
        let seen: HashSet<PhotoId> = ids_of(&mut tx, head, &numbers, &seen)
            .await?
            .into_iter()
            .collect();
        let within = within(id);
        let head = format!("SELECT photo_id FROM photo_album_photos {within} AND photo_id");
        let inside: Vec<PhotoId> = ids_of(&mut tx, &head, &numbers, "").await?;
        let mut inside: HashSet<PhotoId> = inside.into_iter().collect();
        let sql = "SELECT count(*), coalesce(max(position), 0) FROM photo_album_photos WHERE album_id = $1";
        let counts: Vec<(i64, i64)> = tx.fetch_all(sql, &args![id.get()]).await?;
        let (mut count, mut position) = counts.first().copied().unwrap_or_default();
        let (mut outcomes, mut added, mut values) =
            (Vec::with_capacity(photos.len()), Vec::new(), Vec::new());
        for &photo in photos {
            let outcome = if !seen.contains(&photo) {
                AlbumPhotoOutcome::NoSuchPhoto
            } else if inside.contains(&photo) {
                AlbumPhotoOutcome::Done
            } else if count >= most {
                AlbumPhotoOutcome::AlbumFull
            } else {
                (count, position) = (count + 1, position + 1);
                values.extend(args![id.get(), photo.get(), position]);
                inside.insert(photo);
                added.push(photo);
                AlbumPhotoOutcome::Done
            };
            outcomes.push((photo, outcome));
        }
        if !added.is_empty() {
            SqlTexts::default().execute(&mut tx, &ADD, &values).await?;
            touch(&mut tx, id, now).await?;
            tx.commit().await?;
        }
        Ok(Some((outcomes, added, viewers)))
    }

    /// Removes photos from an album of this owner. Returns the outcome of each photo, the removed ones, and the
    /// readers.
    pub async fn remove_from_photo_album(
        &self,
        (owner, id): (UserId, PhotoAlbumId),
        photos: &[PhotoId],
        now: Timestamp,
    ) -> Result<Option<(PhotoOutcomes, Vec<PhotoId>, AlbumViewers)>> {
        let Some((mut tx, viewers)) = self.open_photo_album(owner, id).await? else {
            return Ok(None);
        };
        let numbers: Vec<i64> = photos.iter().map(|photo| photo.get()).collect();
        let head = format!("DELETE FROM photo_album_photos {} AND photo_id", within(id));
        let removed: Vec<PhotoId> = ids_of(&mut tx, &head, &numbers, "RETURNING photo_id").await?;
        let gone: HashSet<PhotoId> = removed.iter().copied().collect();
        let outcome = |&photo: &PhotoId| {
            let outcome = if gone.contains(&photo) {
                AlbumPhotoOutcome::Done
            } else {
                AlbumPhotoOutcome::NotInAlbum
            };
            (photo, outcome)
        };
        let outcomes = photos.iter().map(outcome).collect();
        if !removed.is_empty() {
            touch(&mut tx, id, now).await?;
            tx.commit().await?;
        }
        Ok(Some((outcomes, removed, viewers)))
    }
}

/// Condition on the album for a statement whose values are those of a list. The text holds a number only.
fn within(album: PhotoAlbumId) -> String {
    format!("WHERE album_id = {}", album.get())
}
