//! Photos: lists with filters and orders, the timeline, single photos. `edits.rs` has the corrections by users.

pub(crate) mod edits;

use crate::db::Database;
use crate::query::access_filter::AccessFilter;
use crate::query::item_filter::{Filtered, ItemFilter};
use crate::query::pages::{MediaRows, Sort, in_order};
#[cfg(test)]
use crate::query::pages::{OrderCase, order_cases_of, order_cases_within};
use crate::query::where_clause::WhereClause;
use crate::search::Hits;
use svc_database::{Result, StoreError};
use svc_domain::change::ItemType;
use svc_domain::extraction::Rational;
use svc_domain::id::{LibraryId, PhotoAlbumId, PhotoId};
use svc_domain::library::MediaScope;
use svc_domain::list::{ListRequest, Listing};
use svc_domain::photo::{EditedFacts, GeoPoint, Photo, PhotoFacts, TakenAtSource};
use svc_domain::photo_bucket::{BucketName, Granularity, PhotoBucket, buckets_of};
use svc_domain::time::Timestamp;
use svc_domain::user_data::UserData;

/// A bounding box in degrees. West is greater than east if it crosses the antimeridian.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundingBox {
    /// Western longitude.
    pub west: f64,
    /// Southern latitude.
    pub south: f64,
    /// Eastern longitude.
    pub east: f64,
    /// Northern latitude.
    pub north: f64,
}

/// Filter of photos.
#[derive(Debug, Clone, Default)]
pub struct PhotoFilter {
    /// Taken at this moment or later.
    pub from: Option<Timestamp>,
    /// Taken at this moment or earlier.
    pub to: Option<Timestamp>,
    /// Camera make or model, as written in the file.
    pub camera: Option<String>,
    /// Lens, as written in the file.
    pub lens: Option<String>,
    /// Taken within this box.
    pub bounding_box: Option<BoundingBox>,
    /// In this album. The service checks that the caller may see it.
    pub album: Option<PhotoAlbumId>,
    /// Taken on that day or in that month.
    pub bucket: Option<BucketName>,
    /// Filters that all lists of items share.
    pub items: ItemFilter,
}

/// Order of a list of photos. Photos without the value come last in both directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhotoOrder {
    /// Time at which it was taken.
    TakenAt,
    /// Time at which the item was first indexed.
    CreatedAt,
    /// Modification time of its file.
    ModifiedAt,
    /// Width in pixels.
    Width,
    /// Pixels.
    Height,
    /// Bytes of the file.
    Size,
    /// Position in the album of the filter.
    Album,
}

impl PhotoOrder {
    fn sort(self) -> Sort {
        match self {
            Self::TakenAt => Sort::number("takenAt", "p.taken_at"),
            Self::CreatedAt => Sort::key("createdAt"),
            Self::ModifiedAt => Sort::number("modifiedAt", "p.modified_at"),
            Self::Width => Sort::number("width", "p.width").nullable(),
            Self::Height => Sort::number("height", "p.height").nullable(),
            Self::Size => Sort::number("size", "p.size"),
            // Positions in an album are unique.
            Self::Album => Sort::number("album", "ap.position").unique(),
        }
    }
}

const PHOTOS: MediaRows = MediaRows {
    from: "photos p",
    key: "p.photo_id",
};
const FILTERED: Filtered = Filtered {
    item: ItemType::Photo,
    access: AccessFilter::Photos,
    key: PHOTOS.key,
    first_at: |moment| PhotoId::first_at(moment).get(),
};
const BY_ID: &str = "SELECT p.photo_id, f.name, f.size, f.status = 2 AS missing, p.taken_at, p.taken_at_source, \
    p.utc_offset_minutes, p.modified_at, p.width, p.height, p.orientation, p.mime_type, p.make, p.model, p.lens, \
    p.iso, p.aperture, p.exposure_numerator, p.exposure_denominator, p.focal_length, p.latitude, p.longitude, \
    p.altitude, p.rating, e.description, e.taken_at IS NOT NULL AS edited_taken_at, \
    e.utc_offset_minutes IS NOT NULL AS edited_utc_offset, e.latitude IS NOT NULL AS edited_place \
    FROM photos p JOIN files f ON f.file_id = p.photo_id \
    LEFT JOIN photo_edits e ON e.photo_id = p.photo_id WHERE p.photo_id";
