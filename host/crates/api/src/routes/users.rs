//! Accounts: list, create, read and change, the caller's own included.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::Deserialize;

use crate::api_error::ApiError;
use crate::body::{Body, Input, non_null, nullable};
use crate::extract::{Authenticated, CloudToken, PathId, State};
use crate::list_query;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Created, Json, Page};
use crate::views::users::{CurrentUserView, PublicUserView, UserView};
use svc_domain::id::UserId;
use svc_domain::list::{Order, Pagination};
use svc_identity::AuthContext;
use svc_identity::accounts::{CreateUser, UpdateUser};

/// The account to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateUserInput {
    /// 1 to 64 visible characters.
    username: String,
    /// 8 to 256 bytes.
    password: String,
    /// Name to show in place of the username.
    display_name: Option<String>,
    /// Role of the account; default: `newcomer`.
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = String, required = false))]
    role: Option<String>,
}

impl Input for CreateUserInput {}

/// The changes to an account. Absent fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateUserInput {
    /// 1 to 64 visible characters.
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = String, required = false))]
    username: Option<String>,
    /// Name to show in place of the username; `null` removes it.
    #[serde(default, deserialize_with = "nullable")]
    #[salvo(schema(value_type = Option<String>))]
    display_name: Option<Option<String>>,
    /// Whether the account can sign in.
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = bool, required = false))]
    enabled: Option<bool>,
    /// 8 to 256 bytes. A new password ends the other sessions of the account.
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = String, required = false))]
    password: Option<String>,
    /// The current password of the account. The request fails if it is wrong. Without it, the caller's own password changes
    /// after a recent sign-in only.
    #[serde(default, deserialize_with = "non_null")]
    #[salvo(schema(value_type = String, required = false))]
    current_password: Option<String>,
}

impl Input for UpdateUserInput {}

impl From<UpdateUserInput> for UpdateUser {
    fn from(input: UpdateUserInput) -> Self {
        Self {
            username: input.username,
            display_name: input.display_name,
            enabled: input.enabled,
            password: input.password,
            current_password: input.current_password,
        }
    }
}

/// The query of `GET /users`.
#[derive(Debug)]
pub struct UsersQuery {
    page: Pagination,
    order: Order,
    roles: bool,
}

impl FromQuery for UsersQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            page: list_query::page(params),
            order: list_query::sort_by(params, "createdAt", Order::Descending),
            roles: params
                .boolean(
                    "roles",
                    "`true`: include the roles of each account; default: `false`.",
                )
                .unwrap_or(false),
        }
    }
}

/// List accounts for a sign-in page
///
/// Empty if the setting `public_user_list` is off. Includes the guest account if the setting `guest_access` is on.
#[endpoint]
pub async fn list_public_users(state: State) -> Result<Json<Vec<PublicUserView>>, ApiError> {
    if !state.settings.public_user_list() {
        return Ok(Json(Vec::new()));
    }
    let users = state.accounts.enabled().await?;
    Ok(Json(PublicUserView::list(users, state.settings.guest_access())))
}

/// Get the caller's own account
///
/// With a cloud token, `cloudUser` is the account of that token, unless the token is invalid or the cloud does not answer within
/// three seconds. A personal access token never asks the cloud.
#[endpoint]
pub async fn get_current_user(
    state: State,
    by: Authenticated,
    cloud_token: CloudToken,
) -> Json<CurrentUserView> {
    let AuthContext { actor, client } = by.0;
    let token = cloud_token.0.as_deref();
    let cloud_user = state.cloud_links.presented(&actor, token, &client).await;
    Json(CurrentUserView::new(&actor, cloud_user))
}

/// Update the caller's own account
///
/// A new password requires the current one, or a sign-in within the last five minutes; a refresh does not count.
#[endpoint(responses(
    (status_code = 409, description = "An account with this name already exists"),
    (status_code = 429, description = "Too many wrong passwords")
))]
pub async fn update_current_user(
    state: State,
    by: Authenticated,
    body: Body<UpdateUserInput>,
) -> Result<Json<UserView>, ApiError> {
    let id = by.0.actor.user.id;
    let account = state.accounts.update(by.0, id, body.0.into()).await?;
    Ok(Json(UserView::with_roles(account)))
}

/// Get the owner of the server; `null` before setup
#[endpoint]
pub async fn get_owner(state: State) -> Result<Json<Option<UserView>>, ApiError> {
    let owner = state.accounts.owner().await?;
    Ok(Json(owner.map(UserView::with_roles)))
}

/// List the accounts that were active within the last 15 minutes
#[endpoint]
pub async fn list_active_users(state: State) -> Result<Json<Vec<UserView>>, ApiError> {
    Ok(state.accounts.active().await?.into())
}

/// List accounts
#[endpoint]
pub async fn list_users(state: State, query: Query<UsersQuery>) -> Result<Json<Page<UserView>>, ApiError> {
    let UsersQuery { page, order, roles } = query.0;
    let listing = state.accounts.list(page, order).await?;
    let view = |account| UserView::new(account, roles);
    Ok(Json(Page::new(listing, view)))
}

/// Create an account
#[endpoint(responses(
    (status_code = 404, description = "A resource named in the body does not exist"),
    (status_code = 409, description = "An account with this name already exists, or no seat is free")
))]
pub async fn create_user(
    state: State,
    by: Authenticated,
    body: Body<CreateUserInput>,
) -> Result<Created<UserView>, ApiError> {
    let CreateUserInput {
        username,
        password,
        display_name,
        role,
    } = body.0;
    let request = CreateUser {
        username,
        password,
        display_name,
        role,
    };
    let account = state.accounts.create(by.0, request).await?;
    Ok(Created(UserView::with_roles(account)))
}

/// Get an account
#[endpoint]
pub async fn get_user(state: State, id: PathId<UserId>) -> Result<Json<UserView>, ApiError> {
    Ok(Json(UserView::with_roles(state.accounts.get(id.0).await?)))
}

/// Update an account
#[endpoint(responses(
    (status_code = 409, description = "An account with this name already exists, or no seat is free"),
    (status_code = 429, description = "Too many wrong passwords")
))]
pub async fn update_user(
    state: State,
    by: Authenticated,
    body: Body<UpdateUserInput>,
    id: PathId<UserId>,
) -> Result<Json<UserView>, ApiError> {
    let account = state.accounts.update(by.0, id.0, body.0.into()).await?;
    Ok(Json(UserView::with_roles(account)))
}
