//! Albums of photos.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::extract::{Body, Caller, Input, PathId, State, not_null, short_list};
use crate::pagination;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Created, Json, Page};
use crate::routes::users::present;
use crate::views::photo_albums::{PhotoAlbumView, PhotoResultView};
use svc_domain::id::PhotoAlbumId;
use svc_domain::list::{Order, Pagination};
use svc_identity::error::ServiceError;
use svc_library::photo_albums::{AlbumInput, AlbumOrder};

const ORDERS: &[(&str, AlbumOrder, Order)] = &[
    ("name", AlbumOrder::Name, Order::Ascending),
    ("createdAt", AlbumOrder::CreatedAt, Order::Descending),
    ("modifiedAt", AlbumOrder::ModifiedAt, Order::Descending),
];

/// The album to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatePhotoAlbumInput {
    /// 1 to 100 characters; several albums may have the same.
    name: String,
    /// Up to 2,000 characters.
    description: Option<String>,
    /// `private`, if not said, or `everyone`: whoever may look at albums sees it.
    #[serde(default, deserialize_with = "not_null")]
    #[salvo(schema(value_type = String, required = false))]
    visibility: Option<String>,
    /// Up to 200 accounts that see it.
    #[serde(default, deserialize_with = "short_list")]
    shared_with: Vec<String>,
}

impl Input for CreatePhotoAlbumInput {}

/// What is to be changed of an album.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdatePhotoAlbumInput {
    /// 1 to 100 characters.
    #[serde(default, deserialize_with = "not_null")]
    #[salvo(schema(value_type = String, required = false))]
    name: Option<String>,
    /// Up to 2,000 characters; `null` for none.
    #[serde(default, deserialize_with = "present")]
    #[salvo(schema(value_type = Option<String>))]
    description: Option<Option<String>>,
    /// `private` or `everyone`.
    #[serde(default, deserialize_with = "not_null")]
    #[salvo(schema(value_type = String, required = false))]
    visibility: Option<String>,
    /// All accounts that see it, up to 200.
    #[serde(default, deserialize_with = "not_null")]
    #[salvo(schema(value_type = Vec<String>, required = false))]
    shared_with: Option<Vec<String>>,
    /// The photo that stands for it, one of its own; `null` for the first.
    #[serde(default, deserialize_with = "present")]
    #[salvo(schema(value_type = Option<String>))]
    cover_photo_id: Option<Option<String>>,
}

impl Input for UpdatePhotoAlbumInput {}

/// Photos to be put in or taken out.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlbumPhotosInput {
    /// Up to 1,000.
    #[serde(deserialize_with = "short_list")]
    photo_ids: Vec<String>,
}

impl Input for AlbumPhotosInput {}

/// Which part of the list.
#[derive(Debug)]
pub struct PhotoAlbumsQuery {
    by: AlbumOrder,
    order: Order,
    page: Pagination,
}

impl FromQuery for PhotoAlbumsQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let (by, order) =
            pagination::ordering(params, ORDERS).unwrap_or((AlbumOrder::Name, Order::Ascending));
        Self {
            by,
            order,
            page: pagination::page(params),
        }
    }
}

fn everyone(visibility: Option<&str>) -> Result<Option<bool>, ServiceError> {
    match visibility {
        None => Ok(None),
        Some("private") => Ok(Some(false)),
        Some("everyone") => Ok(Some(true)),
        Some(_) => Err(ServiceError::invalid("visibility", "must be private or everyone")),
    }
}

/// The albums that the caller sees
///
/// Their own, those shared with them, and those for everyone. Of each, they see the photos that their libraries let
/// them see.
#[endpoint]
pub async fn list_photo_albums(
    state: State,
    caller: Caller,
    query: Query<PhotoAlbumsQuery>,
) -> Result<Json<Page<PhotoAlbumView>>, ApiError> {
    let PhotoAlbumsQuery { by, order, page } = query.0;
    let albums = state.photo_albums.list(&caller, by, order, page).await?;
    let user = caller.user.id;
    Ok(Json(Page::new(albums, |album| PhotoAlbumView::new(album, user))))
}