const PHOTOS_OF_ALBUM: MediaRows = MediaRows {
    from: "photo_album_photos ap JOIN photos p ON p.photo_id = ap.photo_id",
    key: "p.photo_id",
};
const DAYS: &str = "SELECT p.taken_day, count(*), min(p.taken_at), max(p.taken_at) FROM photos p";
const BY_DAY: &str = " GROUP BY p.taken_day ORDER BY p.taken_day";

#[derive(sqlx::FromRow, serde::Deserialize)]
struct PhotoRow {
    photo_id: i64,
    name: String,
    size: i64,
    missing: bool,
    taken_at: i64,
    taken_at_source: i16,
    utc_offset_minutes: Option<i16>,
    modified_at: i64,
    width: Option<i32>,
    height: Option<i32>,
    orientation: Option<i16>,
    mime_type: Option<String>,
    make: Option<String>,
    model: Option<String>,
    lens: Option<String>,
    iso: Option<i32>,
    aperture: Option<f64>,
    exposure_numerator: Option<i64>,
    exposure_denominator: Option<i64>,
    focal_length: Option<f64>,
    latitude: Option<f64>,
    longitude: Option<f64>,
    altitude: Option<f64>,
    rating: Option<i16>,
    description: Option<String>,
    edited_taken_at: bool,
    edited_utc_offset: bool,
    edited_place: bool,
}

impl TryFrom<PhotoRow> for Photo {
    type Error = StoreError;

    fn try_from(row: PhotoRow) -> Result<Self> {
        let exposure = row.exposure_numerator.zip(row.exposure_denominator);
        let place = row.latitude.zip(row.longitude);
        let facts = PhotoFacts {
            taken_at: Timestamp::from_millis(row.taken_at),
            taken_at_source: TakenAtSource::from_number(row.taken_at_source)
                .ok_or(StoreError::InvalidValue("source of a date"))?,
            utc_offset_minutes: row.utc_offset_minutes,
            width: row.width,
            height: row.height,
            orientation: row.orientation,
            mime_type: row.mime_type,
            make: row.make,
            model: row.model,
            lens: row.lens,
            iso: row.iso,
            aperture: row.aperture,
            exposure_time: exposure.map(|(numerator, denominator)| Rational {
                numerator,
                denominator,
            }),
            focal_length: row.focal_length,
            place: place.map(|(latitude, longitude)| GeoPoint {
                latitude,
                longitude,
                altitude: row.altitude,
            }),
            rating: row.rating,
            free_text: None,
        };
        Ok(Self {
            id: row.photo_id.into(),
            file_name: row.name,
            size: row.size,
            modified_at: Timestamp::from_millis(row.modified_at),
            facts,
            description: row.description,
            edited: EditedFacts {
                taken_at: row.edited_taken_at,
                utc_offset: row.edited_utc_offset,
                place: row.edited_place,
            },
            albums: Vec::new(),
            missing: row.missing,
            user_data: UserData::default(),
        })
    }
}

fn where_clause<'a>(scope: &MediaScope, filter: &'a PhotoFilter, by_album: bool) -> WhereClause<'a> {
    let mut photos = WhereClause::of_media(AccessFilter::Photos, "p.photo_id", scope);
    let (before, after) = if by_album {
        ("ap.album_id = ", "")
    } else {
        (
            "p.photo_id IN (SELECT photo_id FROM photo_album_photos WHERE album_id = ",
            ")",
        )
    };
    photos.push(before, filter.album.map(PhotoAlbumId::get), after);
    let bucket = filter.bucket.map(BucketName::range);
    photos.push("p.taken_at >= ", bucket.map(|(first, _)| first), "");
    photos.push("p.taken_at < ", bucket.map(|(_, end)| end), "");
    photos.push("p.taken_at >= ", filter.from, "");
    photos.push("p.taken_at <= ", filter.to, "");
    photos.push_in_either("p.model = ", "p.make = ", filter.camera.as_deref());
    photos.push("p.lens = ", filter.lens.as_deref(), "");
    if let Some(area) = filter.bounding_box {
        photos.push("p.latitude >= ", Some(area.south), "");
        photos.push("p.latitude <= ", Some(area.north), "");
        if area.west <= area.east {
            photos.push("p.longitude >= ", Some(area.west), "");
            photos.push("p.longitude <= ", Some(area.east), "");
        } else {
            photos.push_either("p.longitude >= ", area.west, "p.longitude <= ", area.east);
        }
    }
    filter.items.restrict_to(&mut photos, FILTERED, scope);
    photos
}

