//! Photos.

use super::Store;
use super::args::{Arg, args};
use super::error::{Result, StoreError};
use super::select::{Conditions, direction, joined};
use super::visibility::Visible;
use crate::domain::extraction::Rational;
use crate::domain::id::{PhotoAlbumId, PhotoId};
use crate::domain::library::MediaScope;
use crate::domain::list::{Listing, Order, Page};
use crate::domain::photo::{GeoPoint, Photo, PhotoFacts, TakenAtSource};
use crate::domain::photo_bucket::{BucketName, Granularity, PhotoBucket, buckets_of};
use crate::domain::photo_edit::EditedFacts;
use crate::domain::time::Timestamp;

/// A part of the Earth, in degrees. One that crosses the date line has its west edge east of its east edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BoundingBox {
    /// Least longitude.
    pub west: f64,
    /// Least latitude.
    pub south: f64,
    /// Greatest longitude.
    pub east: f64,
    /// Greatest latitude.
    pub north: f64,
}

/// Which photos.
#[derive(Debug, Clone, Default)]
pub struct PhotoFilter {
    /// Taken at this moment or later.
    pub from: Option<Timestamp>,
    /// Taken at this moment or earlier.
    pub to: Option<Timestamp>,
    /// By the maker or model of the camera, as written in the file.
    pub camera: Option<String>,
    /// By the lens, as written in the file.
    pub lens: Option<String>,
    /// Taken there.
    pub bounding_box: Option<BoundingBox>,
    /// In this album. Whether the caller sees it is for the caller of the store to know.
    pub album: Option<PhotoAlbumId>,
    /// Taken on that day or in that month.
    pub bucket: Option<BucketName>,
}

/// What a list of photos is ordered by. Photos without the value are the first in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhotoOrder {
    /// When it was taken.
    TakenAt,
    /// First indexed.
    CreatedAt,
    /// When its file was last changed.
    ModifiedAt,
    /// Pixels.
    Width,
    /// Pixels.
    Height,
    /// Bytes of the file.
    Size,
    /// The order of the album that the filter names.
    Album,
}

impl PhotoOrder {
    fn sql(self, order: Order) -> &'static str {
        match self {
            Self::TakenAt => direction(
                order,
                "p.taken_at ASC, p.photo_id ASC",
                "p.taken_at DESC, p.photo_id DESC",
            ),
            Self::CreatedAt => direction(order, "p.photo_id ASC", "p.photo_id DESC"),
            Self::ModifiedAt => direction(
                order,
                "p.modified_at ASC, p.photo_id ASC",
                "p.modified_at DESC, p.photo_id DESC",
            ),
            Self::Width => direction(
                order,
                "p.width ASC NULLS FIRST, p.photo_id ASC",
                "p.width DESC NULLS LAST, p.photo_id DESC",
            ),
            Self::Height => direction(
                order,
                "p.height ASC NULLS FIRST, p.photo_id ASC",
                "p.height DESC NULLS LAST, p.photo_id DESC",
            ),
            Self::Size => direction(
                order,
                "p.size ASC, p.photo_id ASC",
                "p.size DESC, p.photo_id DESC",
            ),
            // No two photos of an album have the same.
            Self::Album => direction(order, "ap.position ASC", "ap.position DESC"),
        }
    }
}

const PAGE: &str = "SELECT p.photo_id AS id FROM photos p";
const ROWS: &str = "SELECT p.photo_id, f.name, f.size, f.status = 2 AS missing, p.taken_at, p.taken_at_source, \
    p.utc_offset_minutes, p.modified_at, p.width, p.height, p.orientation, p.mime_type, p.make, p.model, p.lens, \
    p.iso, p.aperture, p.exposure_numerator, p.exposure_denominator, p.focal_length, p.latitude, p.longitude, \
    p.altitude, p.rating, e.description, e.taken_at IS NOT NULL AS edited_taken_at, \
    e.utc_offset_minutes IS NOT NULL AS edited_utc_offset, e.latitude IS NOT NULL AS edited_place";
const JOINS: &str = "JOIN photos p ON p.photo_id = page.id JOIN files f ON f.file_id = p.photo_id \
    LEFT JOIN photo_edits e ON e.photo_id = p.photo_id";
const ALBUM: &str = "photo_album_photos ap JOIN photos p ON p.photo_id = ap.photo_id";
const PAGE_OF_ALBUM: &str = "SELECT p.photo_id AS id, ap.album_id FROM photo_album_photos ap \
    JOIN photos p ON p.photo_id = ap.photo_id";
