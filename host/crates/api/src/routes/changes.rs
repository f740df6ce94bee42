//! The change log of the library.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, State};
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::Json;
use crate::views::changes::ChangesView;

/// Default of `take`.
const DEFAULT_TAKE: u32 = 500;

/// The query of `GET /changes`.
#[derive(Debug)]
pub struct ChangesQuery {
    since: Option<i64>,
    take: u32,
}

impl FromQuery for ChangesQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let since = "`next` of the previous response. Without it, the response has no changes, and its `next` is the \
                     current end of the change log.";
        let take = "Maximum number of changes to read; default: 500. Changes that the caller has no access to are read but \
                    not returned.";
        Self {
            since: params.integer("since", since, 0..=i64::MAX),
            take: params.integer("take", take, 1..=1000).unwrap_or(DEFAULT_TAKE),
        }
    }
}

/// List changes of the library since a position in the change log
///
/// For clients that missed events. Repeat with `since` set to `next` until `changes` is empty. If `incomplete` is true, the
/// change log no longer holds the position, and the client must fetch everything again.
#[endpoint]
pub async fn list_changes(
    state: State,
    caller: Caller,
    query: Query<ChangesQuery>,
) -> Result<Json<ChangesView>, ApiError> {
    let ChangesQuery { since, take } = query.0;
    Ok(Json(state.changes.since(&caller, since, take).await?.into()))
}
