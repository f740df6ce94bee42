//! Endpoints for automated tests of clients. They exist only in development mode, for clients on the same machine, and are
//! neither in the route list nor in the OpenAPI document.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::api_error::ApiError;
use crate::body::{Body, Input, bounded_list, non_null};
use crate::extract::{PathId, State};
use crate::response::{Created, Json};
use crate::views::invitations::ClaimAttemptView;
use crate::views::users::{RoleAssignmentView, UserView};
use svc_domain::id::{LibraryId, UserId};
use svc_identity::app::App;
use svc_identity::error::ServiceError;
use svc_library::dev::Dev;

/// The owner account; default: username `owner`, password `password`.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct FirstTimeSetupInput {
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = String, required = false))]
    username: Option<String>,
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = String, required = false))]
    password: Option<String>,
}

/// The account to create.
#[derive(Debug, Deserialize, ToSchema)]
pub struct CreateLocalUserInput {
    username: String,
    password: String,
    role: String,
}

/// A role, and the account to assign it to or to remove it from.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoleInput {
    user_id: String,
    role: String,
}

/// The library to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateLibraryInput {
    name: String,
    media_kind: String,
    #[serde(default, deserialize_with = "bounded_list")]
    paths: Vec<String>,
}

impl Input for FirstTimeSetupInput {}
impl Input for CreateLocalUserInput {}
impl Input for RoleInput {}
impl Input for CreateLibraryInput {}

fn dev(state: &State) -> Result<&Dev, ApiError> {
    let dev = state.dev.as_ref();
    Ok(dev.ok_or(ServiceError::NotFound)?)
}

fn user_id(text: &str) -> Result<UserId, ApiError> {
    Ok(text
        .parse()
        .map_err(|_| ServiceError::invalid("userId", "must be the id of a user"))?)
}

/// Get a setting
#[endpoint]
pub async fn get_setting(
    state: State,
    app: PathId<String>,
    key: PathId<String>,
) -> Result<Json<Value>, ApiError> {
    let app = App::from_name(&app.0).ok_or(ServiceError::NotFound)?;
    Ok(Json(dev(&state)?.setting(app, &key.0).await?))
}

/// Get the last attempt to use an invitation since the start of the server; `null` before the first one
#[endpoint]
pub async fn get_last_claim_attempt(state: State) -> Result<Json<Option<ClaimAttemptView>>, ApiError> {
    let attempt = dev(&state)?.claims.last_attempt();
    Ok(Json(attempt.map(ClaimAttemptView::from)))
}

/// Get an option of the server by its name in the TOML file
#[endpoint]
pub async fn get_option(state: State, name: PathId<String>) -> Result<Json<Value>, ApiError> {
    Ok(Json(dev(&state)?.option(&name.0)?))
}

/// Reset the server to factory state
#[endpoint]
pub async fn factory_reset(state: State) -> Result<Created<bool>, ApiError> {
    dev(&state)?.reset.factory_reset_unattended().await?;
    Ok(Created(true))
}

/// Set up the server; returns the credentials of the owner
#[endpoint]
pub async fn first_time_setup(
    state: State,
    body: Body<FirstTimeSetupInput>,
) -> Result<Created<Value>, ApiError> {
    let FirstTimeSetupInput { username, password } = body.0;
    let (username, password) = dev(&state)?.first_time_setup(username, password).await?;
    Ok(Created(json!({ "username": username, "password": password })))
}

/// Create an account
#[endpoint]
pub async fn create_local_user(
    state: State,
    body: Body<CreateLocalUserInput>,
) -> Result<Created<UserView>, ApiError> {
    let CreateLocalUserInput {
        username,
        password,
        role,
    } = body.0;
    let account = dev(&state)?.create_user(&username, password, &role).await?;
    Ok(Created(UserView::with_roles(account)))
}

/// Delete an account
#[endpoint]
pub async fn delete_user(state: State, user_id: PathId<UserId>) -> Result<Json<bool>, ApiError> {
    Ok(Json(dev(&state)?.delete_user(user_id.0).await?))
}

/// Assign a role to an account
#[endpoint]
pub async fn grant_role(
    state: State,
    body: Body<RoleInput>,
) -> Result<Created<RoleAssignmentView>, ApiError> {
    let user = user_id(&body.0.user_id)?;
    let assignment = dev(&state)?.grant_role(user, &body.0.role).await?;
    Ok(Created(assignment.into()))
}

/// Remove a role from an account
#[endpoint]
pub async fn revoke_role(state: State, body: Body<RoleInput>) -> Result<Created<bool>, ApiError> {
    let user = user_id(&body.0.user_id)?;
    Ok(Created(dev(&state)?.revoke_role(user, &body.0.role).await?))
}

/// Create a library
#[endpoint]
pub async fn create_library(
    state: State,
    body: Body<CreateLibraryInput>,
) -> Result<Created<Value>, ApiError> {
    let CreateLibraryInput {
        name,
        media_kind,
        paths,
    } = body.0;
    let id = dev(&state)?.create_library(name, media_kind, paths).await?;
    Ok(Created(json!({ "libraryId": id })))
}

/// Delete a library
#[endpoint]
pub async fn delete_library(state: State, library_id: PathId<LibraryId>) -> Result<Json<bool>, ApiError> {
    Ok(Json(dev(&state)?.delete_library(library_id.0).await?))
}