/// An album
///
/// Its photos are listed by `GET /photos?albumId=`.
#[endpoint]
pub async fn get_photo_album(
    state: State,
    caller: Caller,
    photo_album_id: PathId<PhotoAlbumId>,
) -> Result<Json<PhotoAlbumView>, ApiError> {
    let album = state.photo_albums.get(&caller, photo_album_id.0).await?;
    Ok(Json(PhotoAlbumView::new(album, caller.user.id)))
}

/// Makes an album, which is the caller's
#[endpoint(responses(
    (status_code = 404, description = "There is nothing of what the body names"),
    (status_code = 409, description = "The caller has as many albums as one may have")
))]
pub async fn create_photo_album(
    state: State,
    caller: Caller,
    body: Body<CreatePhotoAlbumInput>,
) -> Result<Created<PhotoAlbumView>, ApiError> {
    let CreatePhotoAlbumInput {
        name,
        description,
        visibility,
        shared_with,
    } = body.0;
    let input = AlbumInput {
        name: Some(name),
        description: Some(description),
        everyone: everyone(visibility.as_deref())?,
        shared_with: Some(shared_with),
        cover: None,
    };
    let album = state.photo_albums.create(&caller, input).await?;
    Ok(Created(PhotoAlbumView::new(album, caller.user.id)))
}

/// Changes an album of the caller's
#[endpoint]
pub async fn update_photo_album(
    state: State,
    caller: Caller,
    body: Body<UpdatePhotoAlbumInput>,
    photo_album_id: PathId<PhotoAlbumId>,
) -> Result<Json<PhotoAlbumView>, ApiError> {
    let input = AlbumInput {
        name: body.0.name,
        description: body.0.description,
        everyone: everyone(body.0.visibility.as_deref())?,
        shared_with: body.0.shared_with,
        cover: body.0.cover_photo_id,
    };
    let album = state
        .photo_albums
        .update(&caller, photo_album_id.0, input)
        .await?;
    Ok(Json(PhotoAlbumView::new(album, caller.user.id)))
}

/// Deletes an album of the caller's; its photos stay
#[endpoint]
pub async fn delete_photo_album(
    state: State,
    caller: Caller,
    photo_album_id: PathId<PhotoAlbumId>,
) -> Result<Json<bool>, ApiError> {
    state.photo_albums.delete(&caller, photo_album_id.0).await?;
    Ok(Json(true))
}

/// Puts photos at the end of an album of the caller's
///
/// What became of each is told one by one, each once; those that are in the album already stay where they are. An
/// album holds 10,000 photos.
#[endpoint]
pub async fn add_photos_to_album(
    state: State,
    caller: Caller,
    body: Body<AlbumPhotosInput>,
    photo_album_id: PathId<PhotoAlbumId>,
) -> Result<Created<Vec<PhotoResultView>>, ApiError> {
    let photos = body.0.photo_ids;
    let results = state.photo_albums.add(&caller, photo_album_id.0, &photos).await?;
    Ok(Created(results.into_iter().map(PhotoResultView::from).collect()))
}

/// Takes photos out of an album of the caller's
///
/// What became of each is told one by one, each once.
#[endpoint]
pub async fn remove_photos_from_album(
    state: State,
    caller: Caller,
    body: Body<AlbumPhotosInput>,
    photo_album_id: PathId<PhotoAlbumId>,
) -> Result<Json<Vec<PhotoResultView>>, ApiError> {
    let photos = body.0.photo_ids;
    let results = state
        .photo_albums
        .remove(&caller, photo_album_id.0, &photos)
        .await?;
    Ok(Json(results.into_iter().map(PhotoResultView::from).collect()))
}
