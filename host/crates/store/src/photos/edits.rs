//! Edits of photos by users.
//!
//! The table `photos` holds the effective values, so that lists and filters need not know edits; `photo_edits` holds
//! the edited values and the values of the file, which a revert restores. A scan that extracts the file again calls
//! [`renew`].

use sqlx::AssertSqlSafe;

use crate::changes::NewChanges;
use crate::photos::PhotoRepository;
use crate::query::access_filter::and_in_folder;
use svc_database::Result;
use svc_database::Tx;
use svc_database::args::args;
use svc_database::bulk::{SqlTexts, in_lists};
use svc_database::write_queue::WritePriority;
use svc_domain::change::{ChangeKind, ItemType};
use svc_domain::id::PhotoId;
use svc_domain::library::MediaScope;
use svc_domain::photo::GeoPoint;
use svc_domain::photo_edit::{PhotoEdits, PhotoPatch};
use svc_domain::time::Timestamp;

/// Locks the photo against a concurrent scan.
const LOCK: &str = "UPDATE photos SET taken_at = taken_at WHERE photo_id = $1";
const SEEN: &str = "SELECT o.access_class FROM photos p JOIN files f ON f.file_id = p.photo_id \
    JOIN folders o ON o.folder_id = f.folder_id WHERE p.photo_id = $1";
const EDITS: &str = "SELECT taken_at, utc_offset_minutes, latitude, longitude, altitude, description \
    FROM photo_edits WHERE photo_id = $1";
/// Restores the file's values.
const TAKE_BACK: &str = "UPDATE photos SET taken_at = e.own_taken_at, \
    taken_day = CAST((e.own_taken_at + 62208000000000) / 86400000 - 720000 AS INTEGER), \
    utc_offset_minutes = e.own_utc_offset_minutes, latitude = e.own_latitude, longitude = e.own_longitude, \
    altitude = e.own_altitude FROM photo_edits e WHERE e.photo_id = photos.photo_id AND photos.photo_id = $1";
const STORE: &str = "INSERT INTO photo_edits (photo_id, taken_at, utc_offset_minutes, latitude, longitude, altitude, \
    description, own_taken_at, own_utc_offset_minutes, own_latitude, own_longitude, own_altitude) \
    SELECT p.photo_id, $2, $3, $4, $5, $6, $7, p.taken_at, p.utc_offset_minutes, p.latitude, p.longitude, p.altitude \
    FROM photos p WHERE p.photo_id = $1 \
    ON CONFLICT (photo_id) DO UPDATE SET taken_at = excluded.taken_at, \
    utc_offset_minutes = excluded.utc_offset_minutes, latitude = excluded.latitude, \
    longitude = excluded.longitude, altitude = excluded.altitude, description = excluded.description, \
    own_taken_at = excluded.own_taken_at, own_utc_offset_minutes = excluded.own_utc_offset_minutes, \
    own_latitude = excluded.own_latitude, own_longitude = excluded.own_longitude, \
    own_altitude = excluded.own_altitude";
const DELETE_EDITS: &str = "DELETE FROM photo_edits WHERE photo_id = $1";
/// Stores the new values of the file without changing the edits.
const KEEP_OWN: &str = "UPDATE photo_edits SET (own_taken_at, own_utc_offset_minutes, own_latitude, own_longitude, \
    own_altitude) = (SELECT p.taken_at, p.utc_offset_minutes, p.latitude, p.longitude, p.altitude FROM photos p \
    WHERE p.photo_id = photo_edits.photo_id) WHERE photo_id";
