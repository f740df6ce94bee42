//! Directories of media as they are on disk.

use salvo::Writer as _;
use salvo::oapi::endpoint;

use crate::api_error::ApiError;
use crate::extract::{Caller, State};
use crate::query::{FromQuery, Query, QueryParams};
use crate::response::Json;
use crate::views::ls::LsView;
use svc_domain::kind::MediaKind;
use svc_identity::error::FieldError;
use svc_library::browse::BrowseRequest;

/// Which directory to list, and how.
#[derive(Debug)]
pub struct LsQuery {
    root: Option<&'static str>,
    path: String,
    remove_files: bool,
    add_empty: bool,
}

impl FromQuery for LsQuery {
    fn read(params: &mut QueryParams<'_>) -> Self {
        let kinds = MediaKind::BUILT_IN.map(|kind| (kind, kind));
        Self {
            root: params.choice("rootDir", "The kind whose directories are shown. Required.", &kinds),
            path: params
                .text_or_none("path", "Path below the root; the root itself if left out.")
                .unwrap_or_default(),
            remove_files: params
                .boolean("removeFileNodes", "Only directories. `false` if left out.")
                .unwrap_or(false),
            add_empty: params
                .boolean(
                    "addEmptyNodes",
                    "An empty `children` in each directory, not only in those with something in them. `true` if left out.",
                )
                .unwrap_or(true),
        }
    }
}

/// What lies in a directory of media
#[endpoint]
pub async fn browse_directory(
    state: State,
    caller: Caller,
    query: Query<LsQuery>,
) -> Result<Json<LsView>, ApiError> {
    let query = query.0;
    let kind = query.root.and_then(|root| root.parse().ok());
    let kind = kind.ok_or_else(|| ApiError::invalid(vec![FieldError::new("rootDir", "is missing")]))?;
    let request = BrowseRequest {
        kind,
        path: query.path,
        files: !query.remove_files,
    };
    let directory = state.browse.list(&caller, request).await?;
    Ok(Json(LsView::new(directory, query.add_empty)))
}
