//! Sessions: the caller's own and others'.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Authenticated, Caller, PathId, State};
use crate::response::Json;
use crate::views::auth::SessionView;
use svc_domain::id::{SessionId, UserId};
use svc_domain::session::Session;

fn views(sessions: Vec<Session>, current: Option<SessionId>) -> Json<Vec<SessionView>> {
    let views = sessions
        .into_iter()
        .map(|session| SessionView::new(session, current));
    Json(views.collect())
}

/// The caller's sessions; the guest's is the one that asks
#[endpoint]
pub async fn list_own_sessions(state: State, caller: Caller) -> Result<Json<Vec<SessionView>>, ApiError> {
    let current = caller.session();
    let mut sessions = state.sessions.list(caller.user.id).await?;
    // The guest is many people, who are not to know of one another.
    if caller.user.is_guest {
        sessions.retain(|session| Some(session.id) == current);
    }
    Ok(views(sessions, current))
}

/// Ends all of the caller's sessions but this one; tells how many
#[endpoint]
pub async fn revoke_own_sessions(state: State, by: Authenticated) -> Result<Json<u64>, ApiError> {
    let user = by.0.actor.user.id;
    Ok(Json(state.sessions.revoke_all(by.0, user).await?))
}

/// Ends one of the caller's sessions
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

/// The sessions of an account
#[endpoint]
pub async fn list_sessions(
    state: State,
    caller: Caller,
    id: PathId<UserId>,
) -> Result<Json<Vec<SessionView>>, ApiError> {
    Ok(views(state.sessions.list(id.0).await?, caller.session()))
}

/// Ends all sessions of an account but the caller's own; tells how many
#[endpoint]
pub async fn revoke_sessions(
    state: State,
    by: Authenticated,
    id: PathId<UserId>,
) -> Result<Json<u64>, ApiError> {
    Ok(Json(state.sessions.revoke_all(by.0, id.0).await?))
}
