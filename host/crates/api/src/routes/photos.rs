//! Photos, the days and months they are from, and their bytes.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::extract::{Body, Caller, Input, PathId, State};
use crate::item_query::ItemQuery;
use crate::media_response::MediaResponse;
use crate::pagination;
use crate::query::{FromQuery, Query, QueryParams, parse_moment};
use crate::response::{Json, LinkedPage, Page};
use crate::routes::users::present;
use crate::thumbnail_size::ThumbnailQuery;
use crate::views::photos::{PhotoBucketView, PhotoView};
use svc_domain::id::{LibraryId, PhotoId};
use svc_domain::list::{ListRequest, Order};
use svc_domain::photo_bucket::Granularity;
use svc_domain::time::Timestamp;
use svc_identity::capability::Capability;
use svc_identity::error::ServiceError;
use svc_library::photos::{BoundingBox, ItemFilter, PhotoFilter, PhotoOrder, PhotoUpdate};

const ORDERS: &[(&str, PhotoOrder, Order)] = &[
    ("takenAt", PhotoOrder::TakenAt, Order::Descending),
    ("createdAt", PhotoOrder::CreatedAt, Order::Descending),
    ("modifiedAt", PhotoOrder::ModifiedAt, Order::Descending),
    ("width", PhotoOrder::Width, Order::Descending),
    ("height", PhotoOrder::Height, Order::Descending),
    ("size", PhotoOrder::Size, Order::Descending),
    ("album", PhotoOrder::Album, Order::Ascending),
];

const GRANULARITIES: &[(&str, Granularity)] = &[("day", Granularity::Day), ("month", Granularity::Month)];

/// Which photos, in which order.
#[derive(Debug)]
pub struct PhotoQuery {
    filter: PhotoFilter,
    items: ItemQuery,
    request: ListRequest<PhotoOrder>,
}

/// How a timeline is cut, and of which photos it is.
#[derive(Debug)]
pub struct BucketQuery {
    filter: PhotoFilter,
    items: ItemQuery,
    libraries: Vec<LibraryId>,
    granularity: Granularity,
    order: Order,
}

fn filter(params: &mut QueryParams<'_>) -> PhotoFilter {
    PhotoFilter {
        from: params.moment("from", "Taken then or later."),
        to: params.moment("to", "Taken then or earlier."),
        camera: params.text("camera", "Maker or model of the camera."),
        lens: params.text("lens", "Lens."),
        bounding_box: bounding_box(params),
        album: params.parsed("albumId", "In this album.", "the id of an album"),
        bucket: params.parsed(
            "bucket",
            "Taken in that month or on that day, as `GET /photos/buckets` names them.",
            "a month such as 2021-07 or a day such as 2021-07-14",
        ),
        items: ItemFilter::default(),
    }
}

impl FromQuery for BucketQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let granularity = params.choice("granularity", "How to cut; `month` if not said.", GRANULARITIES);
        Self {
            filter: filter(params),
            items: ItemQuery::read(params),
            libraries: pagination::libraries(params),
            granularity: granularity.unwrap_or(Granularity::Month),
            order: pagination::direction(params, Order::Descending),
        }
    }
}

impl FromQuery for PhotoQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let filter = filter(params);
        let items = ItemQuery::read(params).with_random(params);
        let request = pagination::list(params, ORDERS, PhotoOrder::TakenAt);
        if request.by == PhotoOrder::Album && filter.album.is_none() {
            params.fail("orderBy", "`album` is the order of the album that albumId names");
        }
        Self {
            filter,
            items,
            request,
        }
    }
}

