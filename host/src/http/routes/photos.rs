//! Photos and their bytes.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::domain::id::PhotoId;
use crate::domain::list::{ListRequest, Order};
use crate::http::answer::{Answer, ListView, Part};
use crate::http::extract::{Caller, PathId, State};
use crate::http::media_answer::MediaAnswer;
use crate::http::pagination;
use crate::http::problem::Problem;
use crate::http::query::{FromQuery, Query, QueryReader};
use crate::http::views::photos::PhotoView;
use crate::service::photos::{BoundingBox, PhotoFilter, PhotoOrder};

const ORDERS: &[(&str, PhotoOrder, Order)] = &[
    ("takenAt", PhotoOrder::TakenAt, Order::Descending),
    ("createdAt", PhotoOrder::CreatedAt, Order::Descending),
    ("modifiedAt", PhotoOrder::ModifiedAt, Order::Descending),
    ("width", PhotoOrder::Width, Order::Descending),
    ("height", PhotoOrder::Height, Order::Descending),
];

/// Which photos, in which order.
#[derive(Debug)]
pub struct PhotoQuery {
    filter: PhotoFilter,
    request: ListRequest<PhotoOrder>,
}

impl FromQuery for PhotoQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let filter = PhotoFilter {
            from: reader.moment("from", "Taken then or later."),
            to: reader.moment("to", "Taken then or earlier."),
            camera: reader.text("camera", "Maker or model of the camera."),
            lens: reader.text("lens", "Lens."),
            bounding_box: bounding_box(reader),
        };
        Self {
            filter,
            request: pagination::list(reader, ORDERS, PhotoOrder::TakenAt),
        }
    }
}

fn bounding_box(reader: &mut QueryReader<'_>) -> Option<BoundingBox> {
    let about = "Taken there: west, south, east, north in degrees.";
    let [west, south, east, north] = reader.numbers("bbox", about)?;
    let longitudes = [west, east]
        .iter()
        .all(|degrees| (-180.0..=180.0).contains(degrees));
    let latitudes = [south, north]
        .iter()
        .all(|degrees| (-90.0..=90.0).contains(degrees));
    if !longitudes || !latitudes || south > north {
        reader.fail(
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

/// Photos
#[endpoint]
pub async fn list_photos(
    state: State,
    caller: Caller,
    query: Query<PhotoQuery>,
) -> Result<Part<PhotoView>, Problem> {
    let PhotoQuery { filter, request } = query.0;
    let photos = state.photos.list(&caller, &filter, &request).await?;
    Ok(Part(ListView::new(photos, PhotoView::from)))
}

/// A photo
#[endpoint]
pub async fn show_photo(
    state: State,
    caller: Caller,
    photo_id: PathId<PhotoId>,
) -> Result<Answer<PhotoView>, Problem> {
    Ok(Answer(state.photos.photo(&caller, photo_id.0).await?.into()))
}

/// The bytes of a photo's file
#[endpoint]
pub async fn show_original(
    state: State,
    caller: Caller,
    photo_id: PathId<PhotoId>,
) -> Result<MediaAnswer, Problem> {
    Ok(MediaAnswer::file(
        state.media.open_photo(&caller, photo_id.0).await?,
    ))
}
