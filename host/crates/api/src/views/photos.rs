//! Photos.

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
    /// The camera's local time, written as if it were UTC.
    #[salvo(schema(value_type = String))]
    taken_at: Timestamp,
    /// Where the file's own moment comes from: `exif`, `filename` or `mtime`.
    taken_at_source: &'static str,
    /// Minutes east of UTC, if the camera wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    utc_offset: Option<i16>,
    /// Pixels as coded, before orientation.
    width: Option<i32>,
    /// Pixels as coded, before orientation.
    height: Option<i32>,
    /// EXIF orientation, 1 to 8.
    orientation: Option<i16>,
    mime_type: Option<String>,
    /// Bytes of the file.
    size: i64,
    device_make: Option<String>,
    device_model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lens: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    iso: Option<i32>,
    /// f-number.
    #[serde(skip_serializing_if = "Option::is_none")]
    aperture: Option<f64>,
    /// Seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    exposure_time: Option<f64>,
    /// Millimetres.
    #[serde(skip_serializing_if = "Option::is_none")]
    focal_length: Option<f64>,
    /// Degrees, north positive.
    #[serde(skip_serializing_if = "Option::is_none")]
    gps_lat: Option<f64>,
    /// Degrees, east positive.
    #[serde(skip_serializing_if = "Option::is_none")]
    gps_lng: Option<f64>,
    /// Metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    gps_altitude: Option<f64>,
    /// 0 to 1: what the caller thinks of it, or else the stars in its file, a fifth each.
    #[serde(skip_serializing_if = "Option::is_none")]
    rating: Option<f64>,
    /// What users say about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// What users corrected: `takenAt`, `utcOffset`, `gps`.
    edited: Vec<&'static str>,
    /// The albums it is in that the caller sees.
    #[salvo(schema(value_type = Vec<String>))]
    album_ids: Vec<PhotoAlbumId>,
    /// The file was not there in the last run.
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

/// The photos of a day or month.
#[derive(Debug, Serialize, ToSchema)]
#[salvo(schema(name = "PhotoBucket"))]
pub struct PhotoBucketView {
    /// `2021-07-14` or `2021-07`.
    bucket: String,
    count: i64,
    /// When the first was taken.
    #[salvo(schema(value_type = String))]
    from: Timestamp,
    /// When the last was taken.
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
