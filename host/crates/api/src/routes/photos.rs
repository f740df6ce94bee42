//! Photos, their timeline, files and thumbnails.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::body::{Body, Input, nullable};
use crate::date_time::LocalTime;
use crate::extract::{Caller, PathId, State};
use crate::list_query::{self, ItemQuery, ListFilter, ListOrder, ListQuery, OrderChoices};
use crate::media_response::MediaResponse;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Json, LinkedPage};
use crate::thumbnail_size::ThumbnailQuery;
use crate::views::photos::{PhotoBucketView, PhotoView};
use svc_domain::id::{LibraryId, PhotoId};
use svc_domain::list::Order;
use svc_domain::photo_bucket::Granularity;
use svc_identity::capability::Capability;
use svc_library::photos::{BoundingBox, ItemFilter, PhotoFilter, PhotoOrder, PhotoUpdate};

impl ListOrder for PhotoOrder {
    const CHOICES: OrderChoices<Self> = OrderChoices {
        default: ("takenAt", Self::TakenAt, Order::Descending),
        others: &[
            ("createdAt", Self::CreatedAt, Order::Descending),
            ("modifiedAt", Self::ModifiedAt, Order::Descending),
            ("width", Self::Width, Order::Descending),
            ("height", Self::Height, Order::Descending),
            ("size", Self::Size, Order::Descending),
            ("album", Self::Album, Order::Ascending),
        ],
    };
}

const GRANULARITIES: &[(&str, Granularity)] = &[("day", Granularity::Day), ("month", Granularity::Month)];

/// The query of `GET /photos/buckets`.
#[derive(Debug)]
pub struct BucketQuery {
    filter: PhotoFilter,
    items: ItemQuery,
    libraries: Vec<LibraryId>,
    granularity: Granularity,
    order: Order,
}

impl ListFilter for PhotoFilter {
    type Order = PhotoOrder;

    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            from: params.date_time("from", "Only photos taken at or after this time."),
            to: params.date_time("to", "Only photos taken at or before this time."),
            camera: params.text("camera", "Only photos of this camera, by make or model."),
            lens: params.text("lens", "Only photos taken with this lens."),
            bounding_box: bounding_box(params),
            album: params.parsed("albumId", "Only photos in this album.", "the id of an album"),
            bucket: params.parsed(
                "bucket",
                "Only photos taken in this month or on this day: a `bucket` of `GET /photos/buckets`.",
                "a month such as 2021-07 or a day such as 2021-07-14",
            ),
            items: ItemFilter::default(),
        }
    }

    fn item_filter(&mut self) -> &mut ItemFilter {
        &mut self.items
    }

    fn check_order(&self, by: PhotoOrder, params: &mut QueryParams<'_>) {
        if by == PhotoOrder::Album && self.album.is_none() {
            params.fail("orderBy", "`album` requires `albumId`");
        }
    }
}

impl FromQuery for BucketQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let granularity = params.choice(
            "granularity",
            "Length of a bucket; default: `month`.",
            GRANULARITIES,
        );
        Self {
            filter: PhotoFilter::read(params),
            items: ItemQuery::read(params),
            libraries: list_query::libraries(params),
            granularity: granularity.unwrap_or(Granularity::Month),
            order: list_query::direction(params, Order::Descending),
        }
    }
}

fn bounding_box(params: &mut QueryParams<'_>) -> Option<BoundingBox> {
    let about =
        "Only photos taken in this area: west, south, east and north edge in degrees, separated by commas.";
    let [west, south, east, north] = params.numbers("bbox", about)?;
    let longitudes = [west, east]
        .iter()
        .all(|degrees| (-180.0..=180.0).contains(degrees));
    let latitudes = [south, north]
        .iter()
        .all(|degrees| (-90.0..=90.0).contains(degrees));
    if !longitudes || !latitudes || south > north {
        params.fail(
            "bbox",
            "must be west, south, east, north within -180,-90,180,90, with south not above north",
        );
        return None;
    }
    Some(BoundingBox {
        west,
        south,
        east,
        north,
    })
}