/// Applies the edits. Days are counted from long before the first photo, because division rounds towards zero.
const APPLY: &str = "UPDATE photos SET taken_at = coalesce(e.taken_at, photos.taken_at), \
    taken_day = CAST((coalesce(e.taken_at, photos.taken_at) + 62208000000000) / 86400000 - 720000 AS INTEGER), \
    utc_offset_minutes = coalesce(e.utc_offset_minutes, photos.utc_offset_minutes), \
    latitude = coalesce(e.latitude, photos.latitude), longitude = coalesce(e.longitude, photos.longitude), \
    altitude = CASE WHEN e.latitude IS NULL THEN photos.altitude ELSE e.altitude END \
    FROM photo_edits e WHERE e.photo_id = photos.photo_id AND photos.photo_id";

#[derive(sqlx::FromRow)]
struct EditsRow {
    taken_at: Option<i64>,
    utc_offset_minutes: Option<i16>,
    latitude: Option<f64>,
    longitude: Option<f64>,
    altitude: Option<f64>,
    description: Option<String>,
}

impl From<EditsRow> for PhotoEdits {
    fn from(row: EditsRow) -> Self {
        let place = row.latitude.zip(row.longitude);
        Self {
            taken_at: row.taken_at.map(Timestamp::from_millis),
            utc_offset_minutes: row.utc_offset_minutes,
            place: place.map(|(latitude, longitude)| GeoPoint {
                latitude,
                longitude,
                altitude: row.altitude,
            }),
            description: row.description,
        }
    }
}

/// Reapplies the edits of photos that were extracted again.
pub(crate) async fn renew(tx: &mut Tx, photos: &[i64]) -> Result<()> {
    let mut edited: Vec<i64> = Vec::new();
    let head = "SELECT photo_id FROM photo_edits WHERE photo_id";
    for (sql, values) in in_lists(tx.engine(), head, photos, "") {
        let rows: Vec<(i64,)> = tx.fetch_all(sql, &values).await?;
        edited.extend(rows.into_iter().map(|(id,)| id));
    }
    for statement in [KEEP_OWN, APPLY] {
        for (sql, values) in in_lists(tx.engine(), statement, &edited, "") {
            tx.execute(sql, &values).await?;
        }
    }
    Ok(())
}

impl PhotoRepository {
    /// Stores edits of a photo. Returns the access class of its folder; `None` if the photo is not accessible.
    pub async fn update_photo(
        &self,
        scope: &MediaScope,
        id: PhotoId,
        patch: &PhotoPatch,
        now: Timestamp,
    ) -> Result<Option<i64>> {
        let mut tx = self.db.write(WritePriority::Interactive).await?;
        let photo = args![id.get()];
        tx.execute(LOCK, &photo).await?;
        let seen = AssertSqlSafe(SEEN.to_owned() + &and_in_folder(scope));
        let seen: Vec<(i64,)> = tx.fetch_all(seen, &photo).await?;
        let Some((class,)) = seen.first().copied() else {
            return Ok(None);
        };
        let before: Vec<EditsRow> = tx.fetch_all(EDITS, &photo).await?;
        let before = before
            .into_iter()
            .next()
            .map(PhotoEdits::from)
            .unwrap_or_default();
        let edits = patch.apply(before.clone());
        if edits == before {
            return Ok(Some(class));
        }
        tx.execute(TAKE_BACK, &photo).await?;
        if edits == PhotoEdits::default() {
            tx.execute(DELETE_EDITS, &photo).await?;
        } else {
            let values = args![
                id.get(),
                edits.taken_at,
                edits.utc_offset_minutes,
                edits.place.map(|place| place.latitude),
                edits.place.map(|place| place.longitude),
                edits.place.and_then(|place| place.altitude),
                edits.description.as_deref(),
            ];
            tx.execute(STORE, &values).await?;
            for (sql, values) in in_lists(tx.engine(), APPLY, &[id.get()], "") {
                tx.execute(sql, &values).await?;
            }
        }
        let mut changes = NewChanges::default();
        changes.push(ItemType::Photo, ChangeKind::Updated, id.get());
        changes.store(&mut tx, &mut SqlTexts::default(), now).await?;
        tx.commit().await?;
        Ok(Some(class))
    }
}
