//! Photos and their bytes.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::domain::id::PhotoId;
use crate::domain::list::{Order, Page};
use crate::http::answer::{Answer, ListView};
use crate::http::extract::{Caller, PathId, State};
use crate::http::media_answer::MediaAnswer;
use crate::http::pagination;
use crate::http::picture_size::ThumbnailQuery;
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
    by: PhotoOrder,
    order: Order,
    page: Page,
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
        let (by, order) =
            pagination::ordering(reader, ORDERS).unwrap_or((PhotoOrder::TakenAt, Order::Descending));
        Self {
            filter,
            by,
            order,
            page: pagination::page(reader),
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
) -> Result<Answer<ListView<PhotoView>>, Problem> {
    let PhotoQuery {
        filter,
        by,
        order,
        page,
    } = query.0;
    let photos = state.photos.list(&caller, &filter, by, order, page).await?;
    Ok(Answer(ListView::new(photos, PhotoView::from)))
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

/// A photo in a smaller size, upright
#[endpoint]
pub async fn show_thumbnail(
    state: State,
    caller: Caller,
    photo_id: PathId<PhotoId>,
    query: Query<ThumbnailQuery>,
) -> Result<MediaAnswer, Problem> {
    Ok(MediaAnswer::thumbnail(
        state.pictures.photo(&caller, photo_id.0, query.0.size).await?,
    ))
}
