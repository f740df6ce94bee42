//! Movies and episodes to go on with.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, State};
use crate::pagination;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Json, Page};
use crate::views::items::CinemaItemView;
use svc_domain::list::{Order, OrderedPagination, Pagination};

/// Which part of what was begun.
#[derive(Debug)]
pub struct ResumableQuery(OrderedPagination);

impl FromQuery for ResumableQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self(pagination::ordered(params, "playedAt", Order::Descending))
    }
}

/// Which part of what comes next.
#[derive(Debug)]
pub struct NextUpQuery(Pagination);

impl FromQuery for NextUpQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self(pagination::latest(params, "playedAt"))
    }
}

/// Movies and episodes that were begun and not played to the end, the last first
///
/// Begun is what was played to its first minute, or to a twentieth of what is shorter than twenty.
#[endpoint]
pub async fn list_resumable(
    state: State,
    caller: Caller,
    query: Query<ResumableQuery>,
) -> Result<Json<Page<CinemaItemView>>, ApiError> {
    let resumable = state.history.resumable(&caller, query.0.0).await?;
    Ok(Json(Page::new(resumable, CinemaItemView::from)))
}

/// The next episode of each show
///
/// Of each show with a watched episode: the first unwatched one after the one that was watched last, in the order of
/// seasons and numbers, specials last. The show that was watched last comes first.
#[endpoint]
pub async fn list_next_up(
    state: State,
    caller: Caller,
    query: Query<NextUpQuery>,
) -> Result<Json<Page<CinemaItemView>>, ApiError> {
    let episodes = state.history.next_up(&caller, query.0.0).await?;
    Ok(Json(Page::new(episodes, CinemaItemView::from)))
}
