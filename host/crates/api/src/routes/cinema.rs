//! Cinema home page: movies and episodes to continue, and next episodes.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, State};
use crate::list_query;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::{Json, Page};
use crate::views::items::CinemaItemView;
use svc_domain::list::{Order, OrderedPagination, Pagination};

/// The query of `GET /cinema/continue`.
#[derive(Debug)]
pub struct ResumableQuery(OrderedPagination);

impl FromQuery for ResumableQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self(list_query::page_in_order_of(
            params,
            "playedAt",
            Order::Descending,
        ))
    }
}

/// The query of `GET /cinema/next-up`.
#[derive(Debug)]
pub struct NextUpQuery(Pagination);

impl FromQuery for NextUpQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        Self(list_query::page_of_latest(params, "playedAt"))
    }
}

/// List movies and episodes to continue
///
/// Items that the caller started and did not finish, the last played first. An item counts as started after one minute,
/// or after a twentieth of its length if it is shorter than 20 minutes.
#[endpoint]
pub async fn list_resumable(
    state: State,
    caller: Caller,
    query: Query<ResumableQuery>,
) -> Result<Json<Page<CinemaItemView>>, ApiError> {
    Ok(state.history.resumable(&caller, query.0.0).await?.into())
}

/// List the next episode of each TV show
///
/// For each show with a watched episode: the first unwatched episode after the one watched last, in the order of seasons
/// and episode numbers, specials last. The show watched last comes first.
#[endpoint]
pub async fn list_next_up(
    state: State,
    caller: Caller,
    query: Query<NextUpQuery>,
) -> Result<Json<Page<CinemaItemView>>, ApiError> {
    Ok(state.history.next_up(&caller, query.0.0).await?.into())
}
