//! Roles and who has them.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::extract::{Authenticated, Body, Input, PathId, State, short_list};
use crate::pagination;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Created, Json};
use crate::views::users::{RoleAssignmentView, RoleView};
use svc_domain::id::UserId;
use svc_domain::list::{Order, Pagination};

/// A role to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateRoleInput {
    /// 1 to 64 of `a-z`, `0-9`, `_` and `-`, beginning with a letter.
    name: String,
    /// What it allows.
    #[serde(deserialize_with = "short_list")]
    capabilities: Vec<String>,
}

impl Input for CreateRoleInput {}

/// What a role is to allow.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateRoleInput {
    /// All that it is to allow.
    #[serde(deserialize_with = "short_list")]
    capabilities: Vec<String>,
}

impl Input for UpdateRoleInput {}

/// Accounts that are given a role.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssignRoleInput {
    /// 1 to 200 accounts.
    #[serde(alias = "users", deserialize_with = "short_list")]
    user_ids: Vec<String>,
}

impl Input for AssignRoleInput {}

/// Which assignments.
#[derive(Debug)]
pub struct AssignmentsQuery {
    user: Option<UserId>,
    page: Pagination,
    order: Order,
}

impl FromQuery for AssignmentsQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            user: params.parsed("userId", "Of this account alone.", "the id of a user"),
            page: pagination::page(params),
            order: pagination::sort(params, "name", Order::Ascending),
        }
    }
}

/// Accounts that lose a role.
#[derive(Debug)]
pub struct UnassignQuery {
    user_ids: Vec<String>,
}

impl FromQuery for UnassignQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            user_ids: params.texts("userIds", "1 to 200 accounts."),
        }
    }
}

/// All roles
#[endpoint]
pub async fn list_roles(state: State) -> Result<Json<Vec<RoleView>>, ApiError> {
    let roles = state.roles.list().await?;
    Ok(Json(roles.into_iter().map(RoleView::from).collect()))
}

/// Makes a role
#[endpoint(responses((status_code = 409, description = "There is a role of this name")))]
pub async fn create_role(
    state: State,
    by: Authenticated,
    body: Body<CreateRoleInput>,
) -> Result<Created<RoleView>, ApiError> {
    let CreateRoleInput { name, capabilities } = body.0;
    Ok(Created(
        state.roles.create(by.0, &name, &capabilities).await?.into(),
    ))
}

/// Sets what a role allows, for all who have it
#[endpoint]
pub async fn update_role(
    state: State,
    by: Authenticated,
    body: Body<UpdateRoleInput>,
    role: PathId<String>,
) -> Result<Json<RoleView>, ApiError> {
    let capabilities = body.0.capabilities;
    Ok(Json(
        state.roles.update(by.0, role.0, &capabilities).await?.into(),
    ))
}

/// Deletes a role, and takes it from all who have it
#[endpoint]
pub async fn delete_role(
    state: State,
    by: Authenticated,
    role: PathId<String>,
) -> Result<Json<bool>, ApiError> {
    state.roles.delete(by.0, role.0).await?;
    Ok(Json(true))
}

/// Who has which role
#[endpoint]
pub async fn list_role_assignments(
    state: State,
    query: Query<AssignmentsQuery>,
) -> Result<Json<Vec<RoleAssignmentView>>, ApiError> {
    let AssignmentsQuery { user, page, order } = query.0;
    let assignments = state.roles.assignments(user, page, order).await?;
    Ok(Json(
        assignments.into_iter().map(RoleAssignmentView::from).collect(),
    ))
}

/// Gives accounts a role, all or none of them
#[endpoint]
pub async fn assign_role(
    state: State,
    by: Authenticated,
    body: Body<AssignRoleInput>,
    role: PathId<String>,
) -> Result<Created<Vec<RoleAssignmentView>>, ApiError> {
    let made = state.roles.assign(by.0, role.0, &body.0.user_ids).await?;
    Ok(Created(made.into_iter().map(RoleAssignmentView::from).collect()))
}

/// Takes a role from accounts, all or none of them; tells what they had of it
#[endpoint]
pub async fn unassign_role(
    state: State,
    by: Authenticated,
    query: Query<UnassignQuery>,
    role: PathId<String>,
) -> Result<Json<Vec<RoleAssignmentView>>, ApiError> {
    let taken = state.roles.unassign(by.0, role.0, &query.0.user_ids).await?;
    Ok(Json(taken.into_iter().map(RoleAssignmentView::from).collect()))
}
