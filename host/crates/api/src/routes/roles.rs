//! Roles and their assignments.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::body::{Body, Input, bounded_list};
use crate::extract::{Authenticated, PathId, State};
use crate::list_query;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Created, Json};
use crate::views::users::{RoleAssignmentView, RoleView};
use svc_domain::id::UserId;
use svc_domain::list::{Order, Pagination};

/// The role to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateRoleInput {
    /// 1 to 64 of the characters `a-z`, `0-9`, `_` and `-`; the first is a letter.
    name: String,
    /// The capabilities of the role.
    #[serde(deserialize_with = "bounded_list")]
    capabilities: Vec<String>,
}

impl Input for CreateRoleInput {}

/// The changes to a role.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateRoleInput {
    /// The new list of capabilities.
    #[serde(deserialize_with = "bounded_list")]
    capabilities: Vec<String>,
}

impl Input for UpdateRoleInput {}

/// The accounts to assign a role to.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssignRoleInput {
    /// Ids of 1 to 200 accounts.
    #[serde(alias = "users", deserialize_with = "bounded_list")]
    user_ids: Vec<String>,
}

impl Input for AssignRoleInput {}

/// The query of `GET /roles/assignments`.
#[derive(Debug)]
pub struct AssignmentsQuery {
    user: Option<UserId>,
    page: Pagination,
    order: Order,
}

impl FromQuery for AssignmentsQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            user: params.parsed("userId", "Only assignments of this account.", "the id of a user"),
            page: list_query::page(params),
            order: list_query::sort_by(params, "name", Order::Ascending),
        }
    }
}

/// The accounts to remove a role from.
#[derive(Debug)]
pub struct UnassignQuery {
    user_ids: Vec<String>,
}

impl FromQuery for UnassignQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            user_ids: params.texts("userIds", "Ids of 1 to 200 accounts."),
        }
    }
}

/// List roles
#[endpoint]
pub async fn list_roles(state: State) -> Result<Json<Vec<RoleView>>, ApiError> {
    Ok(state.roles.list().await?.into())
}

/// Create a role
#[endpoint(responses((status_code = 409, description = "A role with this name already exists")))]
pub async fn create_role(
    state: State,
    by: Authenticated,
    body: Body<CreateRoleInput>,
) -> Result<Created<RoleView>, ApiError> {
    let CreateRoleInput { name, capabilities } = body.0;
    let role = state.roles.create(by.0, &name, &capabilities).await?;
    Ok(Created(role.into()))
}

/// Set the capabilities of a role
#[endpoint]
pub async fn update_role(
    state: State,
    by: Authenticated,
    body: Body<UpdateRoleInput>,
    role: PathId<String>,
) -> Result<Json<RoleView>, ApiError> {
    let capabilities = body.0.capabilities;
    let role = state.roles.update(by.0, role.0, &capabilities).await?;
    Ok(Json(role.into()))
}

/// Delete a role and all its assignments
#[endpoint]
pub async fn delete_role(
    state: State,
    by: Authenticated,
    role: PathId<String>,
) -> Result<Json<bool>, ApiError> {
    state.roles.delete(by.0, role.0).await?;
    Ok(Json(true))
}

/// List role assignments
#[endpoint]
pub async fn list_role_assignments(
    state: State,
    query: Query<AssignmentsQuery>,
) -> Result<Json<Vec<RoleAssignmentView>>, ApiError> {
    let AssignmentsQuery { user, page, order } = query.0;
    Ok(state.roles.assignments(user, page, order).await?.into())
}

/// Assign a role to accounts
///
/// Assigns it to all accounts or, if one cannot have it, to none.
#[endpoint]
pub async fn assign_role(
    state: State,
    by: Authenticated,
    body: Body<AssignRoleInput>,
    role: PathId<String>,
) -> Result<Created<Vec<RoleAssignmentView>>, ApiError> {
    let (roles, users) = (&state.roles, body.0.user_ids);
    Ok(roles.assign(by.0, role.0, &users).await?.into())
}

/// Remove a role from accounts
///
/// Removes it from all accounts or, on an error, from none. Returns the removed assignments.
#[endpoint]
pub async fn unassign_role(
    state: State,
    by: Authenticated,
    query: Query<UnassignQuery>,
    role: PathId<String>,
) -> Result<Json<Vec<RoleAssignmentView>>, ApiError> {
    let (roles, users) = (&state.roles, query.0.user_ids);
    Ok(roles.unassign(by.0, role.0, &users).await?.into())
}
