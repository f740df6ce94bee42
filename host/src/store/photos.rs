//! Photos.

use super::Store;
use super::args::{Arg, args};
use super::error::{Result, StoreError};
use super::select::{Conditions, direction, joined};
use super::visibility::Visible;
use crate::domain::extraction::Rational;
use crate::domain::id::PhotoId;
use crate::domain::library::MediaScope;
use crate::domain::list::{Listing, Order, Page};
use crate::domain::photo::{GeoPoint, Photo, PhotoFacts, TakenAtSource};
use crate::domain::time::Timestamp;
use crate::domain::user_data::UserData;

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
        }
    }
}

const PAGE: &str = "SELECT p.photo_id AS id FROM photos p";
const ROWS: &str = "SELECT p.photo_id, f.name, f.size, f.status = 2 AS missing, p.taken_at, p.taken_at_source, \
    p.utc_offset_minutes, p.modified_at, p.width, p.height, p.orientation, p.mime_type, p.make, p.model, p.lens, \
    p.iso, p.aperture, p.exposure_numerator, p.exposure_denominator, p.focal_length, p.latitude, p.longitude, \
    p.altitude, p.rating";
const JOINS: &str = "JOIN photos p ON p.photo_id = page.id JOIN files f ON f.file_id = p.photo_id";

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
            missing: row.missing,
            user_data: UserData::default(),
        })
    }
}

fn conditions<'a>(scope: &MediaScope, filter: &'a PhotoFilter) -> Conditions<'a> {
    let mut photos = Conditions::of_media(Visible::Photos, "p.photo_id", scope);
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
        let photos = conditions(scope, filter);
        let (sql, values) = photos.count("photos p");
        let total = self.pools().count(sql, values).await?;
        let (sql, values) = photos.page(PAGE, by.sql(order), page);
        Ok(Listing {
            items: self.photos(&sql, by.sql(order), &values).await?,
            total,
        })
    }

    /// A photo.
    pub async fn photo(&self, scope: &MediaScope, id: PhotoId) -> Result<Option<Photo>> {
        let seen = Visible::Photos.and("p.photo_id", scope);
        let page = format!("{PAGE} WHERE p.photo_id = $1{seen}");
        Ok(self
            .photos(&page, "p.photo_id ASC", &args![id.get()])
            .await?
            .pop())
    }

    async fn photos(&self, page: &str, order: &'static str, values: &[Arg<'_>]) -> Result<Vec<Photo>> {
        let rows: Vec<PhotoRow> = self
            .pools()
            .fetch_all(joined(page, ROWS, JOINS, order), values)
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
    ];
    let both = |by: PhotoOrder| [by.sql(Order::Ascending), by.sql(Order::Descending)];
    let page = |order| Conditions::default().page(PAGE, order, Page::default());
    orders.into_iter().flat_map(both).map(page).collect()
}
