//! JSON of photos and of the timeline.

use salvo::oapi::ToSchema;
use serde::Serialize;

use svc_domain::id::{PhotoAlbumId, PhotoId};
use svc_domain::photo::Photo;
use svc_domain::photo_bucket::PhotoBucket;
use svc_domain::time::Timestamp;

/// A photo.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "Photo"))]
#[serde(rename_all = "camelCase")]
pub struct PhotoView {
    #[salvo(schema(value_type = String))]
    photo_id: PhotoId,
    file_name: String,
    /// Local time of the camera, written as UTC.
    #[salvo(schema(value_type = String))]
    taken_at: Timestamp,
    /// Source of the time in the file: `exif`, `filename` or `mtime`.
    taken_at_source: &'static str,
    /// UTC offset in minutes, positive east of UTC; absent if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    utc_offset: Option<i16>,
    /// Pixels, before the orientation is applied.
    width: Option<i32>,
    /// Pixels, before the orientation is applied.
    height: Option<i32>,
    /// EXIF orientation, 1 to 8.
    orientation: Option<i16>,
    mime_type: Option<String>,
    /// Size of the file in bytes.
    size: i64,
    device_make: Option<String>,
    device_model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lens: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iso: Option<i32>,
    /// F-number.
    #[serde(skip_serializing_if = "Option::is_none")]
    aperture: Option<f64>,
    /// Seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    exposure_time: Option<f64>,
    /// Millimeters.
    #[serde(skip_serializing_if = "Option::is_none")]
    focal_length: Option<f64>,
    /// Latitude in degrees, positive north.
    #[serde(skip_serializing_if = "Option::is_none")]
    gps_lat: Option<f64>,
    /// Longitude in degrees, positive east.
    #[serde(skip_serializing_if = "Option::is_none")]
    gps_lng: Option<f64>,
    /// Altitude in meters.
    #[serde(skip_serializing_if = "Option::is_none")]
    gps_altitude: Option<f64>,
    /// Rating, 0 to 1: by the caller, or else the stars in the file, 0.2 each.
    #[serde(skip_serializing_if = "Option::is_none")]
    rating: Option<f64>,
    /// Description by users.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// The values that users corrected: `takenAt`, `utcOffset`, `gps`.
    edited: Vec<&'static str>,
    /// Ids of the albums with this photo that the caller can read.
    #[salvo(schema(value_type = Vec<String>))]
    album_ids: Vec<PhotoAlbumId>,
    /// The file was missing in the last run of the indexer.
    missing: bool,
}

impl From<Photo> for PhotoView {
    fn from(photo: Photo) -> Self {
        let rating = photo.rating();
        let facts = photo.facts;
        let edited = [
            ("takenAt", photo.edited.taken_at),
            ("utcOffset", photo.edited.utc_offset),
            ("gps", photo.edited.place),
        ];
        let edited = edited.into_iter().filter(|(_, is)| *is).map(|(name, _)| name);
        Self {
            photo_id: photo.id,
            file_name: photo.file_name,
            taken_at: facts.taken_at,
            taken_at_source: facts.taken_at_source.as_str(),
            utc_offset: facts.utc_offset_minutes,
            width: facts.width,
            height: facts.height,
            orientation: facts.orientation,
            mime_type: facts.mime_type,
            size: photo.size,
            device_make: facts.make,
            device_model: facts.model,
            lens: facts.lens,
            iso: facts.iso,
            aperture: facts.aperture,
            exposure_time: facts.exposure_time.and_then(|time| time.to_f64()),
            focal_length: facts.focal_length,
            gps_lat: facts.place.map(|place| place.latitude),
            gps_lng: facts.place.map(|place| place.longitude),
            gps_altitude: facts.place.and_then(|place| place.altitude),
            rating,
            description: photo.description,
            edited: edited.collect(),
            album_ids: photo.albums,
            missing: photo.missing,
        }
    }
}

/// A day or month with photos.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PhotoBucket"))]
pub struct PhotoBucketView {
    /// The day (`2021-07-14`) or month (`2021-07`).
    bucket: String,
    count: i64,
    /// Time at which the earliest photo was taken.
    #[salvo(schema(value_type = String))]
    from: Timestamp,
    /// Time at which the latest photo was taken.
    #[salvo(schema(value_type = String))]
    to: Timestamp,
}

impl From<PhotoBucket> for PhotoBucketView {
    fn from(bucket: PhotoBucket) -> Self {
        Self {
            bucket: bucket.name.to_string(),
            count: bucket.count,
            from: bucket.from,
            to: bucket.to,
        }
    }
}
