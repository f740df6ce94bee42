//! Accounts: the caller's own and others'.

use salvo::Writer as _;
use salvo::oapi::{ToSchema, endpoint};
use serde::{Deserialize, Deserializer};

use crate::answer::{Answer, Created, ListView};
use crate::extract::{Body, By, Caller, CloudToken, Input, PathId, State, not_null};
use crate::pagination;
use crate::problem::Problem;
use crate::query::{FromQuery, Query, QueryReader};
use crate::views::users::{CurrentUserView, PublicUserView, UserView};
use svc_domain::id::UserId;
use svc_domain::list::{Order, Page};
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
    page: Page,
    order: Order,
    roles: bool,
}

impl FromQuery for UsersQuery {
    fn read(reader: &mut QueryReader<'_>) -> Self {
        Self {
            page: pagination::page(reader),
            order: pagination::sort(reader, "createdAt", Order::Descending),
            roles: reader
                .boolean("roles", "Whether to tell the roles.")
                .unwrap_or(false),
        }
    }
}

/// Accounts for a login screen
///
/// Empty when the setting `public_user_list` is off. The guest is among them while guests are let in.
#[endpoint]
pub async fn list_public_users(state: State) -> Result<Answer<Vec<PublicUserView>>, Problem> {
    if !state.settings.public_user_list() {
        return Ok(Answer(Vec::new()));
    }
    let guests = state.settings.guest_access();
    let users = state.accounts.enabled().await?.into_iter();
    let shown = users.filter(|user| guests || !user.is_guest);
    Ok(Answer(shown.map(PublicUserView::from).collect()))
}

/// The caller
#[endpoint]
pub async fn show_current_user(caller: Caller, _cloud_token: CloudToken) -> Answer<CurrentUserView> {
    Answer(CurrentUserView::new(&caller))
}

/// Changes the caller's own account
#[endpoint(responses(
    (status_code = 409, description = "There is an account of this name"),
    (status_code = 429, description = "Too many wrong passwords")
))]
pub async fn update_current_user(
    state: State,
    by: By,
    body: Body<UpdateUserInput>,
) -> Result<Answer<UserView>, Problem> {
    let id = by.0.actor.user.id;
    let account = state.accounts.update(by.0, id, body.0.into()).await?;
    Ok(Answer(UserView::with_roles(account)))
}

/// The owner of the server, or `null`
#[endpoint]
pub async fn show_owner(state: State) -> Result<Answer<Option<UserView>>, Problem> {
    let owner = state.accounts.owner().await?;
    Ok(Answer(owner.map(UserView::with_roles)))
}

/// Accounts that were used within the last fifteen minutes
#[endpoint]
pub async fn list_active_users(state: State) -> Result<Answer<Vec<UserView>>, Problem> {
    let users = state.accounts.active().await?;
    Ok(Answer(users.into_iter().map(UserView::from).collect()))
}

/// Accounts
#[endpoint]
pub async fn list_users(
    state: State,
    query: Query<UsersQuery>,
) -> Result<Answer<ListView<UserView>>, Problem> {
    let UsersQuery { page, order, roles } = query.0;
    let listing = state.accounts.list(page, order).await?;
    Ok(Answer(ListView::new(listing, |account| {
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
    by: By,
    body: Body<CreateUserInput>,
) -> Result<Created<UserView>, Problem> {
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
pub async fn show_user(state: State, id: PathId<UserId>) -> Result<Answer<UserView>, Problem> {
    Ok(Answer(UserView::with_roles(state.accounts.get(id.0).await?)))
}

/// Changes an account
#[endpoint(responses(
    (status_code = 409, description = "There is an account of this name"),
    (status_code = 429, description = "Too many wrong passwords")
))]
pub async fn update_user(
    state: State,
    by: By,
    body: Body<UpdateUserInput>,
    id: PathId<UserId>,
) -> Result<Answer<UserView>, Problem> {
    let account = state.accounts.update(by.0, id.0, body.0.into()).await?;
    Ok(Answer(UserView::with_roles(account)))
}
