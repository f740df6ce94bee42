//! Libraries and their access grants.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::body::{Body, Input, bounded_list, non_null};
use crate::extract::{Authenticated, Caller, PathId, State};
use crate::list_query::{ListOrder, OrderChoices, OrderedPage};
use crate::query::Query;
use crate::response::{Created, Json, Page};
use crate::views::libraries::LibraryView;
use svc_domain::id::LibraryId;
use svc_domain::list::Order;
use svc_library::libraries::{LibraryOrder, LibraryPatch, NewGrant, NewLibrary};

impl ListOrder for LibraryOrder {
    const CHOICES: OrderChoices<Self> = OrderChoices {
        default: ("name", Self::Name, Order::Ascending),
        others: &[("createdAt", Self::CreatedAt, Order::Descending)],
    };
}

/// A grant of access: to an account or to a role.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LibraryGrantInput {
    /// Id of the account.
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = String, required = false))]
    user_id: Option<String>,
    /// Name of the role.
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = String, required = false))]
    role: Option<String>,
}

/// The library to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateLibraryInput {
    /// 1 to 100 characters; unique among the libraries of the media kind.
    name: String,
    /// `music`, `photos`, `movies`, `tv`, or a media kind of a plugin.
    media_kind: String,
    /// Up to 200 directories, relative to each root directory of the media kind. Empty: all media of the kind.
    #[serde(default, deserialize_with = "bounded_list")]
    paths: Vec<String>,
    /// Up to 200 grants. Empty: all accounts have access.
    #[serde(default, deserialize_with = "bounded_list")]
    grants: Vec<LibraryGrantInput>,
}

impl Input for CreateLibraryInput {}

/// The changes to a library. Absent fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateLibraryInput {
    /// 1 to 100 characters; unique among the libraries of the media kind.
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = String, required = false))]
    name: Option<String>,
    /// The new list of up to 200 directories. Empty: all media of the kind.
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = Vec<String>, required = false))]
    paths: Option<Vec<String>>,
    /// The new list of up to 200 grants. Empty: all accounts have access.
    #[serde(default, deserialize_with = "non_null")]
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

/// List the libraries that the caller has access to
///
/// With the capability `Libraries.Update`: all libraries, with their grants.
#[endpoint]
pub async fn list_libraries(
    state: State,
    caller: Caller,
    query: Query<OrderedPage<LibraryOrder>>,
) -> Result<Json<Page<LibraryView>>, ApiError> {
    let OrderedPage { by, order, page } = query.0;
    let libraries = state.libraries.list(&caller, by, order, page).await?;
    Ok(libraries.into())
}

/// Get a library
#[endpoint]
pub async fn get_library(
    state: State,
    caller: Caller,
    library_id: PathId<LibraryId>,
) -> Result<Json<LibraryView>, ApiError> {
    Ok(Json(state.libraries.get(&caller, library_id.0).await?.into()))
}

/// Create a library
///
/// Only the owner and the accounts with a grant have access to the media of a library with grants. Accounts with access to
/// another library that contains the same media have access to those media, too.
#[endpoint(responses(
    (status_code = 404, description = "A resource named in the body does not exist"),
    (status_code = 409, description = "A library of the media kind has this name already")
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

/// Update a library
///
/// Changes of access apply from the next request on.
#[endpoint(responses((status_code = 409, description = "A library of the media kind has this name already")))]
pub async fn update_library(
    state: State,
    by: Authenticated,
    body: Body<UpdateLibraryInput>,
    library_id: PathId<LibraryId>,
) -> Result<Json<LibraryView>, ApiError> {
    let UpdateLibraryInput { name, paths, grants } = body.0;
    let grants = grants.map(|grants| grants.into_iter().map(NewGrant::from).collect());
    let patch = LibraryPatch { name, paths, grants };
    let library = state.libraries.update(by.0, library_id.0, patch).await?;
    Ok(Json(library.into()))
}

/// Delete a library
///
/// Its media stay in the index.
#[endpoint]
pub async fn delete_library(
    state: State,
    by: Authenticated,
    library_id: PathId<LibraryId>,
) -> Result<Json<bool>, ApiError> {
    state.libraries.delete(Some(by.0), library_id.0).await?;
    Ok(Json(true))
}
