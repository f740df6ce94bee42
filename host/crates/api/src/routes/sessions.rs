//! Sessions of the caller and of other accounts.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Authenticated, Caller, PathId, State};
use crate::response::Json;
use crate::views::auth::SessionView;
use svc_domain::id::{SessionId, UserId};

/// List the sessions of the caller
///
/// For the guest account: only the session of the caller.
#[endpoint]
pub async fn list_own_sessions(state: State, caller: Caller) -> Result<Json<Vec<SessionView>>, ApiError> {
    let sessions = state.sessions.list(caller.user.id).await?;
    Ok(Json(SessionView::own(sessions, &caller)))
}

/// End all sessions of the caller except the current one
///
/// Returns the number of ended sessions.
#[endpoint]
pub async fn revoke_own_sessions(state: State, by: Authenticated) -> Result<Json<u64>, ApiError> {
    let user = by.0.actor.user.id;
    Ok(Json(state.sessions.revoke_all(by.0, user).await?))
}

/// End a session of the caller
#[endpoint]
pub async fn revoke_own_session(
    state: State,
    by: Authenticated,
    session_id: PathId<SessionId>,
) -> Result<Json<bool>, ApiError> {
    let user = by.0.actor.user.id;
    state.sessions.revoke(by.0, user, session_id.0).await?;
    Ok(Json(true))
}

/// List the sessions of an account
#[endpoint]
pub async fn list_sessions(
    state: State,
    caller: Caller,
    id: PathId<UserId>,
) -> Result<Json<Vec<SessionView>>, ApiError> {
    let sessions = state.sessions.list(id.0).await?;
    Ok(Json(SessionView::all(sessions, &caller)))
}

/// End all sessions of an account except the current one of the caller
///
/// Returns the number of ended sessions.
#[endpoint]
pub async fn revoke_sessions(
    state: State,
    by: Authenticated,
    id: PathId<UserId>,
) -> Result<Json<u64>, ApiError> {
    Ok(Json(state.sessions.revoke_all(by.0, id.0).await?))
}
