//! Accounts: the caller's own and others'.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::{Deserialize, Deserializer};

use crate::api_error::ApiError;
use crate::extract::{Authenticated, Body, Caller, CloudToken, Input, PathId, State, not_null};
use crate::pagination;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Created, Json, Page};
use crate::views::users::{CurrentUserView, PublicUserView, UserView};
use svc_domain::id::UserId;
use svc_domain::list::{Order, Pagination};
use svc_identity::accounts::{CreateUser, UpdateUser};

/// An account to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateUserInput {
    /// 1 to 64 characters, none of them invisible.
    username: String,
    /// 8 to 256 bytes.
    password: String,
    /// The name that is shown, if another.
    display_name: Option<String>,
    /// Its role; `newcomer` if left out.
    #[serde(default, deserialize_with = "not_null")]
    #[salvo(schema(value_type = String, required = false))]
    role: Option<String>,
}

impl Input for CreateUserInput {}

/// What is to be changed of an account.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UpdateUserInput {
    /// 1 to 64 characters, none of them invisible.
    #[serde(default, deserialize_with = "not_null")]
    #[salvo(schema(value_type = String, required = false))]
    username: Option<String>,
    /// The name that is shown; `null` for none.
    #[serde(default, deserialize_with = "present")]
    #[salvo(schema(value_type = Option<String>))]
    display_name: Option<Option<String>>,
    /// Whether it may sign in.
    #[serde(default, deserialize_with = "not_null")]
    #[salvo(schema(value_type = bool, required = false))]
    enabled: Option<bool>,
    /// 8 to 256 bytes. Setting it ends the account's other sessions.
    #[serde(default, deserialize_with = "not_null")]
    #[salvo(schema(value_type = String, required = false))]
    password: Option<String>,
    /// The password it had; must be right if given.
    #[serde(default, deserialize_with = "not_null")]
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

/// Tells `null` from absent: for a field that `null` empties.
pub fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Which accounts.
#[derive(Debug)]
pub struct UsersQuery {
    page: Pagination,
    order: Order,
    roles: bool,
}

impl FromQuery for UsersQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self {
            page: pagination::page(params),
            order: pagination::sort(params, "createdAt", Order::Descending),
            roles: params
                .boolean("roles", "Whether to tell the roles.")
                .unwrap_or(false),
        }
    }
}

/// Accounts for a login screen
///
/// Empty when the setting `public_user_list` is off. The guest is among them while guests are let in.
#[endpoint]
pub async fn list_public_users(state: State) -> Result<Json<Vec<PublicUserView>>, ApiError> {
    if !state.settings.public_user_list() {
        return Ok(Json(Vec::new()));
    }
    let guests = state.settings.guest_access();
    let users = state.accounts.enabled().await?.into_iter();
    let shown = users.filter(|user| guests || !user.is_guest);
    Ok(Json(shown.map(PublicUserView::from).collect()))
}

/// The caller
#[endpoint]
pub async fn get_current_user(caller: Caller, _cloud_token: CloudToken) -> Json<CurrentUserView> {
    Json(CurrentUserView::new(&caller))
}

/// Changes the caller's own account
#[endpoint(responses(
    (status_code = 409, description = "There is an account of this name"),
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

/// The owner of the server, or `null`
#[endpoint]
pub async fn get_owner(state: State) -> Result<Json<Option<UserView>>, ApiError> {
    let owner = state.accounts.owner().await?;
    Ok(Json(owner.map(UserView::with_roles)))
}

/// Accounts that were used within the last fifteen minutes
#[endpoint]
pub async fn list_active_users(state: State) -> Result<Json<Vec<UserView>>, ApiError> {
    let users = state.accounts.active().await?;
    Ok(Json(users.into_iter().map(UserView::from).collect()))
}

/// Accounts
#[endpoint]
pub async fn list_users(state: State, query: Query<UsersQuery>) -> Result<Json<Page<UserView>>, ApiError> {
    let UsersQuery { page, order, roles } = query.0;
    let listing = state.accounts.list(page, order).await?;
    Ok(Json(Page::new(listing, |account| {
        if roles {
            UserView::with_roles(account)
        } else {
            account.user.into()
        }
    })))
}

/// Makes an account
#[endpoint(responses(
    (status_code = 404, description = "There is nothing of what the body names"),
    (status_code = 409, description = "There is an account of this name")
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

/// An account
#[endpoint]
pub async fn get_user(state: State, id: PathId<UserId>) -> Result<Json<UserView>, ApiError> {
    Ok(Json(UserView::with_roles(state.accounts.get(id.0).await?)))
}

/// Changes an account
#[endpoint(responses(
    (status_code = 409, description = "There is an account of this name"),
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