const JOINS_OF_ALBUM: &str = "JOIN photos p ON p.photo_id = page.id JOIN files f ON f.file_id = p.photo_id \
    LEFT JOIN photo_edits e ON e.photo_id = p.photo_id \
    JOIN photo_album_photos ap ON ap.album_id = page.album_id AND ap.photo_id = page.id";
const DAYS: &str = "SELECT p.taken_day, count(*), min(p.taken_at), max(p.taken_at) FROM photos p";
const BY_DAY: &str = " GROUP BY p.taken_day ORDER BY p.taken_day";

#[derive(sqlx::FromRow)]
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
        })
    }
}

fn conditions<'a>(scope: &MediaScope, filter: &'a PhotoFilter, by_album: bool) -> Conditions<'a> {
    let mut photos = Conditions::of_media(Visible::Photos, "p.photo_id", scope);
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
    photos.push_either("p.model = ", "p.make = ", filter.camera.as_deref());
    photos.push("p.lens = ", filter.lens.as_deref(), "");
    if let Some(area) = filter.bounding_box {
        photos.push("p.latitude >= ", Some(area.south), "");
        photos.push("p.latitude <= ", Some(area.north), "");
        if area.west <= area.east {
            photos.push("p.longitude >= ", Some(area.west), "");
            photos.push("p.longitude <= ", Some(area.east), "");
        } else {
            photos.push_or("p.longitude >= ", area.west, "p.longitude <= ", area.east);
        }
    }
    photos
}

impl Store {
    /// Photos, missing ones included.
    pub async fn list_photos(
        &self,
        scope: &MediaScope,
        filter: &PhotoFilter,
        by: PhotoOrder,
        order: Order,
        page: Page,
    ) -> Result<Listing<Photo>> {
        let by_album = by == PhotoOrder::Album;
        let (from, select, joins) = if by_album {
            (ALBUM, PAGE_OF_ALBUM, JOINS_OF_ALBUM)
        } else {
            ("photos p", PAGE, JOINS)
        };
        let photos = conditions(scope, filter, by_album);
        let (sql, values) = photos.count(from);
        let total = self.pools().count(sql, values).await?;
        let (sql, values) = photos.page(select, by.sql(order), page);
        Ok(Listing {
            items: self.photos(&sql, joins, by.sql(order), &values).await?,
            total,
        })
    }

    /// The days or months with photos, oldest first.
    pub async fn photo_buckets(
        &self,
        scope: &MediaScope,
        filter: &PhotoFilter,
        granularity: Granularity,
    ) -> Result<Vec<PhotoBucket>> {
        let photos = conditions(scope, filter, false);
        let (sql, values) = photos.rows(DAYS, BY_DAY);
        let days: Vec<(i32, i64, i64, i64)> = self.pools().fetch_all(sql, values).await?;
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

    /// A photo.
    pub async fn photo(&self, scope: &MediaScope, id: PhotoId) -> Result<Option<Photo>> {
        let seen = Visible::Photos.and("p.photo_id", scope);
        let page = format!("{PAGE} WHERE p.photo_id = $1{seen}");
        Ok(self
            .photos(&page, JOINS, "p.photo_id ASC", &args![id.get()])
            .await?
            .pop())
    }

    async fn photos(
        &self,
        page: &str,
        joins: &'static str,
        order: &'static str,
        values: &[Arg<'_>],
    ) -> Result<Vec<Photo>> {
        let rows: Vec<PhotoRow> = self
            .pools()
            .fetch_all(joined(page, ROWS, joins, order), values)
            .await?;
        rows.into_iter().map(Photo::try_from).collect()
    }
}

/// The statement that reads a page, for each order.
#[cfg(test)]
pub(super) fn order_cases() -> Vec<(String, Vec<Arg<'static>>)> {
    let orders = [
        PhotoOrder::TakenAt,
        PhotoOrder::CreatedAt,
        PhotoOrder::ModifiedAt,
        PhotoOrder::Width,
        PhotoOrder::Height,
        PhotoOrder::Size,
    ];
    let both = |by: PhotoOrder| [by.sql(Order::Ascending), by.sql(Order::Descending)];
    let page = |order| Conditions::default().page(PAGE, order, Page::default());
    let of_album = |order| {
        let mut photos = Conditions::default();
        photos.push("ap.album_id = ", Some(1_i64), "");
        photos.page(PAGE_OF_ALBUM, order, Page::default())
    };
    let by_album = both(PhotoOrder::Album).into_iter().map(of_album);
    orders
        .into_iter()
        .flat_map(both)
        .map(page)
        .chain(by_album)
        .collect()
}