/// Photos and their edits.
#[derive(Debug, Clone)]
pub struct PhotoRepository {
    pub(crate) db: Database,
}

impl PhotoRepository {
    /// A page of the photos that match the filter. Photos whose file is missing are included.
    pub async fn list_photos(
        &self,
        scope: &MediaScope,
        filter: &PhotoFilter,
        request: &ListRequest<PhotoOrder>,
    ) -> Result<Listing<Photo>> {
        let scope = &self.db.restricted_to_libraries(scope, &request.libraries).await?;
        let by_album = request.by == PhotoOrder::Album;
        let rows = if by_album { PHOTOS_OF_ALBUM } else { PHOTOS };
        let where_clause = where_clause(scope, filter, by_album);
        let order = (request.by.sort(), filter.items.shuffle);
        let page = self.db.page_in_order(rows, &where_clause, order, request).await?;
        let photos = self.photos_by_id(&page.items).await?;
        Ok(page.with_items(photos))
    }

    /// The days or months with photos, in these libraries if any are given, oldest first.
    pub async fn photo_buckets(
        &self,
        scope: &MediaScope,
        filter: &PhotoFilter,
        libraries: &[LibraryId],
        granularity: Granularity,
    ) -> Result<Vec<PhotoBucket>> {
        let scope = &self.db.restricted_to_libraries(scope, libraries).await?;
        let photos = where_clause(scope, filter, false);
        let (sql, values) = photos.rows(DAYS, BY_DAY);
        let days: Vec<(i32, i64, i64, i64)> = self.db.pools().fetch_page(sql, values).await?;
        let days = days.into_iter().map(|(day, count, from, to)| {
            let photos = PhotoBucket {
                name: BucketName::holding(day, granularity),
                count,
                from: Timestamp::from_millis(from),
                to: Timestamp::from_millis(to),
            };
            (day, photos)
        });
        Ok(buckets_of(days, granularity))
    }

    /// A photo in the scope.
    pub async fn photo(&self, scope: &MediaScope, id: PhotoId) -> Result<Option<Photo>> {
        let access_condition = AccessFilter::Photos.and("p.photo_id", scope);
        let mut rows: Vec<PhotoRow> = self
            .db
            .rows_of_listed(BY_ID, &[id.get()], &access_condition)
            .await?;
        rows.pop().map(Photo::try_from).transpose()
    }

    /// These photos, in this order, without an access check.
    pub(crate) async fn photos_by_id(&self, ids: &[i64]) -> Result<Vec<Photo>> {
        let rows: Vec<PhotoRow> = self.db.rows_of_listed(BY_ID, ids, "").await?;
        let photos = rows
            .into_iter()
            .map(Photo::try_from)
            .collect::<Result<Vec<_>>>()?;
        Ok(in_order(ids, photos, |photo| photo.id.get()))
    }

    /// The photos of search hits.
    pub async fn photos_of_hits(&self, hits: Hits) -> Result<Listing<Photo>> {
        let photos = self.photos_by_id(&hits.items).await?;
        Ok(hits.with_items(photos))
    }
}

/// The statements that read a page, one per order.
#[cfg(test)]
pub(crate) fn order_cases() -> Vec<OrderCase> {
    let orders = [
        PhotoOrder::TakenAt,
        PhotoOrder::CreatedAt,
        PhotoOrder::ModifiedAt,
        PhotoOrder::Width,
        PhotoOrder::Height,
        PhotoOrder::Size,
    ];
    let of_album = || {
        let mut photos = WhereClause::default();
        photos.push("ap.album_id = ", Some(1_i64), "");
        photos
    };
    let by_album = order_cases_within(PHOTOS_OF_ALBUM, PhotoOrder::Album.sort(), &of_album());
    orders
        .into_iter()
        .flat_map(|by| order_cases_of(PHOTOS, by.sort()))
        .chain(by_album)
        .collect()
}