fn bounding_box(params: &mut QueryParams<'_>) -> Option<BoundingBox> {
    let about = "Taken there: west, south, east, north in degrees.";
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
            "must be west, south, east, north within -180,-90,180,90, south below north",
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

/// What is to be corrected of a photo
///
/// What is left out stays; `null` takes a correction back.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdatePhotoInput {
    /// When it was taken: local time, written as if it were UTC (`2021-07-14T10:30:00Z`).
    #[serde(default, deserialize_with = "present")]
    #[salvo(schema(value_type = Option<String>))]
    taken_at: Option<Option<String>>,
    /// Minutes east of UTC, -840 to 840.
    #[serde(default, deserialize_with = "present")]
    #[salvo(schema(value_type = Option<i64>))]
    utc_offset: Option<Option<i64>>,
    /// Degrees, north positive; together with `gpsLng`.
    #[serde(default, deserialize_with = "present")]
    #[salvo(schema(value_type = Option<f64>))]
    gps_lat: Option<Option<f64>>,
    /// Degrees, east positive; together with `gpsLat`.
    #[serde(default, deserialize_with = "present")]
    #[salvo(schema(value_type = Option<f64>))]
    gps_lng: Option<Option<f64>>,
    /// Metres; together with the other two.
    #[serde(default, deserialize_with = "present")]
    #[salvo(schema(value_type = Option<f64>))]
    gps_altitude: Option<Option<f64>>,
    /// Up to 2,000 characters.
    #[serde(default, deserialize_with = "present")]
    #[salvo(schema(value_type = Option<String>))]
    description: Option<Option<String>>,
}

impl Input for UpdatePhotoInput {}

fn local_time(text: &str) -> Result<Timestamp, ServiceError> {
    let moment = parse_moment(text).filter(|_| text.ends_with(['Z', 'z']));
    moment.ok_or_else(|| {
        let message = "must be local time written as if it were UTC, such as 2021-07-14T10:30:00Z";
        ServiceError::invalid("takenAt", message)
    })
}

impl TryFrom<UpdatePhotoInput> for PhotoUpdate {
    type Error = ServiceError;

    fn try_from(input: UpdatePhotoInput) -> Result<Self, ServiceError> {
        let taken_at = match input.taken_at {
            Some(Some(text)) => Some(Some(local_time(&text)?)),
            Some(None) => Some(None),
            None => None,
        };
        Ok(Self {
            taken_at,
            utc_offset: input.utc_offset,
            latitude: input.gps_lat,
            longitude: input.gps_lng,
            altitude: input.gps_altitude,
            description: input.description,
        })
    }
}

/// Photos
///
/// With `albumId`, `orderBy=album` is the order in which they were put into the album.
#[endpoint]
pub async fn list_photos(
    state: State,
    caller: Caller,
    query: Query<PhotoQuery>,
) -> Result<LinkedPage<PhotoView>, ApiError> {
    let PhotoQuery {
        mut filter,
        items,
        request,
    } = query.0;
    filter.items = items.of(caller.user.id);
    let photos = state.photos.list(&caller, &filter, &request).await?;
    Ok(LinkedPage(Page::new(photos, PhotoView::from)))
}

/// A photo
#[endpoint]
pub async fn get_photo(
    state: State,
    caller: Caller,
    photo_id: PathId<PhotoId>,
) -> Result<Json<PhotoView>, ApiError> {
    Ok(Json(state.photos.photo(&caller, photo_id.0).await?.into()))
}

/// The days or months with photos
///
/// Each with the number of its photos and the moments of the first and last. Days are those of the camera's calendar.
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
    filter.items = items.of(caller.user.id);
    let buckets = state
        .photos
        .buckets(&caller, &filter, &libraries, granularity, order)
        .await?;
    Ok(Json(buckets.into_iter().map(PhotoBucketView::from).collect()))
}

/// Corrects what is known of a photo, for everybody
///
/// The file is not written. Corrections stay when the file is read again; `edited` names them.
#[endpoint]
pub async fn update_photo(
    state: State,
    caller: Caller,
    body: Body<UpdatePhotoInput>,
    photo_id: PathId<PhotoId>,
) -> Result<Json<PhotoView>, ApiError> {
    let update = PhotoUpdate::try_from(body.0)?;
    let photo = state.photos.update(&caller, photo_id.0, update).await?;
    Ok(Json(photo.into()))
}

/// The bytes of a photo's file
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

/// A photo in a smaller size, upright
#[endpoint]
pub async fn get_photo_thumbnail(
    state: State,
    caller: Caller,
    query: Query<ThumbnailQuery>,
    photo_id: PathId<PhotoId>,
) -> Result<MediaResponse, ApiError> {
    Ok(MediaResponse::thumbnail(
        state.thumbnails.photo(&caller, photo_id.0, query.0.size).await?,
    ))
}
