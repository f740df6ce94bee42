//! Photo albums: list, create, change, delete, add and remove photos.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::body::{Body, Input, bounded_list, non_null, nullable};
use crate::extract::{Caller, PathId, State};
use crate::list_query::{ListOrder, OrderChoices, OrderedPage};
use crate::query::Query;
use crate::response::{Created, Json, Page};
use crate::views::photo_albums::{PhotoAlbumView, PhotoResultView};
use svc_domain::id::PhotoAlbumId;
use svc_domain::list::Order;
use svc_library::photo_albums::{AlbumInput, AlbumOrder};

impl ListOrder for AlbumOrder {
    const CHOICES: OrderChoices<Self> = OrderChoices {
        default: ("name", Self::Name, Order::Ascending),
        others: &[
            ("createdAt", Self::CreatedAt, Order::Descending),
            ("modifiedAt", Self::ModifiedAt, Order::Descending),
        ],
    };
}

/// Who may read an album besides its owner and the accounts that it is shared with.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum VisibilityInput {
    Private,
    Everyone,
}

impl VisibilityInput {
    fn is_everyone(self) -> bool {
        matches!(self, Self::Everyone)
    }
}

/// The album to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreatePhotoAlbumInput {
    /// 1 to 100 characters; need not be unique.
    name: String,
    /// Up to 2,000 characters.
    description: Option<String>,
    /// `private`, the default, or `everyone`: readable by all accounts with the capability to read albums.
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = String, required = false))]
    visibility: Option<VisibilityInput>,
    /// Ids of up to 200 accounts that can read the album.
    #[serde(default, deserialize_with = "bounded_list")]
    shared_with: Vec<String>,
}

impl Input for CreatePhotoAlbumInput {}

/// The changes to an album. Absent fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdatePhotoAlbumInput {
    /// 1 to 100 characters.
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = String, required = false))]
    name: Option<String>,
    /// Up to 2,000 characters; `null` deletes the description.
    #[serde(default, deserialize_with = "nullable")]
    #[salvo(schema(value_type = Option<String>))]
    description: Option<Option<String>>,
    /// `private` or `everyone`.
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = String, required = false))]
    visibility: Option<VisibilityInput>,
    /// The new list of up to 200 ids of accounts that can read the album.
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = Vec<String>, required = false))]
    shared_with: Option<Vec<String>>,
    /// Id of the cover photo, which must be in the album; `null` for the first photo.
    #[serde(default, deserialize_with = "nullable")]
    #[salvo(schema(value_type = Option<String>))]
    cover_photo_id: Option<Option<String>>,
}

impl Input for UpdatePhotoAlbumInput {}

/// The photos to add or remove.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlbumPhotosInput {
    /// Up to 1,000 ids of photos.
    #[serde(deserialize_with = "bounded_list")]
    photo_ids: Vec<String>,
}

impl Input for AlbumPhotosInput {}

/// List the albums that the caller can read
///
/// The caller's own albums, those shared with the caller, and those for everyone. Counts and cover include only photos that
/// the caller has access to.
#[endpoint]
pub async fn list_photo_albums(
    state: State,
    caller: Caller,
    query: Query<OrderedPage<AlbumOrder>>,
) -> Result<Json<Page<PhotoAlbumView>>, ApiError> {
    let OrderedPage { by, order, page } = query.0;
    let albums = state.photo_albums.list(&caller, by, order, page).await?;
    let user = caller.user.id;
    Ok(Json(Page::new(albums, |album| PhotoAlbumView::new(album, user))))
}

/// Get an album
///
/// `GET /photos?albumId=` lists its photos.
#[endpoint]
pub async fn get_photo_album(
    state: State,
    caller: Caller,
    photo_album_id: PathId<PhotoAlbumId>,
) -> Result<Json<PhotoAlbumView>, ApiError> {
    let album = state.photo_albums.get(&caller, photo_album_id.0).await?;
    Ok(Json(PhotoAlbumView::new(album, caller.user.id)))
}

/// Create an album of the caller
#[endpoint(responses(
    (status_code = 404, description = "A resource named in the body does not exist"),
    (status_code = 409, description = "The caller has the maximum number of albums")
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
        everyone: visibility.map(VisibilityInput::is_everyone),
        shared_with: Some(shared_with),
        cover: None,
    };
    let album = state.photo_albums.create(&caller, input).await?;
    Ok(Created(PhotoAlbumView::new(album, caller.user.id)))
}

/// Update an album of the caller
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
        everyone: body.0.visibility.map(VisibilityInput::is_everyone),
        shared_with: body.0.shared_with,
        cover: body.0.cover_photo_id,
    };
    let (albums, id) = (&state.photo_albums, photo_album_id.0);
    let album = albums.update(&caller, id, input).await?;
    Ok(Json(PhotoAlbumView::new(album, caller.user.id)))
}

/// Delete an album of the caller
///
/// Its photos are not deleted.
#[endpoint]
pub async fn delete_photo_album(
    state: State,
    caller: Caller,
    photo_album_id: PathId<PhotoAlbumId>,
) -> Result<Json<bool>, ApiError> {
    state.photo_albums.delete(&caller, photo_album_id.0).await?;
    Ok(Json(true))
}

/// Add photos to the end of an album of the caller
///
/// Returns one result per photo. A photo that is already in the album keeps its position. An album holds at most 10,000
/// photos.
#[endpoint]
pub async fn add_photos_to_album(
    state: State,
    caller: Caller,
    body: Body<AlbumPhotosInput>,
    photo_album_id: PathId<PhotoAlbumId>,
) -> Result<Created<Vec<PhotoResultView>>, ApiError> {
    let (albums, photos) = (&state.photo_albums, body.0.photo_ids);
    let results = albums.add(&caller, photo_album_id.0, &photos).await?;
    Ok(results.into())
}

/// Remove photos from an album of the caller
///
/// Returns one result per photo.
#[endpoint]
pub async fn remove_photos_from_album(
    state: State,
    caller: Caller,
    body: Body<AlbumPhotosInput>,
    photo_album_id: PathId<PhotoAlbumId>,
) -> Result<Json<Vec<PhotoResultView>>, ApiError> {
    let (albums, photos) = (&state.photo_albums, body.0.photo_ids);
    let results = albums.remove(&caller, photo_album_id.0, &photos).await?;
    Ok(results.into())
}
