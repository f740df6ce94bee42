//! Search over all types of media items and photo albums.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, State};
use crate::list_query;
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::Json;
use crate::views::search::SearchResultsView;
use svc_domain::text::query_words;
use svc_http_io::limits::SEARCH_WORDS;
use svc_library::search::{SearchRequest, SearchType, UNKNOWN_TYPE};

impl FromQuery for SearchRequest {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let about = "At most 16 words. Each must be the beginning of a word of the item; case and diacritics are ignored.";
        let text = params.required_text("q", about);
        if query_words(&text).len() > SEARCH_WORDS {
            params.fail("q", format!("must have at most {SEARCH_WORDS} words"));
        }
        let about = "Types of the results, such as `music_track` or `photo_album`, and kinds of `GET /kinds`; default: all types that the caller can read.";
        let names = params.texts("types", about);
        let types: Vec<SearchType> = names
            .iter()
            .filter_map(|name| SearchType::from_name(name))
            .collect();
        if types.len() < names.len() {
            params.fail("types", UNKNOWN_TYPE);
        }
        Self {
            text,
            types,
            page: list_query::page(params),
        }
    }
}

/// Search for items
///
/// Returns the results of each type, best match first. `take` and `skip` apply to each type.
#[endpoint]
pub async fn search(
    state: State,
    caller: Caller,
    query: Query<SearchRequest>,
) -> Result<Json<SearchResultsView>, ApiError> {
    let found = state.search.find(&caller, &query.0).await?;
    Ok(Json(SearchResultsView::new(found, caller.user.id)))
}
