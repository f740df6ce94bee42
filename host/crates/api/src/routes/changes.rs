//! What changed in the library.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, State};
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::Json;
use crate::views::changes::ChangesView;

/// Changes in one answer, if the client does not say.
const DEFAULT_TAKE: u32 = 500;

/// From where, and how many.
#[derive(Debug)]
pub struct ChangesQuery {
    since: Option<i64>,
    take: u32,
}

impl FromQuery for ChangesQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let since = "`next` of the last answer. Left out, the answer is empty and its `next` is the place to begin from.";
        let take = "Changes looked at, 500 unless told; those that the caller may not know of are left out.";
        Self {
            since: params.integer("since", since, 0..=i64::MAX),
            take: params
                .integer("take", take, 1..=1000)
                .and_then(|take| u32::try_from(take).ok())
                .unwrap_or(DEFAULT_TAKE),
        }
    }
}

/// What was added, changed or went since
///
/// For clients that were away while events were sent. Follow `next` until `changes` is empty; `incomplete` says that
/// the list does not reach back so far, and that everything is to be fetched anew.
#[endpoint]
pub async fn list_changes(
    state: State,
    caller: Caller,
    query: Query<ChangesQuery>,
) -> Result<Json<ChangesView>, ApiError> {
    let ChangesQuery { since, take } = query.0;
    Ok(Json(state.changes.since(&caller, since, take).await?.into()))
}
