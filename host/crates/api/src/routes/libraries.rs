//! Libraries and who is let into them.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::answer::{Answer, Created, ListView};
use crate::extract::{Body, By, Caller, Input, PathId, State, not_null, short_list};
use crate::pagination;
use crate::problem::Problem;
use crate::query::{FromQuery, Query, QueryReader};
use crate::views::libraries::LibraryView;
use svc_domain::id::LibraryId;
use svc_domain::list::{Order, Page};
use svc_library::libraries::{LibraryOrder, LibraryPatch, NewGrant, NewLibrary};

const ORDERS: &[(&str, LibraryOrder, Order)] = &[
    ("name", LibraryOrder::Name, Order::Ascending),
    ("createdAt", LibraryOrder::CreatedAt, Order::Descending),
];

/// Who is let in: an account or a role.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GrantInput {
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
    grants: Vec<GrantInput>,
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
    #[salvo(schema(value_type = Vec<GrantInput>, required = false))]
    grants: Option<Vec<GrantInput>>,
}

impl Input for UpdateLibraryInput {}

impl From<GrantInput> for NewGrant {
    fn from(input: GrantInput) -> Self {
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
    page: Page,
}

impl FromQuery for LibrariesQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        let (by, order) =
            pagination::ordering(reader, ORDERS).unwrap_or((LibraryOrder::Name, Order::Ascending));
        Self {
            by,
            order,
            page: pagination::page(reader),
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
) -> Result<Answer<ListView<LibraryView>>, Problem> {
    let LibrariesQuery { by, order, page } = query.0;
    let libraries = state.libraries.list(&caller, by, order, page).await?;
    Ok(Answer(ListView::new(libraries, LibraryView::from)))
}

/// A library
#[endpoint]
pub async fn show_library(
    state: State,
    caller: Caller,
    library_id: PathId<LibraryId>,
) -> Result<Answer<LibraryView>, Problem> {
    Ok(Answer(state.libraries.get(&caller, library_id.0).await?.into()))
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
    by: By,
    body: Body<CreateLibraryInput>,
) -> Result<Created<LibraryView>, Problem> {
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
    by: By,
    body: Body<UpdateLibraryInput>,
    library_id: PathId<LibraryId>,
) -> Result<Answer<LibraryView>, Problem> {
    let UpdateLibraryInput { name, paths, grants } = body.0;
    let grants = grants.map(|grants| grants.into_iter().map(NewGrant::from).collect());
    let patch = LibraryPatch { name, paths, grants };
    let changed = state.libraries.update(by.0, library_id.0, patch).await?;
    Ok(Answer(changed.into()))
}

/// Deletes a library; its media stay
#[endpoint]
pub async fn delete_library(
    state: State,
    by: By,
    library_id: PathId<LibraryId>,
) -> Result<Answer<bool>, Problem> {
    state.libraries.delete(Some(by.0), library_id.0).await?;
    Ok(Answer(true))
}
