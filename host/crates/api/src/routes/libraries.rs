//! Libraries and who is let into them.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::extract::{Authenticated, Body, Caller, Input, PathId, State, not_null, short_list};
use crate::pagination;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Created, Json, Page};
use crate::views::libraries::LibraryView;
use svc_domain::id::LibraryId;
use svc_domain::list::{Order, Pagination};
use svc_library::libraries::{LibraryOrder, LibraryPatch, NewGrant, NewLibrary};

const ORDERS: &[(&str, LibraryOrder, Order)] = &[
    ("name", LibraryOrder::Name, Order::Ascending),
    ("createdAt", LibraryOrder::CreatedAt, Order::Descending),
];

/// Who is let in: an account or a role.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LibraryGrantInput {
    /// This account.
    #[serde(default, deserialize_with = "not_null")]
    #[salvo(schema(value_type = String, required = false))]
    user_id: Option<String>,
    /// Whoever has this role.
    #[serde(default, deserialize_with = "not_null")]
    #[salvo(schema(value_type = String, required = false))]
    role: Option<String>,
}

/// The library to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateLibraryInput {
    /// 1 to 100 characters; no other library's of the kind.
    name: String,
    /// `music`, `photos`, `movies`, `tv`, or a plugin's kind.
    media_kind: String,
    /// Up to 200 folders below every root directory of the kind; without any it is all of the kind.
    #[serde(default, deserialize_with = "short_list")]
    paths: Vec<String>,
    /// Up to 200 who are let in; without any it is open to all.
    #[serde(default, deserialize_with = "short_list")]
    grants: Vec<LibraryGrantInput>,
}

impl Input for CreateLibraryInput {}

/// What is to be changed of a library.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateLibraryInput {
    /// 1 to 100 characters; no other library's of the kind.
    #[serde(default, deserialize_with = "not_null")]
    #[salvo(schema(value_type = String, required = false))]
    name: Option<String>,
    /// All its folders, up to 200; an empty list is all of the kind.
    #[serde(default, deserialize_with = "not_null")]
    #[salvo(schema(value_type = Vec<String>, required = false))]
    paths: Option<Vec<String>>,
    /// All who are let in, up to 200; an empty list opens the library to all.
    #[serde(default, deserialize_with = "not_null")]
    #[salvo(schema(value_type = Vec<LibraryGrantInput>, required = false))]
    grants: Option<Vec<LibraryGrantInput>>,
}

impl Input for UpdateLibraryInput {}

impl From<LibraryGrantInput> for NewGrant {
    fn from(input: LibraryGrantInput) -> Self {
        Self {
            user: input.user_id,
            role: input.role,
        }
    }
}

/// Which part of the list.
#[derive(Debug)]
pub struct LibrariesQuery {
    by: LibraryOrder,
    order: Order,
    page: Pagination,
}

impl FromQuery for LibrariesQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let (by, order) =
            pagination::ordering(params, ORDERS).unwrap_or((LibraryOrder::Name, Order::Ascending));
        Self {
            by,
            order,
            page: pagination::page(params),
        }
    }
}

/// The libraries that the caller is let into
///
/// Callers with `Libraries.Update` are told of all, and of who is let in.
#[endpoint]
pub async fn list_libraries(
    state: State,
    caller: Caller,
    query: Query<LibrariesQuery>,
) -> Result<Json<Page<LibraryView>>, ApiError> {
    let LibrariesQuery { by, order, page } = query.0;
    let libraries = state.libraries.list(&caller, by, order, page).await?;
    Ok(Json(Page::new(libraries, LibraryView::from)))
}

/// A library
#[endpoint]
pub async fn get_library(
    state: State,
    caller: Caller,
    library_id: PathId<LibraryId>,
) -> Result<Json<LibraryView>, ApiError> {
    Ok(Json(state.libraries.get(&caller, library_id.0).await?.into()))
}

/// Makes a library
///
/// With grants, its media are there for those alone who are granted it, and for the owner; media that lie in another
/// library as well are also there for whom that one lets in.
#[endpoint(responses(
    (status_code = 404, description = "There is nothing of what the body names"),
    (status_code = 409, description = "There is a library of this name for the media kind")
))]
pub async fn create_library(
    state: State,
    by: Authenticated,
    body: Body<CreateLibraryInput>,
) -> Result<Created<LibraryView>, ApiError> {
    let CreateLibraryInput {
        name,
        media_kind,
        paths,
        grants,
    } = body.0;
    let new = NewLibrary {
        name,
        kind: media_kind,
        paths,
        grants: grants.into_iter().map(NewGrant::from).collect(),
    };
    Ok(Created(state.libraries.create(Some(by.0), new).await?.into()))
}

/// Changes a library, from the next request on
#[endpoint(responses((status_code = 409, description = "There is a library of this name for the media kind")))]
pub async fn update_library(
    state: State,
    by: Authenticated,
    body: Body<UpdateLibraryInput>,
    library_id: PathId<LibraryId>,
) -> Result<Json<LibraryView>, ApiError> {
    let UpdateLibraryInput { name, paths, grants } = body.0;
    let grants = grants.map(|grants| grants.into_iter().map(NewGrant::from).collect());
    let patch = LibraryPatch { name, paths, grants };
    let changed = state.libraries.update(by.0, library_id.0, patch).await?;
    Ok(Json(changed.into()))
}

/// Deletes a library; its media stay
#[endpoint]
pub async fn delete_library(
    state: State,
    by: Authenticated,
    library_id: PathId<LibraryId>,
) -> Result<Json<bool>, ApiError> {
    state.libraries.delete(Some(by.0), library_id.0).await?;
    Ok(Json(true))
}