/// Corrections of a photo. Absent fields stay unchanged; `null` removes a correction.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdatePhotoInput {
    /// Local time at which the photo was taken, written as UTC: `2021-07-14T10:30:00Z`.
    #[serde(default, deserialize_with = "nullable")]
    #[salvo(schema(value_type = Option<String>))]
    taken_at: Option<Option<LocalTime>>,
    /// UTC offset in minutes, positive east of UTC, -840 to 840.
    #[serde(default, deserialize_with = "nullable")]
    #[salvo(schema(value_type = Option<i64>))]
    utc_offset: Option<Option<i64>>,
    /// Latitude in degrees, positive north. Requires `gpsLng`.
    #[serde(default, deserialize_with = "nullable")]
    #[salvo(schema(value_type = Option<f64>))]
    gps_lat: Option<Option<f64>>,
    /// Longitude in degrees, positive east. Requires `gpsLat`.
    #[serde(default, deserialize_with = "nullable")]
    #[salvo(schema(value_type = Option<f64>))]
    gps_lng: Option<Option<f64>>,
    /// Altitude in meters. Requires `gpsLat` and `gpsLng`.
    #[serde(default, deserialize_with = "nullable")]
    #[salvo(schema(value_type = Option<f64>))]
    gps_altitude: Option<Option<f64>>,
    /// Up to 2,000 characters.
    #[serde(default, deserialize_with = "nullable")]
    #[salvo(schema(value_type = Option<String>))]
    description: Option<Option<String>>,
}

impl Input for UpdatePhotoInput {}

impl From<UpdatePhotoInput> for PhotoUpdate {
    fn from(input: UpdatePhotoInput) -> Self {
        Self {
            taken_at: input.taken_at.map(|time| time.map(|LocalTime(time)| time)),
            utc_offset: input.utc_offset,
            latitude: input.gps_lat,
            longitude: input.gps_lng,
            altitude: input.gps_altitude,
            description: input.description,
        }
    }
}

/// List photos
///
/// With `albumId`, `orderBy=album` is the order of the photos in the album.
#[endpoint]
pub async fn list_photos(
    state: State,
    caller: Caller,
    query: Query<ListQuery<PhotoFilter>>,
) -> Result<LinkedPage<PhotoView>, ApiError> {
    let (filter, request) = query.0.for_user(caller.user.id);
    Ok(state.photos.list(&caller, &filter, &request).await?.into())
}

/// Get a photo
#[endpoint]
pub async fn get_photo(
    state: State,
    caller: Caller,
    photo_id: PathId<PhotoId>,
) -> Result<Json<PhotoView>, ApiError> {
    Ok(Json(state.photos.photo(&caller, photo_id.0).await?.into()))
}

/// List the days or months with photos
///
/// Each bucket has its number of photos and the times of its first and last photo. Days are in the local time of the
/// camera.
#[endpoint]
pub async fn list_photo_buckets(
    state: State,
    caller: Caller,
    query: Query<BucketQuery>,
) -> Result<Json<Vec<PhotoBucketView>>, ApiError> {
    let BucketQuery {
        mut filter,
        items,
        libraries,
        granularity,
        order,
    } = query.0;
    filter.items = items.for_user(caller.user.id);
    let photos = &state.photos;
    let buckets = photos.buckets(&caller, &filter, &libraries, granularity, order);
    Ok(buckets.await?.into())
}

/// Correct the metadata of a photo, for all users
///
/// The file is not changed. Corrections take precedence over the metadata in the file; `edited` lists them.
#[endpoint]
pub async fn update_photo(
    state: State,
    caller: Caller,
    body: Body<UpdatePhotoInput>,
    photo_id: PathId<PhotoId>,
) -> Result<Json<PhotoView>, ApiError> {
    let (photos, update) = (&state.photos, body.0.into());
    let photo = photos.update(&caller, photo_id.0, update).await?;
    Ok(Json(photo.into()))
}

/// Get the original file of a photo
#[endpoint]
pub async fn get_photo_original(
    state: State,
    caller: Caller,
    photo_id: PathId<PhotoId>,
) -> Result<MediaResponse, ApiError> {
    let media = state.media.open_photo(&caller, photo_id.0).await?;
    let stream = state.open_streams.send(&caller, Capability::PhotosRead, media.id);
    Ok(MediaResponse::file(media).as_stream(stream))
}

/// Get a thumbnail of a photo
///
/// The EXIF orientation is applied.
#[endpoint]
pub async fn get_photo_thumbnail(
    state: State,
    caller: Caller,
    query: Query<ThumbnailQuery>,
    photo_id: PathId<PhotoId>,
) -> Result<MediaResponse, ApiError> {
    let (thumbnails, size) = (&state.thumbnails, query.0.size);
    let thumbnail = thumbnails.photo(&caller, photo_id.0, size).await?;
    Ok(MediaResponse::thumbnail(thumbnail))
}
